"""Views with any strides over a tensor's memory, and the opposite: a copy in which such a view is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, UnsupportedError
from facula_storage import Layout, contiguous, layout_of

from ..._core.errors import relabel
from ..._core.memory import overlaps_itself
from ..._core.tensor import Tensor, elements, example, layout_of_tensor, snapshot
from ..._core.view_family import root_of
from ..._core.wrapped import LevelLayout
from ..._creation.filled import zeros
from ..._creation.ranges import arange
from ..._dispatch.declaration import operator, view
from ..._dispatch.namespaces import composite, no_record_ops, operators
from ..._dispatch.slow_path.writing import write
from ..._dispatch.view_call import view_at
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, IntegerOrNone, Sizes
    from ..._dispatch.namespaces import Namespace


@view
class _as_strided:
    """Any strides and offset (in elements) over the operand's memory."""

    parameters = ("size", "stride", "offset")
    cached = False

    def window(layout, size, stride, offset):
        return layout_of(size, stride, layout.dtype, layout.device), offset * layout.dtype.itemsize

    def vjp_input(F, g, input_layout, size, stride, offset):
        zeros = F.zeros_of(g, room_of(input_layout))
        repeated = tuple(dim for dim, step in enumerate(stride) if not step and size[dim] > 1)
        if repeated:  # as after expand()
            g = F.sum(g, (repeated, True))
            size = tuple(1 if dim in repeated else length for dim, length in enumerate(size))
        if not overlaps_itself(layout_of(size, stride, input_layout.dtype, input_layout.device)):
            return F.shown_as(F.as_strided_scatter(zeros, g, (size, stride, offset)), input_layout)
        # An element that is seen more than once gets the sum.
        places = no_record_ops.clone(
            no_record_ops.as_strided(arange(layout_of_tensor(zeros).numel, device=g.device), size, stride, offset)
        )
        flat = F.put(F.view(zeros, -1), no_record_ops.view(places, -1), F.reshape(g, (-1,)), (0, True, False))
        return F.shown_as(F.view(flat, tuple(zeros.shape)), input_layout)


@operator
class as_strided_scatter:
    """A contiguous copy of `input` in which the elements that `as_strided(size, stride, offset)` shows are `src`'s."""

    inputs = ("input", "src")
    parameters = ("size", "stride", "offset")
    linear = ("input", "src")
    holomorphic = False

    def batching(F, call):
        layout, (size, stride, offset) = layout_of_tensor(call.operands[0]), call.parameters
        if not layout.is_contiguous:
            return None
        whole, src = call.wholes()
        return call.wrap(call.run((F.contiguous(whole), src), ((call.size, *size), (layout.numel, *stride), offset)))

    def outputs(layout, src, size, stride, offset):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def execute(operands, parameters):
        input, src = operands
        layout = layout_of_tensor(input)
        result = no_record_ops.spread_out(input, layout) if not layout.is_contiguous else no_record_ops.clone(input)
        write(no_record_ops.as_strided(result, *parameters), src)
        return [no_record_ops.shown_as(result, layout)]

    def vjp_input(F, g, input_layout, src_layout, size, stride, offset):
        spread = F.as_strided_scatter(F.spread_out(g, input_layout), F.zeros_of(g, src_layout), (size, stride, offset))
        return F.shown_as(spread, input_layout)

    def vjp_src(F, g, input_layout, size, stride, offset):
        return F.clone(F.as_strided(F.spread_out(g, input_layout), size, stride, offset))


# Note [Elements in another order]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# Sizes, strides and offset of a view count places in its base's memory, and a gradient for the base is contiguous.
# Where the base is not, the gradient is first spread out as the base's elements lie, in a flat tensor with the base's
# gaps, where the same numbers mean the same elements; what comes back is read there in the base's order.
def room_of(layout: Layout) -> Layout:
    """A contiguous layout of the places that `layout` spans: itself where it is contiguous."""
    if layout.is_contiguous:
        return layout
    return contiguous((layout.extent // layout.dtype.itemsize,), layout.dtype, layout.device)


@composite
def spread_out(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
    """`g`, of a layout's shape, with its elements in the places that the layout gives them. Contiguous."""
    if layout.is_contiguous:
        return F.contiguous(g)
    return F.as_strided_scatter(F.zeros_of(g, room_of(layout)), g, (layout.shape, layout.strides, 0))


@composite
def shown_as(F: Namespace, spread: Tensor, layout: Layout) -> Tensor:
    """The opposite of `spread_out`. Contiguous."""
    return spread if layout.is_contiguous else F.clone(F.as_strided(spread, layout.shape, layout.strides, 0))


@function(method=True)
def as_strided(input: Checked, size: Sizes, stride: Sizes, storage_offset: IntegerOrNone = None) -> Tensor:
    """A view of the storage with any shape, strides and offset (in elements).

    ValueError where it would reach outside the storage's elements that this tensor's family can see. Gradients
    flow through it within the tensor's own memory, unless its elements share places there.

    Arguments:
        size: the shape.
        stride: the strides, in elements.
        storage_offset: where the first element is, in elements; where `input` begins if None.

    >>> from facula_tensor import arange
    >>> as_strided(arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    real = example(input)
    now = snapshot(real)
    layout, node = now._layout, input.node
    own = now._offset // layout.dtype.itemsize
    offset = own if storage_offset is None else storage_offset
    if len(size) != len(stride) or min((*size, *stride, offset, 0)) < 0:
        raise ArgumentError(
            f"as_strided: size {size}, stride {stride} and offset {offset} must fit together, none negative"
        )
    try:
        wanted = layout_of(size, stride, layout.dtype, layout.device)
    except OverflowError as error:
        relabel(error, "as_strided")
        raise
    batched = real is not elements(input)  # then within one element of the batch
    root = snapshot(example(root_of(input)) if batched else root_of(real))
    if root._storage is not now._storage:  # given other memory just now
        root = now
    room = root._layout.extent
    start = offset * layout.dtype.itemsize - root._offset
    if wanted.numel and (start < 0 or start + wanted.extent > room):
        raise ArgumentError(
            f"as_strided: size {size}, stride {stride} and offset {offset} reach outside the {room} bytes of the tensor"
        )
    last = (offset - own) * layout.dtype.itemsize + wanted.extent
    wrapped = isinstance(input._layout, LevelLayout)
    if (node is not None or wrapped) and (overlaps_itself(layout) or offset < own or last > layout.extent):
        raise UnsupportedError(
            f"as_strided: gradients are defined within the tensor's own memory; size {size}, stride {stride}, offset "
            f"{offset} reach beyond shape {layout.shape}, strides {layout.strides}; use .contiguous() first"
        )
    delta = (offset - own) * layout.dtype.itemsize
    if wrapped:
        return operators["as_strided"].call(input, size, stride, offset - own)
    window = (wanted, delta, operators["as_strided"].rule, (size, stride, offset - own))
    return view_at(input, (layout, now._storage, now._offset, node), window)


@composite
def zeros_of(F: Namespace, like: Tensor, layout: Layout) -> Tensor:
    """Zeros of a layout's shape, in the dtype of `like`."""
    return zeros(layout.shape, dtype=like.dtype, device=like.device)
