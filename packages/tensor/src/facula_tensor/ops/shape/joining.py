"""Tensors put together: along a dimension there is (`cat`) or a new one (`stack`)."""

from __future__ import annotations

from math import prod as product
from operator import is_
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Node, active_modes, next_seq
from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import Plan, Storage, contiguous
from facula_storage.extend import Place, allocate, collecting, layout_cache_clearers, new_instance

from ..._core.call_sites import user_frame
from ..._core.promotion import promote_types
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, make, steady
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import may_alias_grad, no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import call_torch_function, overridden
from ..._dispatch.rules.saved import saved_tensors
from ..._dispatch.slow_path.launching import MISSED, launch_places
from ..._dispatch.slow_path.writing import write_out
from .transpose import new_dim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout

    from ..._core.types import Dims, Function, Layouts, Operands


@operator
class _cat:
    """Tensors one after the other along a dimension. All of one dtype, device and other lengths."""

    inputs = ("tensors",)
    arity = -1
    parameters = ("dim",)
    linear = ("tensors",)
    holomorphic = False

    def outputs(layouts, dim):
        first = layouts[0]
        total = 0
        for layout in layouts:
            total += layout.shape[dim]
        return contiguous((*first.shape[:dim], total, *first.shape[dim + 1 :]), first.dtype, first.device)

    def execute(operands, parameters):
        return execute("cat", operands, *parameters)

    @may_alias_grad
    def vjp_tensors(F, g, position, layouts, dim):
        start = 0
        for layout in layouts[:position]:
            start += layout.shape[dim]
        return F.slice(g, dim, start, start + layouts[position].shape[dim], 1)


@operator
class _stack:
    """Tensors of one shape, dtype and device, one after the other along a new dimension."""

    inputs = ("tensors",)
    arity = -1
    parameters = ("dim",)
    linear = ("tensors",)
    holomorphic = False

    def outputs(layouts, dim):
        first = layouts[0]
        return contiguous((*first.shape[:dim], len(layouts), *first.shape[dim:]), first.dtype, first.device)

    def execute(operands, parameters):
        return execute("stack", operands, *parameters)

    @may_alias_grad
    def vjp_tensors(F, g, position, layouts, dim):
        return F.select(g, dim, position)


# The launch is told everything, so that no plan depends on lengths: how many times the parts follow each other, how
# many parts there are, and the address and number of bytes of each.
def execute(name: str, operands: Operands, dim: int) -> list[Tensor]:
    """The result of `cat` or `stack`, of operands of any strides."""
    layouts = [layout_of_tensor(a) for a in operands]
    outputs: Function = operators[name].outputs  # type: ignore[assignment]
    layout = outputs(layouts, dim)
    result = make(Tensor, layout, allocate(layout))
    if not layout.numel:
        return [result]
    outer = product(layout.shape[:dim])
    plain = [no_record_ops.contiguous(a) for a in operands if layout_of_tensor(a).numel]
    parts: list[Any] = []
    for a in plain:
        parts += (Place(a._storage, a._offset, a._layout, False), layout_of_tensor(a).nbytes // outer)
    launch_places(_cat_plan(layout), layout.numel, [outer, len(plain), *parts, Place(result._storage, 0, layout, True)])
    return [result]


def _cat_plan(layout: Layout) -> Plan:
    """The plan for a dtype and a device, put where the quick ways look."""
    table, key = operators["cat"].slow_table, (layout.dtype, layout.device)
    plan = table.by_key.get(key) or table.add(key, layout.device.backend.plan("cat", (), (layout,), ()))
    if layout.dense and table.dense[layout.dense] is None:
        table.add_dense(table.dense, layout.dense, Plan("cat", (), (layout,), plan.launch, any_size=True))
    return plan


_launches = operators["cat"].slow_table.dense


def _join_two(name: str, tensors: Sequence[Tensor], dim: int) -> Tensor | None:
    """The common case of `cat` and `stack`, without detours: two contiguous tensors of one dtype and device.

    Addresses are read early: a buffer that is replaced meanwhile is kept until this function is left.
    """
    try:
        a, b = tensors
        la = a._layout
        sa = a._storage
        oa = a._offset
        na = a.node
        lb = b._layout
        sb = b._storage
        ob = b._offset
        nb = b.node
        if (na is not None or nb is not None) and active_modes:
            return None
        if dim or name == "stack":
            lo, outer, dim, wide_a, wide_b = _geometries[name, la, lb, dim]
        else:  # lengths may be new each time, so that nothing is kept of them
            shape = la.shape
            if lb is la:
                rows = shape[0] * 2
            elif lb.dense != la.dense or lb.shape[1:] != shape[1:]:
                return None
            else:
                rows = shape[0] + lb.shape[0]
            lo = contiguous((rows, *shape[1:]), la.dtype, la.device)
            outer, wide_a, wide_b = 1, la.nbytes, lb.nbytes
        launch = _launches[la.dense]  # None, and so a TypeError, unless contiguous
        s = Storage()
        if collecting:
            return None
        try:
            p, s.__del__ = lo.take_block()
        except IndexError:
            p, s.__del__ = lo.refill()
        launch(lo.numel, outer, 2, sa.ptr + oa, wide_a, sb.ptr + ob, wide_b, p)  # type: ignore[misc]
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return None
    s.ptr = p
    s.version = 0
    t = new_instance(Tensor)
    t._layout = lo
    t._storage = s
    t._offset = 0
    t.node = None
    if na is not None or nb is not None:
        record(name, t, (a, b), (la, lb), dim)
    return t


def _join_several(name: str, tensors: Sequence[Tensor], dim: int) -> Tensor | None:
    """The same for any number of tensors whose layouts have been joined before."""
    try:
        key: list[object] = [name, dim]
        places: list[int] = []
        recorded = False
        for one in tensors:
            layout = one._layout
            places.append(one._storage.ptr + one._offset)
            key.append(layout)
            if one.node is not None:
                recorded = True
        if recorded and active_modes:
            return None
        lo, at, form, among = _forms[tuple(key)]
        launch = _launches[lo.dense]
        s = Storage()
        if collecting:
            return None
        try:
            p, s.__del__ = lo.take_block()
        except IndexError:
            p, s.__del__ = lo.refill()
        arguments = form.copy()
        arguments[among] = places
        arguments[-1] = p
        launch(*arguments)  # type: ignore[misc]
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return None
    s.ptr = p
    s.version = 0
    t = new_instance(Tensor)
    t._layout = lo
    t._storage = s
    t._offset = 0
    t.node = None
    if recorded:
        record(name, t, tensors, tuple(key[2:]), at)
    return t


def record(name: str, result: Tensor, tensors: Sequence[Tensor], layouts: Layouts, dim: int) -> None:
    """Give the result of `cat` or `stack` its node; for `_join_two` and `_join_several`, which those call."""
    edges = []
    for one in tensors:
        node = one.node
        edges.append(one if node is LEAF else node)
    n = result.node = Node()
    n.rule = operators[name].rule
    n.seq = next_seq()
    n.e0 = None
    n.e1 = None
    n.rest = saved_tensors(tuple(edges), (), layouts, (dim,), ())
    f = user_frame(3)
    n.code = f.f_code
    n.lasti = f.f_lasti


# What is joined in `_join_two`: the layout of the result, how many times the parts follow each other, the dimension,
# and the bytes of each part; by the layouts and the dimension as it was given. In `_join_several`: the layout, the
# dimension, the arguments of the launch, and where among them the addresses go.
_geometries: dict[tuple[object, ...], tuple[Any, ...]] = {}
_forms: dict[tuple[object, ...], tuple[Layout, int, list[int], slice]] = {}
layout_cache_clearers.append(_geometries.clear)
layout_cache_clearers.append(_forms.clear)
MOST_GEOMETRIES, MOST_PARTS = 512, 512


def _learn_geometry(name: str, tensors: Sequence[Tensor], dim: Dims | None, at: int, result: Tensor) -> None:
    """Let the quick ways know what the result of these looks like, if it is a case for them."""
    if len(tensors) > MOST_PARTS or type(dim) is not int or not result.numel():
        return
    layouts = [layout_of_tensor(one) for one in tensors]
    lo = layout_of_tensor(result)
    if any(one.dense != lo.dense or len(one.shape) != len(layouts[0].shape) for one in layouts) or not lo.dense:
        return
    for known in (_geometries, _forms):
        if len(known) >= MOST_GEOMETRIES:
            known.clear()
    outer = product(lo.shape[:at])
    widths = [one.nbytes // outer for one in layouts]
    if len(layouts) == 2:
        _geometries[name, *layouts, dim] = (lo, outer, at, *widths)
        return
    form = [lo.numel, outer, len(layouts)]
    for width in widths:
        form += 0, width
    _forms[name, dim, *layouts] = (lo, at, [*form, 0], slice(3, -1, 2))


def _sequence(operation: str, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    if type(tensors) is not list and not isinstance(tensors, (tuple, list)):
        raise InvalidTypeError(
            f"{operation}: expected a tuple or list of tensors; got {type(tensors).__name__}; put brackets around "
            f"them, as in {operation}([a, b])"
        )
    return tuple(tensors)


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`; the other lengths must agree. Dtypes promote.

    One-dimensional empty tensors are left out, whatever the others' shape. ValueError names the tensor that does
    not fit.

    Arguments:
        tensors: the tensors.
        dim: the dimension.
        axis: NumPy's name of `dim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    try:
        if axis is not None:
            dim = axis_for(dim or None, axis, "cat")
        if out is None and type(dim) is int and type(tensors) in (tuple, list):
            joined = (_join_two if len(tensors) == 2 else _join_several)("cat", tensors, dim)
            if joined is not None:
                return joined
        tensors = _sequence("cat", tensors)
        if overridden(tensors):
            return call_torch_function("cat", cat, (tensors, dim), {} if out is None else {"out": out}, tensors)
        if not tensors:
            raise ArgumentError("cat: expected at least one tensor; got none")
        tensors = tuple([steady(one) if isinstance(one, Tensor) else one for one in tensors])
        for place, one in enumerate(tensors):
            if not isinstance(one, Tensor):
                raise InvalidTypeError(f"cat: expected tensors[{place}] to be a Tensor; got {type(one).__name__}")
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
        if len(parts) < len(tensors):
            # One that is left out and wants a gradient gets it, of no elements, by way of a shape that fits.
            empty = (*first.shape[:at], 0, *first.shape[at + 1 :])
            wanting = [one for one in tensors if one.node is not None and one.shape == (0,) != first.shape]
            parts += [recorded_ops.reshape(one, empty) for one in wanting]
        ready = tuple(one if one.dtype is dtype else recorded_ops.to(one, (dtype,)) for one in parts)
        result = recorded_ops.cat(ready, (at,))
        if len(ready) == len(tensors) and all(map(is_, ready, tensors)):
            _learn_geometry("cat", tensors, dim, at, result)
        return write_out("cat", result, out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape, one after the other along a new dimension at `dim`.

    Arguments:
        tensors: the tensors.
        dim: where the new dimension is.
        axis: NumPy's name of `dim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    try:
        if axis is not None:
            dim = axis_for(dim or None, axis, "stack")
        if out is None and type(dim) is int and type(tensors) in (tuple, list):
            joined = (_join_two if len(tensors) == 2 else _join_several)("stack", tensors, dim)
            if joined is not None:
                return joined
        tensors = _sequence("stack", tensors)
        if overridden(tensors):
            return call_torch_function("stack", stack, (tensors, dim), {} if out is None else {"out": out}, tensors)
        if not tensors:
            raise ArgumentError("stack: expected at least one tensor; got none")
        tensors = tuple([steady(one) if isinstance(one, Tensor) else one for one in tensors])
        for place, one in enumerate(tensors):
            if not isinstance(one, Tensor):
                raise InvalidTypeError(f"stack: expected tensors[{place}] to be a Tensor; got {type(one).__name__}")
            if one.shape != tensors[0].shape:
                raise ArgumentError(
                    f"stack: expected all tensors to have shape {tuple(tensors[0].shape)}; tensors[{place}] has shape "
                    f"{tuple(one.shape)}"
                )
        at = new_dim("stack", dim, tensors[0].ndim)
        dtype = tensors[0].dtype
        for one in tensors:
            dtype = promote_types(dtype, one.dtype)
        ready = tuple(one if one.dtype is dtype else recorded_ops.to(one, (dtype,)) for one in tensors)
        result = recorded_ops.stack(ready, (at,))
        if all(map(is_, ready, tensors)):
            _learn_geometry("stack", tensors, dim, at, result)
        return write_out("stack", result, out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise
