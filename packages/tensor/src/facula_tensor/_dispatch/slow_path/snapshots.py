"""Snapshots of the slow path's operands: see Note [One moment] in _core/tensor.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import LEAF, Node, Rule, next_seq
from facula_storage import layout_of
from facula_storage.extend.layouts import note_duplicate_layout
from facula_storage.extend.objects import new_instance

from ..._core.call_sites import user_site
from ..._core.tensor import Tensor
from ..._core.wrapped import LevelLayout, WrappedLayout

if TYPE_CHECKING:
    from ..._core.types import Operands

_HELD = Rule("held", lambda F, node, g: ((node.e0, g),), False, False)


def snapshots_of(operands: Operands, record: bool) -> Operands:
    """Return a snapshot of each tensor for the slow path to work on. See Note [One moment].

    A tensor that occurs several times has one snapshot, with the interned layout: the table may have dropped
    the tensor's layout and made an equal one since. A snapshot has the tensor's history, so gradients flow
    through it. For a leaf it has a node that leads to the leaf (`edge_from` removes it again). Wrapped tensors
    are returned unchanged.
    """
    held: dict[int, Tensor] = {}
    for a in operands:
        if isinstance(a, Tensor) and id(a) not in held:
            layout = a._layout
            storage = a._storage
            offset = a._offset
            node = a.node
            if isinstance(layout, LevelLayout):
                continue
            t = held[id(a)] = new_instance(Tensor)
            real = layout.real if type(layout) is WrappedLayout else layout
            known = layout_of(real.shape, real.strides, real.dtype, real.device)
            if known is not real:
                note_duplicate_layout()
                known = layout_of(real.shape, real.strides, real.dtype, real.device)
            t._layout = known
            t._storage = storage
            t._offset = offset
            if known is not real and a._layout is layout is real:
                a._layout = known
            if node is LEAF and record:
                node = Node()
                node.rule, node.seq, node.e0 = _HELD, next_seq(), a
                node.code, node.lasti = user_site()
            t.node = node
    return tuple([held.get(id(a), a) for a in operands])


def edge_from(a: Tensor) -> Any:
    """`edge_to`, also for snapshots."""
    node = a.node
    return a if node is LEAF else node.e0 if type(node) is Node and node.rule is _HELD else node
