"""Views with arbitrary strides over a tensor's memory, and the inverse: a copy with such a view replaced."""

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
    """A view of the operand's memory with arbitrary strides and offset, in elements."""

    parameters = ("size", "stride", "offset")
    cached = False

    def window(layout, size, stride, offset):
        return layout_of(size, stride, layout.dtype, layout.device), offset * layout.dtype.itemsize

    def vjp_input(F, g, input_layout, size, stride, offset):
        zeros = F.zeros_of(g, spanned_layout(input_layout))
        repeated = tuple(dim for dim, step in enumerate(stride) if not step and size[dim] > 1)
        if repeated:  # as after expand()
            g = F.sum(g, (repeated, True))
            size = tuple(1 if dim in repeated else length for dim, length in enumerate(size))
        if not overlaps_itself(layout_of(size, stride, input_layout.dtype, input_layout.device)):
            return F.shown_as(F.as_strided_scatter(zeros, g, (size, stride, offset)), input_layout)
        # An element that the view shows several times receives the sum of their gradients.
        places = no_record_ops.clone(
            no_record_ops.as_strided(arange(layout_of_tensor(zeros).numel, device=g.device), size, stride, offset)
        )
        flat = F.put(F.view(zeros, -1), no_record_ops.view(places, -1), F.reshape(g, (-1,)), (0, True, False))
        return F.shown_as(F.view(flat, tuple(zeros.shape)), input_layout)


@operator
class as_strided_scatter:
    """Return a contiguous copy of `input` with `src` in place of the elements of `as_strided(size, stride, offset)`."""

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
# The sizes, strides and offset of a view refer to positions in its base's memory, but the gradient of the base is
# contiguous. For a base that is not contiguous, the gradient is first spread out: it is copied into a flat tensor that
# has the base's element order and gaps, where the same strides select the same elements. The result is then read from
# there in the base's order.
def spanned_layout(layout: Layout) -> Layout:
    """Return a contiguous layout with one element for every position that `layout` spans; `layout` if contiguous."""
    if layout.is_contiguous:
        return layout
    return contiguous((layout.extent // layout.dtype.itemsize,), layout.dtype, layout.device)


@composite
def spread_out(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
    """Return a contiguous tensor with the elements of `g`, of the shape of `layout`, at the positions of `layout`."""
    if layout.is_contiguous:
        return F.contiguous(g)
    return F.as_strided_scatter(F.zeros_of(g, spanned_layout(layout)), g, (layout.shape, layout.strides, 0))


@composite
def shown_as(F: Namespace, spread: Tensor, layout: Layout) -> Tensor:
    """Return the inverse of `spread_out`, as a contiguous tensor."""
    return spread if layout.is_contiguous else F.clone(F.as_strided(spread, layout.shape, layout.strides, 0))


@function(method=True)
def as_strided(input: Checked, size: Sizes, stride: Sizes, storage_offset: IntegerOrNone = None) -> Tensor:
    """Return a view of the storage with the given shape, strides and offset (in elements).

    Gradients flow through the view if it stays within the tensor's own memory and the tensor's elements do not overlap.

    Arguments:
        size: the shape.
        stride: the strides, in elements.
        storage_offset: the position of the first element, in elements; None for the offset of `input`.

    Raises:
        ValueError: if the view would reach elements outside the tensor from which `input` and all its views derive.

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
            "as_strided: expected size and stride of equal length, and no negative numbers; "
            f"got size {size}, stride {stride} and offset {offset}"
        )
    try:
        wanted = layout_of(size, stride, layout.dtype, layout.device)
    except OverflowError as error:
        relabel(error, "as_strided")
        raise
    batched = real is not elements(input)  # batched tensors: the view stays within one element of the batch
    root = snapshot(example(root_of(input)) if batched else root_of(real))
    if root._storage is not now._storage:  # the root has been assigned other memory in the meantime
        root = now
    room = root._layout.extent
    start = offset * layout.dtype.itemsize - root._offset
    if wanted.numel and (start < 0 or start + wanted.extent > room):
        raise ArgumentError(
            f"as_strided: size {size}, stride {stride} and offset {offset} reach outside the {room} bytes of the "
            "tensor; use a smaller size"
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
    """Return zeros of the shape of `layout`, with the dtype and device of `like`."""
    return zeros(layout.shape, dtype=like.dtype, device=like.device)
