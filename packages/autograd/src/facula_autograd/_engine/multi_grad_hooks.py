"""Hooks on the gradients of several values, called once per pass with the gradients that it computes.

Note [Gradients of one pass]
A hook waits for those of its values that the pass reaches, and their number must be known when the pass starts. So each
pass traverses its graph beforehand, but only while such hooks exist. The gradients gathered by a pass belong to the
pass, not to the hook: passes may run in several threads, and nest.
"""

from __future__ import annotations

from contextvars import ContextVar
from weakref import ref

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._adapters import adapter_of
from .._errors import GradientError
from .._graph.gradient_edge import GradientEdge, leaf_or_edge
from .._graph.hooks import add_node_hook, add_value_hook
from .._graph.node import Node, edge_to, edges_of
from .engine import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextvars import Token
    from typing import Literal

    from .._graph.handles import Handle
    from .._graph.node import Edge
    from .._types import AnyValue

#: The registered hooks; empty in most programs.
multi_hooks: list[ref[MultiHook]] = []


class MultiHook:
    """A function, and the edges of the values whose gradients it receives."""

    __slots__ = ("__weakref__", "any", "edges", "fn")

    def __init__(self, fn: Callable[[AnyValue], None], any: bool) -> None:
        self.fn, self.any = fn, any
        self.edges: list[ref[AnyValue]] = []

    def arrived(self, position: int, gradient: object) -> None:
        """Pass on the gradient of the value at `position`."""
        running = _current_pass.get()
        if running is not None:
            running.take(self, position, gradient)


class Pass:
    """The gradients gathered for hooks in one backward pass. `reached`: ids of all edges with computed gradients."""

    __slots__ = ("gathered", "reached")

    def __init__(self, reached: set[int]) -> None:
        self.reached = reached
        self.gathered: dict[int, tuple[list[object], list[int]]] = {}

    def take(self, hook: MultiHook, position: int, gradient: object) -> None:
        """Store a gradient; call the hook's function if it is the last, or, with mode "any", the first."""
        if id(hook) not in self.gathered:
            due = [k for k, edge in enumerate(hook.edges) if id(edge()) in self.reached]
            self.gathered[id(hook)] = [None] * len(hook.edges), due
        gradients, due = self.gathered[id(hook)]
        if position not in due:
            return
        gradients[position] = gradient
        due.remove(position)
        if hook.any:
            due.clear()
            hook.fn(gradient)
        elif not due:
            hook.fn(gradients)


_current_pass: ContextVar[Pass | None] = ContextVar("facula_autograd.pass", default=None)


def begin_pass(edges: Iterable[Edge], route: Iterable[int] | None) -> Token[Pass | None]:
    """Register a pass that starts at `edges`. `route`: the ids of the edges that it is restricted to, or None."""
    if route is not None:
        return _current_pass.set(Pass(set(route)))
    edges = list(edges)
    nodes = walk(edges)
    reached = set(nodes)
    reached.update(id(e) for e in edges)
    reached.update(id(e) for node in nodes.values() for e in edges_of(node))
    return _current_pass.set(Pass(reached))


def end_pass(token: Token[Pass | None]) -> None:
    """End the pass."""
    _current_pass.reset(token)


class MultiHandle:
    """Removes the hook that it was returned for from all values; also a context manager that removes it on exit."""

    __slots__ = ("_handles",)

    def __init__(self, handles: list[Handle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        """Remove the hook. Removing it twice has no effect."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


@boundary
def register_multi_grad_hook(
    tensors: Sequence[AnyValue], fn: Callable[[AnyValue], None], *, mode: Literal["all", "any"] = "all"
) -> MultiHandle:
    """Call `fn` once in each backward pass, with the gradients of several values.

    Arguments:
        tensors: the values, or their gradient edges.
        fn: with mode "all", it receives a list with a gradient for each of `tensors`, as soon as the last is computed;
            None for those that the pass does not compute. With "any", it receives the first gradient that is computed.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` removes the hook.

    Raises:
        GradientError: one of the values does not require grad.

    >>> from facula_autograd import Variable
    >>> a, b = Variable(2.0, requires_grad=True), Variable(3.0, requires_grad=True)
    >>> handle = register_multi_grad_hook([a, b], print)
    >>> (a * b).backward()
    [Variable(3.0), Variable(2.0)]
    >>> (a * a).backward()
    [Variable(4.0), None]
    """
    if mode not in ("all", "any"):
        raise InvalidValueError(f"register_multi_grad_hook: expected mode to be 'all' or 'any'; got {mode!r}")
    if not callable(fn):
        raise InvalidTypeError(f"register_multi_grad_hook: expected a callable; got {type(fn).__name__}")
    try:
        values = [leaf_or_edge(value) for value in tensors]
    except TypeError:
        raise InvalidTypeError(
            f"register_multi_grad_hook: expected tensors to be a sequence of values; got {type(tensors).__name__}"
        ) from None
    for k, value in enumerate(values):
        if getattr(value, "node", None) is None:
            raise GradientError(
                f"register_multi_grad_hook: expected values that require grad; value {k} "
                f"({adapter_of(value).describe(value)}) does not"
            )
    hook = MultiHook(fn, mode == "any")
    hook.edges = [ref(edge_to(value)) for value in values]
    handles = []
    for k, value in enumerate(values):
        arrived = _Arrival(hook, k)
        at_node = type(value) is GradientEdge and type(value.node) is Node
        handles.append(add_node_hook(value.node, "value_hooks", arrived) if at_node else add_value_hook(value, arrived))
    multi_hooks.append(ref(hook, multi_hooks.remove))
    return MultiHandle(handles)


class _Arrival:
    """The hook registered on one of the values."""

    __slots__ = ("hook", "position")

    def __init__(self, hook: MultiHook, position: int) -> None:
        self.hook, self.position = hook, position

    def __call__(self, gradient: object) -> None:
        self.hook.arrived(self.position, gradient)
