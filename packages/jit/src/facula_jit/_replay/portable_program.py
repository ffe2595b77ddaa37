"""Replays as programs that run without Python, in the format of Note [Programs in files] in facula_cpu."""

from __future__ import annotations

from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from facula_cpu.extend import (
    ADDRESS,
    CELL,
    NUMBER,
    OWN,
    TEMPORARY,
    TENSOR,
    Tables,
    bits_of,
    portable_plan,
    wrapped,
)
from facula_errors import InvalidValueError, UnsupportedError
from facula_tensor import Tensor

from .._graph.jumps import Jump, steps_of
from .._recording.memory_planning import Lifetime, place_lifetimes
from .._recording.pytrees import Tree
from .._recording.recording import AliasOutput, InputOutput, Output
from .._recording.records import Address
from .._recording.rng_values import RngValue
from .scalar_formulas import followers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from facula_cpu.extend import PortablePlan
    from facula_storage import Layout

    from .._recording.recording import Leaf, Recording
    from .._recording.records import Launched
    from .replay import Replay

    Contents = Mapping[int, tuple[str, int]]

CONDITION = 4  # size in bytes of a jump's condition


def section(replay: Replay, names: Contents, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> bytes:
    """Return the forward part of a replay for the C library: the bytes of a member `run/NAME.bin`.

    Arguments:
        replay: the replay; its backward for outer gradients is omitted.
        names: for blocks at a fixed address, by number (`recording.fixed`): the name of a tensor in the file's
            `tensors.safetensors`, and the number of bytes of the storage that it contains, from its start. `.grad`s
            that the function creates need no name.
        inputs: the names of the inputs; by default x0, x1, ...
        outputs: the names of the outputs; by default y0, y1, ...

    Raises:
        NotImplementedError: a plan without a kernel, named by its operator; a schedule inside the function.
        ValueError: a tensor of the program without a name.
    """
    return Writer(replay, names, inputs, outputs).bytes()


class Writer:
    """A writer of one program; see `section`."""

    def __init__(self, replay: Replay, names: Contents, inputs: Sequence[str], outputs: Sequence[str]):
        self.replay, self.names, self.tables = replay, names, Tables()
        self.recording: Recording = replay.recording
        self.steps = steps_of(self.recording.recorder, 0, self.recording.boundary_at)
        if self.recording.recorder.actions_of_schedules():
            raise UnsupportedError(
                "jit.save: the captured function steps a schedule, which runs Python code; step it outside, and set lr"
            )
        if replay.outer_backwards:
            raise UnsupportedError(
                "jit.save: the captured function runs a backward pass through the graph of another call; capture "
                "forward and backward together"
            )
        self.results = leaves_of(self.recording.result)
        made = [value for _, value in self.recording.puts if value is not None]
        self.grads = {self._number_of(value) for value in made}
        self.blocks: dict[int, int] = {}  # block -> row
        self.starts: dict[int, int] = {}  # bytes of an argument's memory that precede it and are omitted
        self.plans: dict[int, PortablePlan] = {}  # by the id of the launch
        self.first_argument: list[int] = []  # of each launch
        self.arena = self._place_blocks()
        for number, step in enumerate(self.steps):
            if isinstance(step, Jump):
                condition = self._address(step.condition, CONDITION)
                self.tables.jump(condition, step.to - number - 1, step.at_zero)
            else:
                self._add_launch(self.recording.launches[step])
        self._add_arrays(inputs, outputs)
        self._add_numbers()
        self._add_generators()

    def bytes(self) -> bytes:
        """Return the program."""
        return self.tables.bytes(self.arena)

    # ------------------------------------------------------------------------------------------------------- blocks
    def _place_blocks(self) -> int:
        """Add rows for all memory; return the size of the temporaries in bytes."""
        recording, blocks = self.recording, self.recording.recorder.blocks
        used = [*self._used()]
        written = {address.block for address in used if address.written}
        spans = recording.spans(recording.boundary_at)
        temporaries = [span for span in spans if recording.is_temporary(span) or span in recording.grads]
        lives = [Lifetime(*spans[temporary], _allocated(blocks[temporary].layout)) for temporary in temporaries]
        offsets, arena = place_lifetimes(lives)
        for temporary, life, offset in zip(temporaries, lives, offsets, strict=True):
            self.blocks[temporary] = self.tables.add("blocks", TEMPORARY, offset, life.nbytes)
        for number in recording.outputs:
            self._own(number, _allocated(blocks[number].layout))
        for number, block in enumerate(blocks):
            if block.inputs and number not in self.blocks:
                given = [recording.inputs[guard] for guard in block.inputs if guard < len(recording.inputs)]
                if given:
                    self.starts[number] = min([guard.offset for guard in given])
                    self._own(
                        number, max([tensor.offset + tensor.layout.extent for tensor in given]) - self.starts[number]
                    )
        returned = [self._number_of(leaf) for leaf in self.results if isinstance(leaf, Tensor)]
        for number in (*[address.block for address in used], *returned):
            if number not in self.blocks:
                self._add_fixed(number, number in written)
        return arena

    def _used(self) -> Iterator[Address]:
        """Generate the addresses that the steps use."""
        for step in self.steps:
            if isinstance(step, Jump):
                yield step.condition
            else:
                yield from [
                    argument for argument in self.recording.launches[step].arguments if type(argument) is Address
                ]

    def _own(self, number: int, nbytes: int) -> None:
        self.blocks[number] = self.tables.add("blocks", OWN, 0, nbytes)

    def _add_fixed(self, number: int, written: bool) -> None:
        """Add a block at a fixed address: a tensor of the file, or memory for a tensor that the function creates."""
        block = self.recording.recorder.blocks[number]
        if block.is_new and number in self.grads:  # each run creates it
            self._own(number, _allocated(block.layout))
            return
        if number not in self.names:
            raise InvalidValueError(
                f"jit.save: expected a name in the file for each tensor of the program; got none for block {number}"
            )
        name, nbytes = self.names[number]
        tensor = self.tables.add("tensors", self.tables.name(name), nbytes, int(written))
        self.blocks[number] = self.tables.add("blocks", TENSOR, tensor, nbytes)

    def _number_of(self, tensor: Tensor) -> int:
        return self.recording.recorder.number_of(tensor._storage)

    # ----------------------------------------------------------------------------------------------------- launches
    def _add_launch(self, launch: Launched) -> None:
        function = launch.plan.launch
        plan = self.plans.get(id(function))
        if plan is None:
            if type(function) is not BuiltinFunctionType:
                raise UnsupportedError(
                    f"jit.save: {launch.operation} is computed by Python or NumPy, which a program without Python "
                    "lacks; leave it outside, or save with run=False"
                )
            plan = self.plans[id(function)] = portable_plan(launch.operation, function)
        workspace = launch.arrays if launch.plan.workspace or plan.sized else -1
        rows: list[tuple[int, int, int, int]] = []
        for place, argument in enumerate((*launch.arguments, None)):
            if place == workspace:
                rows.append((NUMBER, 0, 0, 0))
            if type(argument) is Address:
                rows.append(self._address(argument, _extent(argument.layout)))
            elif type(argument) is RngValue:
                rows.append((CELL, argument.delta, argument.source, 0))
            elif argument is not None:
                double = plan.doubles >> len(rows) & 1 if len(rows) < 64 else 0
                number: Any = argument
                rows.append((NUMBER, bits_of(float(number)) if double else wrapped(int(number)), 0, 0))
        first = len(self.tables.rows["arguments"])
        for row in rows:
            self.tables.add("arguments", *row)
        self.first_argument.append(first)
        kernel = self.tables.kernel(plan.kernel)
        part = -1 if plan.part is None else self.tables.plan(plan.kernel, plan.part)
        name = self.tables.name(launch.operation)
        self.tables.add("launches", kernel, part, first, len(rows), workspace, launch.plan.workspace, name)

    def _address(self, address: Address, extent: int) -> tuple[int, int, int, int]:
        """Return the row of an address. Its extent ends with its block, since parts of composite operators start at
        other offsets.

        Operands without elements may start after the end of the block.
        """
        row = self.blocks[address.block]
        nbytes = self.tables.rows["blocks"][row][2]
        offset = min(address.offset - self.starts.get(address.block, 0), nbytes)
        return ADDRESS, offset, row, min(extent, nbytes - offset)

    # ---------------------------------------------------------------------------------------------- inputs and outputs
    def _add_arrays(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        recording = self.recording
        for place, like in enumerate(recording.inputs):
            number = next(k for k, block in enumerate(recording.recorder.blocks) if place in block.inputs)
            name = inputs[place] if place < len(inputs) else f"x{place}"
            self._add_array(0, name, like.layout, number, like.offset - self.starts[number])
        for place, result in enumerate(self.results):
            name = outputs[place] if place < len(outputs) else f"y{place}"
            self._add_array(1, name, *self._result(result))

    def _result(self, leaf: Leaf) -> tuple[Layout, int, int]:
        """Return the layout, block and offset of a result."""
        if type(leaf) is Output:
            return leaf.layout, self.recording.outputs[leaf.place], leaf.offset
        if isinstance(leaf, Tensor):
            # type: ignore[return-value]  # not a tensor of a transform
            return leaf._layout, self._number_of(leaf), leaf._offset
        place = leaf.place if type(leaf) is InputOutput else leaf.argument
        like = self.recording.inputs[place]
        number = next(k for k, block in enumerate(self.recording.recorder.blocks) if place in block.inputs)
        offset = like.offset - self.starts[number]
        return (
            (like.layout, number, offset) if type(leaf) is InputOutput else (leaf.layout, number, offset + leaf.offset)
        )

    def _add_array(self, output: int, name: str, layout: Layout, block: int, offset: int) -> None:
        first = len(self.tables.rows["extents"])
        for number in (*layout.shape, *[stride * layout.dtype.itemsize for stride in layout.strides]):
            self.tables.add("extents", number)
        named = self.tables.name(name)
        self.tables.add(
            "arrays", output, named, layout.dtype.code, len(layout.shape), first, self.blocks[block], offset
        )

    # ---------------------------------------------------------------------------------------- values that vary by run
    def _add_numbers(self) -> None:
        """Add the optimizer options that can be set by name, and the present values of all scalars."""
        for group, refill in enumerate(self.replay.refills):
            present = refill.present_numbers() or ()
            taken = refill.numbers.launches
            for numbers, launches in zip(present, taken, strict=False):
                for launch in launches:
                    for place, number in enumerate(numbers):
                        row = self.first_argument[launch] + 1 + place
                        self.tables.rows["arguments"][row] = (NUMBER, bits_of(float(number)), 0, 0)
            several = f".{group}" if len(self.replay.refills) > 1 else ""
            for name, (value, follows) in followers(refill).items():
                first = len(self.tables.rows["uses"])
                for follow in follows:
                    for launch in taken[follow.operator]:
                        argument = self.first_argument[launch] + 1 + follow.place
                        self.tables.add("uses", argument, bits_of(follow.base), bits_of(follow.factor))
                uses = len(self.tables.rows["uses"]) - first
                self.tables.add("numbers", self.tables.name(name + several), bits_of(value), first, uses)

    def _add_generators(self) -> None:
        replay = self.replay
        for generator, count, state in zip(replay.generators, replay.drawn, replay.set, strict=True):
            key, offset = wrapped(int(generator._key)), wrapped(int(generator._offset))
            after = [wrapped(int(word)) for word in state]
            self.tables.add("generators", key, offset, int(count is not None), count or 0, *after)


def leaves_of(result: Leaf) -> list[Any]:
    """Return the tensors of a result, in order."""
    if type(result) is Tree:
        return [leaf for part in result.parts for leaf in leaves_of(part)]
    return [result] if type(result) in (Output, InputOutput, AliasOutput) or isinstance(result, Tensor) else []


def _extent(layout: Any) -> int:
    """Return the number of bytes that a launch uses; unknown ones extend to the end of the block."""
    return 1 << 62 if layout is None else layout.extent


def _allocated(layout: Layout | None) -> int:
    assert layout is not None
    return layout.extent
