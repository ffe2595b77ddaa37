"""Functions by older names, which rows of `_places.txt` give to them: a call warns, and does what the new name does."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary, warn
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


class Older:
    """Functions by the names that they had before these ended in an underscore: a call warns, and does the same.

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
    """`nn.functional.interpolate` by its older name; a warning says so."""
    warn("nn.functional.upsample: interpolate has taken its place", FutureWarning)
    return import_module("facula.nn.functional").interpolate(input, size, scale_factor, mode, align_corners)  # type: ignore[no-any-return]


@boundary
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`nn.functional.interpolate` with mode "nearest"; a warning says so."""
    return upsample(input, size, scale_factor)


@boundary
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`nn.functional.interpolate` with mode "bilinear" and aligned corners; a warning says so."""
    return upsample(input, size, scale_factor, "bilinear", True)
