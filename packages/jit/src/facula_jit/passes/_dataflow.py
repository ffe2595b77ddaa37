"""What passes ask of a recording: which launches they may touch, who writes and reads what, which memory is shared.

Note [Turns]
~~~~~~~~~~~~
A launch in a loop runs once in each turn. What was met before the loop keeps its elements from turn to turn: where
anything in the loop reads it, that is the last launch that does, and the one behind the loop is taken for the last to
read it. What is first met inside is made anew in each turn before it is read, so that one turn is like a list without
jumps. So passes hold to the order of the list, put nothing over a jump, and let what is computed under a condition or
in a loop serve what is under the same one.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

from facula_storage.extend import capacity

from .._recording.records import Address
from .._recording.rng_values import RngValue

if TYPE_CHECKING:
    from typing import Self

    from .._graph.graph import Graph
    from .._recording.recording import Recording
    from .._recording.records import Launched

# Operators that never refuse an element, beside the elementwise ones: what they make may be left out.
HARMLESS = frozenset(
    "amax amin argmax argmin attention attention_grad avg_pool2d avg_pool2d_grad cat conv1d conv2d conv2d_input "
    "conv2d_weight conv3d copy cumsum dropout fill gelu_grad layer_norm layer_norm_grad linear linear_weight_grad "
    "log_softmax logsumexp matmul mean prod relu_grad softmax std sum transpose var".split()
)
FOREVER = 1 << 62


class Facts:
    """What a recording does, looked through once. Passes leave it as it is."""

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """The facts of a graph as it is now."""
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
        self.conditions = {one.condition.block for one in recorder.skips}
        self.conditions |= {one.condition.block for one in recorder.loops}
        self.writers: Counter[int] = Counter()  # how many launches write a block
        self.last_written: dict[int, int] = {}  # which launch writes it last
        first: dict[int, int] = {}  # which launch meets it first
        self.last_read: dict[int, int] = dict.fromkeys(self.conditions, FOREVER)  # which launch reads it last
        for number, launch in enumerate(recording.launches):
            for one in launch.arguments:
                if type(one) is Address:
                    first.setdefault(one.block, number)
                    if one.written:
                        self.writers[one.block] += 1
                        self.last_written[one.block] = number
                    elif self.last_read.get(one.block, -1) < number:
                        self.last_read[one.block] = number
        self.carried: set[int] = set()  # blocks that were there before a loop, and that its steps read: Note [Turns]
        for loop in recorder.loops:
            for launch in recording.launches[loop.first : loop.last]:
                for one in launch.arguments:
                    if type(one) is Address and not one.written and first[one.block] < loop.first:
                        self.carried.add(one.block)
                        self.last_read[one.block] = max(self.last_read[one.block], loop.last)
        self.kept = {*recording.fixed, *recording.outputs, *recording.grads}

    def last_used(self, block: int) -> int:
        """The last launch that reads or writes a block."""
        return max(self.last_read.get(block, -1), self.last_written.get(block, -1))

    def changes(self, block: int) -> int:
        """The last launch that writes a block, or memory that it may share."""
        shared = self.memory.get(block)
        if shared is None:
            return self.last_written.get(block, -1)
        return max([self.last_written.get(one, -1) for one, other in self.memory.items() if other == shared])

    def is_temporary(self, block: int) -> bool:
        """Whether nothing outside of a replay sees this block."""
        return self.blocks[block].is_new and block not in self.kept

    def is_movable(self, launch: Launched) -> bool:
        """Whether the launch is a kernel's, with numbers of its own."""
        return type(launch.plan.launch) is BuiltinFunctionType and id(launch) not in self.pinned

    def is_harmless(self, launch: Launched) -> bool:
        """Whether the launch does nothing but what it writes, and cannot fail."""
        known = launch.plan.elementwise is not None or launch.operation in HARMLESS
        return known and self.is_movable(launch)

    def is_single(self, block: int) -> bool:
        """Whether a block is a temporary that one launch writes, and nothing else asks for."""
        return self.writers[block] == 1 and self.is_temporary(block) and block not in self.conditions

    @cached_property
    def memory(self) -> dict[int, int]:
        """Of blocks that may overlap others a number that these share; others are missing."""
        spans = []
        for block, storage in self.recording.fixed.items():
            start = storage.ptr
            spans.append((start, start + capacity(storage), block))
        shared: dict[int, int] = {}
        if any([self.blocks[block].inputs for block in self.writers]):  # an argument may lie in any of them
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
    """The numbers among a launch's arguments, so that those which look alike are alike."""
    return tuple(
        [
            (one.source, one.delta) if isinstance(one, RngValue) else repr(one)
            for one in launch.arguments
            if type(one) is not Address
        ]
    )
