"""Names of PyTorch without an implementation: programs can import them, and using them raises an error.

A program imports `torch.distributed` at its top and calls it only with several processes. So such names exist:
`isinstance` against a class is False, and a function raises when called, naming the gap and the remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import GenericAlias
from typing import Any, NoReturn, TypeAlias, TypeVar

from facula_errors import MissingAttributeError, UnsupportedError
from facula_errors.extend import boundary

Refusal: TypeAlias = Callable[..., Any]  # a function that raises when called
Kind: TypeAlias = Any  # a class that raises when it or a subclass is called

T = TypeVar("T")


class Refused:
    """A function or setting without an implementation: calls and attributes raise."""

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
        return self.__qualname__  # pickled by name, like functions

    def __repr__(self) -> str:
        return f"<{self.__module__}.{self.__name__}, not implemented>"


class Refusals:
    """Names of one module that raise on use, for one reason.

    >>> spawn = Refusals("distributed", "use all_reduce").function("spawn")
    >>> spawn(2)
    Traceback (most recent call last):
    facula_errors.UnsupportedError: distributed.spawn: PyTorch has it, facula not yet; use all_reduce
    """

    __slots__ = ("advice", "place")

    def __init__(self, place: str, advice: str) -> None:
        self.place, self.advice = place, advice

    def error(self, name: str, advice: str | None = None) -> UnsupportedError:
        """Return the error for a use of `name`."""
        whole = f"{self.place}.{name}" if self.place else name
        return UnsupportedError(f"{whole}: PyTorch has it, facula not yet; {advice or self.advice}")

    def function(self, name: str, advice: str | None = None) -> Refusal:
        """Return a function or setting that raises NotImplementedError when called or changed."""
        return self._named(Refused(partial(self.error, name, advice)), name)

    def kind(self, name: str, advice: str | None = None) -> Kind:
        """Return a class without instances; calling it or a subclass raises NotImplementedError."""

        def refuse(cls: type, *arguments: object, **options: object) -> NoReturn:
            raise self.error(name, advice)

        members = {"__new__": boundary(refuse), "__class_getitem__": classmethod(GenericAlias)}
        bases = (Exception,) if name.endswith("Error") else ()  # which programs name in except clauses
        return self._named(type(name, bases, members), name)

    def _named(self, obj: T, name: str) -> T:
        obj.__name__ = obj.__qualname__ = name  # type: ignore[attr-defined]
        obj.__module__ = f"facula.{self.place}" if self.place else "facula"
        obj.__doc__ = f"{self.place}.{name} of PyTorch is not implemented: calls raise NotImplementedError."
        return obj
