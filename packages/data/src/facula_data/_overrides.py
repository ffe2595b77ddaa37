"""A quick method stands in for a plain one only while it is not the older of the two.

Note [Quick methods]: a dataset may have `get_batch` or `__getitems__` beside `__getitem__`, a sampler `order` beside
`__iter__`. They promise the same result in fewer calls. A subclass that replaces the plain method alone (a transform
in `Subset.__getitem__`, say) breaks that promise without knowing, so whoever is about to call the quick one asks here.
"""

from __future__ import annotations

from collections.abc import Callable

from ._types import Sample


def quick_method(instance: object, quick: str, plain: str) -> Callable[..., Sample] | None:
    """`instance.<quick>`, or None where there is none or a subclass has replaced `plain` since."""
    for cls in type(instance).__mro__:
        if quick in vars(cls):
            return getattr(instance, quick, None)
        if plain in vars(cls):
            return None
    return None
