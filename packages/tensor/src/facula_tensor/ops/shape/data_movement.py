"""Building blocks of other operators that move elements without computing: `windows`, `inset` and `tile`.

`windows` copies the elements that strides select; `inset` writes elements to the positions that strides select. Each
is the gradient of the other.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import contiguous, cpu, float32, float64
from facula_storage.extend.layouts import contiguous_strides

from ..._core.tensor import layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite

if TYPE_CHECKING:
    from facula_storage import Layout

    from ..._core.tensor import Tensor
    from ..._dispatch.namespaces import Namespace

FEW_COPIES = 32  # of an element, whose gradients are added one array after the other


@operator
class _windows:
    """A copy of shape `size` of the elements that `strides` and `offset` select.

    Both are counted in elements of a contiguous operand. Along the dimensions `shared`, an element may be selected
    several times.
    """

    parameters = ("size", "strides", "offset", "shared")
    varying = ("size", "strides", "offset")
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
    """A tensor of shape `size` filled with `value`, with the operand's elements at `strides` and `offset`.

    If there are `shared` dimensions, `value` is 0, and an element receives the sum of all operand elements with its
    position.
    """

    parameters = ("size", "strides", "offset", "shared", "value")
    varying = ("size", "strides", "offset")
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
    """The operand repeated along each dimension: the whole dimension `outer` times, each element `inner` times."""

    parameters = varying = ("outer", "inner")
    holomorphic = False

    batching = "along"

    def outputs(layout, outer, inner):
        shape = tuple(
            [size * copies * repetitions for size, copies, repetitions in zip(layout.shape, outer, inner, strict=True)]
        )
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, input_layout, outer, inner):
        return F.untile(g, input_layout, outer, inner)


@composite
def untile(F: Namespace, g: Tensor, layout: Layout, outer: tuple[int, ...], inner: tuple[int, ...]) -> Tensor:
    """Sum the gradients of all copies that `tile` made of each element."""
    parts: list[int] = []
    steps: list[int] = []
    summed: list[int] = []
    for size, step, copies, repetitions in zip(
        layout.shape, contiguous_strides(layout.shape), outer, inner, strict=True
    ):
        for count, by, repeats in ((copies, 0, True), (size, step, False), (repetitions, 0, True)):
            if repeats and count == 1:
                continue
            if repeats:
                summed.append(len(parts))
            parts.append(count)
            steps.append(by)
    g = F.reshape(g, tuple(parts))
    if not summed:
        return F.clone(g)
    if prod([parts[dim] for dim in summed]) <= FEW_COPIES and g.dtype in (float32, float64) and g.device is cpu:
        return F.inset(g, (layout.shape, tuple(steps), 0, tuple(summed), 0))
    return F.sum(g, (tuple(summed), False))
