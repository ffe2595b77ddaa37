"""The backward function of operators with any number of operands, whose values are in `SavedTensors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.saved_values import raise_mutated

from .rule_arguments import picking, rule_of
from .saved import saved_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from facula_autograd.extend.nodes import Node

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace
    from ..operator import Operator
    from .few_operands import Pairs


def backward_of_many(op: Operator, vjps: Mapping[str, Function]) -> Function:
    """Return the backward for any number of operands. `variadic` operators have one rule, which receives the
    operand's position."""
    if op.arity < 0:
        rule = vjps[op.inputs[0]]

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            kept = node.rest
            return tuple(
                (edge, rule(F, g, i, kept.layouts, *kept.parameters))
                for i, edge in enumerate(kept.edges)
                if edge is not None
            )

        return backward
    places = ("edges", *op.inputs, *op.results[1:], "out", *(f"{name}_layout" for name in op.inputs), *op.parameters)
    names = (*op.inputs, *op.results[1:])
    at_once = picking(op.vjp_all, places) if op.vjp_all else None
    rules = [picking(rule_of(op.name, vjps, name), places) for name in op.inputs]
    saves_out, sums = op.saves_out, op.broadcasts
    further = (None,) * (len(op.results) - 1)  # for results that are not saved

    def values_of(node: Node) -> tuple[Any, ...]:
        """Return the values for the rules, after a check that no saved one was changed."""
        kept = node.rest
        values = kept.values
        for name, value, version in zip(names, values, kept.versions, strict=False):
            if version is not None and value is not None and value._storage.version != version:
                raise_mutated(node, value, f"its operand '{name}'")
        if len(values) < len(names):
            values += further
        return (kept.edges, *values, saved_out(node) if saves_out else None, *kept.layouts, *kept.parameters)

    if op.arity == 1 and at_once is None and not sums:
        (only,) = rules

        def backward_one(F: Namespace, node: Node, g: Tensor) -> Pairs:
            values = values_of(node)
            return ((values[0][0], only(F, g, values)),)

        return backward_one

    def backward_all(F: Namespace, node: Node, g: Tensor) -> Pairs:
        values = values_of(node)
        edges = values[0]
        if at_once is not None:
            return tuple([pair for pair in zip(edges, at_once(F, g, values), strict=True) if pair[0] is not None])
        pairs = [(edge, rule(F, g, values)) for edge, rule in zip(edges, rules, strict=True) if edge is not None]
        if sums:
            wanted = [layout for layout, edge in zip(node.rest.layouts, edges, strict=True) if edge is not None]
            pairs = [(e, h if h._layout is to else F.sum_to(h, to)) for (e, h), to in zip(pairs, wanted, strict=True)]
        return tuple(pairs)

    return backward_all
