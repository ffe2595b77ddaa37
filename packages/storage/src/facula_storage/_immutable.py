"""Objects that everybody shares and nobody may change."""

from __future__ import annotations

from typing import NoReturn

from facula_errors import MissingAttributeError

write = object.__setattr__  # how their makers set what is never set again


class Immutable:
    """Base of layouts, dtypes and devices: setting or deleting an attribute is an AttributeError."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise MissingAttributeError(f"{type(self).__name__}: {name!r} cannot be set: {self!r} is shared")

    def __delattr__(self, name: str) -> NoReturn:
        raise MissingAttributeError(f"{type(self).__name__}: {name!r} cannot be deleted: {self!r} is shared")
