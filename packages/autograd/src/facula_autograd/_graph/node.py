"""Nodes and rules: the recorded graph, with the place in the user's program where each node was created."""

from __future__ import annotations

import itertools
from sys import _getframe
from types import CodeType

from facula_errors.extend import in_library

from .._adapters import adapters
from .._errors import FreedGraphError, GradientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import FrameType
    from typing import NoReturn, TypeAlias, final

    from .._types import Leaf, Slot
    from .handles import Handle

    Edge: TypeAlias = "Node | Leaf | None"
    Pairs: TypeAlias = Sequence[tuple["Node | Leaf", object]]
else:

    def final(cls: type) -> type:
        """`typing.final`, without its import."""
        return cls


next_seq: Callable[[], int] = itertools.count(1).__next__


class _Leaf:
    """The type of `LEAF`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LEAF"

    def __reduce__(self) -> str:
        return "LEAF"


LEAF = _Leaf()  # the node of tensors that require a gradient and no operator computed


class Rule:
    """The backward rule of an operator. One object per operator, shared by its nodes.

    Arguments:
        name: the operator's name, for error messages.
        backward: `backward(F, node, g)` returns a tuple (or list) of `(edge, gradient)` pairs, without pairs for edges
            that are None. `F` is the operator namespace to compute with: it does not record in an ordinary pass, and
            records under `create_graph`.
        fresh: the ownership of the returned gradients. True: each is a new buffer without other owners. False: they
            are `g` itself or views of it. None: unknown, because user code has seen them.
        saves: whether nodes keep values (`s0`, `s1`, `rest`) that are released after the pass.
        edges: `edges(node)` returns the edges beyond `e0` and `e1`, for operators with more edges.
        jvp: the forward-mode rule.
        extra: data of a rule made for one node.

    A rule whose gradient is zero except for a part may set `add_to`: see Note [Parts] in the engine.

    >>> Rule("neg", lambda F, node, g: ((node.e0, F.neg(g)),), fresh=True, saves=False)
    <Rule neg>
    """

    __slots__ = ("add_to", "backward", "edges", "extra", "fresh", "jvp", "name", "saves")

    add_to: Callable[..., Pairs] | None
    extra: Slot

    def __init__(
        self,
        name: str,
        backward: Callable[..., Pairs],
        fresh: bool | None,
        saves: bool,
        edges: Callable[[Node], Iterable[Edge]] | None = None,
        jvp: Callable[..., object] | None = None,
        extra: object = None,
    ) -> None:
        self.name, self.backward, self.fresh, self.saves = name, backward, fresh, saves
        self.edges, self.jvp, self.extra, self.add_to = edges, jvp, extra, None

    def __repr__(self) -> str:
        return f"<Rule {self.name}>"


@final
class Node:
    """One recorded operator call.

    `e0`, `e1` are edges: None, a leaf value itself, or a Node. `s0`, `s1` are saved values, and `v0`, `v1` the versions
    they had. `rest` contains other data of the rule. `seq` increases with time, so a consumer's is always larger than
    its producers'. `code` and `lasti` are the call site. Slots that a rule does not use stay unset: that is measurably
    cheaper.

    There is one class for all operators, because this keeps the engine's attribute loads specialised by the
    interpreter; operators differ in the rule.
    """

    __slots__ = (
        "__weakref__", "code", "context", "e0", "e1", "lasti", "rest", "rule", "s0", "s1", "seq", "v0", "v1",
    )  # fmt: skip

    rule: Rule
    seq: int
    code: CodeType
    lasti: int
    if TYPE_CHECKING:
        e0: Edge
        e1: Edge
        s0: Slot
        s1: Slot
        v0: Slot
        v1: Slot
        rest: Slot
        context: AbstractContextManager[object]

    def name(self) -> str:
        """The operator's name."""
        rule = self.rule
        return rule.name if rule.backward is not raise_freed else self.s0.name

    @property
    def where(self) -> str:
        """The place where the operator was called: "file:line (function)"."""
        return describe_call_site(getattr(self, "code", None), getattr(self, "lasti", 0))

    @property
    def next_functions(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """`(destination of the gradient, 0)` for each input: a Node, an AccumulateGrad for a leaf, or None."""
        return tuple(
            (edge if edge is None or type(edge) is Node else AccumulateGrad(edge), 0) for edge in edges_of(self)
        )

    if TYPE_CHECKING:  # `_graph/hooks.py` defines these, since it depends on this class

        @property
        def metadata(self) -> dict[str, Slot]: ...
        def register_hook(self, hook: Callable[..., object]) -> Handle: ...
        def register_prehook(self, hook: Callable[..., object]) -> Handle: ...

    def __repr__(self) -> str:
        return f"<Node {self.name()} from {self.where}>"


class AccumulateGrad:
    """The representation of a leaf in `next_functions`. Two objects for the same leaf are equal."""

    __slots__ = ("__weakref__", "variable")
    next_functions = ()

    def __init__(self, variable: Leaf) -> None:
        self.variable = variable

    def name(self) -> str:
        """Return the name of its type."""
        return "AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad of {adapters[type(self.variable)].describe(self.variable)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and self.variable is other.variable

    def __hash__(self) -> int:
        return id(self.variable)


def edges_of(node: Node) -> Iterator[Edge]:
    """Yield all edges of a node, including None."""
    # Rules leave unused slots unset.
    try:
        yield node.e0
    except AttributeError:
        pass
    try:
        yield node.e1
    except AttributeError:
        pass
    more = node.rule.edges
    if more is not None:
        yield from more(node)


def describe_call_site(code: CodeType | None, lasti: int) -> str:
    """Return "file:line (function)" of an instruction. Slow: for error messages only."""
    if code is None:
        return "an unknown line"
    found = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= lasti < end and line is not None:
            found = line
            break
    return f"{code.co_filename}:{found} ({code.co_name})"


def record(value: Leaf, rule: Rule, depth: int = 2) -> Node:
    """Create the node of `value`, and record the call site.

    The caller stores the edges and saved values. Fast paths inline these lines.

    Arguments:
        value: the operator's result.
        rule: the operator's rule.
        depth: number of frames up to the call site; 1 is the caller of `record`.
    """
    node = value.node = Node()
    node.rule = rule
    node.seq = next_seq()
    frame = _getframe(depth)
    node.code = frame.f_code
    node.lasti = frame.f_lasti
    return node


def user_frame() -> FrameType:
    """Return the nearest calling frame outside the library."""
    frame = _getframe(1)
    while in_library(frame) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def set_call_site(values: object, before: int) -> None:
    """Set the user's call site, instead of one in this package, in the nodes of `values` made since number `before`."""
    frame = user_frame()
    node = getattr(values, "node", None)
    if type(node) is Node and node.seq == before + 1:  # the first node that was made, and therefore the only one
        node.code, node.lasti = frame.f_code, frame.f_lasti
        return
    stack = [getattr(value, "node", None) for value in (values if isinstance(values, (tuple, list)) else (values,))]
    seen = set()
    while stack:
        node = stack.pop()
        if type(node) is Node and node.seq > before and id(node) not in seen:
            seen.add(id(node))
            node.code, node.lasti = frame.f_code, frame.f_lasti
            stack.extend(edges_of(node))


def edge_to(value: Leaf) -> Edge:
    """Return the edge from a new node to `value`: its node, the leaf itself, or None."""
    node = value.node
    return value if node is LEAF else node  # type: ignore[return-value]  # not `LEAF` here


def copy_node(node: Node) -> Node:
    """Return a substitute with the same slots, for running a rule with some of them replaced."""
    twin = Node()
    for slot in ("rule", "seq", "code", "lasti", "e0", "e1", "s0", "s1", "v0", "v1", "rest", "context"):
        try:
            setattr(twin, slot, getattr(node, slot))
        except AttributeError:
            pass
    return twin


def _identity_vjp(F: object, node: Node, g: object) -> Pairs:
    return ((node.e0, g),)  # type: ignore[return-value]  # a rule only runs if there is an edge


_RELAY = Rule("relay", _identity_vjp, False, False)


def relay(node: Node, edge: Edge) -> Node:
    """Make `node` only pass gradients on to `edge`. It keeps its place in the order, or gets the next one."""
    node.rule, node.e0, node.e1 = _RELAY, edge, None
    node.s0 = node.s1 = node.rest = None
    if not hasattr(node, "seq"):
        node.seq = next_seq()
    return node


def error_node(message: str, forward: Node | None, edges: tuple[Edge, ...]) -> Node:
    """Return a node whose backward raises GradientError.

    Arguments:
        message: the error message, which precedes the place where `forward` was recorded.
        forward: the node whose call site the new node copies, or None.
        edges: the edges of the new node.
    """
    node = Node()
    node.rule, node.seq, node.s0, node.rest = _DEAD_END, next_seq(), message, edges
    node.code, node.lasti = (None, 0) if forward is None else (forward.code, forward.lasti)  # type: ignore[assignment]
    return node


def _refuse(F: object, node: Node, g: object) -> NoReturn:
    raise GradientError(f"{node.s0}. It was recorded at {node.where}")


_DEAD_END = Rule("dead end", _refuse, None, False, lambda node: node.rest)


# Note [Freed nodes]
# After a pass that does not retain the graph, a node that saved values gets a rule that only raises. Each pass has one
# such rule, which knows where the pass was started; successive passes from the same line share it. The node's former
# rule moves to s0, whose value has just been dropped, so that the error can still name the operator. Freeing a node
# thus takes four stores.


def freed_rule(site: tuple[CodeType, int] | None) -> Rule:
    """Return the rule for all nodes freed by the pass that was started at `site`."""
    global _last_freed
    rule = _last_freed
    last = rule.extra
    # Code objects of files with the same text are equal.
    if site is None or last is None or site[0] is not last[0] or site[1] != last[1]:
        rule = _last_freed = Rule("freed", raise_freed, None, False, extra=site)
    return rule


def free(node: Node, freed: Rule) -> None:
    """Drop the values that `node` saved. The engine's main loop inlines this."""
    rule = node.rule
    if rule.saves:
        node.rule = freed
        node.s0 = rule
        node.s1 = node.rest = None


def raise_freed(F: object, node: Node, g: object) -> NoReturn:
    """Raise the error of a freed node."""
    name, forward, site = node.name(), node.where, node.rule.extra
    freed_by = describe_call_site(*site) if site is not None else "an unknown line"
    raise FreedGraphError(
        f"backward: expected the values that {name} saved at {forward}; they were released by an earlier backward "
        f"pass, started at {freed_by}. Pass retain_graph=True there if the graph is needed twice, or detach() "
        "values that are carried over to the next step",
        operator=name,
        forward=forward,
        freed_by=freed_by,
    )


_last_freed = Rule("freed", raise_freed, None, False)
