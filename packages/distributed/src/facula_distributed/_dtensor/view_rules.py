"""Rules of operators that return views, found by the strides of a view of a contiguous tensor."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_tensor import empty, no_grad
from facula_tensor.extend.overriding import disable_overrides

from .dispatch import Call, Signature
from .placements import Shard
from .rules import local_shape, rule

if TYPE_CHECKING:
    from collections.abc import Sequence

_RESHAPES = frozenset("view reshape flatten unflatten view_as reshape_as ravel squeeze unsqueeze".split())


@rule(
    "view reshape flatten unflatten view_as reshape_as ravel squeeze unsqueeze expand expand_as broadcast_to T mT H mH "
    "t transpose swapaxes swapdims permute movedim moveaxis select narrow split chunk unbind tensor_split "
    "split_with_sizes unsafe_chunk unsafe_split getitem adjoint"
)
def _view(call: Call) -> Signature:
    name, shape = call.name, call.shape()
    if name == "getitem":
        check_index(call.args[1])
    with no_grad(), disable_overrides():
        views = call.call([empty(shape, dtype=call.operands[0].dtype, device="meta"), *call.metas[1:]])
    if call.results[0].dtype is not call.operands[0].dtype:
        raise UnsupportedError(f"{name}: expected lengths for a DTensor; got a dtype; use the view of to_local()")
    probes = list(views) if isinstance(views, (list, tuple)) else [views]
    ends = [length * prod(shape[at + 1 :]) if length > 1 else None for at, length in enumerate(shape)]
    operand: list[object] = [None] * len(shape)
    results: list[list[object]] = [[None] * one.ndim for one in probes]
    for dim, end in enumerate(ends):
        found = [_dim_from(call, dim, end, probe, name in _RESHAPES) for probe in probes] if end is not None else [None]
        if None not in found:  # otherwise the views need the whole dimension
            operand[dim] = dim
            for named, at in zip(results, found, strict=True):
                named[at] = dim  # type: ignore[index]
    others = [None] * (len(call.layouts) - 1)  # of view_as, for example
    return Signature(
        [tuple(operand), *others], [tuple(one) for one in results], {}, "first", run=_run, returns_views=True
    )


def _dim_from(call: Call, dim: int, end: int, view: Any, is_reshape: bool) -> int | None:
    """Return the dimension of a view that has the same parts as a dimension of the tensor; None if there is none.

    Arguments:
        call: the call.
        dim: the dimension of the tensor.
        end: its length times its stride.
        view: the view of a contiguous tensor.
        is_reshape: whether dimensions may be joined and divided.
    """
    length = call.shape()[dim]
    parts = prod(
        [size for size, one in zip(call.mesh.shape, call.layouts[0].placements, strict=True) if one == Shard(dim)]
    )
    for at, (size, stride) in enumerate(zip(view.shape, view.stride(), strict=True)):
        if size > 1 and size * stride == end:
            if size == length or (is_reshape and min(size, length) % parts == 0):
                return at
    return None


def _run(call: Call, operands: Sequence[Any], choices: Any) -> Any:
    if call.name in _RESHAPES:
        return operands[0].reshape(local_shape(call, choices))
    if call.name in ("expand", "expand_as", "broadcast_to"):
        return operands[0].expand(local_shape(call, choices))
    return call.call(operands)


def check_index(index: Any) -> None:
    """Raise NotImplementedError unless an index consists of integers, slices, None and an ellipsis."""
    for one in index if isinstance(index, tuple) else (index,):
        if not (one is None or one is Ellipsis or isinstance(one, slice) or type(one) is int):
            raise UnsupportedError(
                f"getitem: expected integers, slices, None and ... as index of a DTensor; got {type(one).__name__}; "
                "use index_select, or index full_tensor()"
            )
