"""The values that a vjp rule reads, selected from all that a node has saved."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NoReturn

from facula_errors import UnsupportedError

from ..expressions.gradients import parameter_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace


def arguments_of(rule: Function) -> tuple[str, ...]:
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


def with_places(rule: Function, places: Sequence[str]) -> Function:
    """Return `rule` as a function (F, g, *places)."""
    taken = parameter_names(rule)
    if taken == tuple(places):
        return rule
    pick = picking(rule, places)
    return lambda F, g, *values: pick(F, g, values)


def picking(rule: Function, places: Sequence[str]) -> Function:
    """Return `rule` as a function (F, g, values) that selects the values it reads."""
    at = [places.index(name) for name in parameter_names(rule)]
    if not at:
        return lambda F, g, values: rule(F, g)
    if len(at) == 1:
        (only,) = at
        return lambda F, g, values: rule(F, g, values[only])
    pick = itemgetter(*at)
    return lambda F, g, values: rule(F, g, *pick(values))
