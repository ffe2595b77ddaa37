"""Versions that compare with text and with tuples of numbers, like PyTorch's."""

from __future__ import annotations

import re

from ._lookup.names import publish
from ._types import AnyValue

__all__ = ["TorchVersion"]

_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)((?:a|b|rc|\.dev)\d*)?")


def _key(version: object) -> tuple[tuple[int, ...], bool] | None:
    """Return a version's numbers without trailing zeros, and whether it is a release; None for other text."""
    if isinstance(version, (tuple, list)):
        version = ".".join(str(part) for part in version)
    found = _RELEASE.match(version) if isinstance(version, str) else None
    if found is None:
        return None
    numbers = [int(part) for part in found[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers), not found[2]


class TorchVersion(str):
    """A version: text that compares by its numbers, with other versions and with tuples.

    >>> version = TorchVersion("2.13.0")
    >>> version >= "2.9", version >= (2, 9), version == "2.13", version < "3.0.0.dev1"
    (True, True, True, True)

    Other text compares as text. TypeError for other types.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def _pair(self, other: object) -> tuple[AnyValue, AnyValue]:
        mine, theirs = _key(str(self)), _key(other)
        return (str(self), other) if mine is None or theirs is None else (mine, theirs)

    def __eq__(self, other: object) -> bool:
        mine, theirs = self._pair(other)
        return bool(mine == theirs)

    def __lt__(self, other: object) -> bool:
        mine, theirs = self._pair(other)
        return bool(mine < theirs)

    def __le__(self, other: object) -> bool:
        mine, theirs = self._pair(other)
        return bool(mine <= theirs)

    def __gt__(self, other: object) -> bool:
        mine, theirs = self._pair(other)
        return bool(mine > theirs)

    def __ge__(self, other: object) -> bool:
        mine, theirs = self._pair(other)
        return bool(mine >= theirs)


publish(__name__)
