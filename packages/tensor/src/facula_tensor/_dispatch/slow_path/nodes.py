"""Nodes for calls on the slow path, and for in-place changes and their views. See Note [Epilogue] in `fast`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.hooks import set_context
from facula_autograd.extend.nodes import Node, next_seq
from facula_storage import Layout
from facula_storage.extend.layouts import COMPLEX

from ..._core.call_sites import user_site
from ..._core.tensor import Tensor, snapshot
from ..._core.wrapped import LevelLayout, WrappedLayout
from ..overrides import disable_overrides
from ..rules.saved import save_alias, saved_tensors
from ..rules.saved_hooks import pack_node
from .snapshots import edge_from

if TYPE_CHECKING:
    from ..._core.types import Edges, Layouts, Operands, Parameters, Result, Saved
    from ..operator import Operator


def node_for(
    op: Operator,
    operands: Operands,
    layouts: Layouts,
    parameters: Parameters,
    results: list[Tensor],
    hooks: Any = None,
    edges: Edges | None = None,
    wrapped: bool = False,
) -> Node:
    """Make the node of a call and attach it to the differentiable results. `operands` are read only now, or are
    snapshots; `wrapped`: whether the class of one of their originals overrides operators."""
    node = Node()
    node.seq = next_seq()
    node.code, node.lasti = user_site()
    if edges is None:
        edges = tuple([edge_from(a) if isinstance(a, Tensor) else None for a in operands])
    needed = op.saved_operands(edges)
    versions = tuple([a._storage.version if isinstance(a, Tensor) else None for a in operands])
    saved = tuple([_saved_of(a) if wanted else None for a, wanted in zip(operands, needed, strict=True)])
    if op.saves_further:
        saved += tuple(map(_saved_of, results[1:]))
        versions += tuple([out._storage.version for out in results[1:]])
    is_complex = any([isinstance(layout, Layout) and layout.dtype.category == COMPLEX for layout in layouts])
    if op.is_fast:
        rule = op.rule
        node.e0 = edges[0]
        if op.arity == 1:
            node.rest = (layouts[0], parameters)
            if op.saves_both:
                node.rest += saved[0], versions[0]
            elif op.saves_input:
                node.s0, node.v0 = saved[0], versions[0]
        else:
            node.e1, node.s0, node.s1 = edges[1], None, None
            node.rest = layouts
            if not all(isinstance(a, Tensor) for a in operands):
                rule, node = scalar_node(op, node, operands, saved, versions)
            else:
                if layouts[0] is not layouts[1]:
                    rule = op.broadcast_rule
                for place, value in enumerate(saved):
                    if value is not None:
                        setattr(node, f"s{place}", value)
                        setattr(node, f"v{place}", versions[place])
        if op.saves_out:
            out = results[0]
            node.s0, node.s1, node.v0, node.v1 = out._storage, out._layout, out._storage.version, out._offset
    else:
        rule = op.rule
        node.e0 = node.e1 = None
        node.rest = saved_tensors(edges, saved, layouts, parameters, versions)
        if op.saves_out:
            out = results[0]
            node.s0, node.s1, node.v0, node.v1 = out._storage, out._layout, out._storage.version, out._offset
    node.rule = op.complex_rules.get(rule, rule) if is_complex else rule
    for position in op.differentiable:
        if position < len(results):
            results[position].node = node
    if hooks is not None:
        pack_node(op, node, results, hooks)
    # An edge: a leaf that is saved directly if operands are snapshots of a decomposed call's operands.
    if wrapped or any([isinstance(a, Tensor) and type(a._layout) is WrappedLayout for a in (*operands, *edges)]):
        set_context(node, disable_overrides())
    return node


def _saved_of(a: Any) -> Any:
    """Return the tensor that a node saves for an operand: the leaf itself, for higher-order gradients, or an
    alias (`save_alias`)."""
    if not isinstance(a, Tensor):
        return a
    edge = edge_from(a)
    if isinstance(edge, Tensor):
        return edge
    if isinstance(a._layout, LevelLayout):
        return save_alias(a._layout, a._storage, a._offset, edge)  # type: ignore[arg-type]  # a snapshot is a constant
    now = snapshot(a)  # plain, so that rules see no overrides
    now.node = edge
    return now


def scalar_node(
    op: Operator, node: Node, operands: Operands, saved: Saved, versions: tuple[int | None, ...]
) -> tuple[Result, Node]:
    """Make the node for a tensor and a number, or for a number and a tensor."""
    a, b = operands
    if isinstance(a, Tensor):
        node.s0, node.s1 = saved[0], b
        if saved[0] is not None:
            node.v0 = versions[0]
        return op.scalar_rule, node
    node.s0, node.s1 = a, saved[1]
    node.v0 = None
    if saved[1] is not None:
        node.v1 = versions[1]
    return op.number_first_rule, node
