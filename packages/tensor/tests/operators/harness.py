"""One case per operator, expanded into everything an operator owes its users.

The `check_*` functions below each turn a `Case` into one kind of test: values in every dtype and memory layout,
broadcasting, promotion, in-place and `out=` forms, first and second derivatives. `test_operators.py` runs them for
every case of `cases/`; `test_harness.py` shows that they catch a wrong value and a wrong gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from case import COMPLEX, INTEGERS, Case
from elements import DTYPES, TOLERANCE, call, compare, draw, lay, layouts_of, make, operands, reference, values_of

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck


def check_forward(case: Case, dtype: str, device: str = "cpu") -> None:
    """Values in one dtype, in every memory layout; operands are left as they were."""
    for layout in layouts_of(case):
        arrays = operands(case, dtype, layout)
        tensors = [lay(array, dtype, layout, device) for array in arrays]
        got = call(case, tensors)
        compare(case, got, reference(case, arrays, dtype), dtype, layout, device)
        if device != "meta":
            for tensor, array in zip(tensors, arrays, strict=True):
                assert np.array_equal(values_of(tensor), array.astype(values_of(tensor).dtype)), (
                    f"{case} {layout}: operand changed"
                )


def check_rejected(case: Case, dtype: str) -> None:
    """A dtype the operator does not take is refused by name, with a remedy."""
    arrays = operands(case, "int8" if dtype == "bool" else "float32", "contiguous")
    tensors = [make(array, "float64").to(DTYPES[dtype]) for array in arrays]
    try:
        call(case, tensors)
    except (TypeError, RuntimeError) as error:
        assert dtype in str(error), f"{case}: the message does not name {dtype}: {error}"
    else:
        raise AssertionError(f"{case}: {dtype} was accepted")


BROADCASTS = [((3, 1), (4,)), ((2, 3, 4), (3, 1)), ((), (2, 3)), ((1,), (5,)), ((2, 0), (1, 1)), ((3, 4), ())]


def check_broadcast(case: Case, dtype: str, device: str = "cpu") -> None:
    """Operands of different shapes, and what does not broadcast."""
    rng = np.random.default_rng(1)
    for first, second in BROADCASTS:
        shapes = [first, second, first][: case.arity]
        arrays = [draw(rng, shape, dtype, case) for shape in shapes]
        got = call(case, [make(array, dtype, device) for array in arrays])
        compare(case, got, reference(case, arrays, dtype), dtype, f"broadcast {shapes}", device)
    shapes = [(2, 3), (4, 3), (2, 3)][: case.arity]
    tensors = [make(draw(rng, shape, dtype, case), dtype, device) for shape in shapes]
    try:
        call(case, tensors)
    except ValueError as error:
        assert "(2, 3)" in str(error) and "(4, 3)" in str(error), error
    else:
        raise AssertionError(f"{case}: shapes {shapes} were accepted")


def check_promotion(case: Case, first: str, second: str) -> None:
    """Two dtypes give what both operands converted by hand give, for tensors of any kind and for Python numbers."""
    rng = np.random.default_rng(2)
    if not case.with_bool and "bool" in (first, second):
        return
    a, b = draw(rng, (3,), first, case), draw(rng, (3,), second, case)
    number = b.ravel()[0].item()
    if first == "uint8" and isinstance(number, int) and number < 0 and case.result("uint8") == "uint8" and case.numbers:
        raises(OverflowError, lambda: call(case, [make(a, first), number]), "uint8")
        number = 1
    cases: list[tuple[Any, Any]] = [
        (make(a, first), make(b, second)),
        (make(a, first), make(b[0], second)),
        (make(a[0], first), make(b, second)),
    ]
    if case.numbers:
        cases.append((make(a, first), number))
    for x, y in cases:
        common = ft.result_type(x, y)
        if common.name not in case.dtypes:
            continue
        got = call(case, [x, y])
        if (
            isinstance(y, int) and first in INTEGERS and case.result("uint8") == "bool"
        ):  # comparisons are exact for any number
            common = ft.int64
        y = y.to(common) if isinstance(y, ft.Tensor) else ft.tensor(y, dtype=common)
        wanted = call(case, [x.to(common), y])
        assert got.dtype is wanted.dtype, f"{case} {first} {second}: {got.dtype}, expected {wanted.dtype}"
        tolerance = TOLERANCE.get(wanted.dtype.name, 0)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                values_of(got), values_of(wanted), rtol=tolerance, atol=tolerance, err_msg=str(case)
            )


def check_inplace(case: Case, dtype: str) -> None:
    """The in-place method gives the same values in the same memory, on any layout it can write."""
    for layout in layouts_of(case):
        arrays = operands(case, dtype, layout)
        tensors = [lay(array, dtype, layout) for array in arrays]
        target, others = tensors[0], [make(array, dtype) for array in arrays[1:]]
        before, address = target._version, target.data_ptr()
        if case.result(dtype) != dtype and dtype not in COMPLEX:  # a float does not go into an integer
            kept = values_of(target)
            raises(RuntimeError, lambda t=target, o=others: getattr(t, case.inplace)(*o), dtype)
            assert np.array_equal(values_of(target), kept) and target._version == before
            continue
        if layout == "expanded":
            kept = values_of(target)
            raises(RuntimeError, lambda t=target, o=others: getattr(t, case.inplace)(*o), "share")
            assert np.array_equal(values_of(target), kept) and target._version == before
            continue
        result = getattr(target, case.inplace)(*others)
        assert result is target and target.data_ptr() == address, f"{case}: {case.inplace} returned something else"
        assert target._version > before, f"{case}: {case.inplace} did not count"
        compare(case, target, reference(case, arrays, dtype), dtype, f"in-place {layout}")


def check_out(case: Case, dtype: str) -> None:
    """`out=` writes to what is given, wider dtypes and any strides included, and refuses the rest untouched."""
    arrays = operands(case, dtype, "contiguous")
    expected = np.asarray(reference(case, arrays, dtype))
    tensors = [make(array, dtype) for array in arrays]
    wanted = case.result(dtype)
    for layout in ("contiguous", "transposed", "sliced"):
        out = lay(np.zeros(expected.shape, bool), wanted, layout)
        address = out.data_ptr()
        assert call(case, tensors, out=out) is out and out.data_ptr() == address
        compare(case, out, expected, dtype, f"out {layout}")
    empty = ft.empty(0, dtype=DTYPES[wanted])
    call(case, tensors, out=empty)
    compare(case, empty, expected, dtype, "empty out")
    wide = ft.zeros(expected.shape, dtype=ft.complex128)
    call(case, tensors, out=wide)
    tolerance = TOLERANCE.get(wanted, 1e-9) * case.loose
    np.testing.assert_allclose(values_of(wide), expected, rtol=max(tolerance, TOLERANCE.get(dtype, 0)), atol=tolerance)
    small = ft.full((7, 5), 1, dtype=DTYPES[wanted])
    version = small._version
    raises(ValueError, lambda: call(case, tensors, out=small), "out")
    assert values_of(small).all() and small._version == version, f"{case}: out was written before the error"
    leaf = ft.zeros(expected.shape, dtype=ft.complex128).requires_grad_()
    raises(RuntimeError, lambda: call(case, tensors, out=leaf), "gradient")


def raises(kind: type[BaseException], action: Callable[[], Any], text: str = "") -> None:
    """`action` raises `kind` with `text` in its message."""
    try:
        action()
    except kind as error:
        assert text in str(error), f"expected {text!r} in: {error}"
    else:
        raise AssertionError(f"expected {kind.__name__}")


def check_gradient(case: Case, dtype: str, *, second: bool = False) -> None:
    """Derivatives by central differences, on contiguous, transposed and broadcast operands."""
    inner = case if case.gradient_domain is None else Case(**{**vars(case), "domain": case.gradient_domain})
    for layout in [one for one in layouts_of(case) if one in ("contiguous", "transposed", "sliced", "zero_dim")]:
        arrays = operands(inner, dtype, layout, seed=3)
        _gradients(case, [lay(array, dtype, layout).requires_grad_() for array in arrays], second)
    if case.elementwise and case.arity == 2:
        rng = np.random.default_rng(4)
        for shapes in (((2, 1), (3,)), ((), (2, 2))):
            arrays = [draw(rng, shape, dtype, inner) for shape in shapes]
            _gradients(case, [make(array, dtype).requires_grad_() for array in arrays], second)
        x, y = (draw(rng, (3,), dtype, inner) for _ in range(2))
        number = y[0].item()
        if case.numbers:
            _gradients(case, [make(x, dtype).requires_grad_()], second, lambda a: call(case, [a, number]))


def _gradients(case: Case, tensors: list[Any], second: bool, function: Callable[..., Any] | None = None) -> None:
    check = gradgradcheck if second else gradcheck
    check(function or (lambda *given: call(case, list(given))), tensors, atol=1e-4 if second else 1e-5, rtol=1e-3)


STEPPED = ("floor_divide", "remainder", "fmod", "maximum", "minimum")  # x and itself meet where these have no slope


def check_inplace_gradient(case: Case, dtype: str, *, second: bool = False) -> None:
    """Derivatives through the in-place method: of a tensor used before, of a view, and with the tensor itself."""
    inner = case if case.gradient_domain is None else Case(**{**vars(case), "domain": case.gradient_domain})
    arrays = operands(inner, dtype, "contiguous", seed=5)
    tensors = [make(array, dtype).requires_grad_() for array in arrays]

    def changed(x: Any, *others: Any) -> Any:
        target = x * 1
        before = target + 1
        return getattr(target, case.inplace)(*others) * before

    def changed_in_part(x: Any, *others: Any) -> Any:
        whole = x * 1
        getattr(whole.t()[1:3], case.inplace)(*[other.t()[1:3] for other in others])
        return whole * x

    def changed_by_itself(x: Any) -> Any:
        target = x * 1
        return getattr(target, case.inplace)(*[target] * (case.arity - 1))

    functions = [changed, changed_in_part]
    if case.name not in STEPPED:
        functions.append(changed_by_itself)
    for function in functions:
        _gradients(case, tensors[: 1 if function is changed_by_itself else None], second, function)
