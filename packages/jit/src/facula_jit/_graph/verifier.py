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
        self.launches = {id(one): one for one in recording.launches}  # valid by definition
        self.written = {one.block for launch in recording.launches for one in addresses_of(launch) if one.written}
        self.made = {one for one in self.written if recording.recorder.blocks[one].is_new}
        self.made = {one for one in self.made if not recording.is_temporary(one)}
        self.is_ordered = disorder_of(recording) is None

    def verify(self, recording: Recording, name: str) -> None:
        """Raise CaptureError if the pass of this name has broken the graph."""
        names = Names(recording)
        wrong = disorder_of(recording) if self.is_ordered else None
        forward = self._written_by(recording, recording.launches[: recording.boundary_at], set(), name, names, 0)
        found = set(forward)
        for one in recording.passes:
            launches = recording.launches[one.start : one.stop]
            found |= self._written_by(recording, launches, forward, name, names, one.start)
        lost = sorted(self.made - found)
        if lost:
            raise CaptureError(f"the pass {name} broke the graph: no call writes {names.values[lost[0]].name} any more")
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
            for one in launch.arguments:
                if type(one) is Address and one.written:
                    outputs.append(one)
            for one in outputs:
                if is_new and one.block in before and one.block not in written:
                    problem = f"writes {names.values[one.block].name}, which another part made"
                    raise _broken(name, number, launch, problem)
                if is_new and one.block not in self.written and (one.block in fixed or not blocks[one.block].is_new):
                    problem = f"writes {names.values[one.block].name}, which the function does not"
                    raise _broken(name, number, launch, problem)
                written.add(one.block)
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
        f"{what} made by one of two functions that a tensor chooses from, or by steps of a loop, of which there may "
        "be none",
        "return it from both functions, and carry it through the loop",
        None,
    )


def _broken(name: str, number: int, launch: Launched | None, problem: str) -> CaptureError:
    call = "" if launch is None else f"call {number} ({launch.operation}) "
    return CaptureError(f"the pass {name} broke the graph: {call}{problem}")
