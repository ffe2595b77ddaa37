"""Concatenation of tensors: along an existing dimension (`cat`) or a new one (`stack`)."""

from __future__ import annotations

from math import prod as product
from operator import is_
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import Plan, Storage, contiguous
from facula_storage.extend.layouts import layout_cache_clearers
from facula_storage.extend.memory import allocate
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import Place, collecting

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
    """Tensors concatenated along a dimension. Dtype, device and the other lengths are equal."""

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
    """Tensors of the same shape, dtype and device, concatenated along a new dimension."""

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


# The launch receives all sizes as arguments, so that a plan does not depend on lengths: the number of repetitions of
# the sequence of parts, the number of parts, and the address and size in bytes of each part.
def execute(name: str, operands: Operands, dim: int) -> list[Tensor]:
    """Compute `cat` or `stack` for operands of any strides."""
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
    """Return the plan for a dtype and a device, and add it to the tables of the fast paths."""
    table, key = operators["cat"].slow_table, (layout.dtype, layout.device)
    plan = table.by_key.get(key) or table.add(key, layout.device.backend.plan("cat", (), (layout,), ()))
    if layout.dense and table.dense[layout.dense] is None:
        plain = plan.plain or plan  # the table adds observers itself
        table.add_dense(table.dense, layout.dense, Plan("cat", (), (layout,), plain.launch, any_size=True))
    return plan


_launches = operators["cat"].slow_table.dense


def _join_two(name: str, tensors: Sequence[Tensor], dim: int) -> Tensor | None:
    """Join two contiguous tensors of the same dtype and device: the fast path of `cat` and `stack`.

    Addresses are read early; if another thread replaces a buffer in the meantime, the references of this function keep
    the old buffer allocated. Return None if the slow path must compute the result.
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
        if dim or (name == "stack" and lb is not la):
            lo, outer, dim, wide_a, wide_b = _geometries[name, la, lb, dim]
        else:  # not cached, because the lengths may differ in every call
            shape = la.shape if name == "cat" else (1, *la.shape)
            if lb is la:
                rows = shape[0] * 2
            elif lb.dense != la.dense or lb.shape[1:] != shape[1:]:
                return None
            else:
                rows = shape[0] + lb.shape[0]
            lo = contiguous((rows, *shape[1:]), la.dtype, la.device)
            outer, wide_a, wide_b = 1, la.nbytes, lb.nbytes
        launch = _launches[la.dense]  # None if the layout is not contiguous or an observer has cleared the table
        if launch is None or collecting:
            return None
        s = Storage()
        try:
            p, s.__del__ = lo.take_block()
        except IndexError:
            p, s.__del__ = lo.refill()
        launch(lo.numel, outer, 2, sa.ptr + oa, wide_a, sb.ptr + ob, wide_b, p)
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
    """Join any number of tensors whose layouts have been joined before: the fast path for other counts than two."""
    try:
        key: list[object] = [name, dim]
        places: list[int] = []
        recorded = False
        for tensor in tensors:
            layout = tensor._layout
            places.append(tensor._storage.ptr + tensor._offset)
            key.append(layout)
            if tensor.node is not None:
                recorded = True
        if recorded and active_modes:
            return None
        lo, at, form, among = _forms[tuple(key)]
        launch = _launches[lo.dense]
        if launch is None or collecting:
            return None
        s = Storage()
        try:
            p, s.__del__ = lo.take_block()
        except IndexError:
            p, s.__del__ = lo.refill()
        arguments = form.copy()
        arguments[among] = places
        arguments[-1] = p
        launch(*arguments)
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
    """Create the node of a result of `cat` or `stack`; called directly by `_join_two` and `_join_several`."""
    edges = []
    for tensor in tensors:
        node = tensor.node
        edges.append(tensor if node is LEAF else node)
    n = result.node = Node()
    n.rule = operators[name].rule
    n.seq = next_seq()
    n.e0 = None
    n.e1 = None
    n.rest = saved_tensors(tuple(edges), (), layouts, (dim,), ())
    f = user_frame(3)
    n.code = f.f_code
    n.lasti = f.f_lasti


# Caches of the fast paths, by operator name, layouts and the dimension as passed. An entry for `_join_two` contains the
# layout of the result, the number of repetitions of the parts, the dimension, and the size in bytes of each part. An
# entry for `_join_several` contains the layout, the dimension, the launch arguments, and the slice of them that
# receives the addresses.
_geometries: dict[tuple[object, ...], tuple[Any, ...]] = {}
_forms: dict[tuple[object, ...], tuple[Layout, int, list[int], slice]] = {}
layout_cache_clearers.append(_geometries.clear)
layout_cache_clearers.append(_forms.clear)
MAX_GEOMETRIES, MAX_PARTS = 512, 512


def _cache_geometry(name: str, tensors: Sequence[Tensor], dim: Dims | None, at: int, result: Tensor) -> None:
    """Add an entry for the fast paths, unless this combination of layouts requires the slow path."""
    if len(tensors) > MAX_PARTS or type(dim) is not int or not result.numel():
        return
    layouts = [layout_of_tensor(tensor) for tensor in tensors]
    lo = layout_of_tensor(result)
    if (
        any(layout.dense != lo.dense or len(layout.shape) != len(layouts[0].shape) for layout in layouts)
        or not lo.dense
    ):
        return
    for known in (_geometries, _forms):
        if len(known) >= MAX_GEOMETRIES:
            known.clear()
    outer = product(lo.shape[:at])
    widths = [layout.nbytes // outer for layout in layouts]
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
    """Concatenate tensors along an existing dimension. Their other lengths must be equal; dtypes are promoted.

    Empty one-dimensional tensors are skipped, whatever the shape of the others.

    Arguments:
        tensors: the tensors.
        dim: the dimension.
        axis: NumPy's name of `dim`.
        out: the tensor that receives the result; None for a new tensor.

    Raises:
        ValueError: if a tensor does not fit; the message names it.

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
        tensors = tuple([steady(tensor) if isinstance(tensor, Tensor) else tensor for tensor in tensors])
        for place, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(f"cat: expected tensors[{place}] to be a Tensor; got {type(tensor).__name__}")
        parts = [tensor for tensor in tensors if tensor.ndim != 1 or tensor.shape[0]] or list(tensors[:1])
        first = parts[0]
        if not first.ndim:
            raise ArgumentError("cat: expected tensors of at least 1 dimension; tensors[0] has none; use stack")
        at = check_dim("cat", dim, first.ndim)
        dtype = first.dtype
        for tensor in tensors:
            dtype = promote_types(dtype, tensor.dtype)
        for part in parts:
            if part.ndim != first.ndim or any(
                m != n for i, (m, n) in enumerate(zip(part.shape, first.shape)) if i != at
            ):
                place = next(i for i, tensor in enumerate(tensors) if tensor is part)
                raise ArgumentError(
                    f"cat: tensors[{place}] of shape {tuple(part.shape)} does not fit the first of shape "
                    f"{tuple(first.shape)}; "
                    f"all lengths but that of dimension {at} must agree"
                )
        if len(parts) < len(tensors):
            # A skipped tensor that requires a gradient receives an empty one: it takes part with a shape that fits.
            empty = (*first.shape[:at], 0, *first.shape[at + 1 :])
            wanting = [tensor for tensor in tensors if tensor.node is not None and tensor.shape == (0,) != first.shape]
            parts += [recorded_ops.reshape(tensor, empty) for tensor in wanting]
        ready = tuple(part if part.dtype is dtype else recorded_ops.to(part, (dtype,)) for part in parts)
        result = recorded_ops.cat(ready, (at,))
        if len(ready) == len(tensors) and all(map(is_, ready, tensors)):
            _cache_geometry("cat", tensors, dim, at, result)
        return write_out("cat", result, out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors of the same shape along a new dimension at `dim`.

    Arguments:
        tensors: the tensors.
        dim: the position of the new dimension.
        axis: NumPy's name of `dim`.
        out: the tensor that receives the result; None for a new tensor.

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
        tensors = tuple([steady(tensor) if isinstance(tensor, Tensor) else tensor for tensor in tensors])
        for place, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(f"stack: expected tensors[{place}] to be a Tensor; got {type(tensor).__name__}")
            if tensor.shape != tensors[0].shape:
                raise ArgumentError(
                    f"stack: expected all tensors to have shape {tuple(tensors[0].shape)}; tensors[{place}] has shape "
                    f"{tuple(tensor.shape)}"
                )
        at = new_dim("stack", dim, tensors[0].ndim)
        dtype = tensors[0].dtype
        for tensor in tensors:
            dtype = promote_types(dtype, tensor.dtype)
        ready = tuple(tensor if tensor.dtype is dtype else recorded_ops.to(tensor, (dtype,)) for tensor in tensors)
        result = recorded_ops.stack(ready, (at,))
        if all(map(is_, ready, tensors)):
            _cache_geometry("stack", tensors, dim, at, result)
        return write_out("stack", result, out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise
