"""The structure of a recorded model: operators, conditions and loops as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._recording.records import Address, Loop, Skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from facula_storage.extend.plans import Program

    from .._recording.records import Site


class Step(NamedTuple):
    """One operator of a model.

    Attributes:
        name: the name of the operator, or of its kernel.
        kernel: the backend's operator, a name or an elementwise program.
        parameters: the parameters of its plan besides layouts.
        operands: memory, numbers and None, in the operator's order.
        results: the memory that it writes.
        numbers: further arguments of its kernel.
        site: the line of the program.
        module: the module that called it.
        first: the number of its first launch.
    """

    name: str
    kernel: str | Program
    parameters: tuple[Any, ...]
    operands: tuple[Address | float | None, ...]
    results: tuple[Address, ...]
    numbers: tuple[float, ...]
    site: Site
    module: object
    first: int


class Either(NamedTuple):
    """A condition: `true` runs if a float32 is not 0, `false` if it is. They start at launch `first`."""

    condition: Address
    true: list[Part]
    false: list[Part]
    first: int


class Repeat(NamedTuple):
    """A loop: it runs `test`, and while its float32 is not 0, `body` and `test` again. It starts at launch `first`."""

    condition: Address
    test: list[Part]
    body: list[Part]
    first: int


Part: TypeAlias = "Step | Either | Repeat"


def parts_of(steps: Sequence[Step], skips: Sequence[Skip], loops: Sequence[Loop]) -> list[Part]:
    """Return the operators in order, nested in conditions and loops.

    Arguments:
        steps: the operators.
        skips: the launches that conditions skip, inner ones before outer ones.
        loops: the launches that are repeated.
    """
    spans: list[Skip | Loop] = [*reversed(skips), *loops]
    spans.sort(key=lambda span: (span.first, -_end_of(span)))  # outer ones first
    of_launch: dict[int, list[Step]] = {}
    for step in steps:
        of_launch.setdefault(step.first, []).append(step)
    return _between(of_launch, spans, 0, max(of_launch, default=0) + 1)


def _end_of(span: Skip | Loop) -> int:
    """Return the launch after the end of a condition or loop."""
    return span.last if isinstance(span, Loop) else span.first + span.launches


def _between(of_launch: dict[int, list[Step]], spans: list[Skip | Loop], start: int, stop: int) -> list[Part]:
    """Return the parts of a range of launches; `spans` that start in it are removed."""
    parts: list[Part] = []
    while start < stop:
        if not spans or spans[0].first != start:
            parts += of_launch.get(start, ())
            start += 1
            continue
        span = spans.pop(0)
        first, start = start, _end_of(span)
        if isinstance(span, Loop):
            test = _between(of_launch, spans, first, span.body)
            parts.append(Repeat(span.condition, test, _between(of_launch, spans, span.body, start), first))
            continue
        sides = {span.at_zero: _between(of_launch, spans, first, start)}
        other = spans[0] if spans and start < stop else None
        if isinstance(other, Skip) and other == (start, other.launches, span.condition, not span.at_zero):
            spans.pop(0)
            start = _end_of(other)
            sides[other.at_zero] = _between(of_launch, spans, other.first, start)
        parts.append(Either(span.condition, sides.get(True, []), sides.get(False, []), first))
    return parts


def steps_in(parts: Iterable[Part]) -> Iterator[Step]:
    """Generate the operators of parts, including those inside conditions and loops."""
    for part in parts:
        if isinstance(part, Either):
            yield from steps_in([*part.true, *part.false])
        elif isinstance(part, Repeat):
            yield from steps_in([*part.test, *part.body])
        else:
            yield part


def written_in(parts: Iterable[Part]) -> list[int]:
    """Return the blocks that parts write, in order."""
    return list(dict.fromkeys([result.block for step in steps_in(parts) for result in step.results]))


def used_in(parts: Sequence[Part]) -> set[int]:
    """Return the blocks that parts read or write."""
    found = set(written_in(parts))
    for step in steps_in(parts):
        found.update([operand.block for operand in step.operands if isinstance(operand, Address)])
    for part in parts:
        if isinstance(part, (Either, Repeat)):
            found.add(part.condition.block)
            found |= used_in(part[1]) | used_in(part[2])
    return found
