"""Call stacks, stored as code objects and instruction offsets. Line numbers are looked up on display.

Note [No frames kept]: a frame would keep its function's variables alive, including tensors. A code object and an
instruction offset identify the call as well, cost less, and keep nothing else alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from facula_errors.extend import in_library

from .._core import call_stack
from .._reports.call_sites import UNKNOWN, CallSite, module_of, site_of

if TYPE_CHECKING:
    from types import CodeType

    from .._reports.snapshot_types import SnapshotFrame

#: Code objects and instruction offsets alternate, innermost first; the library's own frames are omitted.
Stack: TypeAlias = "tuple[CodeType | int, ...]"


def current_stack(depth: int, most: int) -> Stack:
    """Return the stack of a call without the library's own frames, up to `most` frames.

    Arguments:
        depth: number of frames to skip; 1 starts at the caller.
        most: the most frames, up to 64.
    """
    return call_stack(depth, most, in_library)


class StackLines:
    """Source lines of stacks, each looked up once. Equal stacks share one list of frames."""

    __slots__ = ("_frames", "_names", "_places")

    def __init__(self) -> None:
        self._places: dict[tuple[int, int], SnapshotFrame] = {}  # by the code's id: hashing code is slow
        self._frames: dict[tuple[int, ...], list[SnapshotFrame]] = {}
        self._names: dict[tuple[int, ...], tuple[str, str]] = {}

    def frames(self, stack: Stack) -> list[SnapshotFrame]:
        """Return the frames of a stack in the format of snapshots. The stack must outlive this object."""
        key = tuple([frame if type(frame) is int else id(frame) for frame in stack])
        found = self._frames.get(key)
        if found is None:
            pairs = zip(stack[::2], stack[1::2])
            found = self._frames[key] = [self._place(code, at) for code, at in pairs]  # type: ignore[arg-type]
        return found

    def holder(self, stack: Stack) -> tuple[str, str]:
        """Return the allocating line of a stack and its module. Faster than `frames` where many stacks share a line."""
        if not stack:
            return str(UNKNOWN), str(UNKNOWN)
        key = id(stack[0]), stack[1]
        found = self._names.get(key)  # type: ignore[arg-type]  # the second is an int
        if found is None:
            site = self.site(stack)
            found = str(site), module_of(site)
            if self._place(*stack[:2])["filename"] == site.filename:  # type: ignore[arg-type]
                self._names[key] = found  # type: ignore[index]
        return found

    def site(self, stack: Stack) -> CallSite:
        """Return the call site that allocated, from a stack."""
        return site_of(self.frames(stack))

    def _place(self, code: CodeType, at: int) -> SnapshotFrame:
        found = self._places.get((id(code), at))
        if found is None:
            line = next((line for start, end, line in code.co_lines() if start <= at < end and line), 0)
            found = {"filename": code.co_filename, "line": line or code.co_firstlineno, "name": code.co_name}
            self._places[id(code), at] = found
        return found
