"""The base class of families of layers: one for sequences, one for images, one for volumes."""

from __future__ import annotations

from typing import Any

from .._modules.module import Module


class Variant(Module):
    """Base class of layers that differ in the number of dimensions. Class keywords set these attributes.

    `dims`: the number of dimensions of the windows, or a tuple of the numbers of dimensions that inputs may have.
    `_operator`: the name of the function in `functional`.
    """

    dims: Any
    _operator: str

    def __init_subclass__(cls, dims: Any = None, operator: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if dims is not None:
            cls.dims = dims
        if operator is not None:
            cls._operator = operator
