"""Passes that compute only the gradients of selected inputs: the nodes to run, and the edges to intercept."""

from __future__ import annotations

from facula_errors import InvalidTypeError

from .._adapters import adapter_of
from .._errors import GradientError
from .._graph.hooks import apply_grad_hooks, run_after_hooks, run_wrapped
from .._graph.node import LEAF, Node, Rule, copy_node, edge_to, edges_of, free
from .engine import (
    accumulate_grad,
    accumulate_recorded_grad,
    add,
    add_recorded,
    leaf_nodes_below,
    lowest_seqs,
    run_leaf_node,
    walk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._graph.node import Edge, Pairs
    from .._types import Leaf
    from .engine import Watch


def select_inputs(
    pairs: list[tuple[Node | Leaf, object]],
    inputs: Sequence[object],
    collect: Callable[[Leaf, object], None] | None,
    freed: Rule | None,
    create: bool,
    name: str,
    check: Watch | None,
) -> tuple[list[tuple[Node | Leaf, object]], Watch, dict[int, Node]]:
    """Return the starts that lead to `inputs`, the function that restricts the pass to the route, and the route."""
    if not inputs:
        raise GradientError(f"{name}: expected inputs=None or at least one value; got an empty sequence")
    unique: dict[int, Leaf] = {}
    for k, value in enumerate(inputs):
        if not hasattr(value, "node"):
            raise InvalidTypeError(
                f"{name}: expected differentiable values as inputs; input {k} is of type {type(value).__name__}"
            )
        if value.node is None:
            raise GradientError(
                f"{name}: expected inputs that require grad; input {k} ({adapter_of(value).describe(value)}) does not"
            )
        unique[id(value)] = value  # type: ignore[assignment]
    receive = _accumulator(create) if collect is None else collect
    route = route_to_inputs([e for e, _ in pairs], list(unique.values()), receive, collect is None, freed)

    def watch(node: Node, rule: Rule, pairs: Pairs) -> Pairs:
        if check is not None:
            check(node, rule, pairs)
        return [(route[id(e)], h) for e, h in pairs if id(e) in route]

    return [(route[id(e)], h) for e, h in pairs if id(e) in route], watch, route


def leads_only_to(values: Iterable[Leaf], inputs: Sequence[Leaf]) -> bool:
    """Whether a plain backward pass from `values` only changes the `.grad` of leaves among `inputs`."""
    own = {id(v) for v in inputs if v.hooks is None and v._grad is None}
    seen = set()
    stack = [edge_to(v) for v in values]
    while stack:
        e = stack.pop()
        if type(e) is not Node:
            if e is not None and id(e) not in own:
                return False
        elif id(e) not in seen:
            seen.add(id(e))
            try:
                stack += (e.e0, e.e1)
                more = e.rule.edges
            except AttributeError:  # the edge's slot is unset
                more = edges_of
            if more is not None:
                stack += more(e)
    return True


def _accumulator(create: bool) -> Callable[[Leaf, object], None]:
    def accumulate(value: Leaf, g: object) -> None:
        if value.node is LEAF:
            (accumulate_recorded_grad if create else accumulate_grad)(value, g, False)
            return
        former, adapter = getattr(value, "_grad", None), adapter_of(g)
        if former is None:
            value._grad = adapter.recorded_ops.clone(g) if create else adapter.clone(g)
        else:
            value._grad = (add_recorded if create else add)(former, g)

    return accumulate


class _Selected:
    """The work of the substitute for one node. `collect` is None unless the node's own gradient is wanted."""

    __slots__ = ("collect", "freed", "goes_on", "node", "target")

    def __init__(self, node: Node, target: Node, goes_on: bool, freed: Rule | None) -> None:
        self.node, self.target, self.goes_on, self.freed = node, target, goes_on, freed
        self.collect: Callable[[object], None] | None = None


def route_to_inputs(
    edges: Iterable[Edge],
    inputs: Sequence[Leaf],
    collect: Callable[[Leaf, object], None],
    accumulates: bool,
    freed: Rule | None,
) -> dict[int, Node]:
    """Return a route for a pass that starts at `edges`: the destination of a gradient, by the id of its edge.

    Edges that lead to none of the `inputs` are absent. `collect(input, gradient)` is called once for each input that is
    reached, with its complete gradient. `accumulates` states that it updates `.grad`, so that hooks on that run. A node
    whose edges are all wanted represents itself. Other nodes get a substitute, which hides the remaining edges from the
    rule, so that the rule computes nothing for them.
    """
    edges = list(edges)
    asked: dict[int, list[Leaf]] = {}
    for value in inputs:
        asked.setdefault(id(edge_to(value)), []).append(value)

    nodes = walk(edges)
    live = set(asked)
    goes_on: dict[int, bool] = {}
    for node in sorted(nodes.values(), key=lambda node: node.seq):  # producers first
        goes_on[id(node)] = any(id(e) in live for e in edges_of(node) if e is not None)
        if goes_on[id(node)]:
            live.add(id(node))

    route = {}
    for key, node in nodes.items():
        if key in live:
            route[key] = _stand_in(node, live, goes_on[key], asked.get(key), collect, freed)
    running = [node for key, node in nodes.items() if key in live]
    low = lowest_seqs(running, lambda e: id(e) in asked)
    for e in edges:  # an input that is itself a root
        if e is not None and type(e) is not Node and id(e) in asked:
            low.setdefault(id(e), (e, 0))

    def leaf_rule(leaf: Leaf) -> Rule:
        def accumulate(leaf: Leaf, g: object, own: bool) -> None:
            for value in asked[id(leaf)]:
                collect(value, g)

        return Rule("AccumulateGrad", run_leaf_node, None, False, extra=(leaf, accumulate, accumulates))

    route.update(leaf_nodes_below(low, (), leaf_rule))
    return route


def _stand_in(
    node: Node,
    live: set[int],
    goes_on: bool,
    asked: list[Leaf] | None,
    collect: Callable[[Leaf, object], None],
    freed: Rule | None,
) -> Node:
    hidden = [slot for slot in ("e0", "e1") if id(getattr(node, slot, None)) not in live]
    hidden = [slot for slot in hidden if getattr(node, slot, None) is not None]
    if asked is None and not hidden:
        return node
    target = node
    if hidden and goes_on:
        target = copy_node(node)
        for slot in hidden:
            setattr(target, slot, None)
    what = _Selected(node, target, goes_on, freed)
    if asked is not None:

        def collect_all(g: object) -> None:
            for value in asked:
                collect(value, g)

        what.collect = collect_all
    stand_in = Node()
    stand_in.rule = Rule(node.name(), _run_selected, None if asked else node.rule.fresh, False, extra=what)
    stand_in.seq = node.seq
    stand_in.code, stand_in.lasti = getattr(node, "code", None), getattr(node, "lasti", 0)  # type: ignore[assignment]
    return stand_in


def _run_selected(F: object, stand_in: Node, g: object) -> Pairs:
    what: _Selected = stand_in.rule.extra
    node = what.node
    hooked = node.rule.backward is run_wrapped
    if what.collect is not None:
        if hooked:
            g = apply_grad_hooks(F, node, g)
        what.collect(g)
    if not what.goes_on:
        return ()
    run = run_after_hooks if hooked and what.collect is not None else node.rule.backward
    pairs = run(F, what.target, g)
    if what.freed is not None:
        free(node, what.freed)
    return pairs
