"""Deprecated functions that rows of `_places.txt` refer to: a call warns, then calls the function of the new name."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary, warn
from facula_tensor import Tensor
from facula_tensor.extend.arguments import relabel

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


def resized(name: str, *arguments: Any) -> Any:
    """Warn that the function `name` is deprecated, and call `nn.functional.interpolate`. Errors contain the name."""
    warn(f"nn.functional.{name}: interpolate has taken its place", FutureWarning)
    try:
        return import_module("facula.nn.functional").interpolate(*arguments)
    except Exception as error:
        relabel(error, name)
        raise


@boundary
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:  # fmt: skip
    """Call `nn.functional.interpolate`, after a deprecation warning."""
    return resized("upsample", input, size, scale_factor, mode, align_corners)  # type: ignore[no-any-return]


@boundary
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `nn.functional.interpolate` with mode "nearest", after a deprecation warning."""
    return resized("upsample_nearest", input, size, scale_factor)  # type: ignore[no-any-return]


@boundary
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `nn.functional.interpolate` with mode "bilinear" and aligned corners, after a deprecation warning."""
    return resized("upsample_bilinear", input, size, scale_factor, "bilinear", True)  # type: ignore[no-any-return]
