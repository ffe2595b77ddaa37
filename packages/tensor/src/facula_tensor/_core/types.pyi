"""Types of arguments, for type checkers only: the module does not exist at run time.

`_stubs.py` names these in the stubs; other packages import them from `extend.arguments`, under TYPE_CHECKING.
"""

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from facula_storage import Device, DType

from .formats import memory_format
from .tensor import Tensor

class SupportsDLPack(Protocol):
    """Argument of `from_dlpack`: an array or tensor of any library."""

    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Frexp(tuple[Tensor, Tensor]):
    """Result of `frexp`."""

    @property
    def mantissa(self) -> Tensor: ...
    @property
    def exponent(self) -> Tensor: ...

class Extremes(tuple[Tensor, Tensor]):
    """Result of `max` and `min` along a dimension."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class NamedResults(tuple[Tensor, ...]):
    """Result of a decomposition: tensors by index and by name."""

    def __getattr__(self, name: str) -> Tensor: ...

AnyTensor = TypeVar("AnyTensor", bound=Tensor)

# `complex` stands for Python's bool, int and float, too.
Scalar: TypeAlias = complex | np.number[Any] | np.bool[bool]
Operand: TypeAlias = Tensor | np.ndarray[Any, Any] | Scalar
DTypeLike: TypeAlias = DType | str | type[bool] | type[int] | type[float] | type[complex]
DeviceLike: TypeAlias = Device | str
MemoryFormat: TypeAlias = memory_format
Dims: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Lengths: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
# A string is a sequence of strings, which a rule that names itself would take: so two levels, or lists and tuples.
_Nested: TypeAlias = Sequence[Operand] | Sequence[Sequence[Operand]] | list[Any] | tuple[Any, ...]
Data: TypeAlias = Operand | _Nested | SupportsDLPack
_Part: TypeAlias = SupportsIndex | slice[Any, Any, Any] | EllipsisType | Tensor | np.ndarray[Any, Any] | None
Index: TypeAlias = _Part | list[Any] | range | tuple[_Part | list[Any] | range, ...]

# What the dtype decides at run time: any kind of number. A union with Any may be used as any of its members, and this
# one for a bool, an int, a float or a complex number, but never for a str.
Number: TypeAlias = bool | Any

# An operator's operands are tensors, numbers and None, and its parameters hashable values, as its declaration says.
Operands: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = tuple[Any, ...]
# What plans are found by: the layout of a tensor, the type of a number, None for an operand that was left out.
Layouts: TypeAlias = tuple[Any, ...]
# What a call of an operator gives: a tensor, or a tuple of them where it has several results.
Result: TypeAlias = Any
# The nodes or leaves that operands' gradients go to, None for operands without; and what a node saves.
Edges: TypeAlias = tuple[Any, ...]
Saved: TypeAlias = tuple[Any, ...]
# What a function of any kind is called with.
Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]
# Rules, fast paths and public functions: called with what an operator's declaration says.
Function: TypeAlias = Callable[..., Any]
