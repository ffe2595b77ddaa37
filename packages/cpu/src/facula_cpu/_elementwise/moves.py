"""Planners of operators that move elements without reading their values: `flip`, `roll`, `tile`, `windows` and `inset`.

Each consists of boxes of elements, which are copied or added; see Note [Moves] in moves.dispatch.c.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import UnsupportedError
from facula_storage import Plan
from facula_storage.extend.layouts import COMPLEX, FLOATING

from .._runtime.planners import Strided, no_kernel, plan_for_layouts, planner
from .._runtime.registry import kernel_for
from .boxes import Box, element, plan_boxes
from .copy import launch_copy, launch_strided, launches_of_strided
from .elementwise import MOST_DIMS, find_form
from .typed import FLOAT32, FLOAT64

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters


LEAST_RUN = 8  # elements, of loops whose length is no constant


def dims_of(shape: Sequence[int], source: Sequence[int], target: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """Return the dimensions of a box."""
    return tuple(zip(shape, source, target, strict=True))


def plan_moves(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    numbers: Sequence[object],
    value: Sequence[int] = (0, 0),
) -> Plan:
    """Return a plan that C fills in from the parameters `numbers`, and the element `value` of `inset`."""
    kernel, size = kernel_for("moves", outputs[0].dtype.itemsize), outputs[0].dtype.itemsize
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel.address,
        shape=f"{operator}_shape",
        struct="facula_moves",
        numbers=numbers,
        cost=kernel.cost,
        itemsize=size,
        value=value,
    )


@planner("flip")
def plan_flip(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a reversed along some dimensions. Supports any strides."""
    (a,), (o,) = inputs, outputs
    plan = plan_moves(operator, inputs, outputs, parameters, parameters)
    tiles = launches_of_strided(a.dtype.code, o.dtype.code)
    launch = launch_strided(tiles, o, a, *parameters)
    if launch is not None:
        plan.launch = launch
    plan.for_layouts = partial(launch_copy, tiles, plan.for_layouts)  # type: ignore[arg-type]
    return plan


@planner("tile", "roll", "windows")
def plan_copies(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan copies to a contiguous result. Supports any strides, except for windows.

    tile      o = a with each dimension repeated `outer` times as a whole, and each of its elements `inner` times
    roll      o = a rotated by `shifts`, which are in range, along `dims`
    windows   o = the elements of a that (shape, strides, offset) select
    """
    return plan_moves(operator, inputs, outputs, parameters, parameters[:3])


@planner("inset")
def plan_inset(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = `value`, except for `a` at the elements of o that (strides, offset) select, in a's shape.

    Dimensions of `a` named in `shared` may select an element several times: it receives the sum.
    """
    (a,), (o,), (_, strides, offset, shared, value) = inputs, outputs, parameters
    kind = {COMPLEX: complex, FLOATING: float}.get(o.dtype.category, int)
    if find_form("fill", (kind,), o.dtype.code) is None:
        raise no_kernel("fill", (kind,), outputs)
    number = kind(value)
    numbers = (number.real, number.imag) if isinstance(number, complex) else (number,)
    if not shared:
        return plan_moves(operator, inputs, outputs, parameters, parameters[:3], value=element(o.dtype.code, numbers))
    if are_distinct(a.shape, strides):
        shared = ()
    if shared and o.dtype.code not in (FLOAT32, FLOAT64):
        return plan_sums(operator, a, o, parameters, numbers)
    kept = [dim for dim in range(len(a.shape)) if dim not in shared]
    split, run = find_run(a.shape, strides, shared, kept)
    loops = product(*[range(0, a.shape[dim], run if dim == split else 1) for dim in shared])
    dims = dims_of(*[[of[dim] for dim in kept] for of in (a.shape, a.strides, strides)])
    boxes = [
        Box(
            (*dims, (min(run, a.shape[split] - places[shared.index(split)]), a.strides[split], strides[split]))
            if run > 1
            else dims,
            sum([at * a.strides[dim] for at, dim in zip(places, shared, strict=True)]),
            offset + sum([at * strides[dim] for at, dim in zip(places, shared, strict=True)]),
            bool(shared),
        )
        for places in (loops if a.numel else ())
    ]
    fill: tuple[float, ...] | None = numbers
    dims = boxes[0].dims if boxes else dims
    extents, steps = [dim[0] for dim in dims], [dim[2] for dim in dims]
    if boxes and prod(extents) == o.numel and are_distinct(extents, steps):
        fill, boxes[0] = None, boxes[0]._replace(add=False)  # the first box has all elements
    return plan_boxes(operator, parameters, o, boxes, fill)


def find_run(
    shape: Sequence[int], strides: Sequence[int], shared: Sequence[int], kept: Sequence[int]
) -> tuple[int, int]:
    """Return a dimension of `shared`, and how many of its elements are distinct from one window to the next, so that
    they form a dimension of a box. The number is 1 if there is no such dimension, or if loops over it would be slow.

    >>> find_run((5, 8), (4, 1), (1,), (0,))
    (1, 4)
    """
    for dim in shared:
        steps = [strides[other] for other in kept if shape[other] > 1 and strides[other] > strides[dim] > 0]
        run = min(min(steps, default=0) // max(strides[dim], 1), shape[dim])
        whole = [shape[other] for other in kept] + [run], [strides[other] for other in kept] + [strides[dim]]
        if (run in (2, 3, 4) or run >= LEAST_RUN) and are_distinct(*whole):
            return dim, run
    return shared[0] if shared else 0, 1


def are_distinct(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether positive strides select each element once at most.

    >>> are_distinct((3, 4), (4, 1)), are_distinct((3, 4), (2, 1))
    (True, False)
    """
    reach = 0
    for size, step in sorted(zip(shape, strides, strict=True), key=lambda dim: dim[1]):
        if size > 1 and step <= reach:
            return False
        reach += (size - 1) * step
    return True


class Move(NamedTuple):
    """One addition: the launch, its number of elements, and byte offsets of source and target."""

    launch: Callable[..., None]
    elements: int
    source: int
    target: int


def make_sum(layout: Layout, source: Strided, target: Strided, starts: tuple[int, int]) -> Move:
    """Return the addition of elements of `layout`'s dtype; `starts` count elements."""
    code, size = layout.dtype.code, layout.dtype.itemsize
    form = find_form("add", (code, code), code)
    if form is None:
        raise no_kernel("add", (layout,), (layout,))
    made = form.for_layouts(target, target, source)
    if made is None:
        raise UnsupportedError(f"at most {MOST_DIMS} dimensions can be walked; got {len(target.shape)}; copy first")
    return Move(made, prod(target.shape), starts[0] * size, starts[1] * size)


def plan_sums(operator: str, a: Layout, o: Layout, parameters: Parameters, numbers: tuple[float, ...]) -> Plan:
    """Plan `inset` with shared dimensions by the loops of elementwise operators, for any dtype."""
    _, strides, offset, shared, _ = parameters
    kept = [dim for dim in range(len(a.shape)) if dim not in shared]
    shape = tuple([a.shape[dim] for dim in kept])
    source = Strided(shape, tuple([a.strides[dim] for dim in kept]))
    target = Strided(shape, tuple([strides[dim] for dim in kept]))
    moves = [
        make_sum(
            o,
            source,
            target,
            (
                sum([at * a.strides[dim] for at, dim in zip(places, shared, strict=True)]),
                offset + sum([at * strides[dim] for at, dim in zip(places, shared, strict=True)]),
            ),
        )
        for places in (product(*[range(a.shape[dim]) for dim in shared]) if prod(shape) else ())
    ]
    fill = find_form("fill", ({1: type(numbers[0]), 2: complex}[len(numbers)],), o.dtype.code)
    assert fill is not None
    launch = partial(fill_and_add, fill.launch, numbers, tuple(moves))
    parts: list[Any] = [(fill.launch, ((0, 0), (2, 0), *numbers))]
    for add, count, start, end in moves:
        parts.append((add, (count, (2, end), (1, start), (2, end))))
    return Plan(operator, parameters, (o,), launch, parts=parts)


def fill_and_add(
    fill: Callable[..., None], numbers: tuple[float, ...], moves: Sequence[Move], n: int, source: int, target: int
) -> None:
    """Fill the target, then launch all additions."""
    fill(n, target, *numbers)
    for launch, count, start, end in moves:
        launch(count, target + end, source + start, target + end)
