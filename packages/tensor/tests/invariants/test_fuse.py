"""`fuse`: values and derivatives of a fused function equal those of the unfused one; errors name the operation."""

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fused import UNARY, close, derivatives
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_autograd import grad, gradcheck, gradgradcheck
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.testing import raises
from facula_storage import listen
from facula_tensor import func

BINARY = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (y * y + 1),
    "choose": lambda x, y: ft.where(x < y, x * 2, y),
    "power": lambda x, y: (abs(x) + 1) ** (y / (y * y + 1)),
}
LEAVES = st.sampled_from(["x", "y", 0.5, 2])
PROGRAMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(UNARY)), inner), st.tuples(st.sampled_from(sorted(BINARY)), inner, inner)
    ),
    max_leaves=6,
)


def run(program, places):
    """Evaluate a program. A step on numbers only gets `x` as a factor, because operators need a tensor operand."""
    if not isinstance(program, tuple):
        return places.get(program, program)
    name, *inner = program
    operands = [run(node, places) for node in inner]
    if not any(isinstance(operand, ft.Tensor) for operand in operands):
        operands[0] = places["x"] * operands[0]
    return (UNARY if len(inner) == 1 else BINARY)[name](*operands)


@given(PROGRAMS, st.sampled_from([((3, 4), (3, 4)), ((3, 4), (4,)), ((), (2, 3)), ((3, 1), (1, 5)), ((0, 2), (2,))]))
def test_random_programs_equal_the_function_and_its_derivatives(program, shapes):
    def function(x, y):
        return run(program, {"x": x, "y": y}) * (x + y * 1.5)

    rng = np.random.default_rng(7)
    operands = [ft.tensor(rng.uniform(-2, 2, shape)).requires_grad_() for shape in shapes]
    for found, wanted in zip(derivatives(ft.fuse(function), operands), derivatives(function, operands), strict=True):
        close(found, wanted)


def swish(x, slope):
    return x * ft.sigmoid(slope * x)


def launches(function, *operands):
    heard = []
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        function(*operands)
    return heard


def test_one_launch_forward_and_one_backward():
    fused, x = ft.fuse(swish), ft.randn(5, requires_grad=True)
    assert launches(fused, x, 1.5) == ["swish"]
    assert len(launches(swish, x, 1.5)) == 3
    result = fused(x, 1.5)
    g = ft.ones(5)
    assert len(launches(lambda: grad(result, x, g))) == 1


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32, ft.float64])
def test_each_dtype_is_computed_in_high_precision_and_rounded_once(dtype):
    x = ft.linspace(-3, 3, 37, dtype=dtype)
    found = ft.fuse(swish)(x, 1.25)
    wide = swish(x.double(), 1.25)
    assert found.dtype is dtype
    size = {ft.float16: 1e-3, ft.bfloat16: 8e-3, ft.float32: 3e-7, ft.float64: 1e-15}[dtype]
    np.testing.assert_allclose(found.double().numpy(), wide.numpy(), rtol=size, atol=1e-6 * size)


def test_dtypes_promote_and_layouts_differ():
    def function(x, y):
        return (x - y) * y

    fused = ft.fuse(function)
    x, y = ft.arange(12.0).view(3, 4).t(), ft.arange(3)
    assert fused(x, y).tolist() == function(x, y).tolist()
    assert fused(x.double(), y).dtype is ft.float64
    assert fused(x[::2], y).tolist() == function(x[::2], y).tolist()
    assert fused(y, 2).tolist() == function(y, 2).tolist()


def test_results_may_be_bools():
    fused = ft.fuse(lambda x, y: (x > y) & (x < 2 * y))
    found = fused(ft.tensor([1.0, 2.0, 5.0], requires_grad=True), 1.5)
    assert found.tolist() == [False, True, False] and found.dtype is ft.bool and not found.requires_grad


def test_numbers_are_arguments_not_constants():
    fused = ft.fuse(swish)
    x = ft.randn(3)
    for slope in (0.5, 1, 2.0, -1.5):
        close(fused(x, slope), swish(x, slope), 1e-6)
    assert len(fused.forms) == 2  # one for floats and one for ints


def test_derivatives_in_every_mode():
    x = ft.randn(4, dtype=ft.float64, requires_grad=True)
    y = ft.randn(3, 4, dtype=ft.float64, requires_grad=True)
    fused = ft.fuse(lambda x, y: ft.tanh(x * y) + ft.exp(-y))
    assert gradcheck(fused, (x, y)) and gradgradcheck(fused, (x, y))
    plain = fused.__wrapped__
    tangents = (ft.ones_like(x), ft.ones_like(y))
    for found, wanted in zip(func.jvp(fused, (x, y), tangents), func.jvp(plain, (x, y), tangents), strict=True):
        close(found, wanted)
    close(func.vmap(fused, (None, 0))(x, y), plain(x, y))
    close(func.vmap(func.grad(lambda a, b: fused(a, b).sum()))(y, y), func.grad(lambda a: plain(a, y).sum())(y))
    twice = [func.grad(func.grad(lambda a, f=f: f(a, a * 2)))(x[0].detach()) for f in (fused, plain)]
    close(*twice)


def test_a_fused_function_may_call_another():
    inner = ft.fuse(swish)
    outer = ft.fuse(lambda x: inner(x, 1.0) + 1)
    x = ft.randn(5, dtype=ft.float64, requires_grad=True)
    close(outer(x), swish(x, 1.0) + 1)
    assert gradcheck(outer, (x,))


def test_fused_functions_with_equal_names_are_distinct():
    double, mul = ft.fuse(lambda x: x * 2), ft.fuse(lambda x: x * 3)
    mul.name = "mul"  # the name of an operator
    both = ft.fuse(lambda x: double(x) - mul(x) + double(x) * mul(x))
    x = ft.tensor([1.0, -2.0], dtype=ft.float64, requires_grad=True)
    assert both(x).tolist() == [5.0, 26.0]
    assert grad(both(x).sum(), x)[0].tolist() == [11.0, -25.0]


def test_a_function_that_reads_a_shape_is_called_for_each_shape():
    calls = []

    @ft.fuse
    def scaled(x):
        calls.append(x.shape)
        return x / x.numel()

    for length in (2, 3, 2, 3):
        assert scaled(ft.ones(length, dtype=ft.float64)).tolist() == [1 / length] * length
    assert len(calls) == 2


def test_threads_share_one_operator():
    fused, x = ft.fuse(swish), ft.randn(100)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: fused(x, 1.0).tolist(), range(64)))
    assert all(result == found[0] for result in found) and len(fused.forms) == 1


def branches(x):
    return x if x > 0 else -x


def changes(x):
    x += 1
    return x


OUTSIDE = ft.ones(3)
REFUSED = {
    "a reduction": (lambda x: x - x.sum(), UnsupportedError, "sum: not elementwise"),
    "a product": (lambda x: x @ x, UnsupportedError, "matmul: not elementwise"),
    "a view": (lambda x: x[0], UnsupportedError, "getitem: not elementwise"),
    "a view by a property": (lambda x: x.T, UnsupportedError, "T: not elementwise"),
    "its elements": (lambda x: sum(x), UnsupportedError, "iter: not elementwise"),
    "a branch": (branches, UnsupportedError, "bool: reads a value ... where"),
    "a value": (lambda x: x * x.item(), UnsupportedError, "item: reads a value ... where"),
    "Python's mathematics": (lambda x: x * math.sin(x), UnsupportedError, "float: reads a value ... where"),
    "NumPy": (lambda x: x * np.sin(x), UnsupportedError, "array: reads a value"),
    "print": (lambda x: f"{x}", UnsupportedError, "format: reads a value"),
    "a change in place": (changes, UnsupportedError, "add_: changes a tensor in place"),
    "a change that saves": (lambda x: x.mul_(2), UnsupportedError, "mul_: changes a tensor in place"),
    "a tensor from outside": (lambda x: x + OUTSIDE, UnsupportedError, "add: none of its arguments"),
    "two results": (lambda x: (x, x), InvalidTypeError, "lambda: return one tensor ... tuple"),
    "a constant": (lambda x: 3.0, InvalidTypeError, "lambda: return one tensor ... float"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_non_elementwise_operations_are_named_in_errors(what):
    function, error, message = REFUSED[what]
    with raises(error, message):
        ft.fuse(function)(ft.ones(3))


def test_errors_name_arguments():
    fused = ft.fuse(swish)
    with raises(InvalidTypeError, "swish", "expected tensors, numbers", "make a tensor of it", value="list"):
        fused(ft.ones(2), [1])
    for wrong in (lambda: fused(ft.ones(2)), lambda: fused(ft.ones(2), 1, 2), lambda: fused(ft.ones(2), slop=1)):
        with raises(InvalidTypeError, "swish", "its arguments are (x, slope)"):
            wrong()
    with raises(InvalidTypeError, "swish", "expected a tensor among the arguments"):
        fused(1.0, 2.0)
    with raises(ArgumentError, "mul", "shapes", "do not broadcast"):
        ft.fuse(swish)(ft.ones(2), ft.ones(3))
    with raises(InvalidTypeError, "fuse", "expected a function", value="int"):
        ft.fuse(3)


BESIDE_NUMBERS = {
    "power": lambda x, y: x**y,
    "a power of a number": lambda x, y: y**x,
    "choose": lambda x, y: ft.where(x > y, x * y, ft.exp(x)),
    "quotients": lambda x, y: y / x + x / y,
    "logarithm": lambda x, y: ft.log(x * y) * abs(y) * (y * y),
    "hypot": lambda x, y: ft.hypot(x, x * y),
    "xlogy": lambda x, y: ft.xlogy(x, x + y),
    "remainder": lambda x, y: ft.fmod(x, y) * x,
}


@pytest.mark.parametrize("name", BESIDE_NUMBERS)
def test_derivatives_with_a_number_equal_those_with_a_tensor(name):
    fused, x, t = ft.fuse(BESIDE_NUMBERS[name]), ft.tensor([1.0, 2.5]), ft.tensor([1.0, -2.0])

    def slopes(function):
        one = func.jvp(function, (x,), (t,))[1]
        two = func.jvp(lambda x: func.jvp(function, (x,), (t,))[1], (x,), (t,))[1]
        first = func.grad(lambda x: (function(x) * t).sum())
        return [one, two, first(x), func.jvp(first, (x,), (t,))[1], func.grad(lambda x: first(x).sum())(x)]

    for got, wanted in zip(
        slopes(lambda x: fused(x, 2.0)), slopes(lambda x: fused(x, ft.full((2,), 2.0))), strict=True
    ):
        assert got.dtype is wanted.dtype
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-5)


@ft.fuse
def doubled(x):
    return x * 2


def test_fused_functions_pickle_and_copy():
    assert pickle.loads(pickle.dumps(doubled)) is doubled and copy.deepcopy(doubled) is doubled
    again = pickle.loads(pickle.dumps(ft.fuse(swish)))
    assert again(ft.ones(2), 1.0).tolist() == swish(ft.ones(2), 1.0).tolist()


def test_an_error_keeps_no_state():
    fused = ft.fuse(branches)
    with pytest.raises(UnsupportedError):
        fused(ft.ones(2))
    assert not fused.forms and (ft.ones(2) * 2).tolist() == [2.0, 2.0]
