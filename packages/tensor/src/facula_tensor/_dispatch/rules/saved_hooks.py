"""Pass a node's saved values through `saved_tensors_hooks`: results, and the operands in `rest`.

`pack_saved` of `facula_autograd.extend` handles operands in a node's own slots; this module handles those specific
to this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import Node, copy_node
from facula_autograd.extend.saved_values import Packed, pack_saved, pack_value, unpack_value, unpack_with

from ..._core.tensor import Tensor, snapshot
from .saved import SavedTensors, saved_tensors

if TYPE_CHECKING:
    from ..operator import Operator


def pack_node(op: Operator, node: Node, results: list[Tensor], hooks: tuple[Any, ...]) -> None:
    """Pass all saved values of `node` through a mode's hooks; its rule reads the unpacked values from a copy of
    the node."""
    kept = getattr(node, "rest", None)
    if not op.saves_out and type(kept) is not SavedTensors:
        pack_saved(node, hooks, Tensor)
        return
    if op.saves_out:
        out = results[0]  # without its node, which would create a cycle through the hook's value
        node.s0, node.s1 = Packed(snapshot(out), hooks), None
    if type(kept) is SavedTensors:
        kept.values = pack_value(kept.values, hooks, Tensor)
    elif op.saves_both:
        node.rest = pack_value(kept, hooks, Tensor)
    unpack_with(node, _unpacked)


def _unpacked(node: Node) -> Node:
    twin = copy_node(node)
    if type(getattr(node, "s0", None)) is Packed:
        out = snapshot(node.s0.get())
        twin.s0, twin.s1, twin.v0, twin.v1 = out._storage, out._layout, out._storage.version, out._offset
    kept = getattr(node, "rest", None)
    if type(kept) is SavedTensors:
        twin.rest = saved_tensors(kept.edges, unpack_value(kept.values), kept.layouts, kept.parameters)
    elif type(kept) is tuple and len(kept) == 4:  # an operator that saves its operand and its result
        layout, parameters, packed, _ = kept
        input = unpack_value(packed)
        twin.rest = layout, parameters, input, input._storage.version
    return twin
