"""Immutable shared objects."""

from __future__ import annotations

from typing import NoReturn

from facula_errors import MissingAttributeError

write = object.__setattr__  # sets an attribute during construction


class Immutable:
    """Base of layouts, dtypes and devices: setting or deleting an attribute raises AttributeError."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise MissingAttributeError(
            f"{type(self).__name__}: {name!r} cannot be set: {self!r} is shared; make another one"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise MissingAttributeError(
            f"{type(self).__name__}: {name!r} cannot be deleted: {self!r} is shared; make another one"
        )
