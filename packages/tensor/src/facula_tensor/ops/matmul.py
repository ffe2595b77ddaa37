"""Products of matrices, vectors, and stacks of them."""

from __future__ import annotations

from typing import Any

from facula_storage import contiguous

from .._declare import operator, reflect
from .._errors import ArgumentError, DTypeError
from .._operator import operators, recording
from .._overrides import asks
from .._planning import broadcast_shapes
from .._tensor import Tensor, layout_of_tensor, method
from .._viewing import as_tensor
from .copying import give

__all__ = ["bmm", "dot", "matmul", "mm", "mv"]


@operator
class _matmul:
    """The product of two matrices, or of two equally long stacks of matrices."""

    inputs = ("input", "other")

    def redirect(F, operands, parameters):
        a, b = operands
        la, lb = layout_of_tensor(a), layout_of_tensor(b)
        if la.dtype is not lb.dtype:
            raise DTypeError(
                f"matmul: expected both in one dtype; got {la.dtype.name} and {lb.dtype.name}; convert one with .to()"
            )
        if not la.shape or not lb.shape:
            raise ArgumentError(
                f"matmul: expected at least 1 dimension; got shapes {la.shape} and {lb.shape}; use * for numbers"
            )
        inner, other = la.shape[-1], lb.shape[-2 if len(lb.shape) > 1 else -1]
        if inner != other:
            which = "-2" if len(lb.shape) > 1 else "-1"
            raise ArgumentError(
                f"matmul: expected input.shape[-1] == other.shape[{which}]; "
                f"got {la.shape} and {lb.shape} ({inner} and {other})"
            )
        if len(la.shape) > 1 and la.shape[:-2] == lb.shape[:-2] and len(lb.shape) > 1:
            return None
        return _general_matmul(F, a, b)

    def outputs(la, lb):
        return contiguous((*la.shape[:-1], lb.shape[-1]), la.dtype, la.device)

    def reverse_input(F, g, _input, other):
        return F.matmul(g, F.mT(other))

    def reverse_other(F, g, input, _other):
        return F.matmul(F.mT(input), g)


def _general_matmul(F: Any, a: Tensor, b: Tensor) -> Tensor:
    """Vectors and stacks that broadcast, in products of equal stacks."""
    if b.ndim == 1:
        return (
            F.squeeze(F.matmul(a if a.ndim > 1 else F.unsqueeze(a, 0), F.unsqueeze(b, 1)), -1)
            if a.ndim > 1
            else (F.squeeze(F.squeeze(F.matmul(F.unsqueeze(a, 0), F.unsqueeze(b, 1)), -1), -1))
        )
    if a.ndim == 1:
        return F.squeeze(F.matmul(F.unsqueeze(a, 0), b), -2)
    if b.ndim == 2:  # one matrix for all: a single product of more rows
        rows = F.reshape(a, (-1, a.shape[-1])) if a.numel() else F.reshape(a, (_rows(a), a.shape[-1]))
        return F.reshape(F.matmul(rows, b), (*a.shape[:-1], b.shape[-1]))
    try:
        batch = broadcast_shapes("matmul", tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    except ArgumentError:
        raise ArgumentError(
            f"matmul: expected leading dimensions that broadcast; got {tuple(a.shape)} and {tuple(b.shape)}"
        ) from None
    a = F.expand(a, (*batch, *a.shape[-2:]))
    b = F.expand(b, (*batch, *b.shape[-2:]))
    return F.matmul(a, b)


def _rows(a: Tensor) -> int:
    n = 1
    for size in a.shape[:-1]:
        n *= size
    return n


Tensor.__matmul__ = operators["matmul"].quick
reflect(operators["matmul"], "__rmatmul__")


@asks
@method()
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, as Python's `@`.

    Two vectors give their dot product; a matrix (.., n, k) and a vector (k) give (.., n); stacks of matrices
    (.., n, k) and (.., k, m) give (.., n, m), their leading dimensions broadcasting. Both in one dtype.
    Half precisions are accumulated in float32. ValueError where shapes do not fit.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0]]) @ tensor([[3.0], [4.0]])
    tensor([[11.]])
    """
    result = recording.matmul(input, other)
    return result if out is None else give("matmul", result, out)


operators["matmul"].public = matmul  # what classes that override operators are asked about, for `@` too


@asks
@method()
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices; ValueError unless both have 2 dimensions.

    >>> from facula_tensor import ones
    >>> mm(ones(2, 3), ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    _need_dims("mm", 2, input, mat2)
    return give("mm", recording.matmul(input, mat2), out)


@asks
@method()
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two equally long stacks of matrices; ValueError unless both have 3 dimensions.

    >>> from facula_tensor import ones
    >>> bmm(ones(2, 1, 3), ones(2, 3, 1)).shape
    facula.Size([2, 1, 1])
    """
    _need_dims("bmm", 3, input, mat2)
    if input.shape[0] != mat2.shape[0]:
        raise ArgumentError(
            f"bmm: expected stacks of one length; got shapes {tuple(input.shape)} and {tuple(mat2.shape)}"
        )
    return give("bmm", recording.matmul(input, mat2), out)


@asks
@method()
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector.

    >>> from facula_tensor import ones
    >>> mv(ones(2, 3), ones(3))
    tensor([3., 3.])
    """
    _need_dims("mv", 2, input)
    _need_dims("mv", 1, vec)
    return give("mv", recording.matmul(input, vec), out)


@asks
@method()
def dot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, without conjugation.

    >>> from facula_tensor import ones
    >>> dot(ones(3), ones(3))
    tensor(3.)
    """
    _need_dims("dot", 1, input, other)
    return give("dot", recording.matmul(input, other), out)


def _need_dims(operation: str, ndim: int, *tensors: Tensor) -> None:
    for tensor in tensors:
        if as_tensor(operation, tensor).ndim != ndim:
            raise ArgumentError(
                f"{operation}: expected {ndim} dimension(s); got shape {tuple(tensor.shape)}; use matmul for others"
            )
