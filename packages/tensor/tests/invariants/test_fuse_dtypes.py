"""Dtypes, conversions and numbers that `fuse` compiles or runs eagerly; results equal the function's."""

import math

import numpy as np
import pytest
from fused import UNARY, close, derivatives
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_autograd import grad
from facula_tensor import func


def is_number(one):
    return isinstance(one, (int, float))


DTYPES = ("float32", "float64", "float16", "int64", "uint8", "bool")
MIXED_1 = {
    **UNARY,
    "double": lambda x: x.double(),
    "to float": lambda x: x.float(),
    "to bool": lambda x: x.bool(),
    "not": lambda x: ft.logical_not(x),
    "positive": lambda x: x > 0,
    "clone": lambda x: x.clone(),
    "absolute": lambda x: abs(x) if x.dtype is not ft.bool else x,
}
MIXED_1.pop("negative")  # unsupported for bools
MIXED_2 = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "less": lambda x, y: x < y,
    "equal": lambda x, y: x == y,
    "choose": lambda x, y: ft.where(x > y, x, y) if not (is_number(x) and is_number(y)) else x + y,
    "numbers": lambda x, y: ft.where(x < y, 1.0, 0.0) if not (is_number(x) and is_number(y)) else x,
    "copysign": lambda x, y: ft.copysign(x, y) if not is_number(x) else x * y,
    "first": lambda x, y: x,
}
MIXED = st.recursive(
    st.sampled_from(["x", "y", "z", "n", 0.5, 2]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(MIXED_1)), inner), st.tuples(st.sampled_from(sorted(MIXED_2)), inner, inner)
    ),
    max_leaves=6,
)


def run_mixed(program, places):
    if not isinstance(program, tuple):
        return places.get(program, program)
    name, *inner = program
    operands = [run_mixed(node, places) for node in inner]
    if len(inner) == 1 and is_number(operands[0]):
        return operands[0]
    return (MIXED_1 if len(inner) == 1 else MIXED_2)[name](*operands)


def answer_or_error(function, *operands):
    try:
        return function(*operands)
    except Exception as error:
        return type(error)


@given(
    MIXED,
    st.tuples(*[st.sampled_from(DTYPES)] * 3),
    st.tuples(*[st.sampled_from([(), (3,), (2, 3), (2, 1)])] * 3),
    st.sampled_from([3, 0.25, -1.5]),
    st.booleans(),
)
def test_a_fused_function_has_the_dtype_shape_and_values_of_the_function(program, dtypes, shapes, number, alike):
    def function(x, y, z, n):
        return run_mixed(program, {"x": x, "y": y, "z": z, "n": n})

    rng = np.random.default_rng(7)
    operands = [
        ft.tensor(rng.integers(-3, 4, shape) / 2 + 4).to(getattr(ft, dtype))
        for shape, dtype in zip(shapes, dtypes[:1] * 3 if alike else dtypes, strict=True)
    ]
    wanted = answer_or_error(function, *operands, number)
    fused = ft.fuse(function)
    if not isinstance(wanted, ft.Tensor):
        with pytest.raises(Exception):  # noqa: B017
            fused(*operands, number)
        return
    for _ in range(2):
        found = fused(*operands, number)
        assert found.dtype is wanted.dtype and found.shape == wanted.shape
        half = wanted.dtype is ft.float16  # the function rounds these dtypes after each step
        tolerance = 0.02 if half else 1e-5
        if not half or "less" not in repr(program):
            np.testing.assert_allclose(found.double(), wanted.double(), rtol=tolerance, atol=tolerance)


NUMBERS = {
    "computed with": lambda x, n: x * (1 - 0.9**n) + n / 3 - (-n),
    "a branch": lambda x, n: x * 2 if n > 1 else x,
    "Python's mathematics": lambda x, n: x * math.sin(n) + max(n, 1),
    "its type": lambda x, n: x * (2 if isinstance(n, int) else 3),
    "whether it is a tensor": lambda x, n: x * (7 if isinstance(n, ft.Tensor) else 8),
    "its type by name": lambda x, n: x + (7 if type(n) is int else 8),
    "its attributes": lambda x, n: x * (7 if hasattr(n, "dtype") else n),
    "a power": lambda x, n: x * 2**n + x**n,
    "whole numbers": lambda x, n: x * (n // 2) + n % 2,
    "a number that an operator takes": lambda x, n: x.clamp(n, 2.5),
    "a shape beside it": lambda x, n: x / len(x) * abs(n),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_behave_as_in_python(what):
    function = NUMBERS[what]
    fused, x = ft.fuse(function), ft.tensor([0.5, 1.0, 3.0])
    for number in (2, 3, 2.5, 3, np.float32(0.1), np.int64(2), 100_000_001):
        with np.errstate(over="ignore"):
            wanted = answer_or_error(function, x, number)
        if isinstance(wanted, ft.Tensor):
            close(fused(x, number), wanted, 1e-6)


def test_numbers_computed_in_python_are_arguments():
    fused, x = ft.fuse(NUMBERS["computed with"]), ft.ones(3)
    for number in range(5):
        fused(x, number)
    assert len(fused.forms) == 1
    fused = ft.fuse(lambda x, n: ft.where(x > n, n - x, n * x + 2 / n + n / x) ** n)
    for number in range(1, 6):
        fused(x, number / 2)
    assert len(fused.forms) == 1
    close(ft.fuse(lambda x, n: x * (n - 1e8))(x, 1e8 + 1), x)  # computed in float64, as in Python


def in_no_grad(x):
    with ft.no_grad():
        square = x * x
    return square * x


AS_WRITTEN = {
    "a conversion": (lambda x: x.double() * 2, "a conversion from float32 to float64"),
    "to integers": (lambda x: x.long() + 1, "a conversion from float32 to int64"),
    "counting bools": (lambda x: (x > 0) + 1, "a conversion from bool to int64"),
    "a complex number": (lambda x: x * 1j, "a conversion from float32 to complex64"),
    "no_grad": (in_no_grad, "mul in no_grad()"),
}


@pytest.mark.parametrize("what", AS_WRITTEN)
def test_steps_in_another_dtype_run_eagerly(what):
    function, why = AS_WRITTEN[what]
    fused, x = ft.fuse(function), ft.tensor([1.5, -2.0])
    assert fused(x).dtype is function(x).dtype and fused(x).tolist() == function(x).tolist()
    assert [form.why for form in fused.forms.values()] == [why]


MASKS = {
    "a choice": lambda x, m: ft.where(m, x, 0.0),
    "a choice of numbers": lambda x, m: ft.where(x > 0, 1.0, -1.0) * x,
    "filled": lambda x, m: x.masked_fill(m, 0.5) + x,
    "as a number": lambda x, m: (x > 0) * x + m * x + (x < 1).float(),
    "logic": lambda x, m: ft.where(m & (x > 0) | ft.logical_not(m), x, -x),
}


@pytest.mark.parametrize("what", MASKS)
def test_masks_are_part_of_programs(what):
    x = ft.tensor([0.5, -1.0, 3.0], requires_grad=True)
    fused, mask = ft.fuse(MASKS[what]), ft.tensor([[True, False, True], [False, False, True]])
    for m in (mask, mask[0]):
        found, wanted = fused(x, m), MASKS[what](x, m)
        close(found, wanted)
        close(grad(found.sum(), x)[0], grad(wanted.sum(), x)[0])
    assert [form.why for form in fused.forms.values()] == [""]


def test_too_many_operands_for_a_launch_run_eagerly():
    def product(*operands):
        result = operands[0]
        for operand in operands[1:]:
            result = result * operand + operand
        return result

    for count in (14, 15, 16, 20):
        operands = [ft.randn(4, dtype=ft.float64, requires_grad=True) for _ in range(count)]
        fused = ft.fuse(product)
        for found, wanted in zip(derivatives(fused, operands), derivatives(product, operands), strict=True):
            close(found, wanted)
        assert [form.operator is None for form in fused.forms.values()] == [count > 15]


def test_a_detached_step_has_no_derivative():
    def function(x):
        return x * x.detach() + x.clone()

    x = ft.tensor([1.0, -2.0], requires_grad=True)
    fused = ft.fuse(function)
    close(grad(fused(x).sum(), x)[0], grad(function(x).sum(), x)[0])
    close(func.jvp(fused, (x.detach(),), (x.detach(),))[1], func.jvp(function, (x.detach(),), (x.detach(),))[1])
    assert [form.why for form in fused.forms.values()] == [""]


@pytest.mark.parametrize("wants", [True, False])
@pytest.mark.parametrize("function", [
    lambda x: x.detach() * 2, lambda x: (x > 0).float(), lambda x: x.floor() * 1, lambda x: x.detach() + x,
    lambda x: x * 2 if x.requires_grad else x + 1,
])  # fmt: skip
def test_a_result_requires_a_gradient_if_the_functions_does(function, wants):
    x = ft.tensor([0.5, -1.5], requires_grad=wants)
    plain, fused = function(x), ft.fuse(function)(x)
    assert fused.requires_grad == plain.requires_grad and fused.tolist() == plain.tolist()
    if plain.requires_grad:
        assert grad(fused.sum(), x)[0].tolist() == grad(plain.sum(), x)[0].tolist()


def test_arguments_by_name_and_constant_arguments():
    @ft.fuse
    def function(x, slope=None, *, mode="times", flip=False):
        y = x if slope is None else x * slope if mode == "times" else x + slope
        return -y if flip else y

    x = ft.tensor([1.0, 2.0])
    assert function(x).tolist() == [1.0, 2.0]
    assert function(x, slope=3).tolist() == function(slope=3, x=x).tolist() == [3.0, 6.0]
    assert function(x, 3, mode="plus").tolist() == [4.0, 5.0]
    assert function(x, 3, mode="plus", flip=True).tolist() == [-4.0, -5.0]
    assert function(x=x, slope=x).tolist() == [1.0, 4.0]


def test_the_default_dtype_is_respected():
    fused, mask = ft.fuse(lambda mask: ft.where(mask, 1.0, 0.0)), ft.tensor([True, False])
    assert fused(mask).dtype is ft.float32
    ft.set_default_dtype(ft.float64)
    try:
        assert fused(mask).dtype is ft.float64
    finally:
        ft.set_default_dtype(ft.float32)


def test_an_inner_function_reads_shapes_and_numbers_of_outer_ones():
    inner = ft.fuse(lambda x, n: x / x.numel() if n > 0 else x)
    outer = ft.fuse(lambda x, n: inner(x, n) + 1)
    for length in (2, 4, 2):
        assert outer(ft.ones(length), 1).tolist() == [1 / length + 1] * length
    assert outer(ft.ones(2), -1).tolist() == [2.0, 2.0]


ASKED = {
    "shape": lambda x: x / x.shape[0],
    "size": lambda x: x / x.size(0),
    "whole size": lambda x: x / x.size()[0],
    "len": lambda x: x / len(x),
    "numel": lambda x: x / x.numel(),
    "nelement": lambda x: x / x.nelement(),
    "a function": lambda x: x / ft.numel(x),
    "numel of the shape": lambda x: x / x.shape.numel(),
    "bytes": lambda x: x / (x.nbytes / 4),
}


@pytest.mark.parametrize("name", ASKED)
def test_all_reads_of_lengths_are_recorded(name):
    fused = ft.fuse(ASKED[name])
    for length in (2, 4, 2):
        assert fused(ft.ones(length)).tolist() == [1 / length] * length


def test_forms_are_bounded():
    fused = ft.fuse(lambda x, n: x * (2 if n > 3 else 1))
    x = ft.ones(1)
    for number in range(300):
        assert fused(x, number).item() == (2 if number > 3 else 1)
    assert len(fused.forms) <= 256
