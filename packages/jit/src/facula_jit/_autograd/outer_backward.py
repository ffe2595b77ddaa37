"""Backward passes that a captured function makes through graphs from before the call.

The graph of an argument is another one in each call, and so is what it saved. That of another capture's result is
known: its backward is a list of launches on memory that a ticket names (Note [Saved sets] in recorded_backward.py). So
it is taken down like any other work, and each replay finds the memory by way of its own argument's node. Any other
graph breaks the capture.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Node, Rule, WrappedRule
from facula_errors.extend import guarded
from facula_storage.extend import Place
from facula_tensor.extend import no_record_ops, user_site

from .._recording.graph_breaks import HOOKS_RUN, Break
from .._recording.records import Address, Stream, made_tensor
from .._recording.rng_values import Cell
from .._recording.signature import has_hooks
from .recorded_backward import Ticket, free, main_of, release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_storage import Storage
    from facula_tensor import Tensor

    from .._recording.recorder import Recorder


HOOKED = "a hook is registered on what was computed before the call", "register it before the call, or after"


class Held:
    """The seed and the place in its stream that a generator had in the captured forward: it looks like a generator."""

    __slots__ = ("_key", "_offset")

    def __init__(self, key: int, offset: int):
        self._key, self._offset = key, offset


class Crossing:
    """The captured graph of an argument that a function goes back through.

    Arguments:
        parent: the crossing whose edge leads here; None where an argument itself does.
        place: which edge, or which argument.
        ticket: what the node holds in this run.
        rule: the node's.
    """

    def __init__(self, parent: Crossing | None, place: int, ticket: Ticket, rule: Rule):
        self.parent, self.place, self.rule = parent, place, rule
        self.replay, self.lowered = ticket.replay, ticket.frame.lowered  # as it was then: passes make another
        self.argument: int = place if parent is None else parent.argument
        self.edges = [None if type(one) is Node else one for one in ticket.edges]
        self.held = [Held(*ticket.cells[at : at + 2]) for at in range(0, len(ticket.cells), 2)]
        self.is_crossed = False
        self.freed: Rule | None = None  # what the node gets once it has run, if the graph is not retained
        self.ends: list[int] = []  # the arguments that are one of several results and end
        self.node: Node | None = None  # of the call under way
        self.ended: list[Any] = []  # the nodes of `ends` in it

    def find(self, tensors: tuple[Tensor, ...]) -> Ticket | None:
        """The ticket in this call, whose arguments are `tensors`; None where there is another graph, or it has run."""
        edge = tensors[self.place].node if self.parent is None else self._edge_of_parent()
        node = self.node = main_of(edge)
        self.ended = [tensors[place].node for place in self.ends]
        ticket = getattr(node, "rest", None)
        if node is None or node.rule is not self.rule or type(ticket) is not Ticket or ticket.replay is not self.replay:
            return None
        if ticket.frame.lowered is not self.lowered:
            return None
        if any([own is not None and own is not one for own, one in zip(self.edges, ticket.edges, strict=True)]):
            return None
        self.replay.check_versions(ticket)
        for at, one in enumerate(self.held):
            one._key, one._offset = ticket.cells[2 * at : 2 * at + 2]
        return ticket

    def holds(self, ticket: Ticket) -> bool:
        """Whether it is the crossing of this ticket's node, in the run that is taken down."""
        return getattr(self.node, "rest", None) is ticket

    def _edge_of_parent(self) -> Any:
        assert self.parent is not None
        assert self.parent.node is not None
        return self.parent.node.rest.edges[self.place]  # type: ignore[attr-defined]  # a ticket: it was found

    def finish(self) -> None:
        """The backward has run: let go of what the node saved, if the run that was captured did."""
        if self.freed is not None and self.node is not None:
            ticket: Ticket = self.node.rest  # type: ignore[assignment]  # it was found
            for one in self.ended:
                free(one, self.freed)
            if self.ended:
                release(self.node, ticket)
            else:
                free(self.node, self.freed)
        self.node, self.ended = None, []


def memory_of(ticket: Ticket) -> list[Tensor]:
    """What a captured backward finds its values in: temporaries, the arguments of the forward, its results."""
    arena = made_tensor(ticket.frame.lowered.arena_layout, ticket.frame.arena, 0, None)
    results = [
        made_tensor(layout, storage, 0, None)
        for layout, storage in zip(ticket.replay.layouts, ticket.outputs, strict=True)
    ]
    return [arena, *ticket.inputs, *results]


def found_crossings(crossings: list[Crossing], tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...] | int:
    """The arguments, and the memory that the graphs behind them hold; else which argument has another graph."""
    found = list(tensors)
    for one in crossings:
        ticket = one.find(tensors)
        if ticket is None:
            return one.argument
        found += memory_of(ticket)
    return tuple(found)


def is_crossed(recorder: Recorder, ticket: Ticket) -> bool:
    """Whether the pass that is under way, through this ticket's node, is taken down; else the capture breaks."""
    if any([one.holds(ticket) for one in recorder.crossings]):
        return recorder.breaks is None
    recorder.broken(
        "the backward of another capture runs here", "make its result an argument, or capture both together"
    )
    return False


@guarded
def crossings(recorder: Recorder) -> Iterator[None]:
    """A block in which backward passes through the graphs of arguments are noticed."""
    watched: list[tuple[Node, Rule, Rule, Crossing | None]] = []
    hooked: list[tuple[WrappedRule, Rule, list[object]]] = []
    known: set[int] = set()
    edges: list[tuple[Any, Crossing | None, int]] = [(one.node, None, at) for at, one in enumerate(recorder.inputs)]
    for edge, parent, place in edges:  # which gets longer meanwhile
        node = main_of(edge)
        if node is None or id(node) in known:
            continue
        known.add(id(node))
        rule, ticket = node.rule, getattr(node, "rest", None)
        crossing = None
        if type(ticket) is Ticket:
            crossing = Crossing(parent, place, ticket, rule)
            edges += [(further, crossing, at) for at, further in enumerate(ticket.edges)]
        if type(around := rule.extra) is WrappedRule:  # which is found by hooks that come
            hooked.append((around, around.inner, around.watchers()))
            around.inner = _noticing(recorder, crossing, around.inner)
        else:
            node.rule = _noticing(recorder, crossing, rule)
            watched.append((node, node.rule, rule, crossing))
    nodes = [(place, one.node) for place, one in enumerate(recorder.inputs) if type(one.node) is Node]
    parts = [(place, node) for place, node in nodes if main_of(node) is not node]
    try:
        yield
    finally:
        for place, one in parts:
            if one.rule.name == "freed":
                crossing = next(crossing for node, _, _, crossing in watched if node is one.e0)
                if crossing is not None:
                    crossing.freed = one.rule
                    crossing.ends.append(place)
        for node, own, rule, crossing in watched:
            if node.rule is own:
                node.rule = rule
            elif getattr(node, "s0", None) is own:  # it has run
                node.s0 = rule
                if crossing is not None:
                    crossing.freed = node.rule
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
    """A block that breaks the capture where hooks of an argument run, or other ones are there in the end."""
    leaves = [one for one in recorder.inputs if one.node is LEAF]
    before = [_hooks(one) for one in leaves]
    noticing = [one.register_hook(partial(_notice, recorder)) for one in leaves if has_hooks(one)]
    try:
        yield
    finally:
        for handle in noticing:
            handle.remove()
        if [_hooks(one) for one in leaves] != before:
            recorder.broken("hooks of an argument are registered or removed", "do so outside of the function")


def _notice(recorder: Recorder, _: object) -> None:
    recorder.broken(*HOOKS_RUN)


def _surrounding(node: Node, rule: Rule) -> Any:
    """What hooks have put around the rule of a node, which may have run."""
    extras = [one.extra for one in (node.rule, getattr(node, "s0", None)) if type(one) is Rule]
    return next((one for one in extras if getattr(one, "inner", None) is rule), None)


def _noticing(recorder: Recorder, crossing: Crossing | None, rule: Rule) -> Rule:
    """The rule, whose backward tells the recorder first."""

    def backward(F: Any, node: Node, gradients: Any) -> Any:
        if crossing is None:
            recorder.outside = recorder.outside or Break(
                "a backward pass goes through what was computed before the call",
                "compute it in the captured function, or in another one",
                user_site(),
            )
        elif F is no_record_ops:
            _cross(recorder, crossing, node)
        return rule.backward(F, node, gradients)

    return Rule(rule.name, backward, rule.fresh, rule.saves, rule.edges, rule.jvp, rule.extra)


def _cross(recorder: Recorder, crossing: Crossing, node: Node) -> None:
    """Let the memory of the captured backward be what each replay is given."""
    if crossing.is_crossed or recorder.breaks is not None:
        return
    crossing.is_crossed = True
    ticket: Ticket = node.rest  # type: ignore[assignment]
    recorder.crossings.append(crossing)
    crossing.node = node
    for tensor in memory_of(ticket):
        recorder.add_input(tensor)
    for one in crossing.held:
        recorder.generators[id(one)] = Stream(one, one._offset, len(recorder.generators))


def take_down(recorder: Recorder, ticket: Ticket, number: int, given: list[Tensor], storages: list[Storage]) -> None:
    """Do one pass of a captured backward launch by launch, and tell the recorder of each.

    Arguments:
        recorder: who takes it down.
        ticket: what the node of the captured forward holds.
        number: which pass.
        given: the gradients of the results.
        storages: the memory of the gradients that it makes.
    """
    lowered = ticket.frame.lowered
    part = lowered.backwards[number].part
    crossing = next(one for one in recorder.crossings if one.holds(ticket))
    sources = [(one._storage, one._offset) for one in (*ticket.inputs, *given)]
    sources += [(one, 0) for one in (*ticket.outputs, *storages)]

    def place_of(one: Address) -> Place:
        where, offset = part.place_of(one)
        if where is None:
            where, offset = ticket.frame.arena, offset + lowered.places[one.block]
        elif isinstance(where, int):
            where, start = sources[where]
            offset += start
        return Place(where, offset, one.layout, one.written)

    for step in part.steps:
        if not isinstance(step, int):
            recorder.broken("a part of the backward of another capture may be left out", "capture both together")
            return
        launch = part.recording.launches[step]
        told: list[Any] = []
        values: list[Any] = []
        for at, one in enumerate((*launch.arguments, None)):
            if at == launch.arrays and launch.plan.workspace:
                values.append(ticket.frame.arena.ptr + lowered.places[-1 - step])
            if type(one) is Address:
                told.append(place_of(one))
                values.append(told[-1].storage.ptr + told[-1].offset)
            elif type(one) is Cell:
                stream = recorder.generators[id(crossing.held[one.source // 2])]
                source = 2 * stream.place + one.source % 2
                told.append(Cell.of(ticket.cells[one.source] + one.delta, recorder, source, one.delta))
                values.append(int(told[-1]))
            elif one is not None:
                told.append(one)
                values.append(one)
        recorder.launching([one for one in told if type(one) is Place and one.written])
        launch.plan.launch(*values)
        recorder.launched(launch.plan, told[0], told[1:], launch.arrays - 1)
