"""The steps of a part of a recording: launches, and the jumps of conditions and loops between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._recording.records import Skip

if TYPE_CHECKING:
    from .._recording.recorder import Recorder
    from .._recording.records import Address, Loop


class Jump(NamedTuple):
    """A jump to the step `to` if a float32 is not 0, or if it is 0 with `at_zero`."""

    condition: Address
    to: int
    at_zero: bool


class Region(NamedTuple):
    """The launches from `start` to `stop` that a jump controls: those that a condition skips, a loop, or its body."""

    start: int
    stop: int
    jump: Skip | Loop
    is_step: bool = False

    @property
    def is_loop(self) -> bool:
        """True for a complete loop."""
        return not self.is_step and type(self.jump) is not Skip


def regions_of(recorder: Recorder) -> list[Region]:
    """Return the regions of a recording in the order of their start, outer ones first.

    If two regions contain the same launches, a body encloses a condition, and a condition encloses a loop.
    """
    found = [Region(skip.first, skip.first + skip.launches, skip) for skip in recorder.skips]
    found += [Region(loop.first, loop.last, loop) for loop in recorder.loops]
    found += [Region(loop.body, loop.last, loop, True) for loop in recorder.loops if loop.body < loop.last]
    return sorted(found, key=lambda region: (region.start, -region.stop, 0 if region.is_step else 1 + region.is_loop))


def steps_of(recorder: Recorder, start: int, stop: int) -> list[int | Jump]:
    """Return the numbers of the launches from `start` to `stop`, with the jumps between them.

    Jumps before the same launch have this order: the ends of loops, inner ones first, followed by conditions that skip
    the next launches, outer ones first.
    """
    skips = [skip for skip in recorder.skips if start <= skip.first < stop]
    loops = [loop for loop in recorder.loops if start <= loop.first < stop]  # inner ones first
    skips.sort(key=lambda skip: -skip.launches)
    steps: list[int | Jump] = []
    own: dict[int, int] = {}  # launch -> its step
    ends: dict[int, int] = {}  # launch -> the first step before it, including ends of loops
    pending: list[tuple[int, Address, int, int, bool]] = []  # a step, and the description of its jump
    for number in range(start, stop + 1):
        ends[number] = len(steps)
        for loop in loops:
            if loop.last == number:
                steps.append(Jump(loop.condition, own[loop.first], False))
        for loop in loops:
            if loop.body == number < loop.last:  # leave the loop; if its body is empty, the backward jump does
                pending.append((len(steps), loop.condition, loop.first, loop.last, True))
                steps.append(number)
        for skip in skips:
            if skip.first == number:
                pending.append((len(steps), skip.condition, skip.first, skip.first + skip.launches, skip.at_zero))
                steps.append(number)
        if number < stop:
            own[number] = len(steps)
            steps.append(number)
    for step, condition, first, last, at_zero in pending:
        inside = [loop for loop in loops if loop.last == last and loop.first >= first]
        steps[step] = Jump(condition, ends[last] + len(inside), at_zero)
    return steps
