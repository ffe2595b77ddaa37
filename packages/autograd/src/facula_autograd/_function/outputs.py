"""Operators with several outputs.

Note [Outputs]
Such an operator has one node, whose rule gets the gradients of all its outputs at once, and one
small node for each output, whose rule does nothing but hand its gradient on, with its position.
Operators with one output never meet any of this.
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
    """One gradient per output of a node; None for an output from which none has come."""

    __slots__ = ()


class _Recording:
    """Sums of `Gradients` whose parts are recorded."""

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

    add_into = add  # the parts may have other owners, and almost never meet

    def is_finite(self, v: object, nan: bool = True, inf: bool = True) -> bool:
        return True  # the parts were looked at when they were made


register_adapter(Gradients, _GradientsAdapter())


def _place_gradient(F: object, node: Node, g: object) -> Pairs:
    gathered = Gradients([None] * node.s1)
    gathered[node.s0] = g
    return ((node.e0, gathered),)  # type: ignore[return-value]  # the node of all outputs


OUTPUT = Rule("output", _place_gradient, True, False)


def record_many(outputs: Sequence[Leaf | None], rule: Rule, depth: int = 2) -> Node:
    """Make the node of an operator with several outputs, and each output's own.

    The caller stores edges and saved values in the node returned.

    Arguments:
        outputs: the values, None in the place of one that is not differentiable.
        rule: the operator's rule. `rule.backward(F, node, grads)` gets a list, one gradient or None per output;
            `rule.fresh` must not be False, since `grads` may share memory with anything.
        depth: how many frames up the call site is; 1 is the caller of `record_many`.
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
    """A node that stands for one output of another.

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
