"""Layers: how they are shown, what is in their state dicts, their shapes and modes, and what they refuse."""

import math

import numpy as np
import pytest
from nn_toys import same

import facula_nn as nn
import facula_tensor as ft

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


def test_a_transposed_convolution_of_a_wanted_size():
    layer, x = nn.ConvTranspose2d(1, 1, 3, stride=3), ft.rand(1, 1, 2, 2)
    for size in ((6, 6), (7, 8)):
        assert layer(x, output_size=size).shape[-2:] == size
        assert layer(x, output_size=(1, 1, *size)).shape[-2:] == size
    for size in ((5, 6), (6, 9)):
        with pytest.raises(ValueError, match=r"expected output_size from \(6, 6\) to \(8, 8\) .* got"):
            layer(x, output_size=size)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [2, "same", "valid"])
def test_padding_modes(dims, mode, padding):
    """The convolution of what NumPy pads."""
    layer = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[dims](1, 2, 2, padding=padding, dilation=3, padding_mode=mode)
    x = ft.rand(2, 1, *(5, 6, 7)[:dims])
    before, after = {"same": (1, 2), "valid": (0, 0)}.get(padding, (2, 2))
    words = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    around = np.pad(x.numpy(), ((0, 0), (0, 0), *[(before, after)] * dims), words[mode])
    plain = {1: nn.functional.conv1d, 2: nn.functional.conv2d, 3: nn.functional.conv3d}[dims]
    wanted = plain(ft.tensor(around), layer.weight, layer.bias, dilation=3)
    np.testing.assert_allclose(layer(x).detach().numpy(), wanted.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert layer(x[0]).shape == wanted.shape[1:]


def test_instances_are_normalised_by_themselves():
    layer, x = nn.InstanceNorm2d(3, affine=True, track_running_stats=True), ft.randn(4, 3, 5, 6)
    out = layer(x)
    assert out.mean((2, 3)).abs().max().item() < 1e-5
    assert (layer(x[1]) - out[1]).abs().max().item() < 1e-6
    np.testing.assert_allclose(nn.InstanceNorm2d(3)(x).numpy(), out.detach().numpy())
    before = layer.running_mean.clone()
    assert before.abs().max().item() > 0 and layer.num_batches_tracked.item() == 0
    layer.eval()
    assert (layer(x) == nn.functional.batch_norm(x, before, layer.running_var, layer.weight, layer.bias)).all()
    with pytest.raises(ValueError, match=r"InstanceNorm2d: expected 3 or 4 dimensions; got .*\(3, 2\)"):
        layer(ft.ones(3, 2))
    with pytest.raises(ValueError, match="an input of 3 channels, as num_features says; got 2"):
        layer(ft.ones(1, 2, 3, 3))
    with pytest.warns(UserWarning, match="an input of 4 channels"):
        nn.InstanceNorm1d(4)(ft.rand(2, 3, 4))
    assert repr(nn.InstanceNorm1d(3)).startswith("InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=False, bias=False")


def test_normalisation_by_neighbouring_channels():
    x = ft.rand(2, 5, 3, 3)
    assert (nn.LocalResponseNorm(3)(x) == nn.functional.local_response_norm(x, 3)).all()
    evenly = nn.CrossMapLRN2d(4, alpha=0.5)(x)
    np.testing.assert_allclose(evenly.numpy(), nn.functional.local_response_norm(x, 3, 0.5 * 3 / 4).numpy())
    assert repr(nn.LocalResponseNorm(2)) == "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"
    with pytest.raises(ValueError, match="CrossMapLRN2d: expected 4 dimensions"):
        nn.CrossMapLRN2d(3)(x[0])


def test_bags_and_products():
    bags = nn.EmbeddingBag(5, 3, mode="max", padding_idx=-1)
    assert bags.weight[4].tolist() == [0] * 3
    assert repr(bags) == "EmbeddingBag(5, 3, mode='max', padding_idx=4)"
    index, offsets = ft.tensor([1, 2, 4, 3]), ft.tensor([0, 3])
    wanted = ft.stack([bags.weight[1:3].amax(0), bags.weight[3]])
    assert (bags(index, offsets) == wanted).all()
    kept = nn.EmbeddingBag.from_pretrained(bags.weight.detach(), mode="sum")
    assert not kept.weight.requires_grad and (kept(index.view(2, 2))[0] == bags.weight[1] + bags.weight[2]).all()
    with pytest.raises(NotImplementedError, match="EmbeddingBag: sparse=True"):
        nn.EmbeddingBag(5, 3, sparse=True)
    with pytest.raises(ValueError, match="padding_idx from -5 to 4; got 5"):
        nn.EmbeddingBag(5, 3, padding_idx=5)
    layer = nn.Bilinear(2, 3, 4)
    assert layer(ft.ones(5, 2), ft.ones(5, 3)).shape == (5, 4)
    assert layer.weight.abs().max().item() <= 2**-0.5
    assert repr(layer) == "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)"


# --------------------------------------------------------------------------------------------- batch normalisation
def batches():
    rng = np.random.default_rng(0)
    return [rng.normal(3, 2, (6, 3, 2, 2)) for _ in range(4)]


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


def test_a_refused_batch_leaves_statistics_alone():
    layer = nn.BatchNorm1d(3)
    for wrong in (ft.ones(1, 3), ft.ones(4, 2)):
        with pytest.raises(ValueError):
            layer(wrong)
    assert int(layer.num_batches_tracked) == 0 and same(layer.running_mean, ft.zeros(3))


# ---------------------------------------------------------------------------------------------------------- dropout
def test_dropout_modes():
    ft.manual_seed(0)
    x = ft.ones(10000)
    layer = nn.Dropout(0.25)
    kept = layer(x)
    assert set(np.unique(kept.numpy())) == {0.0, np.float32(1 / 0.75)}
    assert abs((kept.numpy() == 0).mean() - 0.25) < 0.02
    assert layer.eval()(x) is x
    assert nn.Dropout(0.0)(x) is x
    y = x.clone()
    assert nn.Dropout(0.5, inplace=True)(y) is y and not same(x, y)


# -------------------------------------------------------------------------------------------- values of functions
@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (nn.ReLU(), lambda x: np.maximum(x, 0)),
        (nn.ReLU6(), lambda x: np.clip(x, 0, 6)),
        (nn.LeakyReLU(0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (nn.ELU(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0)))),
        (nn.GELU(), lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))),
        (nn.GELU("tanh"), lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
        (nn.SiLU(), lambda x: x / (1 + np.exp(-x))),
        (nn.Hardtanh(-1.5, 2), lambda x: np.clip(x, -1.5, 2)),
        (nn.Softplus(), lambda x: np.logaddexp(0, x)),
        (nn.Softplus(2.0, 6.0), lambda x: np.where(2 * x > 6, x, np.logaddexp(0, 2 * x) / 2)),
        (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
        (nn.LogSigmoid(), lambda x: -np.logaddexp(0, -x)),
        (nn.Tanh(), np.tanh),
        (nn.Softmax(0), lambda x: np.exp(x) / np.exp(x).sum()),
        (nn.LogSoftmax(-1), lambda x: x - np.log(np.exp(x).sum())),
    ],
    ids=repr,
)
def test_activations(layer, function):
    x = np.concatenate([np.linspace(-8, 8, 33), [30.0]])
    before = ft.tensor(x)
    np.testing.assert_allclose(layer(before).numpy(), function(x), rtol=1e-12, atol=1e-14)
    if getattr(layer, "inplace", None) is False:
        layer.inplace = True
        assert layer(before) is before
        layer.inplace = False
        np.testing.assert_allclose(before.numpy(), function(x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_softplus_is_x_beyond_the_threshold(dtype):
    x = ft.tensor([19.5, 20.5, 40.0, 1000.0, float("inf")], dtype=getattr(ft, dtype), requires_grad=True)
    y = nn.functional.softplus(x)
    y.sum().backward()
    assert y[1:].tolist() == x[1:].tolist()
    assert x.grad[1:].tolist() == [1.0] * 4


def test_softplus_has_its_derivative_everywhere():
    x = ft.tensor([-800.0, -1.0, 0.0, 1.0, 19.0, 21.0, 800.0], dtype=ft.float64, requires_grad=True)
    nn.functional.softplus(x).sum().backward()
    expected = np.where(x.detach().numpy() > 20, 1.0, 1 / (1 + np.exp(-x.detach().numpy().clip(-700))))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-12, atol=1e-300)
    with pytest.raises(ValueError, match="softplus: expected a beta other than 0"):
        nn.functional.softplus(x, beta=0)


# ----------------------------------------------------------------------------------------------------------- losses
def classes():
    return ft.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 0.1]], dtype=ft.float64), ft.tensor([1, 0])


def test_classification_losses():
    x, target = classes()
    logp = x.numpy() - np.log(np.exp(x.numpy()).sum(1, keepdims=True))
    losses = -logp[[0, 1], [1, 0]]
    weight = ft.tensor([1.0, 3.0, 1.0], dtype=ft.float64)
    assert float(nn.CrossEntropyLoss()(x, target)) == pytest.approx(losses.mean())
    assert float(nn.CrossEntropyLoss(reduction="sum")(x, target)) == pytest.approx(losses.sum())
    assert nn.CrossEntropyLoss(reduce=False)(x, target).tolist() == pytest.approx(list(losses))
    assert float(nn.CrossEntropyLoss(weight)(x, target)) == pytest.approx((3 * losses[0] + losses[1]) / 4)
    assert float(nn.CrossEntropyLoss(ignore_index=0)(x, target)) == pytest.approx(losses[0])
    smooth = 0.8 * losses - 0.2 * logp.mean(1)
    assert float(nn.CrossEntropyLoss(label_smoothing=0.2)(x, target)) == pytest.approx(smooth.mean())
    assert float(nn.NLLLoss(weight, ignore_index=0)(ft.tensor(logp), target)) == pytest.approx(losses[0])
    with pytest.raises(IndexError, match="3"):
        nn.CrossEntropyLoss()(x, ft.tensor([1, 3]))


def test_regression_losses():
    x, y = np.array([0.0, 1.0, 5.0]), np.array([0.5, 1.0, 1.0])
    a, b = ft.tensor(x), ft.tensor(y)
    d = abs(x - y)
    assert float(nn.MSELoss()(a, b)) == pytest.approx((d**2).mean())
    assert float(nn.L1Loss(reduction="sum")(a, b)) == pytest.approx(d.sum())
    smooth = np.where(d < 2, d**2 / 4, d - 1)
    assert nn.SmoothL1Loss(beta=2.0, reduction="none")(a, b).tolist() == pytest.approx(list(smooth))
    assert nn.HuberLoss("none", delta=2.0)(a, b).tolist() == pytest.approx(list(2 * smooth))


def test_losses_of_probabilities():
    x, y = np.array([0.2, -1.0, 3.0]), np.array([0.0, 0.7, 1.0])
    p = 1 / (1 + np.exp(-x))
    w = np.array([1.0, 2.0, 0.5])
    losses = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    a, b, weight = ft.tensor(x), ft.tensor(y), ft.tensor(w)
    assert float(nn.BCELoss()(ft.tensor(p), b)) == pytest.approx(losses.mean())
    assert float(nn.BCELoss(weight, reduction="sum")(ft.tensor(p), b)) == pytest.approx((w * losses).sum())
    assert float(nn.BCEWithLogitsLoss(weight)(a, b)) == pytest.approx((w * losses).mean())
    more = -(w * y * np.log(p) + (1 - y) * np.log(1 - p))
    assert float(nn.BCEWithLogitsLoss(pos_weight=weight)(a, b)) == pytest.approx(more.mean())
    target = np.array([[0.3, 0.7], [0.5, 0.5]])
    given = np.log(np.array([[0.6, 0.4], [0.9, 0.1]]))
    divergence = (target * (np.log(target) - given)).sum() / 2
    assert float(nn.KLDivLoss(reduction="batchmean")(ft.tensor(given), ft.tensor(target))) == pytest.approx(divergence)
    logs = nn.KLDivLoss(reduction="sum", log_target=True)(ft.tensor(given), ft.tensor(np.log(target)))
    assert float(logs) == pytest.approx(2 * divergence)


# --------------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "Conv2d: expected groups to divide .* got 2, 3 and 4"),
        (lambda: nn.Conv2d(3, 4, 3, groups=0), ValueError, "Conv2d: expected groups to divide"),
        (lambda: nn.Conv2d(3, 4, (3, 3, 3)), TypeError, "expected kernel_size to be an integer or two; got"),
        (lambda: nn.Conv2d(3, 4, 3, stride=1.5), TypeError, "expected stride to be an integer or two; got 1.5"),
        (lambda: nn.Conv2d(3, 4, (True, 3)), TypeError, r"kernel_size to be an integer or two; got \(True, 3\)"),
        (lambda: nn.Conv2d(3, 4, np.ones(2, int)), TypeError, "kernel_size to be an integer or two; got array"),
        (lambda: nn.Conv2d(3, 4, 3, padding="some"), ValueError, "expected padding 'same', 'valid' or numbers"),
        (lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2), ValueError, "padding 'same' needs a stride of 1"),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="mirror"), ValueError, "padding_mode to be one of zeros.* 'mirror'"),
        (lambda: nn.ConvTranspose1d(3, 4, 3, padding_mode="reflect"), ValueError, "to be 'zeros'; got 'reflect'"),
        (lambda: nn.Conv3d(3, 4, (1, 2)), TypeError, "Conv3d: expected kernel_size to be an integer or three"),
        (lambda: nn.ConvTranspose2d(3, 4, 3, padding="same"), TypeError, "expected padding to be an integer or two"),
        (lambda: nn.Dropout(1.5), ValueError, "Dropout: expected a probability from 0 to 1; got p=1.5"),
        (lambda: nn.Hardtanh(1.0, 1.0), ValueError, "Hardtanh: expected min_val < max_val; got 1.0 and 1.0"),
        (lambda: nn.Unflatten(1.0, (2,)), TypeError, "Unflatten: expected dim to be an integer"),
        (
            lambda: nn.Unflatten(1, 2),
            TypeError,
            "Unflatten: expected unflattened_size to be a tuple of integers; got 2",
        ),
        (lambda: nn.Unflatten(1, (2, 2))(ft.ones(2, 3)), ValueError, "Unflatten: expected unflattened_size of 3"),
        (lambda: nn.MSELoss(reduction="avg"), ValueError, "MSELoss: expected reduction to be one of .* got 'avg'"),
        (
            lambda: nn.CrossEntropyLoss([1.0]),
            TypeError,
            "expected weight to be a Tensor or None; got list",
        ),
        (lambda: nn.BatchNorm3d(3)(ft.ones(2, 3)), ValueError, r"BatchNorm3d: expected 5 dimensions; .* \(2, 3\)"),
        (lambda: nn.LayerNorm(3)(ft.ones(2, 4)), ValueError, r"layer_norm: expected input of shape \(\*, 3\)"),
        (lambda: nn.GroupNorm(2, 4)(ft.ones(2, 6)), ValueError, r"GroupNorm: expected input \(N, 4, ...\)"),
        (lambda: nn.GroupNorm(3, 4), ValueError, "num_groups to divide num_channels"),
        (lambda: nn.LayerNorm("a"), TypeError, "LayerNorm: expected normalized_shape"),
        (lambda: nn.BatchNorm2d(3)(ft.ones(2, 3)), ValueError, r"BatchNorm2d: expected 4 dimensions; .* \(2, 3\)"),
        (lambda: nn.BatchNorm1d(2)(ft.ones(1, 3)), ValueError, r"input of 2 channels .* got shape \(1, 3\)"),
        (lambda: nn.BatchNorm1d(3)(ft.ones(1, 3)), ValueError, r"more than 1 value per channel .* \(1, 3\)"),
        (lambda: nn.BatchNorm1d(3)(ft.ones(3)), ValueError, r"BatchNorm1d: expected 2 or 3 dimensions; .* \(3,\)"),
    ],
)
def test_refusals(call, error, said):
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_sizes_may_be_numpys(kind):
    one, two = kind(1), kind(2)
    image = ft.arange(32.0).reshape(1, 2, 4, 4)
    layer = nn.Conv2d(two, two, (two, two), stride=two, padding=one, dilation=one, groups=two)
    assert repr(layer) == repr(nn.Conv2d(2, 2, 2, stride=2, padding=1, groups=2))
    assert layer(image).shape == (1, 2, 3, 3)
    assert nn.ConvTranspose2d(two, one, two, two, output_padding=one)(image).shape == (1, 1, 9, 9)
    assert nn.MaxPool2d(two)(image).tolist() == nn.MaxPool2d(2)(image).tolist()
    assert nn.AvgPool2d(two, one)(image).tolist() == nn.AvgPool2d(2, 1)(image).tolist()


@pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.BatchNorm2d])
@pytest.mark.parametrize("track", [True, False])
def test_an_empty_batch_teaches_nothing(layer, track):
    module = layer(2, track_running_stats=track)
    x = ft.ones(0, 2, *(3, 3)[: 2 * (layer is nn.BatchNorm2d)], requires_grad=True)
    module(x).sum().backward()
    assert module.weight.grad.tolist() == module.bias.grad.tolist() == [0.0, 0.0]
    assert x.grad.shape == x.shape
    if track:
        assert module.running_mean.tolist() == [0.0, 0.0]
        assert module.running_var.tolist() == [1.0, 1.0]


def test_wrong_channels_name_the_layer():
    net = nn.Sequential(nn.Sequential(nn.Conv2d(3, 4, 3)))
    with pytest.raises(ValueError, match="conv2d") as caught:
        net(ft.ones(1, 2, 8, 8))
    assert caught.value.__notes__ == ["in Sequential.0.0 (Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1)))"]


X = ft.ones(2, 3)
LOSSES = [
    nn.BCELoss, nn.BCEWithLogitsLoss, nn.CrossEntropyLoss, nn.HuberLoss, nn.KLDivLoss, nn.L1Loss, nn.MSELoss,
    nn.NLLLoss, nn.SmoothL1Loss,
]  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_made_before_they_are_called(loss):
    name = loss.__name__
    said = rf"^{name}: expected \w+ to be .*; got Tensor float32 \(2, 3\); .*as in {name}\("
    with pytest.raises(TypeError, match=said):
        loss(X, X)


@pytest.mark.parametrize(
    "layer",
    [nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softmax, nn.GELU, nn.Dropout, nn.Flatten, nn.MaxPool2d, nn.AvgPool2d, nn.ELU],
)
def test_layers_are_made_before_they_are_called(layer):
    with pytest.raises(TypeError, match=rf"^{layer.__name__}: .*make the module first and call it then"):
        layer(X)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: nn.Linear("a", 2), TypeError, "Linear: expected in_features to be an integer; got str 'a'"),
        (lambda: nn.Linear(2.0, 2), TypeError, "Linear: expected in_features to be an integer; got float 2.0"),
        (lambda: nn.Linear(2, 3, "cpu"), TypeError, "Linear: expected bias to be True or False; got str 'cpu'"),
        (lambda: nn.Linear(-1, 2), ValueError, "Linear: expected in_features of at least 0; got -1"),
        (lambda: nn.Linear(2, out_features=-3), ValueError, "Linear: expected out_features of at least 0; got -3"),
        (lambda: nn.BatchNorm2d(-1), ValueError, "BatchNorm2d: expected num_features of at least 0; got -1"),
        (lambda: nn.BatchNorm1d(3, eps="a"), TypeError, "BatchNorm1d: expected eps to be a number; got str 'a'"),
        (lambda: nn.Conv2d(1, -2, 3), ValueError, "Conv2d: expected out_channels of at least 0; got -2"),
        (lambda: nn.Conv2d(1, 2, -3), ValueError, "Conv2d: expected kernel_size of at least 0; got -3"),
        (lambda: nn.Conv2d(1, 2, 3, stride=0), ValueError, "Conv2d: expected stride of at least 1; got 0"),
        (lambda: nn.Dropout(None), TypeError, "Dropout: expected p to be a number; got NoneType None"),
        (lambda: nn.GELU(3), TypeError, "GELU: expected approximate to be a string; got int 3"),
        (lambda: nn.LeakyReLU("a"), TypeError, "LeakyReLU: expected negative_slope to be a number; got str 'a'"),
        (lambda: nn.Unflatten(1, (2, 3))(ft.ones(2, 5)), ValueError, "Unflatten: expected unflattened_size of 5"),
        (lambda: nn.Linear(1 << 70, 2), OverflowError, "Linear: shape "),
        (lambda: nn.Linear(1 << 40, 2), MemoryError, "Linear: expected 8 TiB more host memory"),
        (lambda: nn.Conv2d(1, 2, 3, device="a"), RuntimeError, "Conv2d: device 'a'"),
        (lambda: nn.BatchNorm2d(3, dtype="a"), TypeError, "BatchNorm2d: unknown dtype 'a'"),
        (lambda: nn.Flatten()("a"), TypeError, "Flatten: expected input to be a Tensor; got str 'a'"),
        (lambda: nn.Unflatten(1, (2, 2))(None), TypeError, "Unflatten: expected input to be a Tensor; got NoneType"),
        (lambda: nn.BatchNorm1d(2)([1]), TypeError, "BatchNorm1d: expected input to be a Tensor; got list"),
        (lambda: nn.ModuleDict("ab"), TypeError, "ModuleDict: expected a mapping, or pairs .* got str 'ab'"),
        (lambda: nn.ParameterDict([1, 2]), TypeError, "ParameterDict: expected a mapping, or pairs .* got list"),
        (lambda: nn.ModuleList(3), TypeError, "ModuleList: expected several values in a list; got int 3"),
        (lambda: nn.init.normal_("a"), TypeError, "normal_: expected tensor to be a Tensor; got str 'a'"),
        (lambda: nn.init.trunc_normal_(X, std="a"), TypeError, "trunc_normal_: expected std to be a number; got str"),
        (lambda: nn.init.constant_(X, X), TypeError, "constant_: expected val to be a number; got Tensor float32"),
        (lambda: nn.init.kaiming_uniform_(X, mode=None), TypeError, "kaiming_uniform_: expected mode to be a string"),
        (lambda: nn.utils.clip_grad_norm_([X], "a"), TypeError, "clip_grad_norm_: expected max_norm to be a number"),
        (lambda: nn.utils.clip_grad_norm_(["a"], 1), TypeError, "clip_grad_norm_: expected parameters to be tensors"),
        (lambda: nn.functional.softplus(X, "a"), TypeError, "softplus: expected beta to be a real number; got str 'a'"),
    ],
)
def test_wrong_arguments_are_named(call, error, said):
    with pytest.raises(error, match=f"^{said}"):
        call()


def test_numbers_of_other_kinds_will_do():
    import numpy as np

    assert nn.Linear(np.int64(2), np.int32(3), bias=np.bool_(False)).bias is None
    assert nn.Dropout(np.float32(0.5)).p == 0.5
    assert nn.Hardtanh(min_value=-2, max_value=3).max_val == 3
    assert nn.Unflatten(1, (2, -1))(ft.ones(2, 6)).shape == (2, 2, 3)


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
        (lambda: nn.Embedding(4, 3, _weight=rows), r"\(4, 3\); got \(2, 2\)"),
        (lambda: nn.Embedding.from_pretrained(rows[0]), "numbers, features"),
    ):
        with pytest.raises(ValueError, match=text):
            make()
    with pytest.raises(NotImplementedError, match="sparse"):
        nn.Embedding(4, 3, sparse=True)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_dropout_of_channels(dims):
    layer = getattr(nn, f"Dropout{dims}d")(0.5)
    x = ft.ones(50, 4, *(2,) * dims)
    ft.manual_seed(0)
    rows = layer(x).reshape(200, -1)
    assert (rows == rows[:, :1]).all()
    assert sorted(set(rows.flatten().tolist())) == [0.0, 2.0]
    assert layer.eval()(x) is x
    with pytest.raises(ValueError, match=f"Dropout{dims}d: expected a probability"):
        getattr(nn, f"Dropout{dims}d")(2.0)


@pytest.mark.parametrize("layer", [nn.AlphaDropout, nn.FeatureAlphaDropout])
def test_alpha_dropout(layer):
    ft.manual_seed(0)
    x = ft.randn(100, 300)
    y = layer(0.2)(x)
    assert abs((y * y).mean().item() - 1) < 0.05
    assert layer(0.2).eval()(x) is x


FURTHER = {
    "CELU": (), "GLU": (), "Hardshrink": (), "Hardsigmoid": (), "Hardswish": (), "Mish": (), "RReLU": (), "SELU": (),
    "Softmin": (1,), "Softshrink": (), "Softsign": (), "Tanhshrink": (), "Threshold": (0.1, 2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", FURTHER)
def test_further_activations_are_their_functions(name):
    x = ft.randn(3, 4)
    layer = getattr(nn, name)(*FURTHER[name]).eval()
    assert (layer(x) == getattr(nn.functional, name.lower())(x, *FURTHER[name])).all()


def test_rrelu_draws_in_training_alone():
    ft.manual_seed(0)
    x = ft.full((100,), -1.0)
    assert nn.RReLU()(x).amax().item() != nn.RReLU()(x).amin().item()
    assert nn.RReLU().eval()(x).tolist() == pytest.approx([-11 / 48] * 100)


def test_softmax2d():
    assert nn.Softmax2d()(ft.zeros(2, 4, 3, 3)).tolist() == ft.full((2, 4, 3, 3), 0.25).tolist()
    with pytest.raises(ValueError, match="Softmax2d: expected 3 or 4 dimensions"):
        nn.Softmax2d()(ft.zeros(2, 4))


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_softplus_in_16_bits_does_not_round_its_threshold(dtype):
    x = ft.tensor([0.3, 0.25], dtype=dtype)  # 0.3 is less than its nearest number in 16 bits
    y = nn.functional.softplus(x, 1, 0.3)
    assert y.dtype is dtype and y[0] == x[0] and y[1].item() == pytest.approx(math.log(1 + math.exp(0.25)), rel=4e-3)
    with pytest.raises(TypeError, match="softplus: expected a Tensor; got str"):
        nn.functional.softplus("x")
