"""Make the functions that the engine calls from the vjp rules of a declaration.

The engine calls `backward(F, node, g)`, which returns pairs of an edge and its gradient. A node's slots contain
the values that the rules read: see `make_unary` and `make_binary` in `_forms/_dispatch/fast/unary.py` for the
two common shapes; operators with more operands store everything in `rest` (`SavedTensors`).
"""

from __future__ import annotations

from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

from facula_autograd.extend.nodes import Node, Rule
from facula_autograd.extend.saved_values import raise_mutated
from facula_errors import InvalidTypeError, UnsupportedError

from ..expressions.gradients import fused_rule, gradient_operator, parameter_names
from ..namespaces import no_record_ops
from .one_launch import one_launch
from .saved import _saved, saved_edges, saved_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace
    from ..operator import Operator

Pairs = tuple[tuple[Any, Any], ...]


def make_rules(op: Operator) -> None:
    """Set the rules of `op`, and the values that its nodes must save."""
    needs = {name: _arguments(rule) for name, rule in op.vjps.items()}
    if op.vjp_all is not None:
        at_once = tuple([name for name in _arguments(op.vjp_all) if name != "edges"])
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
                plain = _sum_broadcast(plain)
            op.complex_rules[rule] = Rule(
                op.name, _conjugating(plain) if op.holomorphic else plain, fresh, saves, edges
            )
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
                made = _both_at_once(op, made)
            if kind is Kind.BROADCAST:
                made = _sum_broadcast(made)
        else:
            made = one_launch(op, _many(op, op.vjps))
        (op.rule, op.broadcast_rule, op.scalar_rule, op.number_first_rule)[kind.value].backward = made
        answer: Pairs = made(F, node, g)
        return answer

    return backward


def _backward(op: Operator, kind: Kind, vjps: Mapping[str, Function]) -> Function:
    """Return the backward of a kind, made from the operands' rules."""
    if not op.is_fast:
        return _many(op, vjps)
    if op.arity == 1:
        return _unary(op, vjps)
    if kind is Kind.SCALAR:
        return _scalar(op, vjps)
    if kind is Kind.NUMBER_FIRST:
        return _number_first(op, vjps)
    return _binary(op, vjps)


def _arguments(rule: Function) -> tuple[str, ...]:
    """Return the names of the values that a rule reads after F and g; a leading underscore marks an unused
    argument."""
    rule = getattr(rule, "declared", rule)
    if hasattr(rule, "parameter_names"):
        return parameter_names(rule)
    code = rule.__code__
    return tuple(name for name in code.co_varnames[2 : code.co_argcount] if not name.startswith("_"))


def refusing_rule(name: str, operand: str) -> Function:
    """Return a rule that raises the error that an operand of the operator `name` has no derivative."""

    def no_rule(F: Namespace, g: Tensor) -> NoReturn:
        raise UnsupportedError(f"{name}: '{operand}' has no derivative; use .detach() on it")

    return no_rule


def rule_of(name: str, vjps: Mapping[str, Function], operand: str) -> Function:
    """Return the rule of the operator `name` for this operand; if it has none, one that raises an error."""
    return vjps.get(operand) or refusing_rule(name, operand)


def _uniform(rule: Function, places: Sequence[str]) -> Function:
    """Return `rule` as a function (F, g, *places)."""
    taken = parameter_names(rule)
    if taken == tuple(places):
        return rule
    pick = _picking(rule, places)
    return lambda F, g, *values: pick(F, g, values)


def _picking(rule: Function, places: Sequence[str]) -> Function:
    """Return `rule` as a function (F, g, values) that selects the values it reads."""
    at = [places.index(name) for name in parameter_names(rule)]
    if not at:
        return lambda F, g, values: rule(F, g)
    if len(at) == 1:
        (only,) = at
        return lambda F, g, values: rule(F, g, values[only])
    pick = itemgetter(*at)
    return lambda F, g, values: rule(F, g, *pick(values))


def _unary(op: Operator, vjps: Mapping[str, Function]) -> Function:
    (operand,) = op.inputs
    rule = rule_of(op.name, vjps, operand)
    if op.saves_both:
        whole = _uniform(rule, (operand, "out", f"{operand}_layout", *op.parameters))

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            layout, parameters, input, version = node.rest
            return (
                (node.e0, whole(F, g, _saved(node, input, version, operand), saved_out(node), layout, *parameters)),
            )
    elif op.extras:
        saved = ("out",) if op.saves_out else (operand,) if op.saves_input else ()
        places = (*saved, f"{operand}_layout", *op.parameters)
        full = _uniform(rule, places)
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


def _binary(op: Operator, vjps: Mapping[str, Function]) -> Function:
    first, second = op.inputs
    layouts = (f"{first}_layout", f"{second}_layout") if op.extras else ()
    rules = to_input, to_other = [rule_of(op.name, vjps, operand) for operand in op.inputs]
    for_input, for_other = [_uniform(rule, (first, second, *layouts)) for rule in rules]
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


def _both_at_once(op: Operator, one_by_one: Function) -> Function:
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


def _sum_broadcast(backward: Function) -> Function:
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


def _scalar(op: Operator, vjps: Mapping[str, Function]) -> Function:
    """Like the function above, for a tensor and a number, which is the second operand."""
    first, _ = op.inputs
    rule = _uniform(rule_of(op.name, vjps, first), op.inputs)
    if first in op.needs.get(first, ()):

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g, _saved(node, node.s0, node.v0, first), node.s1)),)
    else:

        def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
            return ((node.e0, rule(F, g, None, node.s1)),)

    return backward


def _number_first(op: Operator, vjps: Mapping[str, Function]) -> Function:
    """Like the function above, for a number and a tensor, as in `2 - x`."""
    _, second = op.inputs
    rule = _uniform(rule_of(op.name, vjps, second), op.inputs)

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        other = node.s1
        if other is not None:
            _saved(node, other, node.v1, second)
        return ((node.e1, rule(F, g, node.s0, other)),)

    return backward


def _conjugating(backward: Function) -> Function:
    """Like the function above, for complex values of a holomorphic function f: the gradient is g times
    conj(f'), which is conj(conj(g) f'), so the rule for real values applies (PyTorch's convention, conjugate
    Wirtinger)."""

    def conjugating(F: Namespace, node: Node, g: Tensor) -> Pairs:
        return tuple((edge, F.conj(h)) for edge, h in backward(F, node, F.conj(g)))

    return conjugating


def _many(op: Operator, vjps: Mapping[str, Function]) -> Function:
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
    at_once = _picking(op.vjp_all, places) if op.vjp_all else None
    rules = [_picking(rule_of(op.name, vjps, name), places) for name in op.inputs]
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
