"""Graphs nested inside a node of another graph, and the ends at which passes through them stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF, Node, Rule
from facula_errors.extend import guarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from facula_tensor import Tensor


class NestedGraphs:
    """The base class of `rest` objects of nodes that contain nested graphs."""

    __slots__ = ()

    def graphs(self) -> list[Tensor]:
        """Return the tensors that it keeps alive, including the results of these graphs."""
        return []


_STOP = Rule("argument", lambda F, node, g: (), None, False)


@guarded
def stopped_at(tensors: Iterable[Tensor]) -> Iterator[None]:
    """Return a context manager in which backward passes stop at these tensors and do not call their hooks."""
    ends = list(tensors)
    nodes = [end.node for end in ends if type(end.node) is Node]
    rules = [node.rule for node in nodes]
    hooked = [(end, end.hooks) for end in ends if end.node is LEAF and end.hooks is not None]
    try:
        for node in nodes:
            node.rule = _STOP
        for leaf, _ in hooked:
            leaf.hooks = None
        yield
    finally:
        for node, rule in zip(nodes, rules, strict=True):
            node.rule = rule
        for leaf, hooks in hooked:
            leaf.hooks = hooks
