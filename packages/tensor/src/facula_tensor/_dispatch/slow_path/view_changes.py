"""Node updates for a view family after an in-place change of one member.

See Note [Views and changes] in `_core/view_family.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.functions import from_function
from facula_autograd.extend.hooks import move_hooks
from facula_autograd.extend.nodes import Node, edge_to, error_node

from ..._core.tensor import layout_of_tensor, snapshot
from ..._core.view_family import root_of, views_of
from ..namespaces import operators
from .nodes import node_for

if TYPE_CHECKING:
    from ..._core.tensor import Tensor


def rebase(changed: Tensor, old_edge: Any) -> None:
    """Renew the nodes of the root and of its views, after `changed` got the node of a change.

    `old_edge` is the edge to `changed` before that.
    """
    if type(old_edge) is Node:
        move_hooks(changed, old_edge)
    views = views_of(changed)
    root = root_of(changed)
    if root is not changed:
        scatter_node(root, changed)
    for view in views:
        if view is not changed and (from_function(view.node) or view.dtype is not root.dtype):
            forbid(view)
        else:
            renew(view, root)


def region(view: Tensor, root: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return shape, strides and element offset of a view within its root. (Of snapshots: Note [One moment].)"""
    layout = layout_of_tensor(view)
    return layout.shape, layout.strides, (view._offset - root._offset) // layout.dtype.itemsize


def scatter_node(root: Tensor, changed: Tensor) -> None:
    """Make the root's node after the region of `changed` was replaced."""
    whole, part = snapshot(root), snapshot(changed)
    if part._storage is not whole._storage:
        return  # given other memory just now
    layouts = (layout_of_tensor(whole), layout_of_tensor(part))
    edges = (edge_to(root), edge_to(changed))
    node_for(operators["as_strided_scatter"], (root, changed), layouts, region(part, whole), [root], None, edges)
    if type(edges[0]) is Node:
        move_hooks(root, edges[0])


def renew(view: Tensor, root: Tensor) -> None:
    """Make a view's node: its region of the current root."""
    old = view.node
    whole, part = snapshot(root), snapshot(view)
    if part._storage is not whole._storage:
        return  # given other memory just now
    node_for(
        operators["as_strided"],
        (root,),
        (layout_of_tensor(whole),),
        region(part, whole),
        [view],
        None,
        (edge_to(root),),
    )
    if type(old) is Node:
        move_hooks(view, old)


def forbid(view: Tensor) -> None:
    """Make the node, after a change, of a Function's result that shares memory with an argument, or of a part
    of complex numbers."""
    node = view.node
    if not from_function(node):
        if type(node) is Node:
            view.node = error_node(
                f"backward of {node.name()}: expected the complex tensor of which this is a part as it was; it was "
                "changed in place since. Take the part again after the change",
                node, (node,),
            )  # fmt: skip
        return
    view.node = error_node(
        f"backward of {node.name()}: expected its result, which shares memory with an argument, as it was; one of "
        "the two was changed in place since. Change a clone() instead",
        node, (node,),
    )  # fmt: skip
