"""Operators with several outputs.

Note [Outputs]
Such an operator has one node, whose rule receives the gradients of all outputs at once. In addition, each output has a
small node, whose rule only passes its gradient on, together with its position. Operators with one output are not
affected.
"""

from __future__ import annotations

from sys import _getframe

from facula_errors import InvalidTypeError

from .._adapters import Adapter, adapters, register_adapter
from .._graph.node import Node, Rule, next_seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._graph.node import Pairs
    from .._types import Leaf

    _Gradients = list[object]
else:
    _Gradients = list


class Gradients(_Gradients):
    """One gradient for each output of a node; None for an output that received none."""

    __slots__ = ()


class _Recording:
    """Recorded sums of `Gradients`."""

    def add(self, a: Gradients, b: Gradients) -> Gradients:
        return Gradients(
            y if x is None else x if y is None else adapters[type(x)].recorded_ops.add(x, y)
            for x, y in zip(a, b, strict=True)
        )


class _GradientsAdapter(Adapter):
    recorded_ops = _Recording()

    def add(self, a: Gradients, b: Gradients) -> Gradients:
        return Gradients(
            y if x is None else x if y is None else adapters[type(x)].add(x, y) for x, y in zip(a, b, strict=True)
        )

    add_into = add  # the parts may have other owners, and rarely coincide

    def is_finite(self, v: object, nan: bool = True, inf: bool = True) -> bool:
        return True  # the parts were checked when they were computed


register_adapter(Gradients, _GradientsAdapter())


def _place_gradient(F: object, node: Node, g: object) -> Pairs:
    gathered = Gradients([None] * node.s1)
    gathered[node.s0] = g
    return ((node.e0, gathered),)  # type: ignore[return-value]  # the node of all outputs


# The rule of nodes for single results of operators with several.
OUTPUT = Rule("output", _place_gradient, True, False)


def record_many(outputs: Sequence[Leaf | None], rule: Rule, depth: int = 2) -> Node:
    """Create the node of an operator with several outputs, and the node of each output.

    The caller stores edges and saved values in the returned node.

    Arguments:
        outputs: the values, with None for an output that is not differentiable.
        rule: the operator's rule. `rule.backward(F, node, grads)` receives a list with a gradient or None for each
            output; `rule.fresh` must not be False, since `grads` may share memory with any value.
        depth: number of frames up to the call site; 1 is the caller of `record_many`.
    """
    if rule.fresh is False:
        raise InvalidTypeError(f"record_many: expected a rule whose fresh is True or None; got False for {rule.name}")
    node = Node()
    node.rule = rule
    node.seq = next_seq()
    frame = _getframe(depth)
    node.code = frame.f_code
    node.lasti = frame.f_lasti
    for k, value in enumerate(outputs):
        if value is not None:
            value.node = output_node(node, k, len(outputs))
    return node


def output_node(node: Node, k: int, count: int) -> Node:
    """Return a node that represents one output of another node.

    Arguments:
        node: the operator's node.
        k: the position of the output.
        count: the number of outputs.
    """
    output = Node()
    output.rule = OUTPUT
    output.seq = next_seq()
    output.code, output.lasti = node.code, node.lasti
    output.e0 = node
    output.s0, output.s1 = k, count
    return output
