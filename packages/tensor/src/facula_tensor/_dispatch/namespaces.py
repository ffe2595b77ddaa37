"""Operators by name: the two namespaces that rules use, and the table of all operators."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.tensor import Tensor
    from .._core.types import Function
    from .operator import Operator


class Namespace:
    """Operators by name, as gradient rules call them: `F.mul(g, other)`. A __getattr__ would slow each look-up."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Tensor]: ...
        def __setattr__(self, name: str, operator: object) -> None: ...


inplace_ops: Namespace = Namespace()
"""In-place forms of elementwise operators, for generated functions."""

# Operators that ignore modes and do not record, and the recording ones. Engine and rules use the first in
# ordinary backward passes and the second under create_graph.
no_record_ops: Namespace = Namespace()
recorded_ops: Namespace = Namespace()
operators: dict[str, Operator] = {}  # all operators, by name
composites: dict[str, Function] = {}


def composite(function: Function) -> Function:
    """Add a function `(F, ...)` written in other operators to both namespaces, with F bound."""
    composites[function.__name__] = function
    for F in (no_record_ops, recorded_ops):
        setattr(F, function.__name__, partial(function, F))
    return function


def may_alias_grad(rule: Function) -> Function:
    """Mark a vjp rule that returns `g`, a view of it, or a copy: new memory, which a leaf adopts as its gradient."""
    rule.may_alias_grad = True  # type: ignore[attr-defined]
    return rule


@may_alias_grad
def identity_grad(F: Namespace, g: Tensor) -> Tensor:
    """Return the gradient unchanged: the vjp rule of an operand of a sum."""
    return g


identity_grad.identity = True  # type: ignore[attr-defined]


def zero_grad(F: Namespace, g: Tensor) -> Tensor:
    """Return zeros: the vjp rule of an operand on which the result depends in steps."""
    return F.zeros_like(g)
