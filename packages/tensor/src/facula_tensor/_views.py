"""Views: tensors over the memory of another. How they are made, and what a change of one means for the rest.

Note [Views and changes]
~~~~~~~~~~~~~~~~~~~~~~~~
A view keeps the tensor it was made from in `_base`. When a tensor is changed in place and a gradient
is wanted, its node becomes the change's. If it is a view, the tensor it looks at has changed too:
the root of its family gets a node that says "the old value, with this region replaced"
(as_strided_scatter), and every other recorded view of the family one that says "this region of the
root" (as_strided). Roots keep weak references to their recorded views for that. Views made while
nothing was recorded have no node to renew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend import edge_to
from facula_storage import Layout

from ._tensor import Tensor, layout_of_tensor

if TYPE_CHECKING:
    from collections.abc import Iterator


def view_of(base: Tensor, layout: Layout, offset: int) -> Tensor:
    """A tensor over `base`'s storage, `offset` bytes after its first element; not recorded."""
    v = Tensor()
    v._layout, v._storage, v._offset, v.node, v._base = layout, base._storage, base._offset + offset, None, base
    return v


def bases_of(tensor: Tensor) -> Iterator[Tensor]:
    """What `tensor` is a view of, and what that is a view of, up to the root."""
    while True:
        try:
            tensor = tensor._base
        except AttributeError:
            return
        yield tensor


def root_of(tensor: Tensor) -> Tensor:
    """The tensor at the root of a family of views."""
    for tensor in bases_of(tensor):
        pass
    return tensor


def register(view: Tensor) -> None:
    """Let the root know of a recorded view."""
    root = root_of(view)
    try:
        views = root._views
    except AttributeError:
        views = root._views = []
    views.append(ref(view))
    # Doubling: looking for dead entries costs a constant per view.
    if len(views) > 16 and len(views) & (len(views) - 1) == 0:
        views[:] = [link for link in views if link() is not None]


def rebase(changed: Tensor, old_edge: Any) -> None:
    """Renew the nodes of the root and of its recorded views, after `changed` got the node of a change."""
    root = root_of(changed)
    views = [view for link in getattr(root, "_views", ()) if (view := link()) is not None and view.node is not None]
    if root is not changed:
        layout = layout_of_tensor(root)
        if not layout.is_contiguous:
            raise NotImplementedError(
                f"{changed.node.name()}_: a view of a tensor with strides {layout.strides} is changed in place where a "
                "gradient is wanted; call .contiguous() on the tensor before taking the view"
            )
        scatter(root, changed)
    for view in views:
        if view is not changed or root is not changed:
            renew(view, root)


def region(view: Tensor, root: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, strides and element offset of a view within its root."""
    layout = layout_of_tensor(view)
    return layout.shape, layout.strides, (view._offset - root._offset) // layout.dtype.itemsize


def scatter(root: Tensor, changed: Tensor) -> None:
    """The root's node after its region under `changed` was replaced."""
    from ._general import node_for
    from ._operator import operators

    layouts = (layout_of_tensor(root), layout_of_tensor(changed))
    edges = (edge_to(root), edge_to(changed))
    node_for(operators["as_strided_scatter"], (root, changed), layouts, region(changed, root), [root], None, edges)


def renew(view: Tensor, root: Tensor) -> None:
    """A view's node: its region of the root as that is now."""
    from ._general import node_for
    from ._operator import operators

    node_for(operators["as_strided"], (root,), (layout_of_tensor(root),), region(view, root), [view], None, (edge_to(root),))
