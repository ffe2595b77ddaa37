"""Modules of devices that are not available: functions and classes that raise on use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary

from .refusals import Kind, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable


class AbsentDevice:
    """A device that is not available: `AbsentDevice("mps", "MPS")`."""

    __slots__ = ("module", "title")

    def __init__(self, module: str, title: str) -> None:
        self.module, self.title = module, title

    def error(self, name: str) -> OperationError:
        """Return the error of a function that needs the device."""
        asked = self.module.partition(".")[0]
        return OperationError(
            f"{self.module}.{name}: there is no {self.title} device, since facula has published no backend for it yet; "
            f"call it only where {asked}.is_available()"
        )

    def function(self, name: str) -> Refusal:
        """Return a function that raises RuntimeError when called."""

        def refuse(*arguments: object, **options: object) -> NoReturn:
            raise self.error(name)

        refuse.__name__ = refuse.__qualname__ = name
        refuse.__module__ = f"facula.{self.module}"
        refuse.__doc__ = f"RuntimeError: there is no {self.title} device."
        return boundary(refuse)

    def kind(self, name: str) -> Kind:
        """Return a class without instances; calling it raises RuntimeError."""

        def refuse(cls: type, *arguments: object, **options: object) -> NoReturn:
            raise self.error(name)

        return self._class(name, refuse)

    def tensor_kind(self, name: str) -> Kind:
        """Return a class of the device's tensors of one dtype, as PyTorch has; calling it raises TypeError."""

        def refuse(cls: type, *arguments: object, **options: object) -> NoReturn:
            raise InvalidTypeError(
                f"{self.module}.{name}: there is no {self.title} device; use facula.{name}, or tensor(..., dtype=...)"
            )

        return self._class(name, refuse)

    def _class(self, name: str, refuse: Callable[..., NoReturn]) -> Kind:
        made = type(name, (), {"__new__": boundary(refuse), "__module__": f"facula.{self.module}"})
        made.__doc__ = f"A class without instances: there is no {self.title} device."
        return made
