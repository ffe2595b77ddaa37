"""Backward functions of operators with one or two operands, whose values are in slots of the node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.saved_values import raise_mutated
from facula_errors import UnsupportedError

from ..expressions.gradients import gradient_operator
from ..namespaces import no_record_ops
from .rule_arguments import rule_of, with_places
from .saved import _saved, saved_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from facula_autograd.extend.nodes import Node

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace
    from ..operator import Operator

Pairs = tuple[tuple[Any, Any], ...]


def unary_backward(op: Operator, vjps: Mapping[str, Function]) -> Function:
    (operand,) = op.inputs
    rule = rule_of(op.name, vjps, operand)
    if op.saves_both:
        whole = with_places(rule, (operand, "out", f"{operand}_layout", *op.parameters))

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            layout, parameters, input, version = node.rest
            return (
                (node.e0, whole(F, g, _saved(node, input, version, operand), saved_out(node), layout, *parameters)),
            )
    elif op.extras:
        saved = ("out",) if op.saves_out else (operand,) if op.saves_input else ()
        places = (*saved, f"{operand}_layout", *op.parameters)
        full = with_places(rule, places)
        saves_out, saves_input = op.saves_out, op.saves_input

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            layout, parameters = node.rest
            if saves_out:
                return ((node.e0, full(F, g, saved_out(node), layout, *parameters)),)
            if saves_input:
                return ((node.e0, full(F, g, _saved(node, node.s0, node.v0, operand), layout, *parameters)),)
            return ((node.e0, full(F, g, layout, *parameters)),)
    elif op.saves_out:

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g, saved_out(node))),)
    elif op.saves_input:

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            input = node.s0
            if input._storage.version != node.v0:
                raise_mutated(node, input, "its operand")
            return ((node.e0, rule(F, g, input)),)
    else:

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g)),)

    return backward


def binary_backward(op: Operator, vjps: Mapping[str, Function]) -> Function:
    first, second = op.inputs
    layouts = (f"{first}_layout", f"{second}_layout") if op.extras else ()
    rules = to_input, to_other = [rule_of(op.name, vjps, operand) for operand in op.inputs]
    for_input, for_other = [with_places(rule, (first, second, *layouts)) for rule in rules]
    if op.extras:
        sums = op.broadcasts and not op.elementwise

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            a, b = node.s0, node.s1
            la, lb = node.rest
            if a is not None:
                _saved(node, a, node.v0, first)
            if b is not None:
                _saved(node, b, node.v1, second)
            ea, eb = node.e0, node.e1
            pairs: Pairs = ()
            if ea is not None:
                h = for_input(F, g, a, b, la, lb)
                pairs = ((ea, F.sum_to(h, la) if sums and h._layout is not la else h),)
            if eb is not None:
                h = for_other(F, g, a, b, la, lb)
                pairs += ((eb, F.sum_to(h, lb) if sums and h._layout is not lb else h),)
            return pairs
    elif any(op.needs.values()):

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            ea, eb, a, b = node.e0, node.e1, node.s0, node.s1
            if a is not None and a._storage.version != node.v0:
                raise_mutated(node, a, f"its operand '{first}'")
            if b is not None and b._storage.version != node.v1:
                raise_mutated(node, b, f"its operand '{second}'")
            if eb is None:
                return ((ea, for_input(F, g, a, b)),)
            if ea is None:
                return ((eb, for_other(F, g, a, b)),)
            return ((ea, for_input(F, g, a, b)), (eb, for_other(F, g, a, b)))
    elif all(getattr(rule, "identity", False) for rule in rules):  # a sum: the gradient itself, without a rule

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            ea, eb = node.e0, node.e1
            if eb is None:
                return ((ea, g),)
            if ea is None:
                return ((eb, g),)
            return ((ea, g), (eb, g))
    else:  # rules that read only the gradient

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            ea, eb = node.e0, node.e1
            if eb is None:
                return ((ea, to_input(F, g)),)
            if ea is None:
                return ((eb, to_other(F, g)),)
            return ((ea, to_input(F, g)), (eb, to_other(F, g)))

    return backward


def scalar_backward(op: Operator, vjps: Mapping[str, Function]) -> Function:
    """Like the function above, for a tensor and a number, which is the second operand."""
    first, _ = op.inputs
    rule = with_places(rule_of(op.name, vjps, first), op.inputs)
    if first in op.needs.get(first, ()):

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g, _saved(node, node.s0, node.v0, first), node.s1)),)
    else:

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g, None, node.s1)),)

    return backward


def number_first_backward(op: Operator, vjps: Mapping[str, Function]) -> Function:
    """Like the function above, for a number and a tensor, as in `2 - x`."""
    _, second = op.inputs
    rule = with_places(rule_of(op.name, vjps, second), op.inputs)

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        other = node.s1
        if other is not None:
            _saved(node, other, node.v1, second)
        return ((node.e1, rule(F, g, node.s0, other)),)

    return backward


def both_at_once(op: Operator, one_by_one: Function) -> Function:
    """Like the function above, with both gradients in one launch if their rules are a program of several calls."""
    made = gradient_operator(op, op.inputs, frozenset())
    first, second = op.inputs
    if made is None or not op.rule.fresh or {*made.inputs[1:]} != {first, second}:
        return one_by_one
    launch, is_swapped = made.no_record, made.inputs[1] == second
    unsupported: list[None] = []  # not empty once the backend has rejected the program

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        ea, eb = node.e0, node.e1
        if ea is None or eb is None or F is not no_record_ops or unsupported:
            return one_by_one(F, node, g)
        a, b = _saved(node, node.s0, node.v0, first), _saved(node, node.s1, node.v1, second)
        try:
            ga, gb = launch(g, b, a) if is_swapped else launch(g, a, b)
        except UnsupportedError:
            unsupported.append(None)
            return one_by_one(F, node, g)
        return ((ea, ga), (eb, gb))

    return backward


def sum_broadcast(backward: Function) -> Function:
    """Like the function above, for operands of unequal shapes: sum each gradient to its operand's shape."""

    def spread(F: Namespace, node: Node, g: Tensor) -> Pairs:
        la, lb = node.rest
        pairs = backward(F, node, g)
        if len(pairs) == 2:
            (ea, ga), (eb, gb) = pairs
            return (
                (ea, ga if ga._layout is la else F.sum_to(ga, la)),
                (eb, gb if gb._layout is lb else F.sum_to(gb, lb)),
            )
        ((edge, h),) = pairs
        return ((edge, F.sum_to(h, la if edge is node.e0 else lb)),)

    return spread


def conjugating(backward: Function) -> Function:
    """Like the function above, for complex values of a holomorphic function f: the gradient is g times
    conj(f'), which is conj(conj(g) f'), so the rule for real values applies (PyTorch's convention, conjugate
    Wirtinger)."""

    def conjugating(F: Namespace, node: Node, g: Tensor) -> Pairs:
        return tuple((edge, F.conj(h)) for edge, h in backward(F, node, F.conj(g)))

    return conjugating
