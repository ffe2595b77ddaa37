"""Mixed precision: which operators compute in which dtype, and gradients through the casts."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import facula
import facula.nn.functional as F
from facula import bfloat16, float16, float32, float64, nn
from facula.amp import autocast
from facula_errors.testing import raises
from facula_tensor.extend import recorded_ops

X = facula.tensor(np.linspace(-1, 1, 24, dtype="float32").reshape(1, 4, 6))
M = facula.tensor(np.linspace(0.1, 0.9, 16, dtype="float32").reshape(4, 4))
CLASSES = facula.tensor([0, 1, 2, 3])

LOWER = {
    "matmul": lambda d: M.to(d) @ M, "mm": lambda d: M.to(d).mm(M), "bmm": lambda d: M.to(d)[None].bmm(M[None]),
    "addmm": lambda d: facula.addmm(M.to(d), M, M), "addmm method": lambda d: M.to(d).addmm(M, M),
    "baddbmm": lambda d: facula.baddbmm(M[None].to(d), M[None], M[None]),
    "addbmm": lambda d: facula.addbmm(M.to(d), M[None], M[None]),
    "einsum": lambda d: facula.einsum("ij,jk->ik", M.to(d), M), "linear": lambda d: nn.Linear(4, 2)(M.to(d)),
    "attention": lambda d: F.scaled_dot_product_attention(X.to(d), X, X), "prelu": lambda d: nn.PReLU()(X.to(d)),
    "layer of attention": lambda d: nn.MultiheadAttention(6, 2)(*[X.to(d)] * 3)[0],
    "LSTM": lambda d: nn.LSTM(6, 3)(X.to(d))[0], "RNN": lambda d: nn.RNN(6, 3)(X.to(d))[0],
    "RNNCell": lambda d: nn.RNNCell(6, 3)(X[0].to(d)), "inner": lambda d: facula.inner(M.to(d), M[0]),
    "vecdot": lambda d: facula.linalg.vecdot(M[0].to(d), M[0]), "tensordot": lambda d: facula.tensordot(M.to(d), M, 1),
}  # fmt: skip
LOWER.update({
    "conv1d": lambda d: nn.Conv1d(4, 2, 3)(X.to(d)), "conv2d": lambda d: nn.Conv2d(1, 2, 3)(X.to(d)),
    "conv3d": lambda d: nn.Conv3d(1, 2, 2)(X.to(d)[:, None].expand(1, 2, 4, 6)[:, None]),
    "conv_transpose2d": lambda d: nn.ConvTranspose2d(1, 2, 3)(X.to(d)),
})  # fmt: skip
SQUARE = facula.tensor([[2.0, 0.5], [0.25, 1.0]])
FLOAT32 = {
    "cross_entropy": lambda d: F.cross_entropy(M.to(d), CLASSES), "nll_loss": lambda d: F.nll_loss(M.to(d), CLASSES),
    "probabilities": lambda d: F.cross_entropy(M.to(d), M.to(d)), "mse_loss": lambda d: F.mse_loss(M.to(d), M * 2),
    "l1_loss": lambda d: F.l1_loss(M.to(d), M * 2), "huber_loss": lambda d: F.huber_loss(M.to(d), M * 2),
    "smooth_l1_loss": lambda d: F.smooth_l1_loss(M.to(d), M * 2), "kl_div": lambda d: F.kl_div(M.to(d), M),
    "binary_cross_entropy": lambda d: F.binary_cross_entropy(M.to(d), M),
    "with_logits": lambda d: F.binary_cross_entropy_with_logits(M.to(d), M),
    "irfft": lambda d: facula.fft.irfft(M.to(d)), "quantile": lambda d: M.to(d).quantile(0.5),
    "nanquantile": lambda d: facula.nanquantile(M.to(d), 0.5), "pinverse": lambda d: facula.pinverse(SQUARE.to(d)),
    "cond": lambda d: facula.linalg.cond(SQUARE.to(d)),
    "lstsq": lambda d: facula.linalg.lstsq(SQUARE.to(d), M.to(d)[:2])[0],
    "cdist": lambda d: facula.cdist(M.to(d), M.to(d)), "prod": lambda d: M.to(d).prod(),
    "trace": lambda d: M.to(d).trace(),
    "trace function": lambda d: facula.trace(M.to(d)),
    "reflect": lambda d: F.pad(X.to(d), (1, 1), "reflect"), "replicate": lambda d: nn.ReplicationPad1d(2)(X.to(d)),
    "adaptive_max_pool3d": lambda d: F.adaptive_max_pool3d(X.to(d)[None], 2),
    "local_response_norm": lambda d: F.local_response_norm(X.to(d), 2),
    "grid_sample": lambda d: F.grid_sample(X.to(d)[None], X[:, :, None, :2], align_corners=False),
    "max_unpool1d": lambda d: F.max_unpool1d(*F.max_pool1d(X.to(d), 2, return_indices=True), 2),
    "triangular_solve": lambda d: SQUARE.triu().to(d).triangular_solve(SQUARE.triu().to(d))[0],
    "index_copy": lambda d: M.to(d).index_copy(0, CLASSES, M),
}  # fmt: skip
AS_GIVEN = {
    "add": lambda d: M.to(d) + M.to(d), "relu": lambda d: M.to(d).relu(), "softmax": lambda d: M.to(d).softmax(1),
    "sum": lambda d: M.to(d).sum(), "norm": lambda d: M.to(d).norm(), "exp": lambda d: M.to(d).exp(),
    "circular": lambda d: F.pad(X.to(d), (1, 1), "circular"), "pad": lambda d: F.pad(X.to(d), (1, 1)),
    "reflect 3d": lambda d: F.pad(X.to(d)[:, None, None].expand(1, 1, 2, 4, 6), (1,) * 6, "reflect"),
    "inner of vectors": lambda d: facula.inner(M[0].to(d), M[0].to(d)),
    "bilinear": lambda d: F.bilinear(M.to(d), M.to(d), M[None].to(d)),
    "multilabel_soft_margin_loss": lambda d: F.multilabel_soft_margin_loss(M.to(d), M.to(d)),
    "dot": lambda d: M[0].to(d).dot(M[0].to(d)), "mv": lambda d: M.to(d).mv(M[0].to(d)),
    "pool": lambda d: X.to(d).mean(2),
    "layer_norm": lambda d: nn.LayerNorm(6)(X.to(d)), "batch_norm": lambda d: nn.BatchNorm1d(4)(X.to(d)),
    "batch_norm in use": lambda d: nn.BatchNorm1d(4).eval()(X.to(d)), "dropout": lambda d: F.dropout(X.to(d)),
    "group_norm": lambda d: nn.GroupNorm(2, 4)(X.to(d)), "GRU": lambda d: nn.GRU(6, 3)(X.to(d))[0],
    "LSTMCell": lambda d: nn.LSTMCell(6, 3)(X[0].to(d))[1], "GRUCell": lambda d: nn.GRUCell(6, 3)(X[0].to(d)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [bfloat16, float32], ids=str)
@pytest.mark.parametrize("name", [*LOWER, *FLOAT32, *AS_GIVEN])
def test_dtypes(name, dtype):
    """Check that each operator computes in the lower dtype, float32 or its input dtype, with values near float32's."""
    facula.manual_seed(0)
    call = {**LOWER, **FLOAT32, **AS_GIVEN}[name]
    with autocast("cpu", dtype=bfloat16):
        found = call(dtype)
    assert found.dtype is (bfloat16 if name in LOWER else float32 if name in FLOAT32 else dtype)
    facula.manual_seed(0)
    wanted = call(float32)
    assert wanted.dtype is float32
    np.testing.assert_allclose(found.detach().float().numpy(), wanted.detach().numpy(), rtol=0.05, atol=0.02)


def test_float64_and_integers_are_not_cast():
    with autocast("cpu"):
        assert (M.double() @ M.double()).dtype is float64 and F.mse_loss(M.double(), M.double()).dtype is float64
        assert (CLASSES[None] @ CLASSES[:, None]).dtype is facula.int64
        assert facula.cat([M, M.bfloat16()]).dtype is float32 and (M.bfloat16() + M).dtype is float32


def test_results_equal_those_of_rounded_operands():
    a, b = facula.randn(5, 7), facula.randn(7, 3)
    with autocast("cpu", dtype=bfloat16):
        found = a @ b
    assert (found == a.bfloat16() @ b.bfloat16()).all()
    with autocast("cpu", dtype=float16):
        assert ((a @ b) == a.half() @ b.half()).all()
        assert facula.matmul(a, b, out=facula.empty(5, 3)).dtype is float32  # out= determines the dtype


def network():
    facula.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))


def test_gradients_have_the_parameters_dtype():
    """Check that they are the gradients of the network with rounded weights."""
    model, x = network(), facula.randn(8, 6)
    target = facula.randint(0, 3, (8,))
    with autocast("cpu", dtype=bfloat16):
        out = model(x)
        loss = F.cross_entropy(out, target)
    assert out.dtype is bfloat16 and loss.dtype is float32
    loss.backward()
    plain = network()
    F.cross_entropy(plain(x), target).backward()
    for p, q in zip(model.parameters(), plain.parameters(), strict=True):
        assert p.grad.dtype is float32
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=0.1, atol=0.02)


def test_training_in_mixed_precision_learns():
    model = network()
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.02)
    x = facula.randn(64, 6)
    target = x[:, :3].argmax(1)
    for _ in range(60):
        optimizer.zero_grad()
        with autocast("cpu", dtype=bfloat16):
            loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.3 and all(p.dtype is float32 for p in model.parameters())


def test_an_unchanged_parameter_is_cast_once(monkeypatch):
    casts = []
    real = recorded_ops.to
    monkeypatch.setattr(recorded_ops, "to", lambda tensor, *rest: casts.append(tensor) or real(tensor, *rest))
    weight = facula.randn(4, 4, requires_grad=True)
    with autocast("cpu"):
        first, second = M @ weight, M @ weight
        assert [one is weight for one in casts].count(True) == 1
        (first.sum() + second.sum()).backward()
        (M @ weight).sum().backward()  # through the cached cast
        with facula.no_grad():
            assert ((M @ weight) == first).all()
            weight.add_(1)
        assert not ((M @ weight) == first).all()  # cast again
        with autocast("cpu"):
            count = len(casts)
            M @ weight
            assert [one is weight for one in casts[count:]] == [False]
        facula.clear_autocast_cache()
        M @ weight
        assert casts[-1] is weight
    np.testing.assert_allclose(weight.grad.numpy(), 3 * M.sum(0).numpy()[:, None] * np.ones((1, 4)), rtol=0.02)
    casts.clear()
    with autocast("cpu", cache_enabled=False):
        M @ weight, M @ weight
    assert [one is weight for one in casts].count(True) == 2


def test_leaving_a_block_frees_its_casts():
    import gc
    import weakref

    weight = facula.randn(4, 4, requires_grad=True)
    gone = weakref.ref(weight)
    gc.disable()
    try:
        with autocast("cpu"):
            M @ weight
        del weight
        assert gone() is None
    finally:
        gc.enable()


def test_nested_blocks():
    assert not facula.is_autocast_cpu_enabled()
    with autocast("cpu"):
        assert facula.is_autocast_enabled("cpu") and not facula.is_autocast_enabled()
        with autocast("cpu", enabled=False):
            assert not facula.is_autocast_enabled("cpu") and (M @ M).dtype is float32
            with facula.autocast("cpu", dtype=float16):
                assert (M @ M).dtype is float16 and facula.get_autocast_dtype("cpu") is float16
        with facula.no_grad():
            assert (M @ M).dtype is bfloat16
        assert (M @ M).dtype is bfloat16 and facula.get_autocast_dtype("cpu") is bfloat16
        with facula.inference_mode():
            assert (M @ M).dtype is bfloat16
    assert (M @ M).dtype is float32


def test_other_threads_are_not_in_the_block():
    found = []
    with autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((M @ M).dtype))
        thread.start()
        thread.join()
    assert found == [float32]


def test_blocks_decorate_functions():
    @autocast("cpu")
    def product(x):
        """A product."""
        return x @ x

    block = autocast("cpu", enabled=False)
    assert product(M).dtype is bfloat16 and product.__doc__ == "A product."
    with autocast("cpu"):
        assert block(lambda: M @ M)().dtype is float32
        with block, block:
            assert (M @ M).dtype is float32
    assert (M @ M).dtype is float32


def test_subclasses_keep_their_class():
    class Own(facula.Tensor):
        pass

    with autocast("cpu"):
        found = M.as_subclass(Own) @ M
    assert type(found) is Own and found.dtype is bfloat16


def test_second_derivatives_pass_through_the_casts():
    x = facula.ones(2, 2, requires_grad=True)
    with autocast("cpu"):
        y = (x @ x).sum()
    (first,) = facula.autograd.grad(y, [x], create_graph=True)
    (first * first).sum().backward()
    assert first.tolist() == [[4.0, 4.0], [4.0, 4.0]] and x.grad.tolist() == [[32.0, 32.0], [32.0, 32.0]]


def test_missing_devices_warn():
    with pytest.warns(UserWarning, match="autocast: there is no device 'cuda', so nothing is cast") as caught:
        block = autocast("cuda", dtype=float16)
    assert caught[0].filename == __file__
    with block:
        assert (M @ M).dtype is float32 and not facula.is_autocast_enabled("cuda")
    with autocast("cpu"), block, facula.cuda.amp.autocast(enabled=False):
        assert (M @ M).dtype is bfloat16  # the CPU's block is independent
    assert block(lambda: (M @ M).dtype)() is float32
    with pytest.warns(UserWarning, match="expected dtype to be bfloat16 or float16; got facula.float64"):
        assert (autocast("cpu", float64)(lambda: M @ M))().dtype is float32
    with pytest.warns(UserWarning, match="GradScaler: there is no device 'cuda', and nothing is scaled"):
        assert not facula.cuda.amp.GradScaler().is_enabled()
    assert facula.get_autocast_gpu_dtype() is float16 and facula.amp.is_autocast_available("cuda")


def test_invalid_arguments_are_refused():
    with raises(RuntimeError, "autocast", "expected device_type to be one of cpu, cuda", value="'tpu'"):
        autocast("tpu")
    with raises(ValueError, "autocast", "expected device_type to be a name such as 'cpu'", value="NoneType"):
        autocast(None)
    with raises(TypeError, "autocast", "expected dtype to be a dtype", value="str 'bf16'"):
        autocast("cpu", "bf16")


def test_the_lower_dtype_is_configurable():
    facula.set_autocast_dtype("cpu", float16)
    try:
        with autocast("cpu"):
            assert (M @ M).dtype is float16
    finally:
        facula.set_autocast_dtype("cpu", bfloat16)
    facula.set_autocast_cache_enabled(False)
    assert not facula.is_autocast_cache_enabled()
    facula.set_autocast_cache_enabled(True)


def test_custom_functions_cast_their_inputs():
    seen = []

    class Product(facula.autograd.Function):
        @staticmethod
        @facula.amp.custom_fwd(device_type="cpu", cast_inputs=float32)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            seen.append((a.dtype, b.dtype, facula.is_autocast_enabled("cpu")))
            return a @ b

        @staticmethod
        @facula.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append(facula.is_autocast_enabled("cpu"))
            return g @ b.T, a.T @ g

    a = M.bfloat16().requires_grad_()
    with autocast("cpu"):
        out = Product.apply(a, M)
    assert out.dtype is float32 and seen == [(float32, float32, False)]
    out.sum().backward()
    assert seen[1:] == [False] and a.grad.dtype is bfloat16


def test_older_import_paths():
    code = """
import facula
from facula.amp import autocast, GradScaler, custom_fwd, custom_bwd
from facula.amp.autocast_mode import autocast as same
from facula.cuda.amp import autocast as older, GradScaler as older_scaler
from facula.amp.grad_scaler import GradScaler as scaler
assert autocast is same is facula.autocast and scaler is GradScaler is facula.GradScaler
assert issubclass(older, autocast) and issubclass(older_scaler, GradScaler)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_convolutional_network_trains():
    """Check that convolution, batch norm, pooling and linear layers run in half precision; compare gradients."""

    def losses(mixed):
        facula.manual_seed(5)
        layers = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
        model = nn.Sequential(*layers)
        optimizer = facula.optim.SGD(model.parameters(), lr=0.1)
        x, target, found = facula.randn(12, 1, 8, 8), facula.randint(0, 3, (12,)), []
        for _ in range(8):
            optimizer.zero_grad()
            with autocast("cpu", enabled=mixed):
                loss = F.cross_entropy(model(x), target)
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    np.testing.assert_allclose(losses(True), losses(False), rtol=0.05)
