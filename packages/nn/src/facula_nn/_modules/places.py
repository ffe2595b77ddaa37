"""Locations of errors: a note on the exception with the path of the layer that raised it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from .tree import AnyTree


class Place(str):
    """A note with the path of a module, starting at the outermost module that the exception has passed.

    It refers to that module weakly, since exceptions may be stored for long. Pickled, it becomes plain text.
    """

    outermost: ref[AnyTree]
    path: str
    innermost: str

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def locate(error: Exception, module: AnyTree) -> None:
    """Add a note to `error` that it passed `module`, such as ``in Net.body.0 (Linear(in_features=4, ...))``."""
    notes = getattr(error, "__notes__", None)
    place = notes[-1] if notes else None
    if type(place) is not Place:
        place = _place(module, "", _describe(module))
        error.add_note(place)
        return
    inner = place.outermost()
    if inner is None or inner is module:
        return
    name = next((name for name, candidate in module.named_modules() if candidate is inner), None)
    if name is None:
        return  # the module was called but is not part of this tree
    path = f"{name}.{place.path}" if place.path else name
    notes[-1] = _place(module, path, place.innermost)  # type: ignore[index]


def _place(outermost: AnyTree, path: str, innermost: str) -> Place:
    """Return a note with all its parts.

    Arguments:
        outermost: the module at which the path begins.
        path: the dotted path to the module that failed; "" for the outermost module.
        innermost: the description of the module that failed.
    """
    name = type(outermost).__name__
    place = Place(f"in {name}.{path} ({innermost})" if path else f"in {innermost}")
    place.outermost, place.path, place.innermost = ref(outermost), path, innermost
    return place


def _describe(module: AnyTree) -> str:
    """Return one line: the class, and its arguments unless it has children."""
    name = type(module).__name__
    if next(module.children(), None) is not None:
        return name
    try:
        return f"{name}({module.extra_repr()})"
    except Exception:  # the repr of a partly initialized module must not replace the original error
        return name
