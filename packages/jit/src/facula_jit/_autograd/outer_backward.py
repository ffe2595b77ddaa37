"""Backward passes of a captured function through graphs that existed before the call.

The graph of an argument differs between calls, and so do its saved values. The graph of another capture's result is
known: its backward pass is a list of launches on memory that a lease references (Note [Saved sets] in
recorded_backward.py). It can therefore be recorded, and each replay finds the memory through the node of its own
argument. Any other graph breaks the capture.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.hooks import WrappedRule
from facula_autograd.extend.nodes import LEAF, Node, Rule
from facula_errors.extend import guarded
from facula_storage.extend.recording import Place
from facula_tensor.extend.declaring import no_record_ops
from facula_tensor.extend.recording import user_site

from .._recording.graph_breaks import HOOKS_RUN, GraphBreak
from .._recording.records import Address, Stream, made_tensor
from .._recording.rng_values import RngValue
from .._recording.signature import has_hooks
from .recorded_backward import FrameLease, free, main_of, release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_storage import Storage
    from facula_tensor import Tensor

    from .._recording.recorder import Recorder
    from .backward_replay import BackwardReplay


HOOKED = "a hook is registered on a tensor computed before the call", "register it before the call, or after"


class SavedGenerator:
    """The seed and the offset that a generator had in the captured forward pass; it has the attributes of a
    generator.
    """

    __slots__ = ("_key", "_offset")

    def __init__(self, key: int, offset: int):
        self._key, self._offset = key, offset


class OuterBackward:
    """The captured graph of an argument through which a function runs a backward pass.

    Arguments:
        parent: the outer backward pass with an edge to this one; None if an argument has the graph.
        place: the index of the edge, or of the argument.
        lease: the lease in the node in this run.
        rule: the rule of the node.
    """

    def __init__(self, parent: OuterBackward | None, place: int, lease: FrameLease, rule: Rule):
        self.parent, self.place, self.rule = parent, place, rule
        self.replay, self.lowered = lease.replay, lease.frame.lowered  # at this time: passes replace it
        self.argument: int = place if parent is None else parent.argument
        self.edges = [None if type(edge) is Node else edge for edge in lease.edges]
        self.generators = [SavedGenerator(*lease.rng_values[at : at + 2]) for at in range(0, len(lease.rng_values), 2)]
        self.is_recorded = False
        self.freed: Rule | None = None  # the rule of the node after the pass, if the graph is not retained
        self.ends: list[int] = []  # the arguments that are among several results of a capture and are freed
        self.node: Node | None = None  # of the current call
        self.ended: list[Any] = []  # the nodes of `ends` in the current call

    def find(self, tensors: tuple[Tensor, ...]) -> FrameLease | None:
        """Return the lease in a call with the arguments `tensors`; None if the graph differs or has been freed."""
        edge = tensors[self.place].node if self.parent is None else self._edge_of_parent()
        node = self.node = main_of(edge)
        self.ended = [tensors[place].node for place in self.ends]
        lease = getattr(node, "rest", None)
        if (
            node is None
            or node.rule is not self.rule
            or type(lease) is not FrameLease
            or lease.replay is not self.replay
        ):
            return None
        if lease.frame.lowered is not self.lowered:
            return None
        if any([own is not None and own is not current for own, current in zip(self.edges, lease.edges, strict=True)]):
            return None
        self.replay.check_versions(lease)
        for at, generator in enumerate(self.generators):
            generator._key, generator._offset = lease.rng_values[2 * at : 2 * at + 2]
        return lease

    def holds(self, lease: FrameLease) -> bool:
        """Return True if it is the outer backward pass of this lease's node in the recorded run."""
        return getattr(self.node, "rest", None) is lease

    def _edge_of_parent(self) -> Any:
        assert self.parent is not None
        assert self.parent.node is not None
        return self.parent.node.rest.edges[self.place]  # type: ignore[attr-defined]  # a lease: it was found

    def finish(self) -> None:
        """Release the node's saved values after the backward pass, if the captured run released them."""
        if self.freed is not None and self.node is not None:
            lease: FrameLease = self.node.rest  # type: ignore[assignment]  # it was found
            for link in self.ended:
                free(link, self.freed)
            if self.ended:
                release(self.node, lease)
            else:
                free(self.node, self.freed)
        self.node, self.ended = None, []


def memory_of(lease: FrameLease) -> list[Tensor]:
    """Return the memory that a captured backward pass reads: temporaries, the arguments of the forward pass, its
    results.
    """
    arena = made_tensor(lease.frame.lowered.arena_layout, lease.frame.arena, 0, None)
    results = [
        made_tensor(layout, storage, 0, None)
        for layout, storage in zip(lease.replay.layouts, lease.outputs, strict=True)
    ]
    return [arena, *lease.inputs, *results]


def find_inputs(replay: BackwardReplay, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...] | int:
    """Return the arguments and the memory of the graphs behind them; otherwise the index of an argument whose hooks a
    backward pass would run, that has another graph, or that shares its storage with other arguments than in the run.
    """
    found = list(tensors)
    for place in replay.backward_ends:
        if has_hooks(tensors[place]):
            return place
    for backward in replay.outer_backwards:
        lease = backward.find(tensors)
        if lease is None:
            return backward.argument
        found += memory_of(lease)
    return replay.recording.versions.differ(tuple(found))


def is_recorded_pass(recorder: Recorder, lease: FrameLease) -> bool:
    """Return True if the current pass through this lease's node is recorded; otherwise break the capture."""
    if any([backward.holds(lease) for backward in recorder.outer_backwards]):
        return recorder.breaks is None
    recorder.broken(
        "the backward of another capture runs here", "make its result an argument, or capture both together"
    )
    return False


@guarded
def watch_outer_backwards(recorder: Recorder) -> Iterator[None]:
    """Return a context manager that detects backward passes through the graphs of arguments."""
    watched: list[tuple[Node, Rule, Rule, OuterBackward | None]] = []
    hooked: list[tuple[WrappedRule, Rule, list[object]]] = []
    known: set[int] = set()
    edges: list[tuple[Any, OuterBackward | None, int]] = [
        (tensor.node, None, at) for at, tensor in enumerate(recorder.inputs)
    ]
    for edge, parent, place in edges:  # the loop appends to it
        node = main_of(edge)
        if node is None or id(node) in known:
            continue
        known.add(id(node))
        rule, lease = node.rule, getattr(node, "rest", None)
        outer = None
        if type(lease) is FrameLease:
            outer = OuterBackward(parent, place, lease, rule)
            edges += [(further, outer, at) for at, further in enumerate(lease.edges)]
        if type(around := rule.extra) is WrappedRule:  # hooks that are added find this object
            hooked.append((around, around.inner, around.watchers()))
            around.inner = _with_notice(recorder, outer, around.inner)
        else:
            node.rule = _with_notice(recorder, outer, rule)
            watched.append((node, node.rule, rule, outer))
    nodes = [(place, tensor.node) for place, tensor in enumerate(recorder.inputs) if type(tensor.node) is Node]
    parts = [(place, node) for place, node in nodes if main_of(node) is not node]
    try:
        yield
    finally:
        for place, part in parts:
            if part.rule.name == "freed":
                outer = next(outer for node, _, _, outer in watched if node is part.e0)
                if outer is not None:
                    outer.freed = part.rule
                    outer.ends.append(place)
        for node, own, rule, outer in watched:
            if node.rule is own:
                node.rule = rule
            elif getattr(node, "s0", None) is own:  # the node has run
                node.s0 = rule
                if outer is not None:
                    outer.freed = node.rule
            elif (around := _surrounding(node, own)) is not None:
                around.inner = rule
                recorder.broken(*HOOKED)
        for around, inner, before in hooked:
            around.inner = inner
            if around.watchers() != before:
                recorder.broken(*HOOKED)


def _hooks(leaf: Tensor) -> list[tuple[int, Any]]:
    hooks = leaf.hooks if has_hooks(leaf) else None
    return [] if hooks is None else [*hooks.value_hooks.items(), *hooks.after.items()]


@guarded
def hooks_of_arguments(recorder: Recorder) -> Iterator[None]:
    """Return a context manager that breaks the capture if hooks of an argument run, are added or removed."""
    leaves = [tensor for tensor in recorder.inputs if tensor.node is LEAF]
    before = [_hooks(leaf) for leaf in leaves]
    noticing = [leaf.register_hook(partial(_notice, recorder)) for leaf in leaves if has_hooks(leaf)]
    try:
        yield
    finally:
        for handle in noticing:
            handle.remove()
        if [_hooks(leaf) for leaf in leaves] != before:
            recorder.broken("hooks of an argument are registered or removed", "do so outside of the function")


def _notice(recorder: Recorder, _: object) -> None:
    recorder.broken(*HOOKS_RUN)


def _surrounding(node: Node, rule: Rule) -> Any:
    """Return the wrapper that hooks have added to the rule of a node, which may have run."""
    extras = [rule_.extra for rule_ in (node.rule, getattr(node, "s0", None)) if type(rule_) is Rule]
    return next((extra for extra in extras if getattr(extra, "inner", None) is rule), None)


def _with_notice(recorder: Recorder, outer: OuterBackward | None, rule: Rule) -> Rule:
    """Return the rule with a backward function that first notifies the recorder."""

    def backward(F: Any, node: Node, gradients: Any) -> Any:
        if outer is None:
            recorder.foreign_backward = recorder.foreign_backward or GraphBreak(
                "a backward pass runs through a graph from before the call",
                "compute it in the captured function, or in another one",
                user_site(),
            )
        elif F is no_record_ops:
            _record_outer(recorder, outer, node)
        return rule.backward(F, node, gradients)

    return Rule(rule.name, backward, rule.fresh, rule.saves, rule.edges, rule.jvp, rule.extra)


def _record_outer(recorder: Recorder, outer: OuterBackward, node: Node) -> None:
    """Add the memory of the captured backward pass to the arguments of replays."""
    if outer.is_recorded or recorder.breaks is not None:
        return
    outer.is_recorded = True
    lease: FrameLease = node.rest  # type: ignore[assignment]
    recorder.outer_backwards.append(outer)
    outer.node = node
    for tensor in memory_of(lease):
        recorder.add_input(tensor)
    for generator in outer.generators:
        recorder.generators[id(generator)] = Stream(generator, generator._offset, len(recorder.generators))


def record_launches(
    recorder: Recorder, lease: FrameLease, number: int, given: list[Tensor], storages: list[Storage]
) -> None:
    """Run one pass of a captured backward launch by launch, and report each launch to the recorder.

    Arguments:
        recorder: the recorder.
        lease: the lease in the node of the captured forward pass.
        number: the index of the pass.
        given: the gradients of the results.
        storages: the memory of the gradients that it computes.
    """
    lowered = lease.frame.lowered
    part = lowered.backwards[number].part
    outer = next(backward for backward in recorder.outer_backwards if backward.holds(lease))
    sources = [(tensor._storage, tensor._offset) for tensor in (*lease.inputs, *given)]
    sources += [(tensor, 0) for tensor in (*lease.outputs, *storages)]

    def place_of(address: Address) -> Place:
        where, offset = part.place_of(address)
        if where is None:
            where, offset = lease.frame.arena, offset + lowered.places[address.block]
        elif isinstance(where, int):
            where, start = sources[where]
            offset += start
        return Place(where, offset, address.layout, address.written)

    for step in part.steps:
        if not isinstance(step, int):
            recorder.broken("the backward of another capture has conditional parts", "capture both together")
            return
        launch = part.recording.launches[step]
        told: list[Any] = []
        values: list[Any] = []
        for at, argument in enumerate((*launch.arguments, None)):
            if at == launch.arrays and launch.plan.workspace:
                values.append(lease.frame.arena.ptr + lowered.places[-1 - step])
            if type(argument) is Address:
                told.append(place_of(argument))
                values.append(told[-1].storage.ptr + told[-1].offset)
            elif type(argument) is RngValue:
                stream = recorder.generators[id(outer.generators[argument.source // 2])]
                source = 2 * stream.place + argument.source % 2
                told.append(
                    RngValue.of(lease.rng_values[argument.source] + argument.delta, recorder, source, argument.delta)
                )
                values.append(int(told[-1]))
            elif argument is not None:
                told.append(argument)
                values.append(argument)
        recorder.launching([place for place in told if type(place) is Place and place.written])
        launch.plan.launch(*values)
        recorder.launched(launch.plan, told[0], told[1:], launch.arrays - 1)
