"""Make the functions that the engine calls from the vjp rules of a declaration.

The engine calls `backward(F, node, g)`, which returns pairs of an edge and its gradient. A node's slots contain
the values that the rules read: see `make_unary` and `make_binary` in `_forms/_dispatch/fast/unary.py` for the
two common shapes; operators with more operands store everything in `rest` (`SavedTensors`).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import Node, Rule
from facula_errors import InvalidTypeError

from ..expressions.gradients import fused_rule
from .few_operands import (
    binary_backward,
    both_at_once,
    conjugating,
    number_first_backward,
    scalar_backward,
    sum_broadcast,
    unary_backward,
)
from .many_operands import backward_of_many
from .one_launch import one_launch
from .rule_arguments import arguments_of
from .saved import saved_edges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace
    from ..operator import Operator
    from .few_operands import Pairs


def make_rules(op: Operator) -> None:
    """Set the rules of `op`, and the values that its nodes must save."""
    needs = {name: arguments_of(rule) for name, rule in op.vjps.items()}
    if op.vjp_all is not None:
        at_once = tuple([name for name in arguments_of(op.vjp_all) if name != "edges"])
        needs = {name: at_once for name in op.inputs}
    op.recorded = bool(needs)
    names = set().union(*needs.values()) if needs else set()
    if op.arity < 0:
        names -= {"position", "layouts"}
    known = {*op.inputs, "out", *op.results[1:], *op.parameters, *(f"{name}_layout" for name in op.inputs)}
    if names - known:
        raise InvalidTypeError(f"{op.name}: vjp rules ask for {sorted(names - known)}; known are {sorted(known)}")
    op.saves_out = "out" in names
    op.saves_further = not names.isdisjoint(op.results[1:])
    op.saves_input = op.inputs[0] in names and op.arity == 1
    op.extras = not names <= {*op.inputs, "out"} or (op.broadcasts and not op.elementwise)
    if op.arity == 2:
        op.operand_needs = tuple(tuple(operand in needs.get(name, ()) for operand in op.inputs) for name in op.inputs)
    # A gradient is fresh unless a rule says otherwise.
    fresh = not any(getattr(rule, "may_alias_grad", False) for rule in op.vjps.values())
    saves = bool(names & {*op.inputs, "out", *op.results[1:]})
    single = len(op.results) == 1
    op.saves_both = op.saves_out and op.saves_input
    quick_unary = op.arity == 1 and single and not (op.saves_both and op.elementwise)
    quick_binary = op.arity == 2 and not op.parameters and not op.saves_out and not op.optional and single
    op.is_fast = (quick_unary or quick_binary) and op.vjp_all is None
    op.needs = needs
    edges = None if op.is_fast else saved_edges
    made: dict[Kind, Rule] = {}
    op.complex_rules = {}
    for kind in Kind if op.elementwise and quick_binary else (Kind.SAME,):
        rule = made[kind] = Rule(op.name, _at_first(op, kind), fresh, saves, edges)
        if not op.elementwise:
            rule.backward = _backward(op, kind, op.vjps)
        # Nodes of complex operands have these rules instead, because programs compute real numbers.
        if saves:
            plain = _backward(op, kind, op.vjps)
            if kind is Kind.BROADCAST:
                plain = sum_broadcast(plain)
            op.complex_rules[rule] = Rule(op.name, conjugating(plain) if op.holomorphic else plain, fresh, saves, edges)
    op.rule = made[Kind.SAME]
    op.broadcast_rule = made.get(Kind.BROADCAST, op.rule)
    op.scalar_rule = made.get(Kind.SCALAR, op.rule)
    op.number_first_rule = made.get(Kind.NUMBER_FIRST, op.rule)


class Kind(Enum):
    """The backward functions of an operator with two operands."""

    SAME = 0
    BROADCAST = 1
    SCALAR = 2
    NUMBER_FIRST = 3


def _at_first(op: Operator, kind: Kind) -> Function:
    """Return a backward that replaces itself at its first call with one made of programs."""

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        if op.is_fast:
            numbers = frozenset(
                op.inputs[1:] if kind is Kind.SCALAR else op.inputs[:1] if kind is Kind.NUMBER_FIRST else ()
            )
            vjps = {name: fused_rule(op, name, numbers) for name in op.vjps if name not in numbers}
            made = _backward(op, kind, vjps)
            if len(vjps) == 2:
                made = both_at_once(op, made)
            if kind is Kind.BROADCAST:
                made = sum_broadcast(made)
        else:
            made = one_launch(op, backward_of_many(op, op.vjps))
        (op.rule, op.broadcast_rule, op.scalar_rule, op.number_first_rule)[kind.value].backward = made
        answer: Pairs = made(F, node, g)
        return answer

    return backward


def _backward(op: Operator, kind: Kind, vjps: Mapping[str, Function]) -> Function:
    """Return the backward function for these kinds of operands, made from their rules."""
    if not op.is_fast:
        return backward_of_many(op, vjps)
    if op.arity == 1:
        return unary_backward(op, vjps)
    if kind is Kind.SCALAR:
        return scalar_backward(op, vjps)
    if kind is Kind.NUMBER_FIRST:
        return number_first_backward(op, vjps)
    return binary_backward(op, vjps)
