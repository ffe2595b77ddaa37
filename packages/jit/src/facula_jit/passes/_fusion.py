"""Elementwise fusion: launches with the same shape that share elements become one program.

Note [Exact fusion]
~~~~~~~~~~~~~~~~~~~
A program runs loops of the kernel table in sequence on pieces of its operands; its plan lists them
(`Elementwise.loops`). A group of launches is fused only if the program has the same loops in the same order: then the
same instructions compute every element, and no bit changes. float16 and bfloat16 are computed in float32. An
instruction of the program rounds each value that a launch rounds: its result, and some numbers. One program can
therefore combine launches of both dtypes and of float32, and conversions between them. Complex numbers are not fused.

A group is placed at the position of its last launch. Before that position, no other launch may write its operands, or
read or write its results; such a launch ends the group. If the group modifies tensors of the program, a launch that may
fail ends it, too, since an error must leave the effects of all earlier launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous, float32
from facula_storage.extend.layouts import BOOL, COMPLEX

from .._graph.editing import renumbered, spans_of
from .._recording.memory_planning import peak_bytes
from .._recording.records import Address, Launched
from ._dataflow import Facts
from ._fused_programs import HALVES, program_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType, Layout

    from .._graph.graph import Graph
    from .._recording.recording import Recording

MAX_OPERANDS = 16  # of a program's plan, including results
MAX_LAUNCHES = 24
MAX_OPEN = 6  # groups that later launches may join


class Shape(NamedTuple):
    """The common properties of the launches in a group: the dtype of their computation, and the elements over which
    they iterate.

    `is_flat`: all operands are contiguous and have the same size, so that the shape is irrelevant.
    """

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    numel: int
    is_flat: bool
    joins_any: bool  # only bools, which programs of any dtype support

    def joined(self, other: Shape) -> Shape | None:
        """Return the common shape of both, or None if they cannot be in one group."""
        dtype = other.dtype if self.joins_any else self.dtype
        if (other.dtype is not dtype and not other.joins_any) or other.numel != self.numel:
            return None
        self = self._replace(dtype=dtype, joins_any=self.joins_any and other.joins_any)
        is_flat = self.is_flat and other.is_flat
        if (other.shape, other.strides) == (self.shape, self.strides):
            return self._replace(is_flat=is_flat)
        return self._replace(shape=(self.numel,), strides=(1,)) if is_flat else None


class Group:
    """Launches that may be fused."""

    def __init__(self, shape: Shape, facts: Facts):
        self.shape, self.facts = shape, facts
        self.launches: dict[int, Launched] = {}
        self.reads: dict[int, set[Address]] = {}  # memory -> addresses that are read before the group writes the memory
        self.writes: dict[int, Address] = {}  # memory -> address that is written
        self.lasting = False  # True if it writes memory that outlives the replay

    def memory(self, address: Address) -> int:
        """Return the memory of an address."""
        return self.facts.memory.get(address.block, address.block)

    def conflicts_with(self, launch: Launched) -> bool:
        """Return True if the order of the launch and the group must not change."""
        for argument in launch.arguments:
            if type(argument) is Address:
                memory = self.facts.memory.get(argument.block, argument.block)
                if memory in self.writes or (argument.written and memory in self.reads):
                    return True
        return False

    def shares_memory_with(self, launch: Launched) -> bool:
        """Return True if the launch reads memory that the group reads or writes."""
        return any([type(part) is Address and (self.memory(part) in self.writes or self.memory(part) in self.reads)
                    for part in launch.arguments])  # fmt: skip

    def accepts(self, shape: Shape, launch: Launched) -> bool:
        """Return True if the launch may be appended to the group."""
        if len(self.launches) >= MAX_LAUNCHES or self.shape.joined(shape) is None:
            return False
        for argument in launch.arguments:
            if type(argument) is not Address:
                continue
            memory = self.memory(argument)
            written = self.writes.get(memory)
            if written is not None and not _are_same(argument, written):
                return False
            if argument.written and not all([_are_same(argument, other) for other in self.reads.get(memory, ())]):
                return False
        return True

    def add(self, number: int, launch: Launched, shape: Shape) -> None:
        """Append the launch to the group."""
        self.shape = self.shape.joined(shape) or self.shape
        self.launches[number] = launch
        for argument in launch.arguments:
            if type(argument) is Address and not argument.written and self.memory(argument) not in self.writes:
                self.reads.setdefault(self.memory(argument), set()).add(argument)
        for argument in launch.arguments:
            if type(argument) is Address and argument.written:
                self.writes[self.memory(argument)] = argument
                self.lasting = (
                    self.lasting or argument.block in self.facts.kept or not self.facts.blocks[argument.block].is_new
                )

    def join(self, other: Group) -> None:
        """Add the launches of another group, which are independent of this one's."""
        shape = self.shape.joined(other.shape)
        assert shape is not None
        self.shape = shape
        self.launches = dict(sorted({**self.launches, **other.launches}.items()))
        for memory, seen in other.reads.items():
            self.reads.setdefault(memory, set()).update(seen)
        self.writes.update(other.writes)
        self.lasting = self.lasting or other.lasting

    def operands(self, after: int) -> int:
        """Return the number of operands of its program, if it is placed after this launch."""
        results = [write for write in self.writes.values() if self.is_read_after(write.block, after)]
        numbers = {repr(argument) for launch in self.launches.values() for argument in launch.arguments[1:]
                   if type(argument) is not Address}  # fmt: skip
        return len(results) + sum(map(len, self.reads.values())) + len(numbers)

    def is_read_after(self, block: int, after: int) -> bool:
        """Return True if a block is read after this launch."""
        return not self.facts.is_temporary(block) or self.facts.last_read.get(block, -1) > after


@boundary
def fuse_elementwise(graph: Graph, *, emulate_precision_casts: bool = True) -> None:
    """Fuse elementwise launches of one shape that share operands, or read each other's results, into programs.

    Results that no other launch reads are then never stored as a whole. If fusion would increase the memory of the
    step, because operands stay alive longer, the launches are not moved. Complex numbers are not fused: Note [Exact
    fusion].

    Arguments:
        graph: the graph.
        emulate_precision_casts: round float16 and bfloat16 after each operator of a program, like the separate
            launches, so that no bit changes. False: compute in float32 and round only the stored results, which is
            closer to the exact result; conversions that the function requests are still performed. PyTorch's compiler
            has an option with this name.
    """
    recording = graph.recording
    before = peak_bytes(recording.lifetimes()[1])
    for over_others in (True, False):
        edits: dict[int, tuple[Launched, ...]] = {}
        for span in spans_of(recording):
            numbers = range(span.start, span.stop)
            _fuse_span(recording, Facts.of(graph), numbers, over_others, emulate_precision_casts, edits)
        if not edits or peak_bytes(renumbered(recording, edits).lifetimes()[1]) <= before:
            break
    else:
        return
    graph.rewritten(edits)


def _fuse_span(
    recording: Recording,
    facts: Facts,
    numbers: range,
    over_others: bool,
    rounds: bool,
    edits: dict[int, tuple[Launched, ...]],
) -> None:
    """Fuse launches in a range without jumps.

    Arguments:
        recording: the recording.
        facts: its facts.
        numbers: the launches of the range.
        over_others: allow launches to move past others that are not fused with them.
        rounds: round half-precision dtypes after each operator.
        edits: the edits of launches, to which this adds.
    """
    groups: list[Group] = []

    def close(group: Group) -> None:
        groups.remove(group)
        fused = _fused(group, rounds)
        if fused is not None:
            *others, last = group.launches
            edits.update({other: () for other in others})
            edits[last] = (fused,)

    for number in numbers:
        launch = recording.launches[number]
        shape = _shape_of(launch, facts)
        joined: Group | None = None
        for group in list(groups):
            conflicts = group.conflicts_with(launch)
            if shape is not None and (conflicts or group.shares_memory_with(launch)) and group.accepts(shape, launch):
                if _may_join(joined, group, shape, launch, number):
                    if joined is None:
                        joined = group
                    else:
                        joined.join(group)
                        groups.remove(group)
                    continue
            may_fail = shape is None and group.lasting and not facts.is_harmless(launch)
            if conflicts or may_fail or not over_others:
                close(group)
        if shape is None:
            continue
        if joined is None:
            if len(groups) >= MAX_OPEN:
                close(groups[0])
            joined = Group(shape, facts)
            groups.append(joined)
        joined.add(number, launch, shape)
    for group in list(groups):
        close(group)


def _may_join(joined: Group | None, group: Group, shape: Shape, launch: Launched, number: int) -> bool:
    """Return True if a launch may join a group, and this group the one that the launch has joined already."""
    tried = Group(shape, group.facts)
    for fused in (joined, group):
        if fused is not None:
            if tried.shape.joined(fused.shape) is None:
                return False
            tried.join(fused)
    tried.add(number, launch, shape)
    return len(tried.launches) <= MAX_LAUNCHES and tried.operands(number) <= MAX_OPERANDS


def _shape_of(launch: Launched, facts: Facts) -> Shape | None:
    """Return the shape of a launch, or None if it cannot be fused."""
    if launch.plan.elementwise is None or not facts.is_movable(launch):
        return None
    layouts: list[Layout] = []
    outputs: list[Layout] = []
    for argument in launch.arguments:
        if type(argument) is Address:
            if argument.layout is None:
                return None
            (outputs if argument.written else layouts).append(argument.layout)
        elif type(argument) not in (int, float):
            return None
    if not outputs or not outputs[0].numel or any([layout.strides != outputs[0].strides for layout in outputs]):
        return None
    dtypes = {float32 if layout.dtype.name in HALVES else layout.dtype for layout in (*layouts, *outputs)}
    computed = [dtype for dtype in dtypes if dtype.category != BOOL] or list(dtypes)
    if len(computed) > 1 or computed[0].category == COMPLEX:
        return None
    made = outputs[0]
    is_flat = all([layout.is_contiguous and layout.numel == made.numel for layout in (*layouts, *outputs)])
    joins_any = computed[0].category == BOOL and not any(
        [isinstance(kind, type) for kind in launch.plan.elementwise.inputs]
    )
    return Shape(computed[0], made.shape, made.strides, made.numel, is_flat, joins_any)


def _are_same(address: Address, other: Address) -> bool:
    """Return True if two addresses contain the same elements in the same order."""
    if address.block != other.block or address.offset != other.offset or address.layout is None or other.layout is None:
        return False
    a, b = address.layout, other.layout
    return a is b or (a.is_contiguous and b.is_contiguous and a.numel == b.numel and a.dtype is b.dtype)


def _fused(group: Group, rounds: bool) -> Launched | None:
    """Return the group as one launch; None if the result would differ, or if there is no gain.

    Arguments:
        group: the launches.
        rounds: round half-precision dtypes after each operator; otherwise only the results of other dtypes must be
            equal.
    """
    if len(group.launches) < 2:
        return None
    last = max(group.launches)
    launches = list(group.launches.values())
    stored = [write for write in group.writes.values() if group.is_read_after(write.block, last)]
    stored.sort(key=lambda address: address.layout is not None and address.layout.dtype.category == BOOL)
    if not stored:
        return None
    program, operands = program_of(launches, stored, rounds)
    given = [operand for operand in operands if type(operand.argument) is Address]
    read = {group.memory(operand.argument) for operand in operands if type(operand.argument) is Address}
    if len(stored) > 1 and not any([group.memory(address) in read for address in stored]):
        program = program._replace(is_apart=True)
    numbers = [operand.argument for operand in operands if type(operand.argument) is not Address]
    layouts = tuple([_loop_layout(address, group.shape) for address in stored])
    asked = [
        _loop_layout(operand.argument, group.shape) if type(operand.argument) is Address else operand.kind
        for operand in operands
    ]
    try:
        plan = layouts[0].device.backend.plan(program, tuple(asked), layouts, ())
    except UnsupportedError:
        return None
    loops = tuple([loop for launch in launches for loop in launch.plan.elementwise.loops])  # type: ignore[union-attr]
    if plan.elementwise is None or (plan.elementwise.loops != loops and (rounds or not _has_halves(launches))):
        return None
    arguments = (layouts[0].numel, *[operand.argument for operand in given], *stored, *numbers)
    arrays = 1 + len(given) + len(stored)
    end = launches[-1]
    return Launched(plan, arguments, arrays, end.site, end.module, plan.operator, moment=end.moment)


def _has_halves(launches: Sequence[Launched]) -> bool:
    layouts = [argument.layout for launch in launches for argument in launch.arguments if type(argument) is Address]
    return any([layout is not None and layout.dtype.name in HALVES for layout in layouts])


def _loop_layout(address: Address, shape: Shape) -> Layout:
    """Return the layout for the loops of the group."""
    assert address.layout is not None
    return contiguous(shape.shape, address.layout.dtype, address.layout.device) if shape.is_flat else address.layout
