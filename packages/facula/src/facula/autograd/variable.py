"""`Variable`, the former name of tensors that require gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor, tensor

from .._lookup.names import publish
from .._types import AnyValue

__all__ = ["Variable"]


class _AnyTensor(type):
    """Metaclass of `Variable`, which makes every tensor an instance."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """A leaf over the memory of a tensor. Deprecated: use tensors.

    Arguments:
        data: the tensor; an empty one if None.
        requires_grad: whether the leaf requires a gradient.
        volatile: ignored; use `no_grad`.

    Raises:
        TypeError: `data` is not a tensor.

    >>> import facula
    >>> Variable(facula.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    >>> isinstance(facula.ones(2), Variable)
    True
    """

    if TYPE_CHECKING:

        def __new__(cls, data: object = None, requires_grad: bool = False, volatile: bool = False) -> AnyValue: ...

    else:

        @boundary
        def __new__(cls, data: object = None, requires_grad: bool = False, volatile: bool = False) -> Tensor:
            if data is None:
                data = tensor([])
            if not isinstance(data, Tensor):
                raise InvalidTypeError(
                    f"Variable: expected data to be a tensor; got {type(data).__name__}; use facula.tensor()"
                )
            leaf = data.detach()
            return leaf.requires_grad_() if requires_grad else leaf


publish(__name__)
