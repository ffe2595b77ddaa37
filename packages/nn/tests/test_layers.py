"""Layers: reprs, state dicts, shapes and modes."""

import numpy as np
import pytest
from nn_toys import refuse_reads, same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises

SHOWN = [
    (lambda: nn.Identity(3), "Identity()"),
    (lambda: nn.Linear(3, 2), "Linear(in_features=3, out_features=2, bias=True)"),
    (lambda: nn.Conv1d(1, 2, 3), "Conv1d(1, 2, kernel_size=(3,), stride=(1,))"),
    (
        lambda: nn.Conv1d(2, 2, 3, padding=1, dilation=2, bias=False),
        "Conv1d(2, 2, kernel_size=(3,), stride=(1,), padding=(1,), dilation=(2,), bias=False)",
    ),
    (lambda: nn.Conv2d(1, 2, 3), "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))"),
    (
        lambda: nn.Conv2d(2, 2, (3, 5), padding="same", groups=2, bias=False, dilation=2),
        "Conv2d(2, 2, kernel_size=(3, 5), stride=(1, 1), padding=same, dilation=(2, 2), groups=2, bias=False)",
    ),
    (
        lambda: nn.Conv3d(1, 2, 3, padding=1, padding_mode="circular"),
        "Conv3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1), padding=(1, 1, 1), padding_mode=circular)",
    ),
    (
        lambda: nn.ConvTranspose2d(1, 2, 3, output_padding=1, stride=2),
        "ConvTranspose2d(1, 2, kernel_size=(3, 3), stride=(2, 2), output_padding=(1, 1))",
    ),
    (
        lambda: nn.BatchNorm2d(3),
        "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    (lambda: nn.Embedding(5, 3), "Embedding(5, 3)"),
    (
        lambda: nn.Embedding(5, 3, -2, 1.0, 3.0, True),
        "Embedding(5, 3, padding_idx=3, max_norm=1.0, norm_type=3.0, scale_grad_by_freq=True)",
    ),
    (lambda: nn.LayerNorm((2, 3)), "LayerNorm((2, 3), eps=1e-05, elementwise_affine=True, bias=True)"),
    (lambda: nn.RMSNorm(3), "RMSNorm((3,), eps=None, elementwise_affine=True)"),
    (lambda: nn.GroupNorm(2, 4, affine=False), "GroupNorm(2, 4, eps=1e-05, affine=False, bias=False)"),
    (lambda: nn.Dropout(0.3, True), "Dropout(p=0.3, inplace=True)"),
    (lambda: nn.Dropout2d(), "Dropout2d(p=0.5, inplace=False)"),
    (lambda: nn.AlphaDropout(0.1), "AlphaDropout(p=0.1, inplace=False)"),
    (lambda: nn.Flatten(), "Flatten(start_dim=1, end_dim=-1)"),
    (lambda: nn.Unflatten(1, (2, 3)), "Unflatten(dim=1, unflattened_size=(2, 3))"),
    (lambda: nn.ReLU(), "ReLU()"),
    (lambda: nn.ReLU6(True), "ReLU6(inplace=True)"),
    (lambda: nn.LeakyReLU(0.2, True), "LeakyReLU(negative_slope=0.2, inplace=True)"),
    (lambda: nn.ELU(), "ELU(alpha=1.0)"),
    (lambda: nn.GELU(), "GELU(approximate='none')"),
    (lambda: nn.SiLU(True), "SiLU(inplace=True)"),
    (lambda: nn.Softplus(), "Softplus(beta=1.0, threshold=20.0)"),
    (lambda: nn.Hardtanh(-2, 3), "Hardtanh(min_val=-2, max_val=3)"),
    (lambda: nn.Softmax(-1), "Softmax(dim=-1)"),
    (lambda: nn.LogSoftmax(1), "LogSoftmax(dim=1)"),
    (lambda: nn.LogSigmoid(), "LogSigmoid()"),
    (lambda: nn.CELU(2.0, True), "CELU(alpha=2.0, inplace=True)"),
    (lambda: nn.GLU(1), "GLU(dim=1)"),
    (lambda: nn.Hardshrink(), "Hardshrink(0.5)"),
    (lambda: nn.Hardswish(), "Hardswish()"),
    (lambda: nn.Mish(True), "Mish(inplace=True)"),
    (lambda: nn.PReLU(3), "PReLU(num_parameters=3)"),
    (lambda: nn.Threshold(0.1, 20), "Threshold(threshold=0.1, value=20)"),
    (lambda: nn.Softsign(), "Softsign()"),
    (lambda: nn.CrossEntropyLoss(ft.ones(2)), "CrossEntropyLoss()"),
    (lambda: nn.KLDivLoss(), "KLDivLoss()"),
]


@pytest.mark.parametrize(("make", "shown"), SHOWN, ids=[shown for _, shown in SHOWN])
def test_repr(make, shown):
    assert repr(make()) == shown


def shapes(module):
    return {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: nn.Linear(3, 2), {"weight": (2, 3), "bias": (2,)}),
        (lambda: nn.Linear(3, 2, bias=False), {"weight": (2, 3)}),
        (lambda: nn.Embedding(4, 3), {"weight": (4, 3)}),
        (lambda: nn.EmbeddingBag(4, 3), {"weight": (4, 3)}),
        (lambda: nn.Bilinear(2, 3, 4), {"weight": (4, 2, 3), "bias": (4,)}),
        (lambda: nn.Bilinear(2, 3, 4, bias=False), {"weight": (4, 2, 3)}),
        (lambda: nn.Conv1d(4, 6, 3, groups=2), {"weight": (6, 2, 3), "bias": (6,)}),
        (lambda: nn.Conv2d(4, 6, (3, 2), groups=2), {"weight": (6, 2, 3, 2), "bias": (6,)}),
        (lambda: nn.Conv3d(4, 6, 3, groups=2), {"weight": (6, 2, 3, 3, 3), "bias": (6,)}),
        (lambda: nn.ConvTranspose1d(4, 6, 3, bias=False), {"weight": (4, 6, 3)}),
        (lambda: nn.ConvTranspose2d(4, 6, (3, 2), groups=2), {"weight": (4, 3, 3, 2), "bias": (6,)}),
        (lambda: nn.ConvTranspose3d(4, 6, (3, 2, 1)), {"weight": (4, 6, 3, 2, 1), "bias": (6,)}),
        (
            lambda: nn.BatchNorm1d(3),
            {"weight": (3,), "bias": (3,), "running_mean": (3,), "running_var": (3,), "num_batches_tracked": ()},
        ),
        (lambda: nn.BatchNorm2d(3, track_running_stats=False), {"weight": (3,), "bias": (3,)}),
        (
            lambda: nn.BatchNorm2d(3, affine=False),
            {"running_mean": (3,), "running_var": (3,), "num_batches_tracked": ()},
        ),
        (lambda: nn.BatchNorm2d(3, bias=False, track_running_stats=False), {"weight": (3,)}),
        (lambda: nn.InstanceNorm2d(3), {}),
        (lambda: nn.InstanceNorm1d(3, affine=True), {"weight": (3,), "bias": (3,)}),
        (
            lambda: nn.InstanceNorm3d(3, track_running_stats=True),
            {"running_mean": (3,), "running_var": (3,), "num_batches_tracked": ()},
        ),
        (lambda: nn.PReLU(3), {"weight": (3,)}),
        (lambda: nn.LayerNorm([2, 3]), {"weight": (2, 3), "bias": (2, 3)}),
        (lambda: nn.LayerNorm(3, bias=False), {"weight": (3,)}),
        (lambda: nn.LayerNorm(3, elementwise_affine=False), {}),
        (lambda: nn.RMSNorm(3), {"weight": (3,)}),
        (lambda: nn.GroupNorm(2, 4), {"weight": (4,), "bias": (4,)}),
        (lambda: nn.GroupNorm(2, 4, bias=False), {"weight": (4,)}),
        (lambda: nn.CrossEntropyLoss(ft.ones(4)), {"weight": (4,)}),
        (lambda: nn.BCEWithLogitsLoss(pos_weight=ft.ones(4)), {"pos_weight": (4,)}),
        (lambda: nn.Dropout(), {}),
    ],
)
def test_state_dicts(make, expected):
    assert shapes(make()) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda **place: nn.Linear(3, 2, **place),
        lambda **place: nn.Conv1d(1, 2, 3, **place),
        lambda **place: nn.Conv2d(1, 2, 3, **place),
        lambda **place: nn.ConvTranspose2d(1, 2, 3, **place),
        lambda **place: nn.BatchNorm2d(3, **place),
        lambda **place: nn.BatchNorm3d(3, **place),
        lambda **place: nn.LayerNorm(3, **place),
        lambda **place: nn.RMSNorm(3, **place),
        lambda **place: nn.GroupNorm(2, 4, **place),
    ],
)
def test_dtype_and_device(make):
    module = make(dtype=ft.float64)
    assert {p.dtype for p in module.parameters()} == {ft.float64}
    assert {p.device.type for p in make(device="meta").state_dict().values()} == {"meta"}


@pytest.mark.parametrize(
    ("layer", "given", "made"),
    [
        (lambda: nn.Linear(3, 2), (3,), (2,)),
        (lambda: nn.Linear(3, 2), (4, 5, 3), (4, 5, 2)),
        (lambda: nn.Conv2d(2, 3, 3, stride=2, padding=1), (1, 2, 7, 8), (1, 3, 4, 4)),
        (lambda: nn.Conv2d(2, 3, 3, padding="same", dilation=2), (2, 5, 5), (3, 5, 5)),
        (lambda: nn.ConvTranspose2d(2, 3, 3, stride=2, output_padding=1), (1, 2, 4, 5), (1, 3, 10, 12)),
        (lambda: nn.Conv3d(2, 3, 3, stride=2, padding=1), (1, 2, 5, 7, 8), (1, 3, 3, 4, 4)),
        (lambda: nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1), (2, 4), (3, 10)),
        (lambda: nn.ConvTranspose3d(2, 3, 3, stride=2), (1, 2, 2, 4, 5), (1, 3, 5, 9, 11)),
        (lambda: nn.Flatten(0, 1), (2, 3, 4), (6, 4)),
        (lambda: nn.Unflatten(-1, (2, -1)), (3, 8), (3, 2, 4)),
    ],
)
def test_shapes(layer, given, made):
    assert tuple(layer()(ft.rand(*given)).shape) == made


def test_transposed_convolution_with_output_size():
    layer, x = nn.ConvTranspose2d(1, 1, 3, stride=3), ft.rand(1, 1, 2, 2)
    for size in ((6, 6), (7, 8)):
        assert layer(x, output_size=size).shape[-2:] == size
        assert layer(x, output_size=(1, 1, *size)).shape[-2:] == size
    for size in ((5, 6), (6, 9)):
        with raises(ValueError, "ConvTranspose2d", "expected output_size from (6, 6) to (8, 8)"):
            layer(x, output_size=size)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [2, "same", "valid"])
def test_padding_modes(dims, mode, padding):
    """Compare with the convolution of inputs padded by NumPy."""
    layer = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[dims](1, 2, 2, padding=padding, dilation=3, padding_mode=mode)
    x = ft.rand(2, 1, *(5, 6, 7)[:dims])
    before, after = {"same": (1, 2), "valid": (0, 0)}.get(padding, (2, 2))
    words = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    around = np.pad(x.numpy(), ((0, 0), (0, 0), *[(before, after)] * dims), words[mode])
    plain = {1: nn.functional.conv1d, 2: nn.functional.conv2d, 3: nn.functional.conv3d}[dims]
    wanted = plain(ft.tensor(around), layer.weight, layer.bias, dilation=3)
    np.testing.assert_allclose(layer(x).detach().numpy(), wanted.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert layer(x[0]).shape == wanted.shape[1:]


def test_instance_norm_normalises_each_example():
    layer, x = nn.InstanceNorm2d(3, affine=True, track_running_stats=True), ft.randn(4, 3, 5, 6)
    out = layer(x)
    assert out.mean((2, 3)).abs().max().item() < 1e-5
    assert (layer(x[1]) - out[1]).abs().max().item() < 1e-6
    np.testing.assert_allclose(nn.InstanceNorm2d(3)(x).numpy(), out.detach().numpy())
    before = layer.running_mean.clone()
    assert before.abs().max().item() > 0 and layer.num_batches_tracked.item() == 0
    layer.eval()
    assert (layer(x) == nn.functional.batch_norm(x, before, layer.running_var, layer.weight, layer.bias)).all()
    with raises(ValueError, "InstanceNorm2d", "expected 3 or 4 dimensions", "(3, 2)"):
        layer(ft.ones(3, 2))
    with raises(ValueError, "InstanceNorm2d", "an input of 3 channels, as num_features says", value=2):
        layer(ft.ones(1, 2, 3, 3))
    with pytest.warns(UserWarning, match="an input of 4 channels"):
        nn.InstanceNorm1d(4)(ft.rand(2, 3, 4))
    assert repr(nn.InstanceNorm1d(3)).startswith("InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=False, bias=False")


def test_local_response_norm():
    x = ft.rand(2, 5, 3, 3)
    assert (nn.LocalResponseNorm(3)(x) == nn.functional.local_response_norm(x, 3)).all()
    evenly = nn.CrossMapLRN2d(4, alpha=0.5)(x)
    np.testing.assert_allclose(evenly.numpy(), nn.functional.local_response_norm(x, 3, 0.5 * 3 / 4).numpy())
    assert repr(nn.LocalResponseNorm(2)) == "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"
    with raises(ValueError, "CrossMapLRN2d", "expected 4 dimensions"):
        nn.CrossMapLRN2d(3)(x[0])


def test_embedding_bag_and_bilinear():
    bags = nn.EmbeddingBag(5, 3, mode="max", padding_idx=-1)
    assert bags.weight[4].tolist() == [0] * 3
    assert repr(bags) == "EmbeddingBag(5, 3, mode='max', padding_idx=4)"
    index, offsets = ft.tensor([1, 2, 4, 3]), ft.tensor([0, 3])
    wanted = ft.stack([bags.weight[1:3].amax(0), bags.weight[3]])
    assert (bags(index, offsets) == wanted).all()
    kept = nn.EmbeddingBag.from_pretrained(bags.weight.detach(), mode="sum")
    assert not kept.weight.requires_grad and (kept(index.view(2, 2))[0] == bags.weight[1] + bags.weight[2]).all()
    with raises(NotImplementedError, "EmbeddingBag", "sparse=True"):
        nn.EmbeddingBag(5, 3, sparse=True)
    with raises(ValueError, "EmbeddingBag", "padding_idx from -5 to 4", value=5):
        nn.EmbeddingBag(5, 3, padding_idx=5)
    layer = nn.Bilinear(2, 3, 4)
    assert layer(ft.ones(5, 2), ft.ones(5, 3)).shape == (5, 4)
    assert layer.weight.abs().max().item() <= 2**-0.5
    assert repr(layer) == "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)"


def batches():
    rng = np.random.default_rng(0)
    return [rng.normal(3, 2, (6, 3, 2, 2)) for _ in range(4)]


@pytest.mark.parametrize("dtype", [ft.float64, ft.float32, ft.float16])
def test_cumulative_mean_reads_no_count(dtype, monkeypatch):
    layer, values = nn.BatchNorm2d(3, momentum=None, dtype=dtype), [ft.tensor(one, dtype=dtype) for one in batches()]
    averages = ft.empty(3, 2, dtype=dtype)
    layer.running_mean = averages[:, 0]  # not contiguous, too
    with monkeypatch.context() as patched:
        refuse_reads(patched)
        for one in values:
            one.requires_grad_()
            layer(one).sum().backward()
    every = np.stack([one.mean((0, 2, 3)) for one in batches()])
    np.testing.assert_allclose(averages[:, 0].numpy(), every.mean(0), rtol=2e-3)
    assert int(layer.num_batches_tracked) == 4
    with raises(ValueError, "batch_norm", "expected input of 3 channels"):
        layer(ft.zeros(2, 4, 1, 1, dtype=dtype))
    with raises(ValueError, "batch_norm", "expected more than 1 value per channel"):
        layer(ft.zeros(1, 3, 1, 1, dtype=dtype))
    assert int(layer.num_batches_tracked) == 4


@pytest.mark.parametrize("momentum", [0.1, 0.5, None])
def test_running_statistics(momentum):
    layer = nn.BatchNorm2d(3, momentum=momentum, dtype=ft.float64)
    mean, variance = np.zeros(3), np.ones(3)
    for place, batch in enumerate(batches()):
        out = layer(ft.tensor(batch)).detach().numpy()
        own, biased = batch.mean((0, 2, 3)), batch.var((0, 2, 3))
        expected = (batch - own[:, None, None]) / np.sqrt(biased[:, None, None] + 1e-5)
        np.testing.assert_allclose(out, expected, atol=1e-10)
        share = 1 / (place + 1) if momentum is None else momentum
        mean = (1 - share) * mean + share * own
        variance = (1 - share) * variance + share * batch.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(layer.running_mean.numpy(), mean)
    np.testing.assert_allclose(layer.running_var.numpy(), variance)
    assert int(layer.num_batches_tracked) == 4
    layer.eval()
    out = layer(ft.tensor(batch)).detach().numpy()
    expected = (batch - mean[:, None, None]) / np.sqrt(variance[:, None, None] + 1e-5)
    np.testing.assert_allclose(out, expected, atol=1e-10)
    assert int(layer.num_batches_tracked) == 4
    layer.reset_running_stats()
    assert same(layer.running_mean, ft.zeros(3, dtype=ft.float64)) and int(layer.num_batches_tracked) == 0
    assert same(layer.running_var, ft.ones(3, dtype=ft.float64))


def test_without_running_statistics_evaluation_uses_the_batch():
    layer = nn.BatchNorm1d(2, track_running_stats=False).eval()
    out = layer(ft.tensor([[1.0, 0.0], [3.0, 4.0]])).detach().numpy()
    np.testing.assert_allclose(out, [[-1, -1], [1, 1]], atol=1e-4)


def test_rejected_batch_does_not_change_statistics():
    layer = nn.BatchNorm1d(3)
    for wrong in (ft.ones(1, 3), ft.ones(4, 2)):
        with pytest.raises(ValueError):
            layer(wrong)
    assert int(layer.num_batches_tracked) == 0 and same(layer.running_mean, ft.zeros(3))


@pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.BatchNorm2d])
@pytest.mark.parametrize("track", [True, False])
def test_empty_batch_does_not_change_statistics(layer, track):
    module = layer(2, track_running_stats=track)
    x = ft.ones(0, 2, *(3, 3)[: 2 * (layer is nn.BatchNorm2d)], requires_grad=True)
    module(x).sum().backward()
    assert module.weight.grad.tolist() == module.bias.grad.tolist() == [0.0, 0.0]
    assert x.grad.shape == x.shape
    if track:
        assert module.running_mean.tolist() == [0.0, 0.0]
        assert module.running_var.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("plain", "shape"), [(nn.BatchNorm1d, (4, 3)), (nn.BatchNorm2d, (4, 3, 2, 2)), (nn.BatchNorm3d, (4, 3, 2, 2, 2))]
)
def test_synchronized_batch_norm_of_one_process_is_batch_norm(plain, shape):
    x, layer, synced = ft.randn(shape), plain(3), nn.SyncBatchNorm(3)
    for _ in range(2):
        assert same(layer(x), synced(x))
    assert all(same(a, b) for a, b in zip(layer.buffers(), synced.buffers(), strict=True))
    assert same(layer.eval()(x), synced.eval()(x)) and list(layer.state_dict()) == list(synced.state_dict())
    assert nn.SyncBatchNorm(3)(ft.randn(2, 3, 2, 2, 2, 2)).ndim == 6
    assert list(nn.SyncBatchNorm(3, bias=False).state_dict()) == list(plain(3, bias=False).state_dict())
    with raises(ValueError, "SyncBatchNorm", "expected at least 2 dimensions"):
        synced(ft.ones(3))


def test_batch_norms_become_synchronized():
    inner = nn.BatchNorm2d(2, momentum=None, affine=False)
    model = nn.Sequential(
        nn.BatchNorm1d(3, bias=False), nn.Sequential(inner, nn.InstanceNorm1d(3)), nn.Linear(3, 3)
    ).eval()
    weight, means = model[0].weight, inner.running_mean
    made = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert made is model and [type(one) for one in (model[0], model[1][0])] == [nn.SyncBatchNorm] * 2
    assert model[0].weight is weight and model[1][0].running_mean is means and model[1][0].momentum is None
    assert model[0].bias is None and model[1][0].bias is None and repr(model[0]).count("bias=False") == 1
    assert not model[0].training and type(model[1][1]) is nn.InstanceNorm1d and model[1][0].weight is None

    with raises(TypeError, "convert_sync_batchnorm", "expected a Module", value="int"):
        nn.SyncBatchNorm.convert_sync_batchnorm(3)


def test_embedding():
    layer = nn.Embedding(4, 3, padding_idx=-1)
    assert layer.padding_idx == 3 and layer.weight[3].tolist() == [0.0] * 3 and layer.weight[:3].abs().sum() > 0
    assert same(layer(ft.tensor([[1, 3]])), layer.weight.detach()[ft.tensor([[1, 3]])])
    rows = ft.tensor([[1.0, 2.0], [3.0, 4.0]])
    frozen = nn.Embedding.from_pretrained(rows)
    assert not frozen.weight.requires_grad and frozen(ft.tensor(1)).tolist() == [3.0, 4.0]
    rows[1] = 5
    assert frozen(ft.tensor(1)).tolist() == [5.0, 5.0]
    assert nn.Embedding.from_pretrained(rows, freeze=False).weight.requires_grad
    for make, text in (
        (lambda: nn.Embedding(4, 3, padding_idx=4), "padding_idx from -4 to 3; got 4"),
        (lambda: nn.Embedding(4, 3, _weight=rows), "(4, 3); got (2, 2)"),
        (lambda: nn.Embedding.from_pretrained(rows[0]), "numbers, features"),
    ):
        with raises(ValueError, "Embedding", text):
            make()
    with raises(NotImplementedError, "Embedding", "sparse"):
        nn.Embedding(4, 3, sparse=True)
