"""Verification of graphs, after a recording and after each pass over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._recording.graph_breaks import CaptureError, GraphBreak
from .._recording.records import Address
from .calls import Names, addresses_of
from .definite_assignment import disorder_of

if TYPE_CHECKING:
    from .._recording.recording import Recording
    from .._recording.records import Launched


class Verifier:
    """The properties of a recording that passes must preserve.

    Arguments:
        recording: the recording before passes.
    """

    def __init__(self, recording: Recording):
        self.launches = {id(launch): launch for launch in recording.launches}  # valid by definition
        self.written = {
            address.block for launch in recording.launches for address in addresses_of(launch) if address.written
        }
        self.made = {number for number in self.written if recording.recorder.blocks[number].is_new}
        self.made = {number for number in self.made if not recording.is_temporary(number)}
        self.is_ordered = disorder_of(recording) is None

    def verify(self, recording: Recording, name: str) -> None:
        """Raise CaptureError if the pass of this name has broken the graph."""
        names = Names(recording)
        wrong = disorder_of(recording) if self.is_ordered else None
        forward = self._written_by(recording, recording.launches[: recording.boundary_at], set(), name, names, 0)
        found = set(forward)
        for pass_ in recording.passes:
            launches = recording.launches[pass_.start : pass_.stop]
            found |= self._written_by(recording, launches, forward, name, names, pass_.start)
        lost = sorted(self.made - found)
        if lost:
            raise CaptureError(f"the pass {name} broke the graph; no call writes {names.values[lost[0]].name} any more")
        if wrong is not None:
            problem = wrong.problem.format(names.values[wrong.block].name if wrong.block >= 0 else "")
            raise _broken(name, wrong.launch, recording.launches[wrong.launch] if wrong.launch >= 0 else None, problem)

    def _written_by(
        self, recording: Recording, launches: list[Launched], before: set[int], name: str, names: Names, first: int
    ) -> set[int]:
        """Check launches, and return the blocks that they write; `before` are those of other parts that they can
        read.
        """
        written: set[int] = set()
        blocks, fixed = recording.recorder.blocks, recording.fixed
        for number, launch in enumerate(launches, first):
            is_new = id(launch) not in self.launches
            outputs = []
            for argument in launch.arguments:
                if type(argument) is Address and argument.written:
                    outputs.append(argument)
            for layout in outputs:
                if is_new and layout.block in before and layout.block not in written:
                    problem = f"writes {names.values[layout.block].name}, which another part created"
                    raise _broken(name, number, launch, problem)
                if (
                    is_new
                    and layout.block not in self.written
                    and (layout.block in fixed or not blocks[layout.block].is_new)
                ):
                    problem = f"writes {names.values[layout.block].name}, which the function does not"
                    raise _broken(name, number, launch, problem)
                written.add(layout.block)
        return written


def leak_of(recording: Recording) -> GraphBreak | None:
    """Return a graph break if a read or a result is not written on all paths through conditions and loops, else
    None.
    """
    recorder = recording.recorder
    wrong = disorder_of(recording) if recorder.has_control_flow and recorder.retry is None else None
    if wrong is None or wrong.block < 0:
        return None
    what = "a result is" if wrong.launch < 0 else f"{recording.launches[wrong.launch].operation} reads what is"
    return GraphBreak(
        f"{what} computed in one of two functions that a tensor selects, or in a loop that may have no steps",
        "return it from both functions, and carry it through the loop",
        None,
    )


def _broken(name: str, number: int, launch: Launched | None, problem: str) -> CaptureError:
    call = "" if launch is None else f"call {number} ({launch.operation}) "
    return CaptureError(f"the pass {name} broke the graph; {call}{problem}")
