"""Views selected by integers, slices, None and `...`, computed in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage.extend.layouts import find_window
from facula_storage.extend.recording import note_bound

from ..._core.memory import dense_in_order, selected_part
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import operators

if TYPE_CHECKING:
    from ..._core.types import Function


@view
class _index:
    """Apply integers, slices, None and `...` in range, at once."""

    parameters = ("parts",)
    is_part = True
    cached = False

    def window(layout, parts):
        return find_window(layout, parts) or selected_part("index", layout, parts)

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


NO_WINDOW: Any = (None, 0)  # in place of a view's layout and offset: the general path must decide
INDEX = operators["index"]
FIND: Function = INDEX.window  # type: ignore[assignment]
