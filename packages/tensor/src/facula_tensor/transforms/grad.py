"""The level of one gradient: values on a separate tape, which computes with their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_autograd.extend.graphs import gradients_at
from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF, Node, Rule, edge_to, next_seq
from facula_autograd.extend.saved_values import raise_mutated
from facula_storage.extend.layouts import FLOATING

from .._core.call_sites import user_site
from .._core.tensor import Tensor, layout_of_tensor, snapshot
from .._core.view_family import register
from .._core.wrapped import Level, LevelLayout, no_storage
from .._dispatch.slow_path.inplace_checks import check_family, refuse_leaf, starts_inplace
from .custom import apply_at_grad
from .levels import (
    call_contents,
    copy_contents,
    family_contents,
    is_at,
    record_copy,
    record_view,
    wrap_content,
)
from .rules import OperatorCall, gradients

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core.types import Edges, Operands, Parameters, Result
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator


class GradLayout(LevelLayout):
    """The layout slot of a value that its level may differentiate."""

    __slots__ = ("value",)

    def __init__(self, level: GradLevel, value: Tensor):
        self.level, self.value, self.real = level, value, layout_of_tensor(value)

    def constant(self) -> Tensor:
        """Return the same value, detached and without a node."""
        value = snapshot(self.value)
        return self.level.constant(value) if self.level.open else value

    def readable(self, operation: str) -> Tensor:
        """The value's."""
        return self.value


class GradLevel(Level):
    """The tape of one gradient. Its nodes save the contents of values, so that enclosing levels record their
    computation.

    `records`: whether gradients are recorded around it; false if `no_grad` encloses the transform.
    """

    __slots__ = ("records",)

    def __init__(self) -> None:
        super().__init__()
        self.records: bool = not active_modes or current_mode().grad

    def leaf(self, value: Tensor) -> Tensor:
        """Wrap `value` as a leaf to differentiate by."""
        new = self.constant(value)
        new.node, new._grad, new.hooks = LEAF, None, None
        return new

    def argument(self, leaf: Tensor) -> Tensor:
        """Return the tensor that the function receives for a leaf."""
        return leaf

    def constant(self, value: Tensor) -> Tensor:
        """Wrap `value` as a constant of this level."""
        return wrap_content(GradLayout(self, value), value)

    def value(self, operand: Any) -> Any:
        """Return the contents of a value of this level; others unchanged."""
        layout = getattr(operand, "_layout", None)
        return layout.value if isinstance(layout, GradLayout) and layout.level is self else operand

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Result:
        """Call the operator on the operands' contents, and record a node if one of them has a gradient."""
        contents = tuple([self.value(a) for a in operands])
        answer = call_contents(op, contents, parameters, record and (self.records or not self.open))
        results = list(answer) if type(answer) is tuple else [answer]
        edges = tuple([edge_to(a) if is_at(self, a) else None for a in operands])
        if not (record and self.open and any([edge is not None for edge in edges]) and differentiable(results[0])):
            return answer
        node = Node()
        node.rule, node.seq = _rule_of(op), next_seq()
        node.code, node.lasti = user_site()
        node.e0 = node.e1 = None
        node.rest = edges, *self.saved(op, operands, edges, results, parameters)
        results[0] = self.constant(results[0])
        results[0].node = node
        return results[0] if len(results) == 1 else tuple(results)

    def saved(
        self, op: Operator, operands: Operands, edges: Edges, results: list[Tensor], parameters: Parameters
    ) -> tuple[OperatorCall, list[int | None]]:
        """Return a node's saved values: the operands and results that the rules read, with their versions."""
        contents = tuple([self.value(a) for a in operands])
        call = OperatorCall(op, contents, results, parameters)
        needed = op.saved_operands(edges)
        call.operands = tuple(
            [
                a if is_needed or not isinstance(a, Tensor) else None
                for a, is_needed in zip(contents, needed, strict=True)
            ]
        )
        call.results = [results[0] if op.saves_out else None, *(results[1:] if op.saves_further else [])]
        values = (*call.operands, *call.results)
        return call, [a._storage.version if isinstance(a, Tensor) else None for a in values]

    def to_save(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the tensors that the node of a Function saves."""
        return values

    def view(self, call: Callable[..., Any], rules: Any, input: Tensor, parameters: tuple[object, ...]) -> Any:
        """Take views of the value's contents. They join its view family and have views' nodes."""
        found = call(self.value(input), *parameters)
        if found is None or not self.open:
            return found
        views = [self.constant(view) for view in (found if type(found) is tuple else (found,))]
        if rules is None:
            for view in views:
                view._viewed = input
        else:
            for view, (rule, rest) in zip(views, rules, strict=True):
                view._viewed = input
                register(view, input)
                if input.node is not None:
                    record_view(view, input, rule, rest)
        return tuple(views) if type(found) is tuple else views[0]

    def copy(self, operation: str, target: Tensor, source: Tensor) -> Tensor:
        """Copy the contents of `source` into those of `target`, and renew the nodes of its view family."""
        if not self.open:
            copy_contents(operation, self.value(target), self.value(source))
            return target
        if not is_at(self, target):
            starts_inplace(operation, target, (target,))
            self.adopt(target)
        record = is_grad_enabled() and (target.node is not None or source.node is not None)
        if record:
            refuse_leaf(operation, target)
            check_family(operation, target)
        copy_contents(operation, self.value(target), self.value(source), self.records)
        if record:
            record_copy(target, source, edge_to(source) if is_at(self, source) else None)
        return target

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a user's Function, whose `backward` runs in this level's backward pass."""
        return apply_at_grad(self, function, args, kwargs)

    def adopt(self, target: Tensor) -> None:
        """Make `target`, which is not of this level, and its view family values of this level."""
        for member, content in family_contents(target):
            member._layout, member._storage, member.node = GradLayout(self, content), no_storage(content._storage), None  # type: ignore[assignment]

    def pull(
        self,
        roots: Sequence[Tensor],
        gradients: Sequence[Tensor | None],
        inputs: Sequence[Tensor],
        *,
        record: bool,
        retain: bool = False,
    ) -> list[Tensor | None]:
        """Return the gradients of `inputs`, leaves of this level, from those of `roots`; None for inputs that
        the roots do not depend on.

        Arguments:
            roots: values of this level.
            gradients: the gradient of each.
            inputs: the leaves.
            record: whether enclosing levels, or the tape, record the computation.
            retain: keep the graph for another pass.
        """
        reached = [(root, g) for root, g in zip(roots, gradients, strict=True) if is_at(self, root) and root.node]
        starts, given = [root for root, _ in reached], [g for _, g in reached]
        return gradients_at(starts, given, inputs, retain, record, user_site())


def differentiable(result: Tensor) -> bool:
    """Return whether a result's dtype has derivatives."""
    return layout_of_tensor(result).dtype.category >= FLOATING


_rules: dict[Operator, Rule] = {}


def _rule_of(op: Operator) -> Rule:
    """Return the backward function of a node of this operator."""
    rule = _rules.get(op)
    if rule is None:
        rule = _rules[op] = Rule(op.name, _backward_of_call, op.rule.fresh, True, lambda node: node.rest[0])
    return rule


def _backward_of_call(F: Namespace, node: Node, g: Tensor) -> list[tuple[Any, Tensor]]:
    edges, call, versions = node.rest
    for value, version in zip((*call.operands, *call.results), versions, strict=True):
        if version is not None and value._storage.version != version:
            raise_mutated(node, value, "an operand or its result")
    found = gradients(call, F, g, [edge is not None for edge in edges])
    return [(edge, h) for edge, h in zip(edges, found, strict=True) if edge is not None and h is not None]
