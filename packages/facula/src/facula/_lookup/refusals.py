"""PyTorch's names that programs import on the way and that mean nothing here yet: each may be named, and refuses use.

A program imports `torch.distributed` at its top and calls it where there is more than one process. So such names are
there: `isinstance` against a class is False, a function says when it is called what is missing and what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import GenericAlias
from typing import Any, NoReturn, TypeAlias, TypeVar

from facula_errors import MissingAttributeError, UnsupportedError
from facula_errors.extend import boundary

Refusal: TypeAlias = Callable[..., Any]  # a function that raises when it is called
Kind: TypeAlias = Any  # a class that raises when it is called, or a subclass of it is

T = TypeVar("T")


class Refused:
    """A function or setting that is not there: it raises when it is called, or an attribute of it is used."""

    __doc__: str
    __name__: str
    __qualname__: str
    _error: Callable[[], UnsupportedError]

    def __init__(self, error: Callable[[], UnsupportedError]) -> None:
        vars(self)["_error"] = error

    @boundary
    def __call__(self, *arguments: object, **options: object) -> NoReturn:
        raise self._error()

    @boundary
    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise MissingAttributeError(f"{self!r} has no attribute {name!r}", name=name, obj=self)
        raise MissingAttributeError(str(self._error()), name=name, obj=self)

    @boundary
    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            raise self._error()
        vars(self)[name] = value

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled by name, as functions are

    def __repr__(self) -> str:
        return f"<{self.__module__}.{self.__name__}, which is not there yet>"


class Refusals:
    """Names of one place that refuse to be used, for one reason.

    >>> spawn = Refusals("distributed", "there is one process so far").function("spawn")
    >>> spawn(2)
    Traceback (most recent call last):
    facula_errors.UnsupportedError: distributed.spawn: PyTorch has it, facula not yet; there is one process so far
    """

    __slots__ = ("advice", "place")

    def __init__(self, place: str, advice: str) -> None:
        self.place, self.advice = place, advice

    def error(self, name: str, advice: str | None = None) -> UnsupportedError:
        """The error of a use of `name`."""
        whole = f"{self.place}.{name}" if self.place else name
        return UnsupportedError(f"{whole}: PyTorch has it, facula not yet; {advice or self.advice}")

    def function(self, name: str, advice: str | None = None) -> Refusal:
        """A function or setting that raises NotImplementedError when it is called or changed."""
        return self._named(Refused(partial(self.error, name, advice)), name)

    def kind(self, name: str, advice: str | None = None) -> Kind:
        """A class that nothing is an instance of: NotImplementedError when it, or a subclass of it, is called."""

        def refuse(cls: type, *arguments: object, **options: object) -> NoReturn:
            raise self.error(name, advice)

        members = {"__new__": boundary(refuse), "__class_getitem__": classmethod(GenericAlias)}
        bases = (Exception,) if name.endswith("Error") else ()  # which programs name in except clauses
        return self._named(type(name, bases, members), name)

    def _named(self, one: T, name: str) -> T:
        one.__name__ = one.__qualname__ = name  # type: ignore[attr-defined]
        one.__module__ = f"facula.{self.place}" if self.place else "facula"
        one.__doc__ = f"{self.place}.{name} of PyTorch is not there yet: NotImplementedError."
        return one
