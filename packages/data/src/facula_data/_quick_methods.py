"""A quick method stands in for a plain one only while it is not the older of the two.

Note [Quick methods]: a dataset may have `get_batch` or `__getitems__` beside `__getitem__`, a sampler `order` beside
`__iter__`. They promise the same result in fewer calls. A subclass that replaces the plain method alone (a transform
in `Subset.__getitem__`, say) breaks that promise without knowing, so whoever is about to call the quick one asks here.
"""

from __future__ import annotations

from ._types import Sample


def quick_method(instance: object, quick: str, plain: str) -> Sample:
    """`instance.<quick>`, or None where there is none or a subclass has replaced `plain` since."""
    for cls in type(instance).__mro__:
        if quick in vars(cls):
            return getattr(instance, quick, None)
        if plain in vars(cls):
            return None
    return None


def bears_threads(part: object) -> bool:
    """Whether several threads may use a dataset or a transform at once: it has an attribute `thread_safe` that is true.

    That of a base class says nothing of a class whose own `__getitem__` or `__call__` came later. No transform, None,
    is as good as one that may.
    """
    if part is None:
        return True
    if "thread_safe" in getattr(part, "__dict__", ()):
        return part.thread_safe is True  # type: ignore[attr-defined]
    return all(quick_method(part, "thread_safe", name) is True for name in ("__getitem__", "__call__"))
