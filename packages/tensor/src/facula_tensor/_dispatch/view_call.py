"""The path of view operators: no plan, no launch; a new tensor over the same storage."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd import is_grad_enabled
from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import InvalidTypeError
from facula_errors.extend import known_modules
from facula_storage import Layout
from facula_storage.extend.layouts import layout_cache_clearers
from facula_storage.extend.objects import new_instance

from .._core.call_sites import user_frame
from .._core.errors import named, relabel
from .._core.tensor import Tensor
from .._core.view_family import first_view, register, tidy
from .._core.wrapped import LevelLayout, WrappedLayout
from .namespaces import no_record_ops, operators, recorded_ops
from .overrides import call_torch_function, overridden

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_autograd.extend.nodes import Rule

    from .._core.types import Function

# A view's layout, its byte offset from the operand's first element, the rule of its node and the rule's parameters.
Window = tuple[Layout, int, "Rule", tuple[object, ...]]
MAX_WINDOWS = 1024
UNSET = object()  # marks a parameter that was not passed
MAX_PIECES = 64  # windows cached for a call


def make_view(
    name: str,
    find: Callable[..., Window | None],
    cached: bool,
    *,
    record: bool,
    library_call: bool = False,
    named: tuple[str, ...] = (),
) -> Callable[..., Tensor | None]:
    """Return a view function `(tensor, *parameters)`; `find(layout, *parameters)` returns the windows of the views.

    If `cached`, windows are cached by layout and parameters. The function returns None if `find` does: there is
    no such view.
    The first two parameters may also be passed by the two names in `named`, each without the other.
    """
    windows: dict[tuple[object, ...], Window] = {}
    layout_cache_clearers.append(windows.clear)

    # Parameters with defaults are cheaper than a dict of keyword arguments or a tuple of all parameters.
    def call(input, _first=UNSET, _second=UNSET, *parameters):  # type: ignore[no-untyped-def]
        try:
            layout = input._layout  # see Note [One moment]
            storage = input._storage
            offset = input._offset
            na = input.node
            lo, delta, rule, rest = windows[(layout, _first, _second, parameters)]
        except (AttributeError, KeyError, TypeError):  # a TypeError for lists, which are not cached
            lo = None
        if lo is None:
            try:
                given = (_first, _second, parameters)
                if _second is UNSET:
                    parameters = () if _first is UNSET else (_first,)
                else:
                    parameters = (_second, *parameters) if _first is UNSET else (_first, _second, *parameters)
                op = operators.get(name)
                level = None
                if type(input) is not Tensor or type(layout) is not Layout:
                    as_tensor(name, input)
                    if type(layout) is WrappedLayout:
                        if overridden((input,)):
                            return call_torch_function(name, call if op is None else op.call, (input, *parameters), {})
                    level = layout.level if isinstance(layout, LevelLayout) else None
                    if type(layout) is not Layout:
                        layout = layout.real
                if op is not None and op.decompose is not None:
                    answer = op.decompose(None, (input,), parameters)
                    if answer is not None:
                        return answer
                if level is not None:  # Note [Levels]
                    window = find(layout, *parameters) if record and is_grad_enabled() else None
                    return level.view(call, [window[2:]] if window is not None else None, input, parameters)
                found = find(layout, *parameters)
            except Exception as error:
                relabel(error, name)
                raise
            if found is None:
                return None
            if cached and list not in map(type, parameters):
                if len(windows) >= MAX_WINDOWS:
                    windows.clear()
                windows[(layout, *given)] = found  # of the real layout: views of wrapped ones never hit
            lo, delta, rule, rest = found
        v = new_instance(Tensor)
        v._layout = lo
        v._storage = storage
        v._offset = offset + delta if delta else offset
        v._viewed = input
        if not record or (active_modes and not current_mode().grad):
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
        n.rest = (layout, rest)
        f = _getframe(1)
        if library_call:
            try:
                while known_modules[f.f_globals["__name__"]]:
                    f = f.f_back  # type: ignore[assignment]
            except (AttributeError, KeyError):  # as in fast/template.py
                f = user_frame(1)
        n.code = f.f_code
        n.lasti = f.f_lasti
        return v

    call.find = find  # type: ignore[attr-defined]
    if named:
        names = call.__code__.co_varnames
        call.__code__ = call.__code__.replace(co_varnames=(names[0], *named, *names[3:]))
    return call


def form(find: Callable[..., Window | None]) -> Function:
    """Define a view of an operator under another name, such as `narrow`, which is a slice; `find` returns it.
    Both namespaces get the view under the name of `find` without leading and trailing underscores. Return the
    recording one.
    """
    name = find.__name__.strip("_")
    setattr(no_record_ops, name, make_view(name, find, True, record=False))
    setattr(recorded_ops, name, make_view(name, find, True, record=True, library_call=True))
    return getattr(recorded_ops, name)


def make_views(name: str, find: Callable[..., Sequence[Window]]) -> Callable[..., tuple[Tensor, ...]]:
    """Like `view_as`, for operators that return several views of one tensor."""
    known: dict[tuple[object, ...], Sequence[Window]] = {}
    layout_cache_clearers.append(known.clear)

    def call(input, *parameters):  # type: ignore[no-untyped-def]
        found: Sequence[Window] | None = None
        try:
            layout = input._layout  # see Note [One moment]
            storage = input._storage
            offset = input._offset
            na = input.node
            found = known[(layout, parameters)]
        except (AttributeError, KeyError, TypeError):
            pass
        if found is None:
            as_tensor(name, input)
            level = layout.level if isinstance(layout, LevelLayout) else None
            if type(layout) is not Layout:
                layout = layout.real
            found = find(layout, *parameters)
            if level is not None:
                rules = [window[2:] for window in found] if is_grad_enabled() else None
                return level.view(call, rules, input, parameters)
            if len(found) <= MAX_PIECES and not any([type(parameter) is list for parameter in parameters]):
                if len(known) >= MAX_WINDOWS:
                    known.clear()
                known[(layout, parameters)] = found
        recorded = not active_modes or current_mode().grad
        if recorded:
            try:
                family = input._views
            except AttributeError:
                family = first_view(input)
        if recorded and na is not None:
            edge = input if na is LEAF else na
            f = _getframe(1)
            try:
                while known_modules[f.f_globals["__name__"]]:
                    f = f.f_back  # type: ignore[assignment]
            except (AttributeError, KeyError):  # as in fast/template.py
                f = user_frame(1)
        views = []
        for lo, delta, rule, rest in found:
            v = new_instance(Tensor)
            v._layout = lo
            v._storage = storage
            v._offset = offset + delta
            v._viewed = input
            v.node = None
            views.append(v)
            if recorded:
                v._views = family
                family.append(ref(v))
                if not len(family) & 31:
                    tidy(family)
                if na is not None:
                    n = v.node = Node()
                    n.rule = rule
                    n.seq = next_seq()
                    n.e0 = edge
                    n.rest = (layout, rest)
                    n.code = f.f_code
                    n.lasti = f.f_lasti
        return tuple(views)

    call.find = find  # type: ignore[attr-defined]
    return call


def view_at(input: Tensor, moment: tuple[Layout, Any, int, Any], window: Window, record: bool = True) -> Tensor:
    """Return a view of a snapshot of `input`: `moment` has its layout, storage, offset and node."""
    layout, storage, offset, na = moment
    lo, delta, rule, rest = window
    v = new_instance(Tensor)
    v._layout, v._storage, v._offset, v._viewed, v.node = lo, storage, offset + delta, input, None
    if not record or (active_modes and not current_mode().grad):
        return v
    register(v, input)
    if na is not None:
        n = v.node = Node()
        n.rule, n.seq, n.e0, n.rest = rule, next_seq(), input if na is LEAF else na, (layout, rest)
        f = user_frame(1)
        n.code, n.lasti = f.f_code, f.f_lasti
    return v


def as_tensor(operation: str, value: object) -> Tensor:
    """Return `value`, or raise a TypeError with the operation's name."""
    if not isinstance(value, Tensor):
        raise named(InvalidTypeError(f"{operation}: expected a Tensor; got {type(value).__name__}"))
    return value
