"""facula.serialization: `save` and `load`, and PyTorch's lists of classes that a pickle may name; none is ever read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ._names import publish
from ._saving import load, save

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

_safe: list[object] = []


@boundary
def add_safe_globals(safe_globals: list[Callable[..., object] | tuple[Callable[..., object], str]]) -> None:
    """Keep classes and functions in the list that `get_safe_globals` gives.

    Programs list what a pickle that they load may name. `load` reads no pickles, so nothing else comes of it. TypeError
    where it is no list.
    """
    if not isinstance(safe_globals, (list, tuple)):
        raise InvalidTypeError(
            f"add_safe_globals: expected a list of classes and functions; got {type(safe_globals).__name__}"
        )
    _safe.extend(one for one in safe_globals if one not in _safe)


def get_safe_globals() -> list[object]:
    """What was given to `add_safe_globals` and not cleared."""
    return list(_safe)


def clear_safe_globals() -> None:
    """Empty the list that `get_safe_globals` gives."""
    _safe.clear()


@boundary
class safe_globals:
    """Classes and functions in the list for a block.

    >>> with safe_globals([complex]):
    ...     get_safe_globals()
    [<class 'complex'>]
    >>> get_safe_globals()
    []
    """

    before: list[object]

    def __init__(self, safe_globals: list[Callable[..., object] | tuple[Callable[..., object], str]]) -> None:
        self.wanted = safe_globals

    def __enter__(self) -> None:
        self.before = get_safe_globals()
        add_safe_globals(self.wanted)

    def __exit__(self, *exc: object) -> None:
        _safe[:] = self.before


publish(__name__)
