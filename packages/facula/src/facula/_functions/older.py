"""Deprecated functions that rows of `_places.txt` refer to: a call warns, then calls the function of the new name."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary, warn
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


class Older:
    """Deprecated names of functions that now end in an underscore. A call warns, then calls the new function.

    >>> Older("nn.init").zeros.__name__
    'zeros'
    """

    def __init__(self, place: str) -> None:
        self.place = place

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(import_module(f"facula.{self.place}"), f"{name}_")

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            warn(f"{self.place}.{name}: {name}_ has taken its place", FutureWarning)
            return function(*args, **kwargs)

        call.__name__ = call.__qualname__ = name
        vars(self)[name] = wrapped = boundary(call)
        return wrapped


older_init = Older("nn.init")
older_utils = Older("nn.utils")


@boundary
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:  # fmt: skip
    """Call `nn.functional.interpolate`, after a deprecation warning."""
    warn("nn.functional.upsample: interpolate has taken its place", FutureWarning)
    return import_module("facula.nn.functional").interpolate(input, size, scale_factor, mode, align_corners)  # type: ignore[no-any-return]


@boundary
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `nn.functional.interpolate` with mode "nearest", after a deprecation warning."""
    return upsample(input, size, scale_factor)


@boundary
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `nn.functional.interpolate` with mode "bilinear" and aligned corners, after a deprecation warning."""
    return upsample(input, size, scale_factor, "bilinear", True)
