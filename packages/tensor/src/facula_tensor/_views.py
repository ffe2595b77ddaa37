"""Views: tensors over the memory of another. How they are made, and what a change of one means for the rest.

Note [Views and changes]
~~~~~~~~~~~~~~~~~~~~~~~~
A view keeps the tensor it was made from in `_base`. A tensor and all views of it, and theirs, are a
family: they share one list of weak references to the views, in `_views`. When a member is changed in
place and a gradient is wanted, its node becomes the change's, and all members have changed: the root
gets a node that says "the old value, with this region replaced" (as_strided_scatter), and every view
one that says "this region of the root" (as_strided), also views that wanted no gradient until then.

Not in the family: views made under `no_grad`, which are as if detached; tensors that were given other
memory (`.data =`); and a view that was made a leaf (`requires_grad_`), which starts a family of its own.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend import LEAF, Node, dead_end, edge_to, from_function, move_hooks

from ._tensor import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._tensor import Tensor

# Re-entrant: dropping a reference under it may run a user's finaliser, which may take a view.
_changing_families = RLock()


def bases_of(tensor: Tensor) -> Iterator[Tensor]:
    """What `tensor` is a view of, and what that is a view of, up to the root."""
    storage = tensor._storage
    while True:
        try:
            tensor = tensor._base
        except AttributeError:
            return
        if tensor._storage is not storage:
            return  # it was given other memory since
        yield tensor


def root_of(tensor: Tensor) -> Tensor:
    """The tensor at the root of a family of views."""
    root = tensor
    for root in bases_of(tensor):  # noqa: B007  the last one
        pass
    return root


def first_view(base: Tensor) -> list:
    """The list for the views of `base`, which has had none yet. Callers add to it: `views.append(ref(view))`."""
    with _changing_families:  # two threads may take first views of one tensor at once
        try:
            return base._views
        except AttributeError:
            views = base._views = []
            return views


def tidy(views: list) -> None:
    """Forget views that are gone, when the list's length is a power of two: a constant cost per view."""
    count = len(views)
    if count & (count - 1) == 0:
        with _changing_families:
            views[:count] = [link for link in views[:count] if link() is not None]


def register(view: Tensor, base: Tensor) -> None:
    """Let `view` join the family of `base`. (Written out where views are quick.)"""
    try:
        views = base._views
    except AttributeError:
        views = first_view(base)
    view._views = views
    views.append(ref(view))
    if not len(views) & 31:
        tidy(views)


def leave_family(tensor: Tensor) -> None:
    """Let `tensor` start a family of its own."""
    for slot in ("_base", "_views"):
        if hasattr(tensor, slot):
            delattr(tensor, slot)


def family_of(tensor: Tensor) -> list[Tensor]:
    """The views in the family that show the same memory, without leaves."""
    links = getattr(tensor, "_views", None)
    if not links:
        return []
    storage = tensor._storage
    views = [view for link in list(links) if (view := link()) is not None]
    return [view for view in views if view._storage is storage and view.node is not LEAF]


def rebase(changed: Tensor, old_edge: Any) -> None:
    """Renew the nodes of the root and of its views, after `changed` got the node of a change.

    `old_edge` is the edge to `changed` before that.
    """
    if type(old_edge) is Node:
        move_hooks(changed, old_edge)
    views = family_of(changed)
    root = root_of(changed)
    if root is not changed:
        scatter(root, changed)
    for view in views:
        if view is not changed and (from_function(view.node) or view._layout.dtype is not root._layout.dtype):
            forbid(view)
        else:
            renew(view, root)


def region(view: Tensor, root: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, strides and element offset of a view within its root. (Of snapshots: Note [One moment].)"""
    layout = view._layout
    return layout.shape, layout.strides, (view._offset - root._offset) // layout.dtype.itemsize


def scatter(root: Tensor, changed: Tensor) -> None:
    """The root's node after its region under `changed` was replaced."""
    from ._general import node_for
    from ._operator import operators

    whole, part = snapshot(root), snapshot(changed)
    if part._storage is not whole._storage:
        return  # given other memory just now
    layouts = (whole._layout, part._layout)
    edges = (edge_to(root), edge_to(changed))
    node_for(operators["as_strided_scatter"], (root, changed), layouts, region(part, whole), [root], None, edges)
    if type(edges[0]) is Node:
        move_hooks(root, edges[0])


def renew(view: Tensor, root: Tensor) -> None:
    """A view's node: its region of the root as that is now."""
    from ._general import node_for
    from ._operator import operators

    old = view.node
    whole, part = snapshot(root), snapshot(view)
    if part._storage is not whole._storage:
        return  # given other memory just now
    node_for(operators["as_strided"], (root,), (whole._layout,), region(part, whole), [view], None, (edge_to(root),))
    if type(old) is Node:
        move_hooks(view, old)


def forbid(view: Tensor) -> None:
    """The node of a Function's result that shares memory with an argument, or of parts of complex numbers, after a
    change there."""
    node = view.node
    if not from_function(node):
        if type(node) is Node:
            view.node = dead_end(
                f"backward of {node.name()}: expected the complex tensor of which this is a part as it was; it was "
                "changed in place since. Take the part again after the change",
                node, (node,),
            )  # fmt: skip
        return
    view.node = dead_end(
        f"backward of {node.name()}: expected its result, which shares memory with an argument, as it was; one of "
        "the two was changed in place since. Change a clone() instead",
        node, (node,),
    )  # fmt: skip
