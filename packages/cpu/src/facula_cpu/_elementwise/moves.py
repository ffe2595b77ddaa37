"""Planners of operators that move elements without reading their values: `flip`, `roll`, `tile`, `windows` and `inset`.

Each consists of strided copies (or additions), performed by the loops of elementwise operators. Sources may have
negative steps, which layouts cannot express: see `Strided`.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import UnsupportedError
from facula_storage import Plan
from facula_storage.extend.layouts import COMPLEX, FLOATING, contiguous_strides

from .._runtime.planners import no_kernel, planner
from .elementwise import MOST_DIMS, find_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters


class Strided(NamedTuple):
    """The part of a layout that launches need; strides, in elements, may be negative."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Move(NamedTuple):
    """One copy: the launch, its number of elements, and byte offsets of source and target."""

    launch: Callable[..., None]
    elements: int
    source: int
    target: int


def make_move(layout: Layout, source: Strided, target: Strided, starts: tuple[int, int] = (0, 0), *, add: bool) -> Move:
    """Return the copy (or with `add` the addition) of elements of `layout`'s dtype; `starts` count elements."""
    code, size = layout.dtype.code, layout.dtype.itemsize
    form = find_form("add", (code, code), code) if add else find_form("copy", (code,), code)
    if form is None:
        raise no_kernel("add" if add else "copy", (layout,), (layout,))
    made = form.for_layouts(target, target, source) if add else form.for_layouts(target, source)
    if made is None:
        raise UnsupportedError(f"at most {MOST_DIMS} dimensions can be walked; got {len(target.shape)}; copy first")
    return Move(made, prod(target.shape), starts[0] * size, starts[1] * size)


def one_move(operator: str, parameters: Parameters, output: Layout, move: Move) -> Plan:
    """Return the plan of a single copy."""
    launch, shift = move.launch, move.source
    if shift:
        part = launch, (move.elements, (1, shift), (2, 0))
        return Plan(operator, parameters, (output,), lambda n, a, o: launch(n, a + shift, o), parts=[part])
    return Plan(operator, parameters, (output,), launch)


@planner("flip")
def plan_flip(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a reversed along some dimensions. Supports any strides."""
    (a,), (o,), (dims,) = inputs, outputs, parameters
    start = sum([(a.shape[dim] - 1) * a.strides[dim] for dim in dims]) if a.numel else 0
    steps = tuple([-step if dim in dims else step for dim, step in enumerate(a.strides)])
    move = make_move(o, Strided(a.shape, steps), Strided(o.shape, o.strides), (start, 0), add=False)
    return one_move(operator, parameters, o, move)


@planner("tile")
def plan_tile(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a with each dimension repeated `outer` times as a whole, and each of its elements `inner` times."""
    (a,), (o,), (outer, inner) = inputs, outputs, parameters
    shape: list[int] = []
    steps: list[int] = []
    for size, step, whole, each in zip(a.shape, a.strides, outer, inner, strict=True):
        shape += whole, size, each
        steps += 0, step, 0
    kept = [place for place, size in enumerate(shape) if size != 1]
    parts = tuple([shape[place] for place in kept])
    target = Strided(parts, contiguous_strides(parts))
    move = make_move(o, Strided(parts, tuple([steps[place] for place in kept])), target, add=False)
    return one_move(operator, parameters, o, move)


@planner("roll")
def plan_roll(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a rotated along dimensions. Shifts are in range."""
    (a,), (o,), (shifts, dims) = inputs, outputs, parameters
    cuts = [
        (((0, a.shape[dim] - by, by), (a.shape[dim] - by, by, 0)), dim) for by, dim in zip(shifts, dims, strict=True)
    ]
    moves = []
    for parts in product(*[halves for halves, _ in cuts]):
        shape, start, end = list(a.shape), 0, 0
        for (first, count, goes), (_, dim) in zip(parts, cuts, strict=True):
            shape[dim] = count
            start += first * a.strides[dim]
            end += goes * o.strides[dim]
        if all(shape):
            lengths = tuple(shape)
            moves.append(
                make_move(o, Strided(lengths, a.strides), Strided(lengths, o.strides), (start, end), add=False)
            )
    steps = [(launch, (count, (1, start), (2, end))) for launch, count, start, end in moves]
    return Plan(operator, parameters, outputs, partial(run_moves, tuple(moves)), parts=steps)


def run_moves(moves: Sequence[Move], n: int, source: int, target: int) -> None:
    """Launch all copies."""
    for launch, count, start, end in moves:
        launch(count, source + start, target + end)


@planner("windows")
def plan_windows(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = the elements of contiguous `a` that (shape, strides, offset) select."""
    (o,), (shape, strides, offset, _) = outputs, parameters
    move = make_move(o, Strided(shape, strides), Strided(o.shape, o.strides), (offset, 0), add=False)
    return one_move(operator, parameters, o, move)


@planner("inset")
def plan_inset(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = `value`, except for `a` at the elements of o that (strides, offset) select, in a's shape.

    Dimensions of `a` named in `shared` may select an element several times: it receives the sum.
    """
    (a,), (o,), (_, strides, offset, shared, value) = inputs, outputs, parameters
    loops = list(product(*[range(a.shape[dim]) for dim in shared]))
    kept = [dim for dim in range(len(a.shape)) if dim not in shared]
    shape = tuple([a.shape[dim] for dim in kept])
    source = Strided(shape, tuple([a.strides[dim] for dim in kept]))
    target = Strided(shape, tuple([strides[dim] for dim in kept]))
    moves = [
        make_move(
            o,
            source,
            target,
            (
                sum([at * a.strides[dim] for at, dim in zip(places, shared, strict=True)]),
                offset + sum([at * strides[dim] for at, dim in zip(places, shared, strict=True)]),
            ),
            add=bool(shared),
        )
        for places in (loops if prod(shape) else ())
    ]
    kind = {COMPLEX: complex, FLOATING: float}.get(o.dtype.category, int)
    form = find_form("fill", (kind,), o.dtype.code)
    if form is None:
        raise no_kernel("fill", (kind,), outputs)
    number = kind(value)
    numbers = (number.real, number.imag) if isinstance(number, complex) else (number,)
    launch = partial(fill_and_run, form.launch, numbers, tuple(moves), bool(shared))
    parts: list[Any] = [(form.launch, ((0, 0), (2, 0), *numbers))]
    for array, count, start, end in moves:
        added = ((2, end),) if shared else ()
        parts.append((array, (count, *added, (1, start), (2, end))))
    return Plan(operator, parameters, outputs, launch, parts=parts)


def fill_and_run(
    fill: Callable[..., None],
    numbers: tuple[float, ...],
    moves: Sequence[Move],
    add: bool,
    n: int,
    source: int,
    target: int,
) -> None:
    """Fill the target, then launch all copies or additions."""
    fill(n, target, *numbers)
    for launch, count, start, end in moves:
        if add:
            launch(count, target + end, source + start, target + end)
        else:
            launch(count, source + start, target + end)
