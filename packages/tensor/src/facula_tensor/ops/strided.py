"""Views with any strides over a tensor's memory, and the opposite: a copy in which such a view is replaced."""

from __future__ import annotations

from typing import Any

from facula_storage import Layout, contiguous, layout_of

from .._declare import operator, view
from .._errors import ArgumentError
from .._memory import overlaps_itself
from .._operator import composite, raw, recording
from .._tensor import Tensor, layout_of_tensor, method
from .._viewing import as_tensor
from .shape import sizes

__all__ = ["as_strided"]


@view
class _as_strided:
    """Any strides and offset (in elements) over the operand's memory. Rules hold for contiguous operands."""

    parameters = ("size", "stride", "offset")
    cached = False

    def window(layout, size, stride, offset):
        return layout_of(size, stride, layout.dtype, layout.device), offset * layout.dtype.itemsize

    def reverse_input(F, g, input_layout, size, stride, offset):
        zeros = F.zeros_of(g, input_layout)
        repeated = tuple(dim for dim, step in enumerate(stride) if not step and size[dim] > 1)
        if repeated:  # as after expand()
            g = F.sum(g, (repeated, True))
            size = tuple(1 if dim in repeated else length for dim, length in enumerate(size))
        if not overlaps_itself(layout_of(size, stride, input_layout.dtype, input_layout.device)):
            return F.as_strided_scatter(zeros, g, (size, stride, offset))
        from .._creation import arange

        # An element that is seen more than once gets the sum.
        places = raw.clone(raw.as_strided(arange(input_layout.numel, device=g.device), size, stride, offset))
        flat = F.put(F.view(zeros, -1), raw.view(places, -1), F.reshape(g, (-1,)), (0, True))
        return F.view(flat, input_layout.shape)


@operator
class as_strided_scatter:
    """A contiguous copy of `input` in which the elements that `as_strided(size, stride, offset)` shows are `src`'s."""

    inputs = ("input", "src")
    parameters = ("size", "stride", "offset")
    holomorphic = False

    def outputs(layout, src, size, stride, offset):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def execute(operands, parameters):
        from .copying import write

        input, src = operands
        result = raw.clone(input)
        write(raw.as_strided(result, *parameters), src)
        return [result]

    def reverse_input(F, g, src_layout, size, stride, offset):
        return F.as_strided_scatter(F.contiguous(g), F.zeros_of(g, src_layout), (size, stride, offset))

    def reverse_src(F, g, size, stride, offset):
        return F.clone(F.as_strided(F.contiguous(g), size, stride, offset))


@method()
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage with any shape, strides and offset (in elements).

    ValueError where it would reach outside the storage's elements that this tensor's family can see. Gradients
    flow through it for contiguous tensors, within their own elements.

    >>> from facula_tensor import arange
    >>> as_strided(arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    from .._views import root_of

    shape, strides = sizes("as_strided", (size,)), sizes("as_strided", (stride,))
    layout = layout_of_tensor(as_tensor("as_strided", input))
    own = input._offset // layout.dtype.itemsize
    offset = own if storage_offset is None else storage_offset
    if len(shape) != len(strides) or min((*shape, *strides, offset, 0)) < 0:
        raise ArgumentError(
            f"as_strided: size {shape}, stride {strides} and offset {offset} must fit together, none negative"
        )
    wanted = layout_of(shape, strides, layout.dtype, layout.device)
    root = root_of(input)
    room = layout_of_tensor(root).extent
    start = offset * layout.dtype.itemsize - root._offset
    if wanted.numel and (start < 0 or start + wanted.extent > room):
        raise ArgumentError(
            f"as_strided: size {shape}, stride {strides} and offset {offset} "
            f"reach outside the {room} bytes of the tensor"
        )
    last = (offset - own) * layout.dtype.itemsize + wanted.extent
    if input.node is not None and (not layout.is_contiguous or offset < own or last > layout.nbytes):
        raise NotImplementedError(
            "as_strided: gradients are defined for contiguous tensors, and within their own elements"
        )
    return recording.as_strided(input, shape, strides, offset - own)


@composite
def zeros_of(F: Any, like: Tensor, layout: Layout) -> Tensor:
    """Zeros of a layout's shape, in the dtype of `like`."""
    from .._creation import zeros

    return zeros(layout.shape, dtype=like.dtype, device=like.device)
