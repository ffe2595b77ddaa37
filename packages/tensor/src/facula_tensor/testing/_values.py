"""Checks of values: dtypes, memory layouts, special values, broadcasting, promotion, devices, rejected arguments."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from itertools import product
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FaculaError
from facula_storage import Device, dtype_named, int64

from .._core.promotion import result_type
from .._core.tensor import Tensor
from .._creation.from_data import tensor
from .._dispatch.namespaces import operators
from ._comparing import CheckError, compare, expect, expect_close, expect_raises, reference, tolerance_of
from ._operands import call, draw, lay, layouts_of, make, operands, values_of
from ._samples import ALL, INTEGERS, STORAGE, Case

if TYPE_CHECKING:
    from ._operands import Shape

BROADCASTS: tuple[tuple[Shape, Shape], ...] = (
    ((3, 1), (4,)), ((2, 3, 4), (3, 1)), ((), (2, 3)), ((1,), (5,)), ((2, 0), (1, 1)), ((3, 4), ()),
)  # fmt: skip


def check_values(case: Case) -> None:
    """Check values in every dtype and memory layout, and that operands do not change."""
    for dtype in case.dtypes:
        for layout in layouts_of(case):
            check_call(case, dtype, layout)


def check_call(case: Case, dtype: str, layout: str, place: str = "cpu") -> None:
    """Check one call with operands of one dtype and layout on one device."""
    arrays = operands(case, dtype, layout)
    tensors = [lay(array, dtype, layout, place) for array in arrays]
    got = call(case, tensors)
    compare(case, got, reference(case, arrays, dtype), dtype, layout, place)
    fresh = case.may_return_operand or not any(got is operand for operand in tensors)
    expect(fresh, f"{case} {layout} ({dtype}): returned its operand itself; may_return_operand says that it may")
    if place == "meta":
        return
    for operand, array in zip(tensors, arrays, strict=True):
        same = np.array_equal(values_of(operand), array)
        expect(same, f"{case} {layout} ({dtype}): an operand changed; expected none")


def check_devices(case: Case) -> None:
    """Check shapes and dtypes on all other devices of this machine, and values except on the meta device."""
    for place in (*["meta"] * case.meta, *other_devices()):
        for dtype in case.dtypes:
            check_call(case, dtype, "contiguous", place)
        for layout in layouts_of(case):
            check_call(case, case.dtypes[-1], layout, place)
        if case.elementwise and case.arity > 1:
            _check_shapes_that_broadcast(case, case.dtypes[-1], place)


MAKERS = frozenset("arange as_tensor eye full full_like make ones tensor zeros".split())


def makes_tensors(function: Any, visited: frozenset[object] = frozenset()) -> bool:
    """Return whether a function, or one outside the library that it calls, creates tensors."""
    if isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None or code in visited or function.__module__.startswith("facula_tensor"):
        return False
    names: set[str] = set()
    todo = [code]
    while todo:
        code_ = todo.pop()
        names.update(code_.co_names)
        todo += [part for part in code_.co_consts if isinstance(part, CodeType)]
    called = [function.__globals__.get(name) for name in names]
    called += [cell.cell_contents for cell in function.__closure__ or ()]
    return not MAKERS.isdisjoint(names) or any([makes_tensors(inner, visited | {code}) for inner in called])


def check_default_device(case: Case) -> None:
    """Check that results of CPU operands are on the CPU under a different default device."""
    dtype = case.dtypes[-1]
    arrays = operands(case, dtype)
    tensors = [make(array, dtype) for array in arrays]
    with Device("meta"):
        got = call(case, tensors)
    compare(case, got, reference(case, arrays, dtype), dtype, "beside a default device")


def check_storage_dtypes(case: Case) -> None:
    """Check that storage dtypes are refused by name, or produce the results of the equivalent computing dtype."""
    for dtype, base in STORAGE.items():
        if base not in case.dtypes:
            continue
        limited = replace(case, domain=(0.0, max(case.domain[1], 1.0))) if base == "int64" else case
        kept = [make(array, base).to(dtype_named(dtype)) for array in operands(limited, base)]
        computing = [name.to(dtype_named(base)) for name in kept]
        try:
            got = call(case, kept)
        except (TypeError, ValueError, IndexError, RuntimeError) as error:
            if dtype not in str(error):
                expect_raises(type(error), lambda: call(case, computing), f"{case} ({base}; {dtype}: {error})")  # noqa: B023
            continue
        for mine, wanted in zip(results_of(got), results_of(call(case, computing)), strict=True):
            expected = wanted.to(mine.dtype) if mine.dtype is kept[0].dtype else wanted
            tolerance = tolerance_of(case, "float32") if mine.is_floating_point() else 0.0
            expect_close(values_of(mine), values_of(expected), tolerance, f"{case} ({dtype})")


def results_of(value: Any) -> list[Tensor]:
    """Return the tensors among the results of a call."""
    return [result for result in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(result, Tensor)]


def other_devices() -> list[str]:
    """Return the devices of this machine with memory of their own, of the types in FACULA_TEST_DEVICES ("cuda")."""
    return [place for place in os.environ.get("FACULA_TEST_DEVICES", "cuda").split() if available(place)]


def available(place: str) -> bool:
    """Return whether this machine has a device of this type."""
    try:
        return Device(place).backend is not None
    except FaculaError:
        return False


def check_special_values(case: Case) -> None:
    """Check infinities, NaN and signs of zero, in all combinations of the special values."""
    values = np.array(case.special)
    for dtype in ("float32", "float64"):
        if dtype not in case.dtypes:
            continue
        grids = [grid.astype(dtype) for grid in np.meshgrid(*[values] * case.arity)]
        got = values_of(call(case, [make(grid, dtype) for grid in grids]))
        expected = np.asarray(reference(case, grids, dtype))
        what = f"{case} of special values ({dtype})"
        expect_close(got, expected, tolerance_of(case, case.result(dtype)), what)
        zeros = (expected == 0) & (got == 0)
        same = np.array_equal(np.signbit(got)[zeros], np.signbit(expected)[zeros])
        expect(same, f"{what}: wrong sign of zero; expected that of the reference")


def check_scales(case: Case) -> None:
    """Compare results of very large and very small float32 operands with the reference in float64."""
    arrays, name = operands(case, "float32"), case.result("float32")
    for factors in product(case.scales, repeat=case.arity):
        scaled = [
            (array * np.float32(factor)).astype(np.float32) for array, factor in zip(arrays, factors, strict=True)
        ]
        got = results_of(call(case, [make(array, "float32") for array in scaled]))[0]
        expected = reference(case, [array.astype(np.float64) for array in scaled], "float64")
        expected = np.asarray(expected[0] if isinstance(expected, tuple) else expected)
        with np.errstate(over="ignore"):
            expected = expected.astype(name)
        what = f"{case} of operands times {factors}"
        # Relative to the largest expected element: sums with both signs lose small elements to cancellation.
        largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)) if name == "float32" else 1.0
        if largest > 0:
            expect_close(values_of(got) / largest, expected / largest, tolerance_of(case, name), what)
        else:
            expect_close(values_of(got), expected, 0.0, what)


def check_broadcasting(case: Case) -> None:
    """Check operands of different shapes, and that shapes that do not broadcast are refused."""
    for dtype in case.dtypes:
        _check_shapes_that_broadcast(case, dtype, "cpu")
    rng = np.random.default_rng(1)
    shapes = [(2, 3), (4, 3), (2, 3)][: case.arity]
    tensors = [make(draw(rng, shape, case.dtypes[-1], case), case.dtypes[-1]) for shape in shapes]
    pattern = r"(?=.*\(2, 3\)).*\(4, 3\)"
    expect_raises(ValueError, lambda: call(case, tensors), f"{case}: of shapes {shapes} a call", pattern)


def _check_shapes_that_broadcast(case: Case, dtype: str, place: str) -> None:
    rng = np.random.default_rng(1)
    for first, second in BROADCASTS:
        shapes = [first, second, first][: case.arity]
        arrays = [draw(rng, shape, dtype, case) for shape in shapes]
        got = call(case, [make(array, dtype, place) for array in arrays])
        compare(case, got, reference(case, arrays, dtype), dtype, f"broadcast {shapes}", place)


def check_promotion(case: Case) -> None:
    """Check that mixed dtypes, and numbers, produce the same results as explicitly converted operands."""
    for first in ALL:
        for second in ALL:
            if case.with_bool or "bool" not in (first, second):
                check_promotion_of(case, first, second)


def check_promotion_of(case: Case, first: str, second: str) -> None:
    """Check promotion for one pair of dtypes."""
    rng = np.random.default_rng(2)
    a, b = draw(rng, (3,), first, case), draw(rng, (3,), second, case)
    number = b.ravel()[0].item()
    below = first == "uint8" and isinstance(number, int) and number < 0
    if below and case.result("uint8") == "uint8" and case.numbers:
        operator = operators.get(case.name)
        if operator is None or not operator.low_bits:
            expect_raises(OverflowError, lambda: call(case, [make(a, first), number]), f"{case}: {number}", "uint8")
        number = 1
    pairs: list[tuple[Any, Any]] = [
        (make(a, first), make(b, second)), (make(a, first), make(b[0], second)), (make(a[0], first), make(b, second)),
    ]  # fmt: skip
    if case.numbers:
        pairs.append((make(a, first), number))
    for x, y in pairs:
        common = result_type(x, y)
        if common.name not in case.dtypes:
            continue
        got = call(case, [x, y])
        if isinstance(y, int) and first in INTEGERS and case.result("uint8") == "bool":
            common = int64  # comparisons are exact for numbers of any size
        y = y.to(common) if isinstance(y, Tensor) else tensor(y, dtype=common)
        wanted = call(case, [x.to(common), y])
        what = f"{case} of {first} and {second}"
        expect(got.dtype is wanted.dtype, f"{what}: dtype {got.dtype}; expected {wanted.dtype}")
        expect_close(values_of(got), values_of(wanted), tolerance_of(case, wanted.dtype.name), what)


def check_refusals(case: Case) -> None:
    """Check that unsupported dtypes are refused by name, and that the calls in `refused` raise."""
    for dtype in ALL if case.rejects else ():
        if dtype not in case.dtypes:
            check_dtype_refused(case, dtype)
    for arguments, kind, pattern in case.refused:
        expect_raises(kind, lambda given=arguments: case.function(*given), f"{case}{arguments}", pattern)  # type: ignore[misc]


def check_dtype_refused(case: Case, dtype: str) -> None:
    """Check that an unsupported dtype is refused with an error that names it."""
    arrays = operands(case, "int8" if dtype == "bool" else "float32")
    tensors = [make(array, "float64").to(dtype_named(dtype)) for array in arrays]
    try:
        call(case, tensors)
    except (TypeError, RuntimeError) as error:
        expect(dtype in str(error), f"{case}: expected {dtype} in the message: {error}")
    else:
        raise CheckError(f"{case}: {dtype} was accepted; expected an error")
