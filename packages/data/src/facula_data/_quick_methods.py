"""Lookup of optional batch methods, which are ignored if a subclass overrides the basic method.

Note [Quick methods]: a dataset may define `get_batch` or `__getitems__` in addition to `__getitem__`, and a sampler
`order` in addition to `__iter__`. They promise the same result in fewer calls. A subclass that overrides only the basic
method (a transform in `Subset.__getitem__`, for example) breaks that promise unknowingly. Callers therefore look up
quick methods by `quick_method`.
"""

from __future__ import annotations

from ._types import Sample


def quick_method(instance: object, quick: str, plain: str) -> Sample:
    """Return `instance.<quick>`, or None if it is missing or a more derived class overrides `plain`."""
    for cls in type(instance).__mro__:
        if quick in vars(cls):
            return getattr(instance, quick, None)
        if plain in vars(cls):
            return None
    return None


def is_thread_safe(part: object) -> bool:
    """Return whether several threads may use a dataset or transform at once: its attribute `thread_safe` is True.

    The attribute of a base class is ignored if a subclass overrides `__getitem__` or `__call__`. None, for no
    transform, counts as thread-safe.
    """
    if part is None:
        return True
    if "thread_safe" in getattr(part, "__dict__", ()):
        return part.thread_safe is True  # type: ignore[attr-defined]
    return all(quick_method(part, "thread_safe", name) is True for name in ("__getitem__", "__call__"))
