"""Saved tensors: the values that a node keeps from a call, and the checks before its rule reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import Node
from facula_autograd.extend.saved_values import raise_mutated
from facula_storage.extend.objects import new_instance

from ..._core.tensor import Tensor

if TYPE_CHECKING:
    from facula_storage import Layout, Storage

    from ..._core.types import Edges, Layouts, Parameters, Saved
    from ..operator import Operator


def save_alias(layout: Layout, storage: Storage, offset: int, node: Any) -> Tensor:
    """Return the tensor that a node saves for an operand that is not a leaf: another tensor over the same elements.

    Saving the operand itself would allow a reference cycle: a later in-place change gives the operand a new
    node that leads to the node that saved it.
    """
    t = new_instance(Tensor)
    t._layout = layout
    t._storage = storage
    t._offset = offset
    t.node = node
    return t


def _saved(node: Node, value: Tensor, version: int, name: str) -> Tensor:
    if value._storage.version != version:
        raise_mutated(node, value, f"its operand '{name}'")
    return value


def saved_out(node: Node) -> Tensor:
    """Return the operator's result as a new tensor: a node that saved the tensor itself would be in a reference
    cycle."""
    out = new_instance(Tensor)
    out._layout, out._storage, out._offset, out.node = node.s1, node.s0, node.v1, node
    if node.s0.version != node.v0:
        raise_mutated(node, out, "its result")
    return out


class SavedTensors:
    """The saved values of a node with many operands, in its slot `rest`: `values` contains operands and results.

    The version of a number is None. The class has no __init__: the fast path fills in instances, as it does nodes.
    """

    __slots__ = ("edges", "layouts", "parameters", "values", "versions")

    edges: Edges
    values: Saved
    versions: tuple[int | None, ...]
    layouts: Layouts
    parameters: Parameters


def saved_tensors(
    edges: Edges,
    values: Saved,
    layouts: Layouts,
    parameters: Parameters,
    versions: tuple[int | None, ...] | None = None,
) -> SavedTensors:
    """Return a node's saved values, with their current versions unless `versions` are given."""
    kept = SavedTensors()
    kept.edges, kept.values, kept.layouts, kept.parameters = edges, values, layouts, parameters
    if versions is None:
        versions = tuple([value._storage.version if isinstance(value, Tensor) else None for value in values])
    kept.versions = versions
    return kept


def saved_edges(node: Node) -> Edges:
    """Return the edges of a node that stores them in `rest`."""
    return node.rest.edges


class SavedOperands(dict[tuple[bool, ...], tuple[bool, ...]]):
    """Return whether each operand must be saved, given whether each needs a gradient."""

    def __init__(self, op: Operator):
        self.op = op

    def __missing__(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        edges = tuple([edge or None for edge in wanted])
        return self.setdefault(wanted, tuple(self.op.saved_operands(edges)))
