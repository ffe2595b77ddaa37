"""Elementwise fusion: launches of one shape that hand elements to each other become one program.

Note [Exact fusion]
~~~~~~~~~~~~~~~~~~~
A program runs the loops of the kernel table one after the other on pieces of its operands, and the plan says which ones
(`Elementwise.loops`). A group of launches is fused only where the program's are those of the launches, in the same
order: then every element is computed by the same instructions, and no bit changes. float16 and bfloat16 are computed in
float32; what a launch rounds, its result and some numbers, the program rounds by an instruction. So launches of both
and of float32, and conversions between them, make one program. Complex numbers stay as they are.

A group is put where its last launch was. Up to there nothing may have written what it reads, nor read or written what
it writes: a launch that does ends the group, and so does one that may fail where the group changes the program's own
tensors, for an error leaves in them what came before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous, cpu, float32
from facula_storage.extend import BOOL, COMPLEX

from .._graph.editing import renumbered, spans_of
from .._recording.memory_planning import at_once
from .._recording.records import Address, Launched
from ._dataflow import Facts
from ._fused_programs import HALVES, program_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType, Layout

    from .._graph.graph import Graph
    from .._recording.recording import Recording

MAX_OPERANDS = 16  # of a program's plan, results among them
MAX_LAUNCHES = 24
MAX_OPEN = 6  # groups that further launches may join


class Shape(NamedTuple):
    """What the launches of a group have in common: the dtype they compute in, and the elements they walk.

    `is_flat`: all operands are contiguous and of one size, so that the shape does not matter.
    """

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    numel: int
    is_flat: bool
    joins_any: bool  # bools alone, which programs of any dtype compute with

    def joined(self, other: Shape) -> Shape | None:
        """What both have in common, if they may be one group's."""
        dtype = other.dtype if self.joins_any else self.dtype
        if (other.dtype is not dtype and not other.joins_any) or other.numel != self.numel:
            return None
        self = self._replace(dtype=dtype, joins_any=self.joins_any and other.joins_any)
        is_flat = self.is_flat and other.is_flat
        if (other.shape, other.strides) == (self.shape, self.strides):
            return self._replace(is_flat=is_flat)
        return self._replace(shape=(self.numel,), strides=(1,)) if is_flat else None


class Group:
    """Launches that may be run as one."""

    def __init__(self, shape: Shape, facts: Facts):
        self.shape, self.facts = shape, facts
        self.launches: dict[int, Launched] = {}
        self.reads: dict[int, set[Address]] = {}  # memory -> what of it is read, before the group writes it
        self.writes: dict[int, Address] = {}  # memory -> what is written there
        self.lasting = False  # whether the program or an argument sees what is written

    def memory(self, one: Address) -> int:
        """The memory that an address lies in."""
        return self.facts.memory.get(one.block, one.block)

    def meets(self, launch: Launched) -> bool:
        """Whether the launch has to stay behind the group, or before it."""
        for one in launch.arguments:
            if type(one) is Address:
                memory = self.facts.memory.get(one.block, one.block)
                if memory in self.writes or (one.written and memory in self.reads):
                    return True
        return False

    def touches(self, launch: Launched) -> bool:
        """Whether the launch reads what the group reads or writes."""
        return any([type(one) is Address and (self.memory(one) in self.writes or self.memory(one) in self.reads)
                    for one in launch.arguments])  # fmt: skip

    def takes(self, shape: Shape, launch: Launched) -> bool:
        """Whether the launch may be the group's next."""
        if len(self.launches) >= MAX_LAUNCHES or self.shape.joined(shape) is None:
            return False
        for one in launch.arguments:
            if type(one) is not Address:
                continue
            memory = self.memory(one)
            written = self.writes.get(memory)
            if written is not None and not _are_same(one, written):
                return False
            if one.written and not all([_are_same(one, other) for other in self.reads.get(memory, ())]):
                return False
        return True

    def add(self, number: int, launch: Launched, shape: Shape) -> None:
        """Let the launch be the group's next."""
        self.shape = self.shape.joined(shape) or self.shape
        self.launches[number] = launch
        for one in launch.arguments:
            if type(one) is Address and not one.written and self.memory(one) not in self.writes:
                self.reads.setdefault(self.memory(one), set()).add(one)
        for one in launch.arguments:
            if type(one) is Address and one.written:
                self.writes[self.memory(one)] = one
                self.lasting = self.lasting or one.block in self.facts.kept or not self.facts.blocks[one.block].is_new

    def join(self, other: Group) -> None:
        """Take the launches of another group, which neither meets this one."""
        shape = self.shape.joined(other.shape)
        assert shape is not None
        self.shape = shape
        self.launches = dict(sorted({**self.launches, **other.launches}.items()))
        for memory, seen in other.reads.items():
            self.reads.setdefault(memory, set()).update(seen)
        self.writes.update(other.writes)
        self.lasting = self.lasting or other.lasting

    def operands(self, after: int) -> int:
        """How many operands a program of it has, if it comes after this launch."""
        results = [one for one in self.writes.values() if self.is_seen(one.block, after)]
        numbers = {repr(one) for launch in self.launches.values() for one in launch.arguments[1:]
                   if type(one) is not Address}  # fmt: skip
        return len(results) + sum(map(len, self.reads.values())) + len(numbers)

    def is_seen(self, block: int, after: int) -> bool:
        """Whether anything reads a block after this launch."""
        return not self.facts.is_temporary(block) or self.facts.last_read.get(block, -1) > after


@boundary
def fuse_elementwise(graph: Graph, *, emulate_precision_casts: bool = True) -> None:
    """Run elementwise launches of one shape that read each other's results, or the same operands, as one program.

    Results that nothing else reads are then never in memory as a whole. Where the step would need more memory, because
    operands have to wait for others, launches stay where they are. Complex numbers stay as they are: Note [Exact
    fusion].

    Arguments:
        graph: the graph.
        emulate_precision_casts: round float16 and bfloat16 after each operator of a program, as the launches do, so
            that no bit changes. False: a program computes in float32 and rounds what it stores, which is nearer to
            the exact result; conversions that the function asks for are made all the same. PyTorch's compiler has an
            option of this name.
    """
    recording = graph.recording
    before = at_once(recording.lifetimes()[1])
    for over_others in (True, False):
        edits: dict[int, tuple[Launched, ...]] = {}
        for span in spans_of(recording):
            numbers = range(span.start, span.stop)
            _fuse_span(recording, Facts.of(graph), numbers, over_others, emulate_precision_casts, edits)
        if not edits or at_once(renumbered(recording, edits).lifetimes()[1]) <= before:
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
    """Fuse launches that run in one go.

    Arguments:
        recording: has the launches.
        facts: of it.
        numbers: of the launches.
        over_others: whether launches move behind others that are not fused with them.
        rounds: whether half types are rounded after each operator.
        edits: what becomes of launches, which is added to.
    """
    groups: list[Group] = []

    def close(group: Group) -> None:
        groups.remove(group)
        fused = _fused(group, rounds)
        if fused is not None:
            *others, last = group.launches
            edits.update({one: () for one in others})
            edits[last] = (fused,)

    for number in numbers:
        launch = recording.launches[number]
        shape = _shape_of(launch, facts)
        joined: Group | None = None
        for group in list(groups):
            meets = group.meets(launch)
            if shape is not None and (meets or group.touches(launch)) and group.takes(shape, launch):
                if _may_join(joined, group, shape, launch, number):
                    if joined is None:
                        joined = group
                    else:
                        joined.join(group)
                        groups.remove(group)
                    continue
            may_fail = shape is None and group.lasting and not facts.is_harmless(launch)
            if meets or may_fail or not over_others:
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
    """Whether a launch fits into a group, and this group to the one that the launch has joined already."""
    tried = Group(shape, group.facts)
    for one in (joined, group):
        if one is not None:
            if tried.shape.joined(one.shape) is None:
                return False
            tried.join(one)
    tried.add(number, launch, shape)
    return len(tried.launches) <= MAX_LAUNCHES and tried.operands(number) <= MAX_OPERANDS


def _shape_of(launch: Launched, facts: Facts) -> Shape | None:
    """What a launch needs of a group; None where it is in none."""
    if launch.plan.elementwise is None or not facts.is_movable(launch):
        return None
    layouts: list[Layout] = []
    outputs: list[Layout] = []
    for one in launch.arguments:
        if type(one) is Address:
            if one.layout is None:
                return None
            (outputs if one.written else layouts).append(one.layout)
        elif type(one) not in (int, float):
            return None
    if not outputs or not outputs[0].numel or any([one.strides != outputs[0].strides for one in outputs]):
        return None
    dtypes = {float32 if one.dtype.name in HALVES else one.dtype for one in (*layouts, *outputs)}
    computed = [one for one in dtypes if one.category != BOOL] or list(dtypes)
    if len(computed) > 1 or computed[0].category == COMPLEX:
        return None
    made = outputs[0]
    is_flat = all([one.is_contiguous and one.numel == made.numel for one in (*layouts, *outputs)])
    joins_any = computed[0].category == BOOL and not any(
        [isinstance(one, type) for one in launch.plan.elementwise.inputs]
    )
    return Shape(computed[0], made.shape, made.strides, made.numel, is_flat, joins_any)


def _are_same(one: Address, other: Address) -> bool:
    """Whether two addresses are of the same elements, in the same order."""
    if one.block != other.block or one.offset != other.offset or one.layout is None or other.layout is None:
        return False
    a, b = one.layout, other.layout
    return a is b or (a.is_contiguous and b.is_contiguous and a.numel == b.numel and a.dtype is b.dtype)


def _fused(group: Group, rounds: bool) -> Launched | None:
    """The group as one launch; None where that is not exactly the same, or there is nothing to gain.

    Arguments:
        group: the launches.
        rounds: whether half types are rounded after each operator. If not, "the same" is said of other dtypes alone.
    """
    if len(group.launches) < 2:
        return None
    last = max(group.launches)
    launches = list(group.launches.values())
    stored = [one for one in group.writes.values() if group.is_seen(one.block, last)]
    stored.sort(key=lambda one: one.layout is not None and one.layout.dtype.category == BOOL)
    if not stored:
        return None
    program, operands = program_of(launches, stored, rounds)
    given = [one for one in operands if type(one.argument) is Address]
    read = {group.memory(one.argument) for one in operands if type(one.argument) is Address}
    if len(stored) > 1 and not any([group.memory(one) in read for one in stored]):
        program = program._replace(is_apart=True)
    numbers = [one.argument for one in operands if type(one.argument) is not Address]
    layouts = tuple([_walked(one, group.shape) for one in stored])
    asked = [_walked(one.argument, group.shape) if type(one.argument) is Address else one.kind for one in operands]
    try:
        plan = cpu.backend.plan(program, tuple(asked), layouts, ())
    except UnsupportedError:
        return None
    loops = tuple([loop for one in launches for loop in one.plan.elementwise.loops])  # type: ignore[union-attr]
    if plan.elementwise is None or (plan.elementwise.loops != loops and (rounds or not _has_halves(launches))):
        return None
    arguments = (layouts[0].numel, *[one.argument for one in given], *stored, *numbers)
    arrays = 1 + len(given) + len(stored)
    return Launched(plan, arguments, arrays, launches[-1].site, launches[-1].module, plan.operator)


def _has_halves(launches: Sequence[Launched]) -> bool:
    layouts = [one.layout for launch in launches for one in launch.arguments if type(one) is Address]
    return any([one is not None and one.dtype.name in HALVES for one in layouts])


def _walked(one: Address, shape: Shape) -> Layout:
    """The layout as the group's loops walk it."""
    assert one.layout is not None
    return contiguous(shape.shape, one.layout.dtype) if shape.is_flat else one.layout
