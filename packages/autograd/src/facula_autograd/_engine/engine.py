"""The backward pass: nodes in descending order of `seq`, in one thread, without recursion.

Note [Order]
A consumer's sequence number is larger than its producers', so running the ready node with the largest number follows a
topological order, without counting dependencies beforehand. The newest node stays out of the heap: a chain never uses
the heap.

Note [Ownership]
`own` states that only the engine holds the memory of the present gradient. Only such a gradient becomes a `.grad`
without a copy, or is added into. A fresh gradient for a single edge is owned. A gradient passed on to a single edge
keeps its state; all others are not owned. References are never counted. Rules that pass gradients on may have to copy
them (a reshape of a transposed one): a leaf adopts such a copy, which is apart from the gradient that was passed on.

Note [Parts]
The gradient of a slice is zero except for a part. If the edge of such a node already has a gradient that only the
engine holds, or a leaf has a `.grad`, `rule.add_to(sum, F, node, g)` adds `g` to the part of that sum and returns no
pairs, or it returns those of `rule.backward`. So the gradients of many slices need one array of zeros.

Note [Leaf nodes]
A leaf with hooks, and an input of `grad`, is reached through a leaf node, which exists only in this pass. Its number is
just below the lowest of the nodes that can still send a gradient to the leaf. So it runs once, on the complete sum, as
early as possible.
"""

from __future__ import annotations

import sys
from functools import partial
from heapq import heappop, heappush
from math import nextafter

from facula_errors import InvalidTypeError

from .._adapters import adapters, records
from .._graph.hooks import run_value_hooks
from .._graph.node import Node, Rule, edges_of, next_seq
from .._modes.context_managers import replace_mode
from .._modes.mode_state import active_modes, note_grad, note_grad_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import TypeAlias

    from .._graph.node import Edge, Pairs
    from .._types import Leaf

    Accumulate: TypeAlias = Callable[[Leaf, object, bool], None]
    Low: TypeAlias = dict[int, tuple[Leaf, int]]
    Waiting: TypeAlias = dict[int, tuple[Node, object, bool]]
    Watch: TypeAlias = Callable[[Node, Rule, Pairs], Pairs]
    RunRule: TypeAlias = Callable[[Callable[..., Pairs], object, Node, object], Pairs]


def run(
    pairs: Pairs,
    own: bool,
    F: object,
    freed: Rule | None,
    create: bool,
    watch: Watch | None,
    run_rule: RunRule | None = None,
) -> None:
    """Send the gradients in `pairs` to their edges, and continue until none is left.

    * `own`: these gradients have no other owner.
    * `F`: the operator namespace for rules.
    * `freed`: the rule that nodes get after they have run, or None to retain the graph.
    * `create`: gradients are recorded.
    * `watch(node, rule, pairs)`: called with every rule's result; returns the pairs to use instead.
    * `run_rule(backward, F, node, g)`: called instead of each rule's `backward`; Note [Observed passes].
    """
    ready: list[int] = []  # a heap of -seq
    waiting: dict[int, tuple[Node, object, bool]] = {}
    leaf_nodes: dict[int, Node] = {}
    plus, accumulate = (add_recorded, accumulate_recorded_grad) if create else (add, accumulate_grad)
    noted = create or bool(active_modes)  # whether to call `accumulate` even if the leaf has a .grad
    if create and watch is None:
        watch = _unchanged
    seq = next_g = g = rule = None
    next_own = False
    while True:
        node = None
        for e, h in pairs:
            if type(e) is not Node:
                if e.hooks is None:
                    grad = e._grad
                    if grad is None or noted:
                        if grad is None and not own and len(pairs) == 2 and pairs[0][0] is pairs[1][0] and not create:
                            accumulate(e, plus(h, pairs[1][1]), True)  # as of cat([x, x]): one sum, not a copy first
                            break
                        if not own and rule is not None and rule.fresh is False and len(pairs) == 1 and watch is None:
                            own = adapters[type(h)].is_apart(h, g)
                        accumulate(e, h, own)
                    else:
                        e._grad = adapters[type(grad)].add_into(grad, h)
                    continue
                e = leaf_nodes.get(id(e)) or _make_leaf_nodes(e, leaf_nodes, pairs, node, waiting, seq, accumulate)
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
        elif ready and -ready[0] >= node.seq:  # equal: this node already waits, with a part of its sum
            _wait(node, next_g, next_own, ready, waiting, plus, create)
            node, g, own = waiting.pop(heappop(ready))
        else:
            g, own = next_g, next_own
        rule = node.rule
        seq = node.seq
        backward, add_to = rule.backward, rule.add_to
        if add_to is not None and watch is None:
            backward = _adding(node, add_to, waiting, leaf_nodes, noted)
        try:
            pairs = backward(F, node, g) if run_rule is None else run_rule(backward, F, node, g)
        except Exception as error:
            _add_note(error, node)
            raise
        own = rule.fresh or (own and rule.fresh is False and len(pairs) == 1)
        if freed is not None and rule.saves:
            node.rule = freed
            node.s0 = rule
            node.s1 = node.rest = None
        if watch is not None:
            pairs = watch(node, rule, pairs)
            own = own and not create


def running_node() -> Node | None:
    """Return the node whose rule this thread runs, or None outside of backward passes.

    Reads the frame of `run`, so that passes pay nothing if there is no such query.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not run.__code__:
        frame = frame.f_back
    return None if frame is None else frame.f_locals["node"]  # type: ignore[no-any-return]


def _wait(
    e: Node,
    h: object,
    own: bool,
    ready: list[int],
    waiting: Waiting,
    plus: Callable[[object, object], object],
    create: bool,
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


def _adding(
    node: Node, add_to: Callable[..., Pairs], waiting: Waiting, leaf_nodes: dict[int, Node], noted: bool
) -> Callable[..., Pairs]:
    """Return the function that adds a part to the gradient of the edge, or the rule's `backward` if it has none."""
    e, total = node.e0, None
    if e is not None and type(e) is not Node and e.hooks is not None:
        e = leaf_nodes.get(id(e))
    if type(e) is Node:
        entry = waiting.get(-e.seq)
        if entry is not None and entry[2]:
            total = entry[1]
    elif e is not None and not noted:
        total = e._grad
    return node.rule.backward if total is None else partial(add_to, total)


def add(a: object, b: object) -> object:
    """Return `a + b` as a new value."""
    return adapters[type(a)].add(a, b)


def add_recorded(a: object, b: object) -> object:
    """Return `a + b`, recorded."""
    return adapters[type(a)].recorded_ops.add(a, b)


def accumulate_grad(leaf: Leaf, h: object, own: bool) -> None:
    """Add `h` to the leaf's `.grad`."""
    grad = leaf._grad
    if grad is not None:
        if active_modes:
            note_grad_read(leaf)
        leaf._grad = adapters[type(grad)].add_into(grad, h)
    else:
        if active_modes:
            note_grad(leaf, added=True)
        adapter = adapters[type(h)]
        leaf._grad = adapter.adopt(h) if own else adapter.clone(h)


def accumulate_recorded_grad(leaf: Leaf, h: object, own: bool) -> None:
    """Add `h` to the leaf's `.grad`, recorded, so that `.grad` can be differentiated."""
    if active_modes:
        note_grad(leaf)
    grad, F = leaf._grad, adapters[type(h)].recorded_ops
    leaf._grad = F.clone(h) if grad is None else F.add(grad, h)


def _add_note(error: Exception, node: Node) -> None:
    """Add a note to an error: the operator whose backward failed, and the line that recorded it."""
    try:
        if node.rule.backward is run_leaf_node:
            leaf = node.rule.extra[0]
            note = f"in the hooks of a leaf ({adapters[type(leaf)].describe(leaf)})"
        else:
            note = f"in the backward of {node.name()}, recorded at {node.where}"
        if note not in getattr(error, "__notes__", ()):  # nested passes would add it many times
            error.add_note(note)
    except Exception:  # a node or error of unexpected form: the original error matters more
        pass


def walk(start: Iterable[Edge], stops: Iterable[Edge] = ()) -> dict[int, Node]:
    """Return all nodes reachable from these edges, by id, except `stops` and nodes only reachable through them."""
    seen: dict[int, Node] = {}
    closed = {id(e) for e in stops}
    stack = [e for e in start if type(e) is Node]
    while stack:
        node = stack.pop()
        if id(node) not in seen and id(node) not in closed:
            seen[id(node)] = node
            stack.extend(e for e in edges_of(node) if type(e) is Node and id(e) not in seen)
    return seen


def lowest_seqs(nodes: Iterable[Node], wanted: Callable[[Leaf], bool]) -> Low:
    """For each leaf that is `wanted`, return the leaf and the smallest `seq` of a node that feeds it, by id."""
    low: Low = {}
    for node in nodes:
        for e in edges_of(node):
            if e is not None and type(e) is not Node and wanted(e):
                entry = low.get(id(e))
                if entry is None or node.seq < entry[1]:
                    low[id(e)] = (e, node.seq)
    return low


def leaf_nodes_below(low: Low, used: Iterable[Node], make_rule: Callable[[Leaf], Rule]) -> dict[int, Node]:
    """Return nodes for the leaves in `low`, by id. Their numbers are fractions, so that no two nodes share one."""
    taken = {leaf_node.seq for leaf_node in used}
    share = 1 / (len(low) + 1)
    leaf_nodes = {}
    for k, (key, (leaf, below)) in enumerate(low.items(), 1):
        seq = below - k * share
        while seq in taken:
            seq = nextafter(seq, 0)
        leaf_node = leaf_nodes[key] = Node()
        leaf_node.rule, leaf_node.seq = make_rule(leaf), seq  # type: ignore[assignment]
    return leaf_nodes


def _make_leaf_nodes(
    leaf: Leaf,
    leaf_nodes: dict[int, Node],
    pairs: Pairs,
    node: Node | None,
    waiting: Waiting,
    seq: int | None,
    accumulate: Accumulate,
) -> Node:
    """Create leaf nodes for this hooked leaf, and for all others that the rest of the pass can reach."""
    front = [e for e, _ in pairs] + [entry[0] for entry in waiting.values()] + [node]
    low = lowest_seqs(walk(front).values(), lambda e: e.hooks is not None and id(e) not in leaf_nodes)
    if id(leaf) not in low:  # its gradients are all in `pairs`: run before all other ready nodes
        low[id(leaf)] = (leaf, next_seq() if seq is None else seq)
    leaf_nodes.update(
        leaf_nodes_below(
            low,
            leaf_nodes.values(),
            lambda e: Rule("AccumulateGrad", run_leaf_node, None, False, extra=(e, accumulate, True)),
        )
    )
    return leaf_nodes[id(leaf)]


def run_leaf_node(F: object, leaf_node: Node, g: object) -> Pairs:
    """Run the backward of a leaf node: its hooks, around `accumulate(leaf, g, False)`."""
    leaf: Leaf
    accumulate: Accumulate
    leaf, accumulate, accumulates = leaf_node.rule.extra
    hooks = leaf.hooks
    if hooks is None:
        accumulate(leaf, g, False)
        return ()
    is_recorded = records(F)
    store = accumulate if hooks.home is None or is_recorded or not accumulates else _store_at_home
    if not hooks.value_hooks and not hooks.after:
        store(leaf, g, False)
    else:
        with replace_mode(grad=is_recorded):
            store(leaf, run_value_hooks(hooks.value_hooks, g), False)
            if accumulates:
                for hook in tuple(hooks.after.values()):
                    if hook(leaf) is not None:
                        raise InvalidTypeError(
                            "register_post_accumulate_grad_hook: expected the hook to return None; change "
                            ".grad in it, or set it"
                        )
    if accumulates:
        for arrived in hooks.arrived:
            arrived(leaf)
    return ()


def _store_at_home(leaf: Leaf, g: object, own: bool) -> None:
    """Accumulate a gradient in the leaf's home, or in the present `.grad`."""
    if leaf._grad is not None:
        accumulate_grad(leaf, g, own)
        return
    if active_modes:
        note_grad(leaf, added=True)
    home = leaf.hooks.home  # type: ignore[union-attr]
    leaf._grad = adapters[type(home)].copy_into(home, g)


def _unchanged(node: Node, rule: Rule, pairs: Pairs) -> Pairs:
    return pairs
