"""Converters of operators that read or write elements at an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import float16, float32, int64

from .._nodes import widened
from .table import converter, family

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call

REDUCTIONS = {"set": "none", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}


@family("at an index")
def _take(op_type: str, b: Builder, call: Call) -> str:
    return b.add(op_type, call.name(0), call.name(1), axis=call.parameters[0])


@converter("merged_positions")
def _merged(b: Builder, call: Call) -> str:
    """Merge positions in two dimensions; negative ones count from the end, others out of range are not detected."""
    zero = b.number(0, int64)
    sizes = [b.number(size, int64) for size in call.parameters]  # type: ignore[arg-type]
    first, second = [
        b.add("Where", b.add("Less", name, zero), b.add("Add", name, size), name)
        for name, size in zip((call.name(0), call.name(1)), sizes, strict=True)
    ]
    return b.add("Add", b.add("Mul", first, sizes[1]), second)


def _scattered(b: Builder, call: Call, index: str, values: str, mode: str) -> str:
    """Write or accumulate values to the first operand, at an index with the shape of the values."""
    dtype = call.layout().dtype
    taken = float32 if dtype is float16 else widened(dtype)
    name, values = b.cast(call.name(0), taken, dtype), b.cast(values, taken, dtype)
    made = b.add("ScatterElements", name, index, values, axis=call.parameters[0], reduction=REDUCTIONS[mode])
    return b.cast(made, dtype, taken)


@converter("scatter_copy", "scatter")
def _scatter(b: Builder, call: Call) -> str:
    return _scattered(b, call, call.name(1), call.name(2), call.parameters[1])


@converter("put")
def _put(b: Builder, call: Call) -> str:
    """Write whole entries along a dimension, at an index of any shape."""
    dim, accumulate = call.parameters[:2]
    shape = list(call.shape)
    shape[dim] = call.layout(1).numel
    along = [1] * len(shape)
    along[dim] = shape[dim]
    index = b.add("Expand", b.reshape(call.name(1), along), b.integers(*shape))
    return _scattered(b, call, index, b.reshape(call.name(2), shape), "sum" if accumulate else "set")
