"""Views, which are tensors over another tensor's memory: their creation, and the effect of changes on the view
family.

Note [Views and changes]
~~~~~~~~~~~~~~~~~~~~~~~~
A view keeps the tensor it was made from in `_viewed`. A tensor and all direct and indirect views of it are a
family: they share one list of weak references to the views, in `_views`. An in-place change of a member under a
required gradient gives it the node of the change, and affects all members. The root gets a node for "the old
value with this region replaced" (as_strided_scatter), and every view one for "this region of the root"
(as_strided), even views that required no gradient before.

Not in the family: views made under `no_grad`, which act as detached; tensors with replaced memory (`.data =`);
and a view that was made a leaf (`requires_grad_`), which starts a new family.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING
from weakref import ref

from facula_autograd.extend.nodes import LEAF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .tensor import Tensor

# Re-entrant: dropping a reference under it may run a user's finaliser, which may take a view.
_changing_families = RLock()


def bases_of(tensor: Tensor) -> Iterator[Tensor]:
    """Return the chain of tensors that `tensor` is a view of, up to the root."""
    storage = tensor._storage
    while True:
        try:
            tensor = tensor._viewed
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


def first_view(base: Tensor) -> list[ref[Tensor]]:
    """Return a new list for the views of `base`. Callers add to it: `views.append(ref(view))`."""
    with _changing_families:  # two threads may take the first view of one tensor concurrently
        try:
            return base._views
        except AttributeError:
            views = base._views = []
            return views


def tidy(views: list[ref[Tensor]]) -> None:
    """Remove dead views when the list's length is a power of two, at an amortised constant cost per view."""
    count = len(views)
    if count & (count - 1) == 0:
        with _changing_families:
            views[:count] = [link for link in views[:count] if link() is not None]


def register(view: Tensor, base: Tensor) -> None:
    """Add `view` to the family of `base`. (Inlined in the fast path of views.)"""
    try:
        views = base._views
    except AttributeError:
        views = first_view(base)
    view._views = views
    views.append(ref(view))
    if not len(views) & 31:
        tidy(views)


def leave_family(tensor: Tensor) -> None:
    """Make `tensor` start a new family."""
    for slot in ("_viewed", "_views"):
        if hasattr(tensor, slot):
            delattr(tensor, slot)


def views_of(tensor: Tensor) -> list[Tensor]:
    """Return the views in the family that share its memory, without leaves."""
    links = getattr(tensor, "_views", None)
    if not links:
        return []
    storage = tensor._storage
    views = [view for link in list(links) if (view := link()) is not None]
    return [view for view in views if view._storage is storage and view.node is not LEAF]
