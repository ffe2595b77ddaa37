"""The operators of concatenation, `cat` and `stack`: for operands of any strides, and fast paths."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_storage import Plan, Storage, contiguous
from facula_storage.extend.layouts import layout_cache_clearers
from facula_storage.extend.memory import allocate
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import Place, collecting

from ..._core.call_sites import user_frame
from ..._core.tensor import Tensor, layout_of_tensor, make
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import may_alias_grad, no_record_ops, operators
from ..._dispatch.rules.saved import saved_tensors
from ..._dispatch.slow_path.launching import MISSED, launch_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout

    from ..._core.types import Function, Layouts, Operands


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


def join_two(name: str, tensors: Sequence[Tensor], dim: int, records: bool = True) -> Tensor | None:
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
        recorded = records and (na is not None or nb is not None)
        if recorded and active_modes:
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
    if recorded:
        record(name, t, (a, b), (la, lb), dim)
    return t


def join_several(name: str, tensors: Sequence[Tensor], dim: int, records: bool = True) -> Tensor | None:
    """Join any number of tensors whose layouts have been joined before: the fast path for other counts than two."""
    try:
        key: list[object] = [name, dim]
        places: list[int] = []
        recorded = False
        for tensor in tensors:
            layout = tensor._layout
            places.append(tensor._storage.ptr + tensor._offset)
            key.append(layout)
            if records and tensor.node is not None:
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
    """Create the node of a result of `cat` or `stack`; called directly by `join_two` and `join_several`."""
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


# Caches of the fast paths, by operator name, layouts and the dimension as passed. An entry for `join_two` contains the
# layout of the result, the number of repetitions of the parts, the dimension, and the size in bytes of each part. An
# entry for `join_several` contains the layout, the dimension, the launch arguments, and the slice of them that
# receives the addresses.
_geometries: dict[tuple[object, ...], tuple[Any, ...]] = {}
_forms: dict[tuple[object, ...], tuple[Layout, int, list[int], slice]] = {}
layout_cache_clearers.append(_geometries.clear)
layout_cache_clearers.append(_forms.clear)
MAX_GEOMETRIES, MAX_PARTS = 512, 512


def cache_geometry(name: str, tensors: Sequence[Tensor], dim: int) -> bool:
    """Add the entry of these tensors for the fast paths. Return False if there is one, or if they require the slow
    path: if they are not contiguous, or differ in dtype, device or other lengths.
    """
    layouts = [tensor._layout for tensor in tensors]
    first = layouts[0]
    shape, dense, ndim, total = first.shape, first.dense, len(first.shape) + (name == "stack"), 0
    if len(layouts) > MAX_PARTS or not dense or not -ndim <= dim < ndim:
        return False
    at = dim % ndim
    before, after = shape[:at], shape[at + 1 :] if name == "cat" else shape[at:]
    for layout in layouts:
        own = layout.shape
        if layout is not first and (
            layout.dense != dense
            or (own != shape if name == "stack" else len(own) != ndim or own[:at] != before or own[at + 1 :] != after)
        ):
            return False
        total += own[at] if name == "cat" else 1
    lo = contiguous((*before, total, *after), first.dtype, first.device)
    known: dict[tuple[object, ...], Any] = _geometries if len(layouts) == 2 else _forms
    key = (name, *layouts, dim) if len(layouts) == 2 else (name, dim, *layouts)
    if not lo.numel or key in known:
        return False
    if len(known) >= MAX_GEOMETRIES:
        known.clear()
    outer = product(before)
    widths = [layout.nbytes // outer for layout in layouts]
    if len(layouts) == 2:
        known[key] = (lo, outer, at, *widths)
    else:
        form = [lo.numel, outer, len(layouts)]
        for width in widths:
            form += 0, width
        known[key] = (lo, at, [*form, 0], slice(3, -1, 2))
    return True


def join_others(name: str, tensors: Sequence[Tensor], dim: int, records: bool = True) -> Tensor | None:
    """Join tensors whose layouts have not been joined before by the fast paths, if those can."""
    try:
        if cache_geometry(name, tensors, dim):
            return (join_two if len(tensors) == 2 else join_several)(name, tensors, dim, records)
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
    return None


def _without_recording(name: str) -> Function:
    """Return the function for the rules of other operators, which record nothing: `call(tensors, (dim,))`."""
    slow: Function = getattr(no_record_ops, name)

    def call(tensors: Sequence[Tensor], parameters: tuple[int]) -> Tensor:
        (dim,) = parameters
        result = (join_two if len(tensors) == 2 else join_several)(name, tensors, dim, False)
        if result is None:
            result = join_others(name, tensors, dim, False)
        return slow(tensors, parameters) if result is None else result

    return call


no_record_ops.cat, no_record_ops.stack = _without_recording("cat"), _without_recording("stack")
