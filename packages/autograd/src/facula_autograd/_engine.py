"""The backward pass: nodes in descending order of `seq`, in one thread, without recursion.

Note [Order]
A consumer's sequence number is larger than its producers', so running the ready node with the
largest number is a topological order, and nothing is counted beforehand. The newest node stays
out of the heap: a chain never touches it.

Note [Ownership]
`own` says that the gradient at hand is memory which only the engine holds. Only such a gradient
becomes a `.grad` as it is, or is added into. A fresh one that went to one edge is owned; one that
was passed on to a single edge keeps the state it had; everything else is not. References are
never counted.

Note [Gates]
A leaf with hooks, and an input asked for by `grad`, is reached through a gate: a node of this pass
alone, whose number lies just below the lowest of the nodes that can still send a gradient to the
leaf. So it runs once, on the complete sum, as early as that is known.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import nextafter

from facula_errors import InvalidTypeError

from ._adapters import adapters, records
from ._graph import Node, Rule, edges_of, next_seq
from ._hooks import run_value_hooks
from ._modes import replace_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


def run(
    pairs: Sequence[tuple[Any, Any]],
    own: bool,
    F: Any,
    freed: Rule | None,
    create: bool,
    watch: Callable[[Node, Rule, Any], Any] | None,
) -> None:
    """Send the gradients in `pairs` to their edges, and go on until none is left.

    `own`: nobody else holds these gradients. `F`: the namespace for rules. `freed`: the rule that
    nodes get once they ran, or None to retain the graph. `create`: gradients are recorded.
    `watch(node, rule, pairs)`: called with every rule's result, and returns what to use instead.
    """
    ready: list[int] = []  # a heap of -seq
    waiting: dict[int, tuple[Node, Any, bool]] = {}
    gates: dict[int, Node] = {}
    plus, settle = (add_recorded, settle_recorded) if create else (add, settle_plain)
    if create and watch is None:
        watch = _as_is
    seq = next_g = None
    next_own = False
    while True:
        node = None
        for e, h in pairs:
            if type(e) is not Node:
                if e.hooks is None:
                    grad = e._grad
                    if grad is None or create:
                        settle(e, h, own)
                    else:
                        e._grad = adapters[type(grad)].add_into(grad, h)
                    continue
                e = gates.get(id(e)) or _gates(e, gates, pairs, node, waiting, seq, settle)
            if e is node:
                if next_own:
                    next_g = adapters[type(next_g)].add_into(next_g, h)
                else:
                    next_g = plus(next_g, h)
                    next_own = not create
            elif node is None:
                node, next_g, next_own = e, h, own
            else:
                _wait(e, h, own, ready, waiting, plus, create)
        if node is None:
            if not ready:
                return
            node, g, own = waiting.pop(heappop(ready))
        elif ready and -ready[0] >= node.seq:  # equal: this very node waits already, with a part of its sum
            _wait(node, next_g, next_own, ready, waiting, plus, create)
            node, g, own = waiting.pop(heappop(ready))
        else:
            g, own = next_g, next_own
        rule = node.rule
        seq = node.seq
        try:
            pairs = rule.backward(F, node, g)
        except Exception as error:
            _blame(error, node)
            raise
        own = rule.fresh or (own and rule.fresh is False and len(pairs) == 1)
        if freed is not None and rule.saves:
            node.rule = freed
            node.s0 = rule
            node.s1 = node.rest = None
        if watch is not None:
            pairs = watch(node, rule, pairs)
            own = own and not create


def _wait(
    e: Node, h: Any, own: bool, ready: list[int], waiting: dict, plus: Callable[[Any, Any], Any], create: bool
) -> None:
    key = -e.seq
    entry = waiting.get(key)
    if entry is None:
        waiting[key] = (e, h, own)
        heappush(ready, key)
    elif entry[2]:
        waiting[key] = (e, adapters[type(entry[1])].add_into(entry[1], h), True)
    else:
        waiting[key] = (e, plus(entry[1], h), not create)


def add(a: Any, b: Any) -> Any:
    """`a + b` as a new value."""
    return adapters[type(a)].add(a, b)


def add_recorded(a: Any, b: Any) -> Any:
    """`a + b`, recorded."""
    return adapters[type(a)].recorded_ops.add(a, b)


def settle_plain(leaf: Any, h: Any, own: bool) -> None:
    """Add `h` to the leaf's `.grad`."""
    grad = leaf._grad
    if grad is not None:
        leaf._grad = adapters[type(grad)].add_into(grad, h)
    else:
        adapter = adapters[type(h)]
        leaf._grad = adapter.adopt(h) if own else adapter.clone(h)


def settle_recorded(leaf: Any, h: Any, own: bool) -> None:
    """Add `h` to the leaf's `.grad`, so that `.grad` can be differentiated."""
    grad, F = leaf._grad, adapters[type(h)].recorded_ops
    leaf._grad = F.clone(h) if grad is None else F.add(grad, h)


def _blame(error: Exception, node: Node) -> None:
    """Say which operator's backward failed, and which line recorded it."""
    try:
        if node.rule.backward is run_gate:
            leaf = node.rule.extra[0]
            note = f"in the hooks of a leaf ({adapters[type(leaf)].describe(leaf)})"
        else:
            note = f"in the backward of {node.name()}, recorded at {node.where}"
        if note not in getattr(error, "__notes__", ()):  # as of a pass within itself, many times over
            error.add_note(note)
    except Exception:  # a foreign node or error: the original matters more
        pass


def walk(start: Iterable[Any]) -> dict[int, Node]:
    """All nodes reachable from these edges, by id."""
    seen: dict[int, Node] = {}
    stack = [e for e in start if type(e) is Node]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            stack.extend(e for e in edges_of(node) if type(e) is Node and id(e) not in seen)
    return seen


def lowest(nodes: Iterable[Node], wanted: Callable[[Any], bool]) -> dict[int, tuple[Any, int]]:
    """For each leaf that is `wanted`: the leaf, and the smallest `seq` of a node that feeds it; by id."""
    low: dict[int, tuple[Any, int]] = {}
    for node in nodes:
        for e in edges_of(node):
            if e is not None and type(e) is not Node and wanted(e):
                entry = low.get(id(e))
                if entry is None or node.seq < entry[1]:
                    low[id(e)] = (e, node.seq)
    return low


def gates_below(low: dict[int, tuple[Any, int]], used: Iterable[Node], make_rule: Callable[[Any], Rule]) -> dict:
    """Gates for the leaves in `low`, by id. Their numbers are fractions: no two nodes share one."""
    taken = {gate.seq for gate in used}
    share = 1 / (len(low) + 1)
    gates = {}
    for k, (key, (leaf, below)) in enumerate(low.items(), 1):
        seq = below - k * share
        while seq in taken:
            seq = nextafter(seq, 0)
        gate = gates[key] = Node()
        gate.rule, gate.seq = make_rule(leaf), seq  # type: ignore[assignment]
    return gates


def _gates(
    leaf: Any, gates: dict[int, Node], pairs: Any, node: Node | None, waiting: dict, seq: Any, settle: Callable
) -> Node:
    """Make gates for this hooked leaf, and for all others that the rest of the pass can reach."""
    front = [e for e, _ in pairs] + [entry[0] for entry in waiting.values()] + [node]
    low = lowest(walk(front).values(), lambda e: e.hooks is not None and id(e) not in gates)
    if id(leaf) not in low:  # all of it is in `pairs`: run before whatever else is ready
        low[id(leaf)] = (leaf, next_seq() if seq is None else seq)
    gates.update(
        gates_below(low, gates.values(), lambda e: Rule("gate", run_gate, None, False, extra=(e, settle, True)))
    )
    return gates[id(leaf)]


def run_gate(F: Any, gate: Node, g: Any) -> tuple:
    """The backward of a leaf's gate: its hooks, around `settle(leaf, g, False)`."""
    leaf, settle, accumulates = gate.rule.extra
    hooks = leaf.hooks
    if hooks is None:
        settle(leaf, g, False)
        return ()
    with replace_mode(grad=records(F)):
        g = run_value_hooks(hooks.value_hooks, g)
        settle(leaf, g, False)
        if accumulates:
            for hook in tuple(hooks.after.values()):
                if hook(leaf) is not None:
                    raise InvalidTypeError(
                        "register_post_accumulate_grad_hook: expected the hook to return None; change "
                        ".grad in it, or set it"
                    )
    return ()


def _as_is(node: Node, rule: Rule, pairs: Any) -> Any:
    return pairs
