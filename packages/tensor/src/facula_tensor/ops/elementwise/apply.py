"""Methods that call a Python function for each element, in place, and `fill_diagonal_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import boundary

from ..._core.promotion import number_for
from ..._core.tensor import Tensor, method
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ..._core.types import Operand


def _apply(name: str, function: Callable[..., complex], *tensors: Tensor) -> Tensor:
    """Store `function(*elements)` in the first tensor, for each position; the other tensors broadcast to it."""
    self = tensors[0]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise InvalidTypeError(f"{name}: expected a Tensor; got {type(tensor).__name__}")
        if tensor.device.type != "cpu":
            raise UnsupportedError(f"{name}: expected tensors on the CPU; got one on '{tensor.device}'; use .cpu()")
    if not callable(function):
        raise InvalidTypeError(f"{name}: expected a function; got {type(function).__name__}")
    if self.requires_grad:
        raise OperationError(f"{name}: a Python function has no gradient; call it on .detach()")
    others = [tensor.detach().expand(self.shape) for tensor in tensors[1:]]
    rows = zip(*[tensor.detach().reshape(-1).tolist() for tensor in (self, *others)], strict=True)
    results = [number_for(function(*row), self.dtype, name) for row in rows]
    new = self.new_tensor(results).reshape(self.shape) if results else self.detach()
    return self.copy_(new)


@method()
@boundary
def apply_(self: Tensor, callable: Callable[..., complex]) -> Tensor:
    """Replace each element by `callable(element)` and return this tensor. The call is slow and has no gradient.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]).apply_(lambda x: x * 10)
    tensor([10, 20])
    """
    return _apply("apply_", callable, self)


@method()
@boundary
def map_(self: Tensor, tensor: Tensor, callable: Callable[..., complex]) -> Tensor:
    """Replace each element by `callable(element, other)`, where `other` is from another tensor.

    The call is slow and has no gradient.

    Arguments:
        tensor: the other tensor; it broadcasts to this one.
        callable: a Python function of two numbers.

    Returns:
        This tensor.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]).map_(tensor([5, 5]), lambda x, y: x * y)
    tensor([ 5, 10])
    """
    return _apply("map_", callable, self, tensor)


@method()
@boundary
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[..., complex]) -> Tensor:
    """Replace each element by `callable(element, x_element, y_element)`, with elements of two other tensors.

    The call is slow and has no gradient.

    Arguments:
        x: the tensor of the second argument; it broadcasts to this one.
        y: the tensor of the third argument; it broadcasts to this one.
        callable: a Python function of three numbers.

    Returns:
        This tensor.
    """
    return _apply("map2_", callable, self, x, y)


@overridable
@method()
@boundary
def fill_diagonal_(self: Tensor, fill_value: Operand, wrap: bool = False) -> Tensor:
    """Set the elements whose indices are all equal to `fill_value` and return this tensor.

    With `wrap`, the diagonal of a tall matrix restarts after each square block, with one row skipped between blocks.

    >>> from facula_tensor import zeros
    >>> zeros(2, 3).fill_diagonal_(5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
    self = as_tensor("fill_diagonal_", self)
    shape = tuple(self.shape)
    if len(shape) < 2:
        raise ArgumentError(f"fill_diagonal_: expected at least 2 dimensions; got shape {shape}")
    if len(shape) > 2 and len(set(shape)) != 1:
        raise ArgumentError(f"fill_diagonal_: expected all dimensions to have the same length; got shape {shape}")
    if not self.numel():
        return self
    rows, columns = shape[0], shape[-1]
    if wrap and len(shape) == 2 and rows > columns + 1:
        places = np.arange(0, rows * columns, columns + 1)
        self[self.new_tensor(places // columns).long(), self.new_tensor(places % columns).long()] = fill_value
        return self
    self.as_strided((min(shape),), (sum(self.stride()),)).fill_(fill_value)
    return self
