"""Calls of an operator's vjp rules with named values instead of a node's saved values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_storage import Layout
from facula_storage.extend.layouts import COMPLEX

from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.expressions.gradients import parameter_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Function, Layouts, Operands, Parameters
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator


class OperatorCall:
    """One call of an operator, with the values that its rules may read.

    Arguments:
        op: the operator.
        operands: tensors, numbers and None, as the kernel received them.
        results: the results.
        parameters: the operator's parameters.
    """

    __slots__ = ("layouts", "op", "operands", "parameters", "results")

    def __init__(self, op: Operator, operands: Operands, results: list[Any], parameters: Parameters):
        self.op, self.operands, self.results, self.parameters = op, operands, results, parameters
        self.layouts = operand_layouts(operands)

    @property
    def is_complex(self) -> bool:
        """Return whether the first operand is complex."""
        first = next((layout for layout in self.layouts if isinstance(layout, Layout)), None)
        return first is not None and first.dtype.category == COMPLEX


def operand_layouts(operands: Operands) -> Layouts:
    """Return the layout of each operand, the type of a number, or None for None."""
    return tuple([layout_of_tensor(a) if isinstance(a, Tensor) else None if a is None else type(a) for a in operands])


def rule_values(call: OperatorCall, wanted: Sequence[bool], layouts: Layouts) -> dict[str, Any]:
    """Return all values that a rule may read, by name; `layouts` are the layouts passed to it."""
    op = call.op
    return {
        "edges": tuple([True if is_wanted else None for is_wanted in wanted]),
        **dict(zip(op.inputs, call.operands, strict=False)),
        **{f"{name}_layout": layout for name, layout in zip(op.inputs, layouts, strict=False)},
        "out": call.results[0],
        **dict(zip(op.results[1:], call.results[1:], strict=False)),
        **dict(zip(op.parameters, call.parameters, strict=False)),
    }


def apply_rules(
    call: OperatorCall, F: Namespace, g: Tensor, wanted: Sequence[bool], layouts: Layouts
) -> list[Tensor | None]:
    """Return the unmodified results of the operator's rules for `g` and the `wanted` operands.

    Arguments:
        call: the call.
        F: the namespace for the rules.
        g: the gradient.
        wanted: which operands.
        layouts: the operands' layouts, as rules see them.
    """
    op = call.op
    if op.arity < 0:
        rule = op.vjps[op.inputs[0]]
        return [rule(F, g, i, layouts, *call.parameters) if is_wanted else None for i, is_wanted in enumerate(wanted)]
    values = rule_values(call, wanted, layouts)
    if op.vjp_all is not None:
        found = op.vjp_all(F, g, *[values[name] for name in parameter_names(op.vjp_all)])
        return [h if is_wanted else None for h, is_wanted in zip(found, wanted, strict=True)]
    return [
        _rule(op, name)(F, g, *[values[parameter] for parameter in parameter_names(_rule(op, name))])
        if is_wanted
        else None
        for name, is_wanted in zip(op.inputs, wanted, strict=True)
    ]


def _rule(op: Operator, name: str) -> Function:
    rule = op.vjps.get(name)
    if rule is None:
        raise UnsupportedError(f"{op.name}: '{name}' has no derivative; use .detach() on it")
    return rule


def gradients(call: OperatorCall, F: Namespace, g: Tensor, wanted: Sequence[bool]) -> list[Tensor | None]:
    """Return the gradients of the `wanted` operands of a call, as its node would compute them; None for the others.

    Arguments:
        call: the call.
        F: the namespace for the rules.
        g: the gradient of the first result.
        wanted: which operands.
    """
    op = call.op
    conjugated = op.holomorphic and op.rule.saves and call.is_complex
    found = apply_rules(call, F, F.conj(g) if conjugated else g, wanted, call.layouts)
    if conjugated:
        found = [None if h is None else F.conj(h) for h in found]
    if op.broadcasts:
        found = [None if h is None else F.sum_to(h, to) for h, to in zip(found, call.layouts, strict=True)]
    return found
