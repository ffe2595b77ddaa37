"""Gradients of views that leave elements out: added to the gradient of the whole. See Note [Parts] of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import Layout

from ..._core.memory import meet, overlaps_itself
from ..namespaces import no_record_ops

if TYPE_CHECKING:
    from facula_autograd.extend.nodes import Node

    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..namespaces import Namespace
    from ..operator import Operator


def adding_parts(op: Operator) -> Function:
    """Return the function `add_to` of the rule of a view operator."""

    def add_to(total: Tensor, F: Namespace, node: Node, g: Tensor) -> Any:
        whole, parameters = node.rest
        layout, part = total._layout, g._layout
        if (
            type(layout) is not Layout
            or type(part) is not Layout
            or layout.shape != whole.shape
            or layout.dtype is not part.dtype
            or overlaps_itself(layout)
            or total.node is not None
            or meet(total, g)  # a gradient of the program may be a view of a `.grad`
        ):
            return node.rule.backward(F, node, g)
        no_record_ops.add_into(op.no_record(total, *parameters), g)
        return ()

    return add_to
