"""Views selected by integers, slices, None and `...`, computed in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidIndexError
from facula_storage import Layout, layout_of
from facula_storage.extend.layouts import layout_cache_clearers
from facula_storage.extend.recording import note_bound

from ..._core.memory import dense_in_order
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import operators
from ..._dispatch.view_call import MAX_WINDOWS

if TYPE_CHECKING:
    from ..._core.types import Function


def _find_window(layout: Layout, parts: tuple[Any, ...], steps: bool = False) -> tuple[Any, ...]:
    """Return the view; with `steps`, also the length and the stride in bytes for each integer among the parts."""
    itemsize, known, own = layout.dtype.itemsize, [], 0
    shape, strides, delta = [], [], 0
    if len([part for part in parts if part is Ellipsis]) > 1:
        raise InvalidIndexError("only one ellipsis")  # the caller raises the full message
    for part in parts:
        if part is None:
            inner = own < len(layout.shape)
            shape.append(1)
            strides.append(layout.strides[own] * layout.shape[own] if inner else 1)
            continue
        if part is Ellipsis:
            further = len(layout.shape) - sum(other is not None for other in parts) + 1
            if further < 0:
                raise InvalidIndexError("too many parts")  # the caller raises the full message
            shape += layout.shape[own : own + further]
            strides += layout.strides[own : own + further]
            own += further
            continue
        length, step = layout.shape[own], layout.strides[own]
        own += 1
        if type(part) is int:
            known.append((length, step * itemsize))
            delta += (part + length if part < 0 else part) * step
            continue
        first, last, stride = part.indices(length)
        count = max(0, -(-(last - first) // stride))
        if stride < 0:
            raise InvalidIndexError("a negative step")  # the caller raises the message with the dimension
        shape.append(count)
        strides.append(step * stride)
        delta += first * step if count else 0
    shape += layout.shape[own:]
    strides += layout.strides[own:]
    shown = layout_of(tuple(shape), tuple(strides), layout.dtype, layout.device)
    return (shown, delta * itemsize, known) if steps else (shown, delta * itemsize)


@view
class _index:
    """Apply integers, slices, None and `...` in range, at once."""

    parameters = ("parts",)
    is_part = True
    cached = False

    def window(layout, parts):
        part, delta = fast_window(layout, parts)
        return (part, delta) if part is not None else _find_window(layout, parts)

    def vjp_input(F, g, input_layout, parts):
        dense = dense_in_order(input_layout)
        return F.part_back(g, dense, *FIND(dense, parts))


def note_bounds(shape: tuple[int, ...], parts: tuple[Any, ...]) -> None:
    """Register dimensions shorter than their slices' bounds with the recorder; the view depends on their lengths."""
    own = 0
    for place, part in enumerate(parts):
        if part is Ellipsis:
            own = len(shape) - sum([other is not None for other in parts[place + 1 :]])
        elif part is not None and own < len(shape):
            length = shape[own]
            if type(part) is slice and any(
                [type(bound) is int and abs(bound) > length for bound in (part.start, part.stop)]
            ):
                note_bound(length)
            elif type(part) is slice and type(part.step) is int and abs(part.step) >= length > 0 and part.step != 1:
                note_bound(length)
            own += 1


INDEX = operators["index"]
FIND: Function = INDEX.window  # type: ignore[assignment]


# Note [Windows of indices]
# ~~~~~~~~~~~~~~~~~~~~~~~~~
# Views selected by integers, slices, None and `...` are cached by the operand's layout and the index. The key contains
# the three numbers of a slice, but only the position of an integer in the index, because the result has the same
# layout for all integers; each call adds their byte offsets. The key accepts only true ints, because 1.0 and True
# compare equal to 1 and have other meanings.
_windows: dict[tuple[object, ...], tuple[Layout, int, list[tuple[int, int]]]] = {}
layout_cache_clearers.append(_windows.clear)


def fast_window(layout: Layout, index: tuple[Any, ...]) -> tuple[Any, int]:
    """Return the layout that an index selects and its offset in bytes; None and 0 if the general path must decide."""
    key: list[Any] = [layout]
    positions: list[int] = []
    for part in index:
        kind = type(part)
        if kind is int:
            key.append(kind)
            positions.append(part)
        elif kind is slice:
            first, last, step = part.start, part.stop, part.step
            if (
                (first is None or type(first) is int)
                and (last is None or type(last) is int)
                and (step is None or type(step) is int)
            ):
                key.append((first, last, step))
            else:
                return None, 0
        elif part is None or part is Ellipsis:
            key.append(part)
        else:
            return None, 0
    try:
        lo, delta, steps = _windows[tuple(key)]
    except KeyError:
        lo, delta, steps = _keep_window(tuple(key), layout, index)
    if positions:
        for position, (length, step) in zip(positions, steps):
            if position < 0:
                position += length
            if not 0 <= position < length:
                return None, 0
            delta += position * step
    return lo, delta


def _keep_window(
    key: tuple[object, ...], layout: Layout, index: tuple[Any, ...]
) -> tuple[Layout, int, list[tuple[int, int]]]:
    """Compute the window of an index and the offset per unit of each integer, and cache both under `key`."""
    lo, delta, steps = _find_window(layout, tuple([0 if type(part) is int else part for part in index]), steps=True)
    if len(_windows) >= MAX_WINDOWS:
        _windows.clear()
    _windows[key] = lo, delta, steps
    return lo, delta, steps
