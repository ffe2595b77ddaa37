"""Tensors put together: along a dimension there is (`cat`) or a new one (`stack`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import Plan, Storage, contiguous
from facula_storage.extend import allocate, blank, collecting, plain_address

from .._declare import operator
from .._errors import ArgumentError
from .._operator import operators, passed_on, raw, recording
from .._overrides import ask, overridden
from .._promotion import promote_types
from .._tensor import Tensor, check_dim, layout_of_tensor, make
from .copying import give
from .dims import new_dim

if TYPE_CHECKING:
    from facula_storage import Layout

__all__ = ["cat", "stack"]


@operator
class _cat:
    """Tensors one after the other along a dimension. All of one dtype, device and other lengths."""

    inputs = ("tensors",)
    arity = -1
    parameters = ("dim",)
    holomorphic = False

    def outputs(layouts, dim):
        first = layouts[0]
        total = 0
        for layout in layouts:
            total += layout.shape[dim]
        return contiguous((*first.shape[:dim], total, *first.shape[dim + 1 :]), first.dtype, first.device)

    def execute(operands, parameters):
        (dim,) = parameters
        layouts = [layout_of_tensor(a) for a in operands]
        layout = operators["cat"].outputs(layouts, dim)
        result = make(Tensor, layout, allocate(layout))
        outer = 1
        for size in layout.shape[:dim]:
            outer *= size
        plain = [raw.contiguous(a) for a in operands if layout_of_tensor(a).numel]
        if not layout.numel:
            return [result]
        for a in plain:
            plain_address(a._storage)
        # The launch is told everything, so that no plan depends on lengths.
        parts: list[int] = []
        for a in plain:
            parts += (a._storage.ptr + a._offset, layout_of_tensor(a).nbytes // outer)
        _plan(layout).launch(layout.numel, outer, len(plain), *parts, result._storage.ptr)
        return [result]

    @passed_on
    def reverse_tensors(F, g, position, layouts, dim):
        start = 0
        for layout in layouts[:position]:
            start += layout.shape[dim]
        return F.slice(g, dim, start, start + layouts[position].shape[dim], 1)


def _plan(layout: Layout) -> Plan:
    table = operators["cat"].slow_table
    key = (layout.dtype, layout.device)
    plan = table.by_key.get(key)
    return plan if plan is not None else table.add(key, layout.device.backend.plan("cat", (), (layout,), ()))


def _cat_rows(tensors: tuple) -> Tensor | None:
    """The common case, without detours: contiguous tensors of one dtype, one after the other, nothing recorded.

    Addresses are read early: a buffer that is replaced meanwhile is kept until this function is left.
    """
    try:
        first = tensors[0]._layout
        dense, rest, rows = first.dense, first.shape[1:], 0
        launch = _launches[dense] or _any_rows(first)
        arguments = [0, 1, len(tensors)]
        for one in tensors:
            layout, storage, offset = one._layout, one._storage, one._offset
            if one.node is not None or (layout is not first and (layout.dense != dense or layout.shape[1:] != rest)):
                return None
            rows += layout.shape[0]
            arguments += (storage.ptr + offset, layout.nbytes)
        lo = contiguous((rows, *rest) if rest else (rows,), first.dtype, first.device)
        t, s = blank(Tensor), Storage()
        if collecting:
            return None
        try:
            p, s.__del__ = lo.take()
        except IndexError:
            p, s.__del__ = lo.refill()
        arguments[0] = lo.numel
        arguments.append(p)
        launch(*arguments)
    except (AttributeError, IndexError, TypeError, MemoryError):
        return None
    s.ptr, s.version = p, 0
    t._layout, t._storage, t._offset, t.node = lo, s, 0, None
    return t


def _any_rows(layout: Any) -> Any:
    """The launch for this dtype and device; TypeError for a tensor that is not contiguous."""
    if not layout.dense:
        raise TypeError("not contiguous")
    table = operators["cat"].slow_table
    launch = layout.device.backend.plan("cat", (), (layout,), ()).launch
    table.add_dense(table.dense, layout.dense, Plan("cat", (), (layout,), launch, any_size=True))
    return table.dense[layout.dense]


_launches = operators["cat"].slow_table.dense


def _sequence(operation: str, tensors: Any) -> tuple:
    if type(tensors) is not list and not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{operation}: expected a tuple or list of tensors; got {type(tensors).__name__}")
    return tuple(tensors)


def cat(tensors: Any, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`; the other lengths must agree. Dtypes promote.

    One-dimensional empty tensors are left out, whatever the others' shape. ValueError names the tensor that does
    not fit.

    >>> from facula_tensor import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    if not dim and out is None and (type(tensors) is tuple or type(tensors) is list):
        joined = _cat_rows(tuple(tensors))
        if joined is not None:
            return joined
    tensors = _sequence("cat", tensors)
    if overridden(tensors):
        return ask("cat", cat, (tensors, dim), {} if out is None else {"out": out}, tensors)
    if not tensors:
        raise ArgumentError("cat: expected at least one tensor; got none")
    for place, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            raise TypeError(f"cat: expected tensors[{place}] to be a Tensor; got {type(one).__name__}")
    parts = [one for one in tensors if one.ndim != 1 or one.shape[0]] or list(tensors[:1])
    first = parts[0]
    if not first.ndim:
        raise ArgumentError("cat: tensors[0] has no dimension to go along; use stack")
    at = check_dim("cat", dim, first.ndim)
    dtype = first.dtype
    for one in tensors:
        dtype = promote_types(dtype, one.dtype)
    for one in parts:
        if one.ndim != first.ndim or any(m != n for i, (m, n) in enumerate(zip(one.shape, first.shape)) if i != at):
            place = next(i for i, each in enumerate(tensors) if each is one)
            raise ArgumentError(
                f"cat: tensors[{place}] of shape {tuple(one.shape)} does not fit the first of shape "
                f"{tuple(first.shape)}; "
                f"all lengths but that of dimension {at} must agree"
            )
    ready = tuple(one if one.dtype is dtype else recording.to(one, (dtype,)) for one in parts)
    result = recording.cat(ready, (at,))
    return give("cat", result, out, tensors)


def stack(tensors: Any, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape, one after the other along a new dimension at `dim`.

    >>> from facula_tensor import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors = _sequence("stack", tensors)
    if overridden(tensors):
        return ask("stack", stack, (tensors, dim), {} if out is None else {"out": out}, tensors)
    if not tensors:
        raise ArgumentError("stack: expected at least one tensor; got none")
    for place, one in enumerate(tensors):
        if not isinstance(one, Tensor) or one.shape != tensors[0].shape:
            got = f"shape {tuple(one.shape)}" if isinstance(one, Tensor) else type(one).__name__
            raise ArgumentError(
                f"stack: expected all tensors to have shape {tuple(tensors[0].shape)}; tensors[{place}] has {got}"
            )
    at = new_dim("stack", dim, tensors[0].ndim)
    return cat([recording.unsqueeze(one, at) for one in tensors], at, out=out)
