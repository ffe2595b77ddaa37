"""Numbers and zero-dimensional tensors with float16 and bfloat16: used in float32, or rounded first."""

import numpy as np
import pytest
from elements import values_of

import facula_tensor as ft
import facula_tensor.functional as nn
from facula_autograd import grad
from facula_errors.testing import raises
from facula_storage import listen
from facula_tensor.func import jvp

HALVES = ("float16", "bfloat16")
SCALES = {"float32": 1.2345678, "float64": -0.1, "int64": 70001}

# PyTorch 2.13 on the CPU, except for a zero-dimensional first operand of `mul`, which PyTorch rounds.
WIDE = {
    "x * s": (lambda x, s: x * s, np.multiply),
    "s * x": (lambda x, s: s * x, np.multiply),
    "x / s": (lambda x, s: x / s, np.divide),
    "x // s": (lambda x, s: x // s, np.floor_divide),
    "div(x, s, trunc)": (lambda x, s: ft.div(x, s, rounding_mode="trunc"), lambda x, s: np.trunc(x / s)),
    "x.mul_(s)": (lambda x, s: x.clone().mul_(s), np.multiply),
    "x.div_(s)": (lambda x, s: x.clone().div_(s), np.divide),
    "mul(out=)": (lambda x, s: ft.mul(x, s, out=ft.empty(4, dtype=x.dtype)), np.multiply),
}
NARROW = {
    "x + s": (lambda x, s: x + s, np.add),
    "s - x": (lambda x, s: s - x, lambda x, s: s - x),
    "x % s": (lambda x, s: x % s, np.remainder),
    "fmod": (ft.fmod, np.fmod),
    "x ** s": (lambda x, s: x**s, lambda x, s: np.sign(x) * np.inf if s > 100 else x**s),
    "x < s": (lambda x, s: x < s, np.less),
    "s >= x": (lambda x, s: s >= x, np.less_equal),
    "x == s": (lambda x, s: x == s, np.equal),
    "add_": (lambda x, s: x.clone().add_(s), np.add),
}


def rounded(values, dtype):
    """Round float32 values to the half dtype, still stored in float32."""
    values = np.asarray(values, np.float32)
    if dtype == "float16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float32)
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def elements(dtype):
    """Return half-precision elements, including -0.1 rounded, as a tensor and as float32."""
    values = rounded([0.001, 2.0, -0.1, 1.3], dtype)
    return ft.tensor(values, dtype=getattr(ft, dtype)), values


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", [*WIDE, *NARROW])
def test_zero_dimensional_operands(name, dtype):
    x, values = elements(dtype)
    operate, definition = {**WIDE, **NARROW}[name]
    for kind, number in SCALES.items():
        scale = np.float32(number)
        with np.errstate(all="ignore"):
            if name in NARROW:
                scale = rounded(scale, dtype)
            wanted = definition(values, scale)
            wanted = wanted if wanted.dtype == bool else rounded(wanted, dtype)
        got = operate(x, ft.tensor(number, dtype=getattr(ft, kind)))
        assert got.dtype is (ft.bool if wanted.dtype == bool else x.dtype)
        if "**" not in name:
            np.testing.assert_array_equal(values_of(got), wanted)
        plain = operate(x, number if "//" not in name else ft.tensor(float(number)))
        np.testing.assert_array_equal(values_of(plain), values_of(got))  # a Python number has the same effect


@pytest.mark.parametrize("dtype", HALVES)
def test_operands_of_equal_dtypes_keep_it(dtype):
    x, values = elements(dtype)
    s = ft.tensor(3.0, dtype=x.dtype)
    for _ in range(2):
        np.testing.assert_array_equal(values_of(x * s), rounded(values * 3, dtype))
        assert (ft.tensor(3.0) * ft.tensor(2.0, dtype=x.dtype)).dtype is ft.float32


def test_a_large_scale_is_not_infinite_in_float16():
    loss = ft.tensor([0.001, 0.5], dtype=ft.float16, requires_grad=True)
    for scale in (ft.tensor(70000.0), ft.tensor(70000.0, dtype=ft.float64), ft.tensor(70000)):
        for scaled in (loss * scale, scale * loss, (loss * 1).mul_(scale)):
            assert scaled.tolist() == [70, 35008]
            assert grad(scaled, loss, ft.tensor([0.5, 0.125], dtype=ft.float16))[0].tolist() == [35008, 8752]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("other", [ft.tensor(3), ft.tensor([3.0, 3.0])], ids=["integer", "vector"])
def test_transforms_keep_the_dtypes_of_zero_dimensional_halves(dtype, other):
    x = ft.tensor([1.0, 2.0, 4.0], dtype=elements(dtype)[0].dtype)
    functions = [lambda x: x.sum() * other, lambda x: other * x.sum(), lambda x: x.sum() / other, ft.nanmean]
    for function in functions:
        wanted = function(x)
        value, tangent = jvp(function, (x,), (x,))
        assert value.dtype is tangent.dtype is wanted.dtype and value.tolist() == tangent.tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", ["x * s", "s * x", "x / s", "x.mul_(s)", "x.div_(s)", "x + s"])
def test_gradients_have_the_operands_dtypes(name, kind):
    operate, _ = {**WIDE, **NARROW}[name]
    start = ft.tensor([1.0, 2.0, 4.0], dtype=ft.float16, requires_grad=True)
    s = ft.tensor(0.5, dtype=getattr(ft, kind), requires_grad=True)
    for _ in range(2):  # on the slow path and on the fast one
        of_x, of_s = grad(operate(start * 1, s).sum(), (start, s), create_graph=True)
        assert of_x.dtype is ft.float16 and of_s.dtype is s.dtype and of_s.shape == ()
        slopes = {"*": ([0.5] * 3, 7), "/": ([2] * 3, -28), "+": ([1] * 3, 3)}
        wanted = slopes["/" if "/" in name or "div" in name else "+" if "+" in name else "*"]
        assert (of_x.tolist(), of_s.item()) == wanted
        if "+" not in name:
            second = grad(of_x.sum(), s)[0]
            assert second.dtype is s.dtype and second.item() == (-12 if wanted[1] < 0 else 3)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("operator", ["mul", "div"])
def test_an_integer_adds_no_plan_for_zero_dimensional_tensors(operator, dtype):
    """It is used in float32 and the result is half; with a float32 tensor, the result is float32."""
    x = ft.tensor(2.0, dtype=getattr(ft, dtype))
    for number in (3.0, True, 3, ft.tensor(3), ft.tensor(True)):
        for _ in range(2):
            assert getattr(ft, operator)(x, number).dtype is x.dtype
            x.clone().mul_(number)
    for _ in range(2):
        assert getattr(ft, operator)(x, ft.tensor(3.0)).dtype is ft.float32


def wide_and_half(call, dtype, *shapes):
    """Return values and gradients of a call on float32 operands with values of dtype, and on operands in dtype."""
    ft.manual_seed(0)
    operands = [ft.randn(shape).to(dtype) for shape in shapes]
    found = []
    for kind in (ft.float32, dtype):
        given = [operand.to(kind).requires_grad_() for operand in operands]
        ft.manual_seed(1)
        out = call(*given)
        out.backward(ft.ones_like(out))
        found.append([out.detach(), *[operand.grad for operand in given]])
    return found


NETWORKS = {
    "cross_entropy": (lambda x: nn.cross_entropy(x, ft.tensor([0, 2, 1]), label_smoothing=0.1), (3, 4)),
    "each": (lambda x: nn.cross_entropy(x, ft.tensor([0, 2, 1]), reduction="none"), (3, 4)),
    "one": (lambda x: nn.cross_entropy(x, ft.tensor(1)), (4,)),
    "probabilities": (lambda x: nn.cross_entropy(x, ft.full((3, 4), 0.25, dtype=x.dtype)), (3, 4)),
    "weighted": (lambda x: nn.cross_entropy(x, ft.tensor([0, 2, 1]), ft.arange(4.0).to(x.dtype)), (3, 4)),
    "nll_loss": (lambda x: nn.nll_loss(x, ft.tensor([0, 2, 1])), (3, 4)),
    "dropout": (lambda x: nn.dropout(x, 0.3), (5, 4)),
    "batch_norm": (lambda x, w, b: nn.batch_norm(x, None, None, w, b, training=True), (6, 3, 2), (3,), (3,)),
    "batch_norm in use": (
        lambda x, w, b: nn.batch_norm(x, ft.arange(3.0).to(x.dtype), ft.ones(3).to(x.dtype), w, b), (6, 3), (3,), (3,)
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16], ids=str)
@pytest.mark.parametrize("name", NETWORKS)
def test_functions_of_networks_compute_in_float32(name, dtype):
    """The result and the gradient of each operand equal those in float32, rounded once."""
    wide, half = wide_and_half(NETWORKS[name][0], dtype, *NETWORKS[name][1:])
    for exact, rounded in zip(wide, half, strict=True):
        assert rounded.dtype is dtype
        np.testing.assert_allclose(
            rounded.float().numpy(), exact.float().numpy(), rtol=2e-2, atol=2e-3 if dtype is ft.float16 else 2e-2
        )


# Functions of zeros and a bias (3,), and the dimension of the result to which it belongs.
BIASES = {
    "conv1d": (lambda zeros, b: nn.conv1d(zeros(8, 2, 60), zeros(3, 2, 3), b), 1),
    "conv2d": (lambda zeros, b: nn.conv2d(zeros(8, 2, 12, 9), zeros(3, 2, 3, 3), b), 1),
    "conv3d": (lambda zeros, b: nn.conv3d(zeros(4, 2, 5, 6, 7), zeros(3, 2, 3, 3, 3), b), 1),
    "conv_transpose1d": (lambda zeros, b: nn.conv_transpose1d(zeros(8, 2, 60), zeros(2, 3, 3), b), 1),
    "conv_transpose2d": (lambda zeros, b: nn.conv_transpose2d(zeros(8, 2, 12, 9), zeros(2, 3, 3, 3), b), 1),
    "conv_transpose3d": (lambda zeros, b: nn.conv_transpose3d(zeros(4, 2, 5, 6, 7), zeros(2, 3, 3, 3, 3), b), 1),
    "linear": (lambda zeros, b: nn.linear(zeros(8, 60, 2), zeros(3, 2), b), -1),
    "bilinear": (lambda zeros, b: nn.bilinear(zeros(8, 60, 2), zeros(8, 60, 2), zeros(3, 2, 2), b), -1),
    "batch_norm": (lambda zeros, b: nn.batch_norm(zeros(8, 3, 60), None, None, None, b, training=True), 1),
    "batch_norm in use": (lambda zeros, b: nn.batch_norm(zeros(8, 3, 60), zeros(3), zeros(3) + 1, None, b), 1),
    "group_norm": (lambda zeros, b: nn.group_norm(zeros(8, 3, 60), 3, None, b), 1),
    "layer_norm": (lambda zeros, b: nn.layer_norm(zeros(8, 60, 3), (3,), None, b), -1),
    "broadcast": (lambda zeros, b: zeros(8, 3, 12, 9) + b.reshape(3, 1, 1), 1),
    "expanded": (lambda zeros, b: b.reshape(3, 1, 1).expand(8, 3, 12, 9), 1),
}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", BIASES)
def test_gradients_of_biases_are_rounded_once(name, dtype):
    call, dim = BIASES[name]
    b = ft.zeros(3, dtype=getattr(ft, dtype), requires_grad=True)
    out = call(lambda *shape: ft.zeros(shape, dtype=b.dtype), b)
    slopes = np.random.default_rng(0).integers(-127, 128, out.shape) / 16  # their sums are exact in float32
    out.backward(ft.tensor(slopes, dtype=b.dtype))
    wanted = rounded(np.moveaxis(slopes, dim, 0).reshape(3, -1).sum(1), dtype)
    np.testing.assert_array_equal(values_of(b.grad), wanted)


@pytest.mark.parametrize("kept", [ft.float32, ft.bfloat16], ids=str)
def test_running_statistics_are_updated_with_half_precision_input(kept):
    x = ft.randn(8, 3).bfloat16()
    mean, var, weight = ft.zeros(3, dtype=kept), ft.ones(3, dtype=kept), ft.ones(3, dtype=kept)
    before = mean._version
    out = nn.batch_norm(x, mean, var, weight, training=True)
    assert out.dtype is ft.bfloat16 and mean.dtype is var.dtype is kept and mean._version > before
    np.testing.assert_allclose(mean.float().numpy(), 0.1 * x.float().numpy().mean(0), rtol=1e-2, atol=1e-3)
    with raises(TypeError, "batch_norm", "expected all in one dtype", value="input bfloat16, weight float64"):
        nn.batch_norm(x, mean, var, weight.double(), training=True)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_threshold_is_not_rounded(dtype):
    """0.3 is less than the nearest 16-bit number."""
    x = ft.tensor([0.3, 0.25], dtype=getattr(ft, dtype), requires_grad=True)
    y = nn.threshold(x, 0.3, 2.0)
    assert y.tolist() == [x[0].item(), 2.0] and y.dtype is x.dtype
    assert grad(y.sum(), x)[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, w: nn.layer_norm(x, (4,), w, w),
        lambda x, w: nn.batch_norm(x, None, None, w, w, training=True),
        lambda x, w: nn.batch_norm(x, w, w, w, w),
        lambda x, w: nn.cross_entropy(x, ft.tensor([0, 1, 2]), w),
    ],
    ids=["layer_norm", "batch_norm", "batch_norm, running statistics", "cross_entropy"],
)
def test_operands_in_the_computation_dtype_are_not_copied(call):
    heard = []
    x, w = ft.rand(3, 4).half(), ft.ones(4)
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        y = call(x, w)
    by_itself = "batch_norm" in heard  # a kernel that reads and writes half precision
    assert heard.count("copy") == (0 if by_itself else 2)  # of the input, and of the result
    assert y.dtype is ft.float16
    expected = call(x.float(), w).half()
    assert y.tolist() == expected.tolist()
