"""Converters of reductions, sums along a dimension, and order: maxima, sorting."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from facula_storage import bool_, int32, int64
from facula_storage.extend.layouts import FLOATING

from .._nodes import widened
from .table import converter, family

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@family("reduction")
def _reduce(op_type: str, b: Builder, call: Call) -> str:
    dims, keepdim = call.parameters[:2]
    name, made = call.name(0), call.results[0].dtype
    taken = widened(made)
    found = b.reduce(op_type, b.cast(name, taken, call.dtype), dims, keepdim)
    return b.cast(found, made, taken)


@family("truth")
def _any(op_type: str, b: Builder, call: Call) -> str:
    dims, keepdim = call.parameters
    name = b.cast(call.name(0), bool_, call.dtype)
    return b.cast(b.reduce(op_type, b.cast(name, int32), dims, keepdim), call.results[0].dtype)


@converter("var")
def _var(b: Builder, call: Call) -> str:
    """Convert the mean square of deviations, divided by the number of elements minus `correction`; or its root."""
    dims, keepdim, correction, root = call.parameters
    x, dtype = call.name(0), call.dtype
    centred = b.add("Sub", x, b.reduce("ReduceMean", x, dims, True))
    total = b.reduce("ReduceSum", b.add("Mul", centred, centred), dims, keepdim)
    count = 1
    for dim in dims:
        count *= call.shape[dim]
    made = b.add("Div", total, b.number(count - correction, dtype))
    return b.add("Sqrt", made) if root else made


@converter("norm_p")
def _norm_p(b: Builder, call: Call) -> str:
    """Convert the p-th root of the sum of p-th powers of magnitudes; for p = 0, the number of nonzero elements."""
    dims, keepdim, p = call.parameters
    magnitudes = b.add("Abs", call.name(0))
    if p in (1, inf, -inf):
        return b.reduce({1: "ReduceSum", inf: "ReduceMax"}.get(p, "ReduceMin"), magnitudes, dims, keepdim)
    if not p:
        return b.reduce("ReduceSum", b.add("Sign", magnitudes), dims, keepdim)
    total = b.reduce("ReduceSum", b.add("Pow", magnitudes, b.number(p, call.dtype)), dims, keepdim)
    return b.add("Pow", total, b.number(1 / p, call.dtype))


@converter("scaled_product")
def _scaled_product(b: Builder, call: Call) -> str:
    """Convert the product of two operands, each multiplied by its scale."""
    x, y, scale, factor = (call.name(place) for place in range(4))
    return b.add("Mul", b.add("Mul", x, scale), b.add("Mul", y, factor))


@family("place")
def _argmax(op_type: str, b: Builder, call: Call) -> str:
    dim, keepdim = call.parameters
    name = b.cast(call.name(0), widened(call.dtype), call.dtype)
    if dim is None:
        name = b.add(op_type, b.reshape(name, (-1,)), axis=0, keepdims=0)
        return b.reshape(name, call.results[0].shape) if keepdim else name
    return b.add(op_type, name, axis=dim, keepdims=int(keepdim))


@family("extreme and place")
def _max_dim(kind: str, b: Builder, call: Call) -> list[str]:
    dim, keepdim = call.parameters
    taken = widened(call.dtype)
    name = b.cast(call.name(0), taken, call.dtype)
    made = b.reduce(f"Reduce{kind}", name, (dim,), keepdim)
    places = b.add(f"Arg{kind}", name, axis=dim, keepdims=int(keepdim))
    return [b.cast(made, call.dtype, taken), places]


@converter("cumsum")
def _cumsum(b: Builder, call: Call) -> str:
    dim, backwards = call.parameters
    name, made = call.name(0), call.results[0].dtype
    name = b.cast(name, made, call.dtype)
    if not call.shape:
        return name
    return b.add("CumSum", name, b.number(dim, int64), reverse=int(backwards))


# ---------------------------------------------------------------------------------------------------------- order
def _top(b: Builder, call: Call, count: int, dim: int, largest: bool) -> tuple[str, ...]:
    """Return the largest or smallest elements along a dimension in order, and their indices."""
    if not call.shape:
        return call.name(0), b.number(0, int64)
    name, dtype = call.name(0), call.dtype
    if dtype.category != FLOATING and dtype is not int64:
        name = b.cast(name, int64)
    made, places = b.add_many("TopK", name, b.integers(count), results=2, axis=dim, largest=int(largest), sorted=1)
    return (made if name == call.name(0) else b.cast(made, dtype)), places


@converter("topk")
def _topk(b: Builder, call: Call) -> list[str]:
    count, dim, largest, _ = call.parameters
    return list(_top(b, call, count, dim, largest))


@converter("sort")
def _sort(b: Builder, call: Call) -> list[str]:
    dim, descending = call.parameters
    return list(_top(b, call, call.shape[dim] if call.shape else 1, dim, descending))


@converter("kthvalue", "median_dim")
def _kthvalue(b: Builder, call: Call) -> list[str]:
    """Convert the k-th smallest element along a dimension, which is kept; the median of two is the lower one."""
    dim = call.parameters[0]
    size = call.shape[dim] if call.shape else 1
    count = call.parameters[1] if call.operator == "kthvalue" else (size + 1) // 2
    found = _top(b, call, count, dim, largest=False)
    return [b.slice(name, dim, count - 1, count) if call.shape else name for name in found]
