"""Tensor properties as functions: `is_tensor`, `numel`, `is_floating_point`, `is_complex`."""

from __future__ import annotations

from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._dispatch.view_call import as_tensor


def is_tensor(obj: object) -> bool:
    """Return True if `obj` is a Tensor."""
    return isinstance(obj, Tensor)


@boundary
def numel(input: Tensor) -> int:
    """Return the number of elements.

    >>> from facula_tensor import ones
    >>> numel(ones(2, 3))
    6
    """
    return as_tensor("numel", input).numel()


@boundary
def is_floating_point(input: Tensor) -> bool:
    """Return True if the dtype is a real floating-point type."""
    return as_tensor("is_floating_point", input).is_floating_point()


@boundary
def is_complex(input: Tensor) -> bool:
    """Return True if the dtype is complex."""
    return as_tensor("is_complex", input).is_complex()


def typename(obj: object) -> str:
    """Return the qualified type name of an object; for a tensor, the result of `x.type()`.

    >>> from facula_tensor import ones
    >>> typename(ones(1)), typename(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", None) or getattr(type(obj), "__module__", "")
    name = getattr(obj, "__qualname__", None) or type(obj).__qualname__
    return name if module in ("", "builtins", "__builtin__") else f"{module}.{name}"
