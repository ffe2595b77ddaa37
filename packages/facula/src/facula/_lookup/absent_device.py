"""Devices that may not be available: functions and classes that raise where they are not.

`facula.cuda` is a view of the package facula_cuda, where that is installed and a device answers. There are no packages
for other types of devices.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

from facula_errors import InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor.extend.arguments import TensorType

from .refusals import Kind, Refusal

if TYPE_CHECKING:
    pass


def has_cuda_package() -> bool:
    """Return whether facula_cuda is installed, without importing it."""
    try:
        return find_spec("facula_cuda") is not None
    except ModuleNotFoundError:  # an import hook refuses it
        return False


@cache
def installed_backend() -> Any:
    """Return the package facula_cuda, or None if it is not installed."""
    return import_module("facula_cuda") if has_cuda_package() else None


def cuda_backend() -> Any:
    """Return the package facula_cuda if a CUDA device answers, or None. The first call opens CUDA's driver."""
    package = installed_backend()
    return package if package is not None and package.is_available() else None


class AbsentDevice:
    """A device that is not available: `AbsentDevice("mps", "MPS")`."""

    __slots__ = ("module", "title")

    def __init__(self, module: str, title: str) -> None:
        self.module, self.title = module, title

    def error(self, name: str) -> Exception:
        """Return the error of a function that needs the device."""
        asked = self.module.partition(".")[0]
        return OperationError(
            f"{self.module}.{name}: there is no {self.title} device{self.reason()}; call it only where "
            f"{asked}.is_available()"
        )

    def reason(self) -> str:
        """Return the part of the error that says why there is no device."""
        return ", since facula has published no backend for it yet"

    def backend(self) -> Any:
        """Return the package that provides the device, or None if it is not available."""
        return None

    def function(self, name: str) -> Refusal:
        """Return the function `name` of the device's package, which raises RuntimeError without a device."""

        def call(*arguments: object, **options: object) -> object:
            function = getattr(self.backend(), name, None)
            if function is None:
                raise self.error(name)
            return function(*arguments, **options)

        call.__name__ = call.__qualname__ = name
        call.__module__ = f"facula.{self.module}"
        call.__doc__ = f"Call `{name}` of the {self.title} device's package; RuntimeError if there is no device."
        return boundary(call)

    def kind(self, name: str) -> Kind:
        """Return a class without instances; calling it raises RuntimeError."""

        def refuse(cls: type, *arguments: object, **options: object) -> NoReturn:
            raise self.error(name)

        made = type(name, (), {"__new__": boundary(refuse), "__module__": f"facula.{self.module}"})
        made.__doc__ = f"A class without instances: there is no {self.title} device."
        return made


class CudaDevice(AbsentDevice):
    """CUDA devices, whose functions are those of facula_cuda where a device answers."""

    __slots__ = ()

    def __init__(self, module: str = "cuda") -> None:
        super().__init__(module, "CUDA")

    def error(self, name: str) -> Exception:
        """Return the error of a function that needs a device, or that facula_cuda lacks."""
        if cuda_backend() is None:
            return super().error(name)
        return UnsupportedError(f"{self.module}.{name}: PyTorch has it, facula_cuda not yet")

    def reason(self) -> str:
        """Return the part of the error that says why there is no device, with the remedy."""
        package = installed_backend()
        if package is None:
            return (
                ", since the package facula-cuda is not installed: pip install ./packages/cuda in facula's source tree"
            )
        try:
            package.driver_version()
        except OperationError as error:
            return str(error).removeprefix("cuda")
        return ", since CUDA's driver finds none"

    def needed(self, name: str) -> Any:
        """Return the package facula_cuda; RuntimeError if no device answers."""
        package = cuda_backend()
        if package is None:
            raise self.error(name)
        return package

    def provided(self, name: str) -> Kind:
        """Return a class of facula_cuda if that is installed, with or without a device; otherwise an empty class."""
        return getattr(installed_backend(), name, None) or self.kind(name)

    def backend(self) -> Any:
        """Return the package facula_cuda if a device answers, or None."""
        return cuda_backend()


class CudaTensorType(TensorType):
    """The metaclass of `cuda.FloatTensor` and similar classes."""

    device_type = "cuda"

    @boundary
    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if cuda_backend() is None:
            raise InvalidTypeError(
                f"cuda.{cls.__name__}: there is no CUDA device; use facula.{cls.__name__}, or tensor(..., dtype=...)"
            )
        return super().__call__(*arguments, **options)


def cuda_tensor_type(name: str) -> Kind:
    """Return the class of CUDA tensors of one dtype, such as `cuda.FloatTensor`; calling it creates a tensor."""
    members = {"__slots__": (), "__module__": "facula.cuda", "__doc__": f"`{name}` on a CUDA device."}
    return CudaTensorType(name, (), members)
