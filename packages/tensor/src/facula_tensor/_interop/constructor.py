"""`Tensor(...)`: construction from lengths, data or another tensor, also for subclasses."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import cpu

from .._core.foreign import is_data
from .._core.promotion import get_default_dtype
from .._core.size import Size
from .._core.tensor import Tensor, alias
from .._creation.filled import empty
from .._creation.from_data import tensor
from .._dispatch.overrides import wrap_layout

if TYPE_CHECKING:
    from .._core.types import DeviceLike


@boundary
def _make_instance(cls: type, *arguments: Any, device: DeviceLike | None = None, **others: Any) -> Any:
    """Construct `Tensor(...)`, and instances of subclasses without a ``__new__``.

    From lengths: uninitialised, in the default floating dtype. From a tensor: sharing its memory. From data: a
    copy in the default floating dtype. Further arguments of a subclass's ``__init__`` are ignored.

    Arguments:
        cls: the class of the result.
        arguments: lengths, or a tensor, or data; the rest is for the subclass.
        device: the device of the elements; if None, the device of the tensor, or the CPU.
        others: `data`, a keyword for the first argument; the rest is for the subclass.
    """
    strict = cls.__init__ is Tensor.__init__  # type: ignore[misc]  # nobody else takes what is left over
    first = arguments[0] if arguments else others.pop("data", Size((0,)))
    lengths = tuple(takewhile(_is_length, arguments))
    if isinstance(first, Tensor):
        source = first if device is None else first.to(device)
    elif isinstance(first, Size):
        source = empty(first, device=device or cpu)
    elif is_data(first):
        source = tensor(first, dtype=get_default_dtype(), device=device or cpu)
    elif lengths and (not strict or len(lengths) == len(arguments)):
        source, arguments = empty(*lengths, device=device or cpu), ()
    else:
        first = next((argument for argument in arguments if not _is_length(argument)), first)
        raise InvalidTypeError(
            f"{cls.__name__}: expected lengths, data in a sequence or array, or a tensor; got {type(first).__name__} "
            f"{first!r:.60}; use facula.tensor() for a number"
        )
    if strict and (len(arguments) > 1 or others):
        given = [type(argument).__name__ for argument in arguments[1:]] + list(others)
        raise InvalidTypeError(
            f"{cls.__name__}: expected nothing but device beside data; got {', '.join(given)}; use facula.tensor()"
        )
    return wrap_layout(alias(source, cls))


@boundary
def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """Return an instance of a subclass that shares the memory of a tensor, without its history.

    Arguments:
        cls: Tensor, or a class derived from it.
        data: the tensor.
        require_grad: whether the instance requires a gradient.

    >>> from facula_tensor import Parameter, ones
    >>> Tensor._make_subclass(Parameter, ones(2), True)
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise InvalidTypeError(f"_make_subclass: expected a subclass of Tensor; got {cls!r}")
    if not isinstance(data, Tensor):
        raise InvalidTypeError(f"_make_subclass: expected data to be a Tensor; got {type(data).__name__}")
    return wrap_layout(alias(data, cls)).requires_grad_(require_grad)


def _is_length(value: object) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, (bool, Tensor, np.ndarray))


Tensor._make_subclass = staticmethod(_make_subclass)  # type: ignore[attr-defined]
Tensor.__new__ = staticmethod(_make_instance)  # type: ignore[assignment, method-assign]
