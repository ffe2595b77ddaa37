"""The path of view operators: no plan, no launch; a new tensor over the same storage."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend import LEAF, Node, current_mode, next_seq, special
from facula_storage import Layout
from facula_storage.extend import blank

from ._errors import relabel
from ._overrides import ask, overridden
from ._sites import user_frame, user_site
from ._tensor import Tensor, layout_of_tensor
from ._views import first_view, register, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._operator import Operator

Window = tuple[Layout, int]
MOST_WINDOWS = 1024


def make_view(
    op: Operator, window: Callable[..., Window], cached: bool, *, record: bool, walk: bool = False
) -> Callable[..., Tensor]:
    """The function of a view operator. Windows are kept per layout and parameters where `cached`."""
    windows: dict[tuple, Window] = {}
    rule = op.rule
    frame = user_frame if walk else _getframe

    def call(input, *parameters):  # type: ignore[no-untyped-def]
        try:
            layout = input._layout
            lo, delta = windows[(layout, parameters)]
        except (AttributeError, KeyError, TypeError):  # a TypeError for lists, which are looked at anew each time
            lo = None
        if lo is None:
            try:
                layout = layout_of_tensor(as_tensor(op.name, input))
                if overridden((input,)):
                    return ask(op.name, op.quick, (input, *parameters), {})
                lo, delta = window(layout, *parameters)
            except Exception as error:
                relabel(error, op.name)
                raise
            if cached and not any(type(one) is list for one in parameters):
                if len(windows) >= MOST_WINDOWS:
                    windows.clear()
                windows[(layout, parameters)] = (lo, delta)
        v = blank(Tensor)
        v._layout = lo
        v._storage = input._storage
        v._offset = input._offset + delta if delta else input._offset
        v._base = input
        na = input.node
        if not record or (special and not current_mode().grad):
            v.node = None
            return v
        try:
            views = input._views
        except AttributeError:
            views = first_view(input)
        v._views = views
        views.append(ref(v))
        if not len(views) & 31:
            tidy(views)
        if na is None:
            v.node = None
            return v
        n = v.node = Node()
        n.rule = rule
        n.seq = next_seq()
        n.e0 = input if na is LEAF else na
        n.rest = (layout, parameters)
        f = frame(1)
        n.code = f.f_code
        n.lasti = f.f_lasti
        return v

    return call


def record_view(op: Operator, v: Tensor, input: Tensor, parameters: tuple) -> None:
    """Give a view that was made by other means the node of `op`."""
    if special and not current_mode().grad:
        return
    register(v, input)
    if input.node is None:
        return
    n = v.node = Node()
    n.rule = op.rule
    n.seq = next_seq()
    n.e0 = input if input.node is LEAF else input.node
    n.rest = (layout_of_tensor(input), parameters)
    n.code, n.lasti = user_site()


def as_tensor(operation: str, value: Any) -> Tensor:
    """`value`, or a TypeError naming the operation."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{operation}: expected a Tensor; got {type(value).__name__}")
    return value


def in_row_major(F: Any, name: str, operands: tuple, parameters: tuple) -> Any:
    """An operator's redirection where its kernel wants row-major operands: itself, on copies; None if all are so."""
    if all([one is None or layout_of_tensor(one).is_contiguous for one in operands]):
        return None
    return getattr(F, name)(*[None if one is None else F.contiguous(one) for one in operands], parameters)
