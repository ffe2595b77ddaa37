"""Operators that move elements and compute nothing, of which others are made: `windows`, `inset` and `tile`.

`windows` copies what strides show of a tensor; `inset` puts elements where strides say. Each is the other's gradient.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import contiguous

from ..._core.tensor import layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite

if TYPE_CHECKING:
    from facula_storage import Layout

    from ..._core.tensor import Tensor
    from ..._dispatch.namespaces import Namespace


@operator
class _windows:
    """A copy of the elements that `strides` and `offset` (in elements of a contiguous operand) show as `size`.

    `shared` are the dimensions along which an element may be shown again.
    """

    parameters = ("size", "strides", "offset", "shared")
    holomorphic = False
    row_major = True

    def batching(F, call):
        size, strides, offset, shared = call.parameters
        step = layout_of_tensor(call.operands[0]).numel
        parameters = ((call.size, *size), (step, *strides), offset, tuple([dim + 1 for dim in shared]))
        return call.wrap(call.run(call.wholes(), parameters))

    def outputs(layout, size, strides, offset, shared):
        return contiguous(size, layout.dtype, layout.device)

    def vjp_input(F, g, input_layout, strides, offset, shared):
        return F.inset(g, (input_layout.shape, strides, offset, shared, 0))


@operator
class _inset:
    """A tensor of shape `size` filled with `value`, with the operand's elements where `strides` and `offset` say.

    Where dimensions of the operand are `shared`, `value` is 0 and an element gets the sum of what is put there.
    """

    parameters = ("size", "strides", "offset", "shared", "value")
    holomorphic = False

    def batching(F, call):
        size, strides, offset, shared, value = call.parameters
        parameters = ((call.size, *size), (prod(size), *strides), offset, tuple([dim + 1 for dim in shared]), value)
        return call.wrap(call.run(call.wholes(), parameters))

    def outputs(layout, size, strides, offset, shared, value):
        return contiguous(size, layout.dtype, layout.device)

    def vjp_input(F, g, input_layout, strides, offset, shared):
        return F.windows(g, (input_layout.shape, strides, offset, shared))


@operator
class _tile:
    """Each dimension repeated as a whole as often as `outer` says, and each of its elements as `inner` says."""

    parameters = ("outer", "inner")
    holomorphic = False

    batching = "along"

    def outputs(layout, outer, inner):
        shape = tuple([size * whole * each for size, whole, each in zip(layout.shape, outer, inner, strict=True)])
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, input_layout, outer, inner):
        return F.untile(g, input_layout, outer, inner)


@composite
def untile(F: Namespace, g: Tensor, layout: Layout, outer: tuple[int, ...], inner: tuple[int, ...]) -> Tensor:
    """The sum of what `tile` made of each element."""
    parts: list[int] = []
    summed: list[int] = []
    for size, whole, each in zip(layout.shape, outer, inner, strict=True):
        for count, repeats in ((whole, True), (size, False), (each, True)):
            if repeats and count == 1:
                continue
            if repeats:
                summed.append(len(parts))
            parts.append(count)
    g = F.reshape(g, tuple(parts))
    return F.sum(g, (tuple(summed), False)) if summed else F.clone(g)
