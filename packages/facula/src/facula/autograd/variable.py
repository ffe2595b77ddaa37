"""`Variable`, as tensors that want gradients were once called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor, tensor

from .._names import publish

__all__ = ["Variable"]


class _AnyTensor(type):
    """The class of `Variable`, of which every tensor is an instance."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """`Variable(data, requires_grad=False)`: a leaf over the memory of a tensor. Old programs write it; a tensor does.

    TypeError where `data` is no tensor.

    >>> import facula
    >>> Variable(facula.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    >>> isinstance(facula.ones(2), Variable)
    True
    """

    if TYPE_CHECKING:

        def __new__(cls, data: object = None, requires_grad: bool = False, volatile: bool = False) -> Any: ...

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
