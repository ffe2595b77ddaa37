"""Checks of forward mode and batching with `jvp` and `vmap` from `facula_tensor.func`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd import grad

from .._core.tensor import Tensor
from ..ops.shape.joining import stack
from ._comparing import TOLERANCE, expect, expect_close, tolerance_of
from ._derivatives import smooth
from ._operands import call, lay, layouts_of, make, operands, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ._operands import Array
    from ._samples import Case

STEP = 1e-6
BATCH = 3


def transform(name: str) -> Callable[..., Any] | None:
    """Return the function of this name from `facula_tensor.func`; None if it does not exist."""
    module = f"{__package__.rpartition('.')[0]}.func"
    found: Callable[..., Any] | None = getattr(import_module(module), name, None) if find_spec(module) else None
    return found


def check_forward_mode(case: Case) -> None:
    """Compare `jvp` along one direction with central differences."""
    for dtype in case.gradient:
        for layout in [known for known in layouts_of(case) if known in ("contiguous", "transposed", "zero_dim")]:
            arrays = operands(smooth(case), dtype, layout, seed=3)
            directions = [direction(array) for array in arrays]
            primals, tangents = ([lay(array, dtype, layout) for array in some] for some in (arrays, directions))
            jvp = transform("jvp")
            assert jvp is not None
            value, slope = jvp(lambda *given: first_result(call(case, given)), tuple(primals), tuple(tangents))
            moved = [[x + step * d for x, d in zip(arrays, directions, strict=True)] for step in (STEP, -STEP)]
            ends = [values_of(first_result(call(case, [make(array, dtype) for array in some]))) for some in moved]
            what = f"{case}: the tangent in {dtype}, {layout}"
            expect(slope.dtype is value.dtype, f"{what}: dtype {slope.dtype}; expected {value.dtype}")
            expected = (ends[0] - ends[1]) / (2 * STEP)
            expect(slope.shape == expected.shape, f"{what}: shape {slope.shape}; expected {expected.shape}")
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            expect_close(values_of(slope) / scale, expected / scale, 1e-6 * case.loose, what)


def direction(array: Array) -> Array:
    """Return irregular numbers of the same shape, complex for complex arrays."""
    parts = 0.5 + ((1 + np.arange(array.size)) * 0.6180339887) % 1.0
    parts = parts.reshape(array.shape)
    return parts * (0.8 - 0.6j) if array.dtype.kind == "c" else parts


def first_result(result: Any) -> Tensor:
    """Return the result, or the first of several; the others are indices."""
    return result if isinstance(result, Tensor) else result[0]


def check_batching(case: Case) -> None:
    """Compare `vmap` with a loop: all operands batched, only the first or the last, or along the last dimension."""
    dtype = next(
        (dtype_ for dtype_ in (*case.gradient, "float64", "float32") if dtype_ in case.dtypes), case.dtypes[-1]
    )
    for in_dims in ways_of(case):
        columns, given = batch_of(case, dtype, in_dims)
        loop = [first_result(call(case, row)) for row in zip(*columns, strict=True)]
        result = batched_call(case, in_dims, given)
        expected = np.stack([values_of(row) for row in loop])
        what = f"{case}: batched by {in_dims}"
        expect(result.dtype is loop[0].dtype, f"{what}: dtype {result.dtype}; expected {loop[0].dtype}")
        expect(tuple(result.shape) == expected.shape, f"{what}: shape {tuple(result.shape)}; expected {expected.shape}")
        expect_close(values_of(result), expected, tolerance_of(case, result.dtype.name, dtype), what)


def check_batched_gradients(case: Case) -> None:
    """Compare gradients through `vmap` with those through a loop, for the same batch dimensions."""
    dtype = case.gradient[0]
    for in_dims in ways_of(case):
        columns, given = batch_of(smooth(case), dtype, in_dims)
        leaves = list(dict.fromkeys(chain(*columns)))
        for leaf in (*leaves, *given):
            leaf.requires_grad_()
        found = slopes(batched_call(case, in_dims, given), given)
        loop = stack([first_result(call(case, row)) for row in zip(*columns, strict=True)])
        by_leaf = dict(zip(leaves, slopes(loop, leaves), strict=True))
        for place, (column, dim, got) in enumerate(zip(columns, in_dims, found, strict=True)):
            rows = [values_of(by_leaf[leaf]) for leaf in column]
            expected = rows[0] if dim is None else np.stack(rows, dim)
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            what = f"{case}: the gradient of operand {place}, batched by {in_dims}"
            expect_close(values_of(got) / scale, expected / scale, TOLERANCE[dtype] * 10 * case.loose, what)


def ways_of(case: Case) -> Iterable[tuple[int | None, ...]]:
    """Return the values of `in_dims` to check; None stands for an operand without a batch dimension."""
    rest = (None,) * (case.arity - 1)
    ways = dict.fromkeys(((0,) * case.arity, (0, *rest), (*rest, 0), (-1,) * case.arity))
    return [way for way in ways if way[0] is not None or not case.changes_first]


def batch_of(case: Case, dtype: str, in_dims: Sequence[int | None]) -> tuple[list[list[Tensor]], list[Tensor]]:
    """Return the operands of each call of a loop, grouped by position, and the batched operands."""
    rows = [[make(array, dtype) for array in operands(case, dtype, seed=seed)] for seed in range(BATCH)]
    columns = [
        [row[place] for row in rows] if dim is not None else [rows[0][place]] * BATCH
        for place, dim in enumerate(in_dims)
    ]
    given = [
        make(values_of(column[0]) if dim is None else np.stack([values_of(element) for element in column], dim), dtype)
        for column, dim in zip(columns, in_dims, strict=True)
    ]
    return columns, given


def batched_call(case: Case, in_dims: tuple[int | None, ...], given: Sequence[Tensor]) -> Tensor:
    """Return the first result under `vmap`; a Function's rule receives the batch in the dimension of `in_dims`."""
    vmap = transform("vmap")
    assert vmap is not None

    def function(*operands: Tensor) -> Any:
        if in_dims[0] is not None:
            operands[0]._layout.level.rule_dim = in_dims[0]  # type: ignore[attr-defined]  # a batch's layout
        return call(case, operands)

    return first_result(vmap(function, in_dims=in_dims)(*given))


def slopes(result: Tensor, leaves: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the gradients of a result for unequal cotangents; zeros for leaves that it does not depend on."""
    found: tuple[Tensor, ...] = grad(result, leaves, make(direction(values_of(result)), result.dtype.name),
                                     materialize_grads=True)  # fmt: skip
    return found
