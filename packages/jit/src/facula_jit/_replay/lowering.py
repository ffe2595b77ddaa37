"""Lowering of recordings to sequences of launches in C: memory of temporaries, addresses, and patches for arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import describe_call_site
from facula_storage import LaunchError, contiguous, uint8
from facula_storage.extend.memory import capacity
from facula_storage.extend.plans import STATUS_REQUIRED
from facula_storage.extend.replay import Sequence
from facula_tensor.extend.recording import launch_error

from .._graph.jumps import Jump, steps_of
from .._recording.memory_planning import place_lifetimes
from .._recording.recording import InputGuard
from .._recording.records import Address
from .._recording.rng_values import RngValue
from .._recording.tensor_guards import SLOTS
from .descriptions import register_sequence

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Many
    from weakref import ref

    from facula_storage import Layout, Storage
    from facula_tensor import Tensor

    from .._autograd.recorded_backward import FrameLease
    from .._guards.guards import Check
    from .._recording.recording import Recording
    from .._recording.records import Pass

    Patch = tuple[int, int, int, int]


class Part:
    """A range of launches in a recording, with the locations of their operands. `name` is for profilers.

    Arguments:
        recording: the recording.
        span: the first launch, and the one after the last.
        inputs: guards of the tensors that a run receives.
        outputs: blocks whose addresses follow, as values.
    """

    name = ""

    def __init__(self, recording: Recording, span: tuple[int, int], inputs: Many[InputGuard], outputs: Many[int]):
        self.recording, self.inputs = recording, list(inputs)
        self.sequences: list[Sequence] = []
        self.start, stop = span
        self.steps = steps_of(recording.recorder, self.start, stop)  # launches by number, and jumps
        self.step_of = {key: step for step, key in enumerate(self.steps) if type(key) is int}
        self.values = len(outputs) + 2 * len(recording.recorder.generators)
        self.sources = {block: len(self.inputs) + place for place, block in enumerate(outputs)}
        self.first_cell = len(self.inputs) + len(outputs)

    def refused(self, error: LaunchError, name: str) -> Exception:
        """Return the error of a failed launch as the operator would have raised it.

        Arguments:
            error: the error of the launcher.
            name: the name of the captured function.
        """
        number = self.steps[error.args[5]]
        assert isinstance(number, int)
        launch = self.recording.launches[number]
        layouts = [
            argument.layout for argument in launch.arguments if type(argument) is Address and not argument.written
        ]
        made: Exception = launch_error(launch.operation, LaunchError(*error.args[:5]), layouts)
        if launch.refusal is not None and error.args[0] == STATUS_REQUIRED:
            made = type(launch.refusal)(*launch.refusal.args)
        made.add_note(f"in a replay of {name}, at {describe_call_site(*launch.site)}")
        return made

    def sequence(self, base: int, places: dict[int, int], checks: list[Check], puts: list[tuple[Any, ...]]) -> Sequence:
        """Return the sequence, with temporaries in existing memory.

        Arguments:
            base: the address of that memory.
            places: the offset of each block, and of each launch's workspace (with key -1 - launch).
            checks: the guards before the launches.
            puts: the `.grad`s that it sets at the end.
        """
        patches: list[Patch] = []
        launches: list[tuple[Callable[..., None] | None, tuple[Any, ...]]] = []
        for step, number in enumerate(self.steps):
            values: list[Any] = []
            if isinstance(number, Jump):
                where = self._address(number.condition, base, places, (step, 0), patches)
                launches.append((None, (where, number.to - step - 1, int(not number.at_zero))))
                continue
            launch = self.recording.launches[number]
            workspace = launch.arrays if launch.plan.workspace else -1
            for place, argument in enumerate((*launch.arguments, None)):
                if place == workspace:
                    values.append(base + places[-1 - number])
                if type(argument) is Address:
                    values.append(self._address(argument, base, places, (step, len(values)), patches))
                elif type(argument) is RngValue:
                    patches.append((step, len(values), self.first_cell + argument.source, argument.delta))
                    values.append(int(argument))
                elif argument is not None:
                    values.append(argument)
            launches.append((launch.plan.launch, tuple(values)))
        written = self._written_inputs()
        made = Sequence(
            SLOTS, launches, self._inputs(written), self.values, patches, checks,
            self._changed(), puts, self._spans(bool(written)),
        )  # fmt: skip
        register_sequence(self, made)
        combined_launch = getattr(self.recording.recorder.launch_device.backend, "combined_launch", None)
        if combined_launch is not None:
            made.combine(combined_launch())
        return made

    def missed(self, checks: list[Check], tensors: tuple[Tensor, ...]) -> int | None:
        """Return the check or argument that a run with these tensors would miss, in the form that `run` returns it,
        without launching anything.
        """
        written = self._written_inputs()
        changed = [(storage, 0, getattr(storage, "mutator", mutator)) for storage, _, mutator in self._changed()]
        inputs, spans = self._inputs(written), self._spans(bool(written))
        missed: int | None = Sequence(SLOTS, [], inputs, 0, [], checks, changed, [], spans).run(tensors, ())
        return missed

    def _written_inputs(self) -> set[int]:
        """Return the inputs whose memory a launch modifies."""
        blocks = self.recording.recorder.blocks
        return {
            place
            for number in self.step_of
            for argument in self.recording.launches[number].arguments
            if type(argument) is Address and argument.written
            for place in blocks[argument.block].inputs
        }

    def _inputs(self, written: set[int]) -> list[tuple[Any, ...]]:
        """Return the expected state of each input; `written` are those that launches modify."""
        deltas = [guard.offset - self.inputs[max(guard.root, 0)].offset for guard in self.inputs]
        return [
            (guard.layout, guard.node, guard.layout.extent, guard.root, delta, place in written, *guard[4:])
            for place, (guard, delta) in enumerate(zip(self.inputs, deltas, strict=True))
        ]

    def _address(
        self, address: Address, base: int, places: dict[int, int], argument: tuple[int, int], patches: list[Patch]
    ) -> int:
        where, offset = self.place_of(address)
        if isinstance(where, int):
            patches.append((*argument, where, offset))
            return 0
        return offset + (base + places[address.block] if where is None else where.ptr)

    def place_of(self, address: Address) -> tuple[int | Storage | None, int]:
        """Return the location of an address, and the offset from it in bytes.

        The location is the index of an argument of the run (its inputs, followed by the outputs), a storage at a fixed
        address, or None for a block among the temporaries.
        """
        block = self.recording.recorder.blocks[address.block]
        if address.block in self.sources:
            return self.sources[address.block], address.offset
        if block.inputs:
            place = _input_of(address, block.inputs, self.inputs)
            return place, address.offset - self.inputs[place].offset
        return self.recording.fixed.get(address.block), address.offset

    def _changed(self) -> list[tuple[Storage, int, Any]]:
        """Return the storages that are written and persist."""
        found = [] if self.start else self.recording.versions.changed
        return [
            (storage, count, (operation, *site))
            for storage, count, operation, site in found
            if storage.version is not None
        ]

    def _spans(self, with_read: bool) -> list[tuple[int, int, bool]]:
        """Return the persistent memory that is written, with which no input may overlap; with `with_read`, also the
        memory that is read, with which no written input may overlap.
        """
        fixed = self.recording.fixed
        spans: dict[tuple[int, int, bool], None] = {}
        for number in self.step_of:
            for argument in self.recording.launches[number].arguments:
                if type(argument) is Address and argument.block in fixed and (argument.written or with_read):
                    start = fixed[argument.block].ptr
                    # a part of a launch writes up to the end of the whole layout
                    end = start + capacity(fixed[argument.block])
                    if argument.layout is not None:
                        start, end = start + argument.offset, min(start + argument.offset + argument.layout.extent, end)
                    spans[start, end, argument.written] = None
        return list(spans)


class Backward:
    """A lowered backward pass: the gradients of the targets, and the layouts of their memory."""

    def __init__(self, recording: Recording, backward_pass: Pass, inputs: list[InputGuard]):
        self.grads = backward_pass.grads
        blocks = [grad.block for grad in backward_pass.grads if grad is not None]
        self.layouts = [layout_of_block(recording, block) for block in blocks]
        self.part = Part(recording, (backward_pass.start, backward_pass.stop), inputs, [*recording.outputs, *blocks])


class Lowered:
    """A recording lowered to parts: one for the call, and one for each backward pass.

    Arguments:
        recording: the recording.
        thorough: spend more time to place temporaries in less memory.
    """

    def __init__(self, recording: Recording, *, thorough: bool = False):
        self.recording = recording
        blocks, lives = recording.lifetimes()
        offsets, self.pool_bytes = place_lifetimes(lives, thorough=thorough)
        self.places = dict(zip(blocks, offsets, strict=True))
        self.arena_layout = contiguous((self.pool_bytes,), uint8, recording.recorder.launch_device)
        self.forward = Part(recording, (0, recording.boundary_at), recording.inputs, recording.outputs)
        inputs = [
            InputGuard(tensor.layout, tensor.offset, None, -1) for tensor in (*recording.inputs, *recording.gradients)
        ]
        self.backwards = [Backward(recording, pass_, inputs) for pass_ in recording.passes]
        self.read_back = _read_back(recording, recording.boundary_at) if recording.roots else []

    def keep_sequences(self, frames: Many[Frame]) -> None:
        """Keep only the sequences of these frames for profilers."""
        self.forward.sequences = [frame.forward for frame in frames]
        for place, backward in enumerate(self.backwards):
            backward.part.sequences = [frame.backwards[place] for frame in frames]


class Frame:
    """Memory of temporaries, with the sequences that use it. `lease` is a dead reference if the memory is free."""

    __slots__ = ("arena", "backwards", "forward", "lease", "lowered")

    def __init__(self, arena: Storage, forward: Sequence, backwards: list[Sequence], lowered: Lowered):
        self.arena, self.forward, self.backwards, self.lowered = arena, forward, backwards, lowered
        self.lease: ref[FrameLease] | None = None


def layout_of_block(recording: Recording, number: int) -> Layout:
    """Return the layout for which a block was allocated."""
    layout = recording.recorder.blocks[number].layout
    assert layout is not None
    return layout


def _read_back(recording: Recording, first: int) -> list[tuple[str, Any]]:
    """Return the values that launches from `first` on read and that the program may have modified: the index of an
    argument or a result, or a storage.
    """
    found: dict[tuple[str, Any], None] = {}
    blocks, count = recording.recorder.blocks, len(recording.inputs)
    for launch in recording.launches[first:]:
        for argument in launch.arguments:
            if type(argument) is not Address or argument.written:
                continue
            number = argument.block
            if inputs := blocks[number].inputs:
                places = recording.versions.read_back.get(number, inputs[:1])
                found.update({("input", place): None for place in places if place < count})
            elif number in recording.outputs:
                found["output", recording.outputs.index(number)] = None
            elif number in recording.fixed:
                storages = recording.versions.read_back.get(number, [recording.fixed[number]])
                found.update({("fixed", storage): None for storage in storages if storage.version is not None})
    return list(found)


def _input_of(address: Address, places: Many[int], inputs: Many[InputGuard]) -> int:
    """Return the argument to which an address belongs, among those that share its memory."""
    for place in places:
        start = inputs[place].offset
        if start <= address.offset < start + max(inputs[place].layout.extent, 1):
            return place
    return places[0]
