"""Checks of forward mode and of batching, by `jvp` and `vmap` of `facula_tensor.func`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.tensor import Tensor
from ._comparing import expect, expect_close, tolerance_of
from ._derivatives import smooth
from ._operands import call, lay, layouts_of, make, operands, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._operands import Array
    from ._samples import Case

STEP = 1e-6
BATCH = 3


def transform(name: str) -> Callable[..., Any] | None:
    """A function of `facula_tensor.func`, None where it has none of that name."""
    module = f"{__package__.rpartition('.')[0]}.func"
    found: Callable[..., Any] | None = getattr(import_module(module), name, None) if find_spec(module) else None
    return found


def check_forward_mode(case: Case) -> None:
    """Check `jvp`, along one direction, against central differences."""
    for dtype in case.gradient:
        for layout in [one for one in layouts_of(case) if one in ("contiguous", "transposed", "zero_dim")]:
            arrays = operands(smooth(case), dtype, layout, seed=3)
            directions = [direction(array) for array in arrays]
            primals, tangents = ([lay(one, dtype, layout) for one in some] for some in (arrays, directions))
            jvp = transform("jvp")
            assert jvp is not None
            value, slope = jvp(lambda *given: first(call(case, given)), tuple(primals), tuple(tangents))
            moved = [[x + step * d for x, d in zip(arrays, directions, strict=True)] for step in (STEP, -STEP)]
            ends = [values_of(first(call(case, [make(one, dtype) for one in some]))) for some in moved]
            what = f"{case}: the tangent in {dtype}, {layout}"
            expect(slope.dtype is value.dtype, f"{what}: dtype {slope.dtype}, expected {value.dtype}")
            expected = (ends[0] - ends[1]) / (2 * STEP)
            expect(slope.shape == expected.shape, f"{what}: shape {slope.shape}, expected {expected.shape}")
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            expect_close(values_of(slope) / scale, expected / scale, 1e-6 * case.loose, what)


def direction(array: Array) -> Array:
    """Numbers that are neither equal nor simple, complex ones for complex elements."""
    parts = 0.5 + ((1 + np.arange(array.size)) * 0.6180339887) % 1.0
    parts = parts.reshape(array.shape)
    return parts * (0.8 - 0.6j) if array.dtype.kind == "c" else parts


def first(result: Any) -> Tensor:
    """The result, or the first of several: the others are positions."""
    return result if isinstance(result, Tensor) else result[0]


def check_batching(case: Case) -> None:
    """Check `vmap` against a loop: of all operands, of the first alone, and of a batch in the last dimension."""
    dtype = next((one for one in (*case.gradient, "float64", "float32") if one in case.dtypes), case.dtypes[-1])
    rows = [[make(array, dtype) for array in operands(case, dtype, seed=seed)] for seed in range(BATCH)]
    for in_dims in dict.fromkeys(((0,) * case.arity, (0, *(None,) * (case.arity - 1)), (-1,) * case.arity)):
        check_batch(case, dtype, rows, in_dims)


def check_batch(case: Case, dtype: str, rows: list[list[Tensor]], in_dims: tuple[int | None, ...]) -> None:
    """Check one way of batching: `in_dims` says where in each operand the batch is, None for an operand of all."""
    vmap = transform("vmap")
    assert vmap is not None
    columns = [[row[place] for row in rows] for place in range(case.arity)]
    given = [
        make(values_of(column[0]) if dim is None else np.stack([values_of(one) for one in column], dim), dtype)
        for column, dim in zip(columns, in_dims, strict=True)
    ]
    columns = [column if dim is not None else column[:1] * BATCH for column, dim in zip(columns, in_dims, strict=True)]
    loop = [first(call(case, row)) for row in zip(*columns, strict=True)]
    result = first(vmap(lambda *operands: call(case, operands), in_dims=in_dims)(*given))
    expected = np.stack([values_of(one) for one in loop])
    what = f"{case}: batched by {in_dims}"
    expect(result.dtype is loop[0].dtype, f"{what}: dtype {result.dtype}, expected {loop[0].dtype}")
    expect(tuple(result.shape) == expected.shape, f"{what}: shape {tuple(result.shape)}, expected {expected.shape}")
    expect_close(values_of(result), expected, tolerance_of(case, result.dtype.name, dtype), what)
