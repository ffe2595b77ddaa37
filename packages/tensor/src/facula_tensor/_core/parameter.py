"""The Parameter: a leaf that a module trains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import contiguous

from .allocation import fresh
from .promotion import get_default_dtype
from .tensor import Tensor, alias

if TYPE_CHECKING:
    from typing import Self


class Parameter(Tensor):
    """A tensor that a module trains: a leaf that requires a gradient.

    `data` becomes the parameter's memory, without a copy.

    >>> from facula_tensor import ones
    >>> Parameter(ones(2)).requires_grad
    True
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None: ...

    @boundary
    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        source = fresh(contiguous((0,), get_default_dtype())) if data is None else data
        if not isinstance(source, Tensor):
            raise InvalidTypeError(f"Parameter: expected data to be a Tensor; got {type(source).__name__}")
        if cls is Parameter and hasattr(source, "_as_parameter"):  # of a class with parameters of its own
            return source._as_parameter(requires_grad)  # type: ignore[no-any-return]
        new = alias(source, cls)
        new.requires_grad_(requires_grad)
        return new
