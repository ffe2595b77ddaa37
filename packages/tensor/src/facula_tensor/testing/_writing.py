"""Checks of operators that write to existing tensors: in-place forms and `out=`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import complex128, dtype_named

from .._creation.filled import empty, full, zeros
from ._comparing import TOLERANCE, compare, expect, expect_close, expect_raises, reference
from ._operands import call, lay, layouts_of, make, operands, values_of
from ._samples import COMPLEX, Case

if TYPE_CHECKING:
    from .._core.tensor import Tensor


def change(case: Case, target: Tensor, *others: Any) -> Any:
    """Call the in-place form of the case."""
    return getattr(target, case.inplace)(*others) if isinstance(case.inplace, str) else _form(case)(target, *others)


def _form(case: Case) -> Any:
    return case.inplace


def check_inplace(case: Case) -> None:
    """Check that the in-place form computes the same values in the same memory, for every writable layout."""
    for dtype in case.dtypes:
        cannot_hold = case.result(dtype) != dtype and dtype not in COMPLEX  # integers cannot represent floats
        for layout in layouts_of(case)[:1] if cannot_hold else layouts_of(case):
            _check_inplace(case, dtype, layout, cannot_hold)


def _check_inplace(case: Case, dtype: str, layout: str, cannot_hold: bool) -> None:
    arrays = operands(case, dtype, layout)
    target, others = lay(arrays[0], dtype, layout), [make(array, dtype) for array in arrays[1:]]
    before, address, what = target._version or 0, target.data_ptr(), f"{case} in place, {layout} ({dtype})"
    kept = values_of(target)
    if cannot_hold or layout == "expanded":
        expect_raises(RuntimeError, lambda: change(case, target, *others), what, dtype if cannot_hold else "share")
        unchanged = np.array_equal(values_of(target), kept) and target._version == before
        expect(unchanged, f"{what}: the tensor was changed before the error")
        return
    result = change(case, target, *others)
    expect(result is target and target.data_ptr() == address, f"{what}: returned another tensor; expected its operand")
    expect((target._version or 0) > before, f"{what}: did not count")
    compare(case, target, reference(case, arrays, dtype), dtype, f"in place, {layout}")


def check_out_argument(case: Case) -> None:
    """Check that `out=` accepts wider dtypes and any strides, and refuses other tensors without changing them."""
    for dtype in case.dtypes:
        check_out_of(case, dtype)


def check_out_of(case: Case, dtype: str) -> None:
    """Check `out=` for operands of one dtype."""
    arrays = operands(case, dtype)
    expected, wanted, what = np.asarray(reference(case, arrays, dtype)), case.result(dtype), f"{case} out= ({dtype})"
    tensors = [make(array, dtype) for array in arrays]
    for layout in ("contiguous", "transposed", "sliced"):
        out = lay(np.zeros(expected.shape, bool), wanted, layout)
        address = out.data_ptr()
        given_back = call(case, tensors, out=out) is out and out.data_ptr() == address
        expect(given_back, f"{what}: returned another tensor; expected out")
        compare(case, out, expected, dtype, f"out=, {layout}")
    nothing = empty(0, dtype=dtype_named(wanted))
    call(case, tensors, out=nothing)
    compare(case, nothing, expected, dtype, "out=, empty")
    wide = zeros(expected.shape, dtype=complex128)
    call(case, tensors, out=wide)
    tolerance = max(TOLERANCE.get(wanted, 1e-9) * case.loose, TOLERANCE.get(dtype, 0))
    expect_close(values_of(wide), expected.astype(complex), tolerance, f"{what}: wider")
    small = full((7, 5), 1, dtype=dtype_named(wanted))
    version = small._version
    expect_raises(ValueError, lambda: call(case, tensors, out=small), f"{what}: of another shape", "out")
    untouched = bool(values_of(small).all()) and small._version == version
    expect(untouched, f"{what}: written before the error")
    leaf = zeros(expected.shape, dtype=complex128).requires_grad_()
    expect_raises(RuntimeError, lambda: call(case, tensors, out=leaf), f"{what}: that requires a gradient", "gradient")
