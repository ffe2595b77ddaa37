"""Replays: the sequences of a recording, the memory of its temporaries, and the results of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend.nodes import Node, error_node, next_seq, output_node
from facula_autograd.extend.values import adapter_of
from facula_storage import Storage
from facula_storage.extend.memory import allocate
from facula_storage.extend.recording import collecting
from facula_storage.extend.replay import CheckKind, Sequence
from facula_tensor import Tensor
from facula_tensor.extend.recording import user_site
from facula_tensor.extend.tensors import snapshot

from .._autograd.backward_replay import BackwardReplay
from .._autograd.outer_backward import find_inputs
from .._autograd.recorded_backward import FrameLease, edges_to, make_output_rule, make_rule
from .._guards.identity import plain_parts
from .._recording.graph_breaks import CaptureError
from .._recording.pytrees import Tree, rebuilt
from .._recording.recording import AliasOutput, InputOutput, Output, Recording
from .._recording.records import NEW_LEAF, made_tensor
from .._recording.tensor_guards import ADDRESS, EXACT, RELEASE, checks_of, described, puts_of
from .arenas import new_arena
from .checked_calls import NEVER, Digest
from .failed_runs import finish_failed
from .lowering import Frame, Lowered, layout_of_block
from .optimizer_scalars import ScalarUpdate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_storage import Device

    from .._guards.guards import Check
    from .._guards.reads import Reads

MISS = object()
IDENTITY = -(1 << 30)  # special values of `missed`: an argument failed an identity check
OTHER_OBJECT = IDENTITY - 1
_spent = error_node("backward: the graph of a captured step ended inside it; call backward() there", None, ())


IN_USE = "{}: another thread is using this capture; use a separate capture in each thread"


class BusyFlag:
    """A flag that is set while a thread runs a captured function or its launches, during which it may release
    the GIL.
    """

    __slots__ = ("busy",)

    def __init__(self) -> None:
        self.busy = False


class Replay(BackwardReplay):
    """One capture. `replay(tensors)` runs it and returns the results, or MISS; then `missed` identifies the failed
    check.

    Arguments:
        recording: the recording.
        name: the name of the function.
        reads: the reads of the function.
        busy_flag: the flag that all replays of the function share.
    """

    reads_attributes = False  # True if it may read attributes that the program has set on an argument
    check_at = NEVER  # the number of replays after which the next call is checked
    checks_made = 0
    used_at = 0  # larger than that of replays of the function that ran earlier
    compared_at = ""  # a description of the line that compares values by identity
    # arguments that it compares by identity, by index in `plain_parts`
    identity_args: list[tuple[int, Any]] | tuple[()] = ()

    def __init__(self, recording: Recording, name: str, reads: Reads | None, busy_flag: BusyFlag):
        recorder = recording.recorder
        self.recording, self.name, self.busy_flag = recording, name, busy_flag
        self.count = self.missed = 0
        self.is_improved = False  # True if passes ran over it
        self._digest: Digest | None = None
        self.reason = ""  # the guard of earlier captures that failed
        self.launches_before = len(recording.launches)  # before any passes
        self.lowered = Lowered(recording)
        self.layouts = [layout_of_block(recording, tensor) for tensor in recording.outputs]
        streams = list(recorder.generators.values())
        self.generators = [stream.generator for stream in streams]
        self.outer_backwards, self.backward_ends = recorder.outer_backwards, recorder.backward_ends
        self.drawn = [stream.generator._offset - stream.start if stream.follows else None for stream in streams]
        # of generators that the program seeded
        self.set = [(stream.generator._key, stream.generator._offset) for stream in streams]
        self.actions = [action for _, action in recorder.actions]
        refills = [] if recorder.reads_options else recorder.refills
        self.refills = [ScalarUpdate(refill) for refill in refills]
        self.inputs = recording.inputs
        self.versions = recording.versions
        self.finds_inputs = bool(self.outer_backwards or self.backward_ends or self.versions.pairs)
        self.identities = frozenset() if reads is None else reads.identities()
        self.guards = [] if reads is None else reads.all_guards()
        self.checks: list[Check] = [guard.check for guard in self.guards]
        back = None if reads is None else reads.back
        self.read_by_call = [] if reads is None else [guard.check for guard in reads.guards.all()]
        # compared by the backward pass
        self.read_backwards = [] if back is None else [guard.check for guard in back.guards.all()]
        self.checks += checks_of(recording, [refill.group for refill in refills])
        self.puts = puts_of(recording, self.checks)
        self.numbers_from = len(self.checks)
        self.checks += [refill.check() for refill in self.refills]
        self.has_backward = bool(recording.roots)
        self.frames: list[Frame] = []
        if self.has_backward:
            self.rule, self.rule_of_one = make_rule(name, len(recording.roots)), make_output_rule(name)
        is_plain = not (self.generators or self.versions.inputs or self.has_backward or self.outer_backwards)
        is_plain = is_plain and not (self.identities or self.backward_ends)
        single = recording.result
        # the only result, if the sequence can create it
        self.single = single if type(single) is Output and is_plain and single.root != NEW_LEAF else None

    @property
    def served(self) -> int:
        """The number of calls that it served: replays and checked calls."""
        return self.count + self.checks_made

    # -------------------------------------------------------------------------------------------------------- memory
    @property
    def device(self) -> Device:
        """The device of all launches."""
        return self.recording.recorder.launch_device

    @property
    def pool_bytes(self) -> int:
        """The size of the temporaries in bytes."""
        return self.lowered.pool_bytes

    def digest(self) -> Digest:
        """Return the digest of the recording before passes."""
        if self._digest is None:
            self._digest = Digest(self.recording)
        return self._digest

    def knows(self, values: Iterable[Any]) -> bool:
        """Return True if the function also reaches one of these values without the arguments and compares
        identities.
        """
        if self.identities.isdisjoint(map(id, values)):
            return False
        self.missed = IDENTITY
        return True

    def has_same_objects(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return True if the plain arguments that the function compares by identity are the objects of the capture."""
        parts = plain_parts(args, kwargs)
        if all([parts[at] is arg for at, arg in self.identity_args]):
            return True
        self.missed = OTHER_OBJECT
        return False

    def fits(self, tensors: tuple[Tensor, ...], containers: Iterable[Any]) -> bool:
        """Return True if a call with these arguments would be replayed."""
        found = find_inputs(self, tensors)
        if self.identities and self.knows((*tensors, *containers)):
            return False
        if isinstance(found, int):
            self.missed = -1 - found
            return False
        missed = self.lowered.forward.missed(self.checks, found)
        if missed is not None and self.numbers_from <= missed < len(self.checks) and self.refill():
            missed = self.lowered.forward.missed(self.checks, found)
        self.missed = 0 if missed is None else missed
        return missed is None

    def rewrite(self, recording: Recording) -> None:
        """Use a recording that passes have transformed. `use` must be called next. Earlier results keep their
        memory.
        """
        if self.check_at != NEVER:
            self.digest()
        self.recording, self.lowered, self.frames = recording, Lowered(recording, thorough=True), []
        numbers = recording.recorder.refills
        self.refills = [ScalarUpdate(number) for number in numbers] if self.refills else []
        self.checks[self.numbers_from :] = [refill.check() for refill in self.refills]

    @property
    def has_memory(self) -> bool:
        """True if it can run: replays whose results have a backward pass take memory for each of them."""
        return self.has_backward or bool(self.frames)

    def release_memory(self) -> None:
        """Release the memory of temporaries that no earlier result needs."""
        self.frames = [frame for frame in self.frames if frame.lease is not None and frame.lease() is not None]
        self.lowered.keep_sequences(self.frames)

    def use(self, arena: Storage) -> None:
        """Place temporaries in this memory, which replays share."""
        if not self.has_backward:
            self.frames = [self._frame(arena)]

    def _frame(self, arena: Storage) -> Frame:
        base, lowered = arena.ptr, self.lowered
        lowered.forward.name = self.name
        forward = lowered.forward.sequence(base, lowered.places, self.checks, self.puts)
        if (single := self.single) is not None:
            node = _spent if single.wants_grad else None
            forward.returns(Tensor, single.layout, single.offset, node, self.layouts[0], RELEASE)
        for refill in self.refills:
            refill.put(forward, lowered.forward.step_of)
        backwards: list[Sequence] = []
        if self.has_backward:
            storages = {id(storage): storage for storage in self.recording.fixed.values()}
            checks: list[Check] = [(CheckKind.SLOT, storage, ADDRESS, storage.ptr) for storage in storages.values()]
            for backward in lowered.backwards:
                backward.part.name = f"{self.name} backward"
            backwards = [backward.part.sequence(base, lowered.places, checks, []) for backward in lowered.backwards]
        return Frame(arena, forward, backwards, lowered)

    def _free_frame(self) -> Frame:
        """Return memory that no earlier result needs."""
        for frame in self.frames:
            if frame.lease is None or frame.lease() is None:
                return frame
        frame = self._frame(new_arena(self.lowered.arena_layout))
        self.frames.append(frame)
        return frame

    # ------------------------------------------------------------------------------------------------------- running
    def replay(self, tensors: tuple[Tensor, ...]) -> Any:
        """Run the capture if all checks pass; otherwise return MISS."""
        busy_flag = self.busy_flag
        if busy_flag.busy:
            raise CaptureError(IN_USE.format(self.name))
        if self.count == self.check_at:
            return MISS
        if self.single is not None and not collecting:  # the most frequent case, which C code serves
            (frame,) = self.frames
            busy_flag.busy = True
            try:
                result = frame.forward.serve(tensors)
            except BaseException as error:
                finish_failed(self, frame, tensors, error)
                raise
            finally:
                busy_flag.busy = False
            if type(result) is int:
                self.missed = result
                return MISS
            self.count += 1
            for action in self.actions:
                action()
            return result
        if self.identities and self.knows(tensors):
            return MISS
        found = find_inputs(self, tensors) if self.finds_inputs else tensors
        if isinstance(found, int):
            self.missed = -1 - found
            return MISS
        tensors, frame = found, self._free_frame()
        storages = [allocate(layout) for layout in self.layouts]
        rng_values = [part for generator in self.generators for part in (generator._key, generator._offset)]
        values = (*[storage.ptr for storage in storages], *rng_values)
        busy_flag.busy = True
        try:
            missed = frame.forward.run(tensors, values)
        except BaseException as error:
            finish_failed(self, frame, tensors, error)
            raise
        finally:
            busy_flag.busy = False
        if missed is not None:
            self.missed = missed
            return MISS
        self.count += 1
        for generator, count, state in zip(self.generators, self.drawn, self.set, strict=True):
            if count is None:
                generator._key, generator._offset = state
            else:
                generator._offset += count
        for backward in self.outer_backwards:
            backward.finish()
        for place, count, operation, site in self.versions.inputs:
            storage = tensors[place]._storage
            storage.version, storage.mutator = storage.version + count, (operation, *site)  # type: ignore[operator]
        for action in self.actions:
            action()
        nodes = self._nodes(frame, tensors, storages, rng_values) if self.has_backward else {}
        return self._build_result(self.recording.result, tensors, storages, nodes, {})

    def _nodes(
        self, frame: Frame, tensors: tuple[Tensor, ...], storages: list[Storage], rng_values: list[int]
    ) -> dict[int, Node]:
        """Return the nodes of differentiable results, by their index among the roots; all share one lease."""
        lease = FrameLease(self, frame, tuple([snapshot(tensor) for tensor in tensors]), storages, rng_values)
        targets: list[Any] = [target if place is None else tensors[place] for place, target in self.recording.targets]
        lease.edges = edges_to(targets)
        lease.versions = [storage.version for storage in self._saved_storages(lease)]
        frame.lease = ref(lease)
        node = Node()
        node.rule, node.seq, node.rest = self.rule, next_seq(), lease
        node.code, node.lasti = user_site()
        count = len(self.recording.roots)
        if count == 1:
            return {0: node}
        nodes = {place: output_node(node, place, count) for place in range(count)}
        for created in nodes.values():
            created.rule = self.rule_of_one
        lease.results = [ref(created) for created in nodes.values()]
        return nodes

    def _build_result(
        self,
        output: Any,
        tensors: tuple[Tensor, ...],
        storages: list[Storage],
        nodes: dict[int, Node],
        made: dict[int, Any],
    ) -> Any:
        kind = type(output)
        if kind is Output:
            if id(output) in made:
                return made[id(output)]
            made[id(output)] = made_tensor(
                output.layout, storages[output.place], output.offset, _node_of(output, nodes)
            )
            return made[id(output)] if output.root != NEW_LEAF else made[id(output)].requires_grad_()
        if kind is InputOutput:
            return tensors[output.place]
        if kind is AliasOutput:
            if id(output) in made:
                return made[id(output)]
            given = tensors[output.argument]
            t = made_tensor(output.layout, given._storage, given._offset + output.offset, _node_of(output, nodes))
            if output.is_view:
                t._viewed = given
                adapter_of(t).register_output(t, t)
            made[id(output)] = t
            return t if output.root != NEW_LEAF else t.requires_grad_()
        if kind is Tree:
            if id(output) not in made:
                parts = [self._build_result(part, tensors, storages, nodes, made) for part in output.parts]
                made[id(output)] = rebuilt(output, parts)
            return made[id(output)]
        if id(output) in self.recording.views:
            if id(output) not in made:
                made[id(output)] = output.as_subclass(Tensor)
            return made[id(output)]
        return output

    # -------------------------------------------------------------------------------------------------- failed checks
    def refill(self) -> bool:
        """Update the scalars of optimizers; return False if their steps differ from the recorded ones."""
        found = [numbers for refill in self.refills if (numbers := refill.present_numbers()) is not None]
        if len(found) < len(self.refills):
            return False
        for refill, numbers in zip(self.refills, found, strict=True):
            refill.renew(numbers)
        self.checks[self.numbers_from :] = [refill.check() for refill in self.refills]
        for frame in self.frames:
            for refill in self.refills:
                refill.put(frame.forward, self.lowered.forward.step_of)
            for place, (*_, option) in enumerate(self.checks[self.numbers_from :], self.numbers_from):
                frame.forward.expect(place, option)
        return True

    @property
    def name_of_missed(self) -> str:
        """The name of the variable or attribute that has changed; "" for other checks."""
        return self.guards[self.missed].name if 0 <= self.missed < len(self.guards) else ""

    @property
    def remedy(self) -> str:
        """The remedy for state that changes often, for the check that failed."""
        is_exact = 0 <= self.missed < len(self.guards) and self.guards[self.missed].kind in EXACT.values()
        if is_exact or self.missed == OTHER_OBJECT:
            return "compare it with ==, or let it be an enum member or None"
        return "make it an argument, or a tensor that is changed in place"

    def describe(self, missed: int) -> str:
        """Return the subject of a failed check."""
        if missed == OTHER_OBJECT:
            return f"which object an argument is{self.compared_at}"
        if missed == IDENTITY:
            return "the identity of an argument with an object that the function also accesses"
        if missed < 0:
            parts = "the layout, class, graph, hooks or requires_grad"
            return f"{parts} of argument {-1 - missed}, or its overlap with written memory"
        if missed < len(self.guards):
            return self.guards[missed].described()
        return described(self.checks[missed]) if missed < len(self.checks) else "another thread's use of it"


def _node_of(output: Output | AliasOutput, nodes: dict[int, Node]) -> Node | None:
    """Return the node of a result tensor; a new leaf gets its node from `requires_grad_`."""
    return None if output.root == NEW_LEAF else nodes.get(output.root, _spent if output.wants_grad else None)
