"""Dataflow facts for passes: movable launches, reads and writes of blocks, and shared memory.

Note [Loop iterations]
~~~~~~~~~~~~~~~~~~~~~~
A launch in a loop runs once in each iteration. A block that was used before the loop keeps its elements between
iterations. If any launch in the loop reads it, it is last read in the loop, and the first launch after the loop counts
as its last reader. A block that is first used inside the loop is written in each iteration before it is read, so that
one iteration behaves like a list without jumps. Passes therefore preserve the order of the list, move no launch across
a jump, and reuse values that are computed under a condition or in a loop only under the same one.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

from facula_storage.extend.memory import capacity

from .._graph.editing import spans_of
from .._recording.records import Address
from .._recording.rng_values import RngValue

if TYPE_CHECKING:
    from typing import Self

    from .._graph.graph import Graph
    from .._recording.recording import Recording
    from .._recording.records import Launched

# Operators besides elementwise ones that accept all elements, so that unused results may be dropped.
HARMLESS = frozenset(
    "amax amin argmax argmin attention attention_grad avg_pool2d avg_pool2d_grad cat conv1d conv2d conv2d_input "
    "conv2d_weight conv3d copy cumsum dropout fill gelu_grad layer_norm layer_norm_grad linear linear_weight_grad "
    "log_softmax logsumexp matmul max_pool2d_values mean prod relu_grad softmax std sum transpose var".split()
)
FOREVER = 1 << 62


class Facts:
    """The facts of a recording, computed once. Passes do not modify them."""

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """Return the facts of the present graph."""
        recording = graph.recording
        if cls not in graph.notes:
            graph.notes[cls] = cls(recording)
        return graph.notes[cls]  # type: ignore[no-any-return]

    def __init__(self, recording: Recording):
        self.recording = recording
        self.blocks = recording.recorder.blocks
        self.pinned = {
            id(recording.launches[number])
            for numbers in recording.recorder.refills
            for many in numbers.launches
            for number in many
        }
        recorder = recording.recorder
        self.conditions = {skip.condition.block for skip in recorder.skips}
        self.conditions |= {loop.condition.block for loop in recorder.loops}
        self.writers: Counter[int] = Counter()  # number of launches that write each block
        self.last_written: dict[int, int] = {}  # the last launch that writes each block
        first: dict[int, int] = {}  # the first launch that uses each block
        # the last launch that reads each block
        self.last_read: dict[int, int] = dict.fromkeys(self.conditions, FOREVER)
        for number, launch in enumerate(recording.launches):
            for argument in launch.arguments:
                if type(argument) is Address:
                    first.setdefault(argument.block, number)
                    if argument.written:
                        self.writers[argument.block] += 1
                        self.last_written[argument.block] = number
                    elif self.last_read.get(argument.block, -1) < number:
                        self.last_read[argument.block] = number
        self.carried: set[int] = set()  # blocks from before a loop that its body reads: Note [Loop iterations]
        for loop in recorder.loops:
            for launch in recording.launches[loop.first : loop.last]:
                for argument in launch.arguments:
                    if type(argument) is Address and not argument.written and first[argument.block] < loop.first:
                        self.carried.add(argument.block)
                        self.last_read[argument.block] = max(self.last_read[argument.block], loop.last)
        self.kept = {*recording.fixed, *recording.outputs, *recording.grads}

    def last_used(self, block: int) -> int:
        """Return the last launch that reads or writes a block."""
        return max(self.last_read.get(block, -1), self.last_written.get(block, -1))

    def last_change(self, block: int) -> int:
        """Return the last launch that writes a block, or memory that it may share."""
        shared = self.memory.get(block)
        if shared is None:
            return self.last_written.get(block, -1)
        return max([self.last_written.get(name, -1) for name, other in self.memory.items() if other == shared])

    def memory_of(self, block: int) -> int:
        """Return the number that a block shares with all blocks whose memory may overlap."""
        return self.memory.get(block, block)

    def is_temporary(self, block: int) -> bool:
        """Return True if a block is used only inside a replay."""
        return self.blocks[block].is_new and block not in self.kept

    def is_movable(self, launch: Launched) -> bool:
        """Return True for a kernel launch without numbers that change between replays."""
        return type(launch.plan.launch) is BuiltinFunctionType and id(launch) not in self.pinned

    def is_harmless(self, launch: Launched) -> bool:
        """Return True if the launch has no effect except its writes, and cannot fail."""
        known = launch.plan.elementwise is not None or launch.operation in HARMLESS
        return known and self.is_movable(launch)

    def is_single(self, block: int) -> bool:
        """Return True for a temporary that one launch writes, and that is not a condition."""
        return self.writers[block] == 1 and self.is_temporary(block) and block not in self.conditions

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """The launches that read each block."""
        found: dict[int, list[int]] = {}
        for number, launch in enumerate(self.recording.launches):
            for argument in launch.arguments:
                if type(argument) is Address and not argument.written:
                    found.setdefault(argument.block, []).append(number)
        return found

    @cached_property
    def span_of(self) -> list[int]:
        """The number of each launch's span."""
        spans = spans_of(self.recording)
        return [number for number, span in enumerate(spans) for _ in range(span.start, span.stop)]

    def only_reader(self, number: int, block: int) -> int | None:
        """Return the only launch that reads the temporary which a launch writes; None if there are others, or a jump in
        between.
        """
        if self.last_written[block] != number or not self.is_temporary(block):
            return None
        if block in self.conditions or block in self.carried:
            return None
        later = [read for read in self.readers.get(block, ()) if read > number]
        return later[0] if len(later) == 1 and self.span_of[later[0]] == self.span_of[number] else None

    @cached_property
    def memory(self) -> dict[int, int]:
        """The number shared by blocks whose memory may overlap; other blocks are missing."""
        spans = []
        for block, storage in self.recording.fixed.items():
            start = storage.ptr
            spans.append((start, start + capacity(storage), block))
        shared: dict[int, int] = {}
        if any([self.blocks[block].inputs for block in self.writers]):  # an argument may be in any of them
            first = next((block for block in self.writers if self.blocks[block].inputs), -1)
            return {block: first for block in [*self.recording.fixed, *self._inputs()]}
        end, last = 0, -1
        for start, stop, block in sorted(spans):
            if start < end:
                shared[last] = shared.get(last, last)
                shared[block] = shared[last]
            if stop > end:
                end, last = stop, block
        return shared

    def _inputs(self) -> list[int]:
        return [number for number, block in enumerate(self.blocks) if block.inputs]


def numbers_of(launch: Launched) -> tuple[object, ...]:
    """Return the numbers among a launch's arguments in a form in which equal numbers compare equal."""
    return tuple(
        [
            (argument.source, argument.delta) if isinstance(argument, RngValue) else repr(argument)
            for argument in launch.arguments
            if type(argument) is not Address
        ]
    )
