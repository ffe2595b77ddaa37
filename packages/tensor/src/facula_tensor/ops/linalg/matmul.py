"""Products of matrices, vectors, and batches of them."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor, method
from ..._dispatch.declaration import operator, reflect
from ..._dispatch.namespaces import operators
from ..._dispatch.slow_path.operands import describe
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrix, MatrixStack, Vector
    from ..._dispatch.namespaces import Namespace


@operator
class _matmul:
    """Multiply two matrices, or two equally long batches of matrices."""

    inputs = ("input", "other")
    bilinear = ("input", "other")
    broadcasts = True

    def validate_layouts(la, lb):
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

    def outputs(la, lb):
        a, b = la.shape, lb.shape
        batch = a[:-2]
        if b[:-2] != batch:
            try:
                batch = broadcast_shapes("matmul", batch, b[:-2])
            except ArgumentError:
                raise ArgumentError(f"matmul: expected leading dimensions that broadcast; got {a} and {b}") from None
        return contiguous((*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())), la.dtype, la.device)

    def batching(F, call):
        (a, b), (of_a, of_b) = call.operands, call.batched
        rows, columns = layout_of_tensor(a).ndim > 1, layout_of_tensor(b).ndim > 1
        if of_a and not of_b and layout_of_tensor(b).ndim < 3:  # one product with more rows
            return call.wrap(call.run(call.contents))
        if of_b and not (of_a or columns) and layout_of_tensor(a).ndim == 2:
            return call.wrap(F.matmul(call.contents[1], F.mT(a)))
        if not columns:
            return F.squeeze(F.matmul(a, F.unsqueeze(b, -1)), -1)
        if not rows:
            return F.squeeze(F.matmul(F.unsqueeze(a, -2), b), -2)
        return call.wrap(call.run(call.aligned()))

    def vjp_input(F, g, _input, other, input_layout, other_layout):
        a, b = input_layout.shape, other_layout.shape
        if len(b) == 2 and len(a) > 1:
            return F.matmul(g, F.mT(other))
        if len(b) == 1:
            return F.mul(F.unsqueeze(g, -1), other)
        if len(a) == 1:
            return F.squeeze(F.matmul(other, F.unsqueeze(g, -1)), -1)
        return F.matmul(g, F.mT(other))

    def vjp_other(F, g, input, _other, input_layout, other_layout):
        a, b = input_layout.shape, other_layout.shape
        if len(a) == 1:
            return F.mul(input, g) if len(b) == 1 else F.mul(F.unsqueeze(input, -1), F.unsqueeze(g, -2))
        if len(b) < 3 < len(a) + 1:  # one matrix for the whole batch: a single product with more rows
            rows = product(a[:-1])
            input, g = F.reshape(input, (rows, a[-1])), F.reshape(g, (rows, *b[1:]))
        return F.matmul(F.mT(input), g)


_product = operators["matmul"].library_call
Tensor.__matmul__ = operators["matmul"].call  # type: ignore[method-assign]
reflect(operators["matmul"], "__rmatmul__")


@method()
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the matrix product, as Python's `@`.

    Two vectors give their dot product; a matrix (.., n, k) and a vector (k) give (.., n); batches of matrices
    (.., n, k) and (.., k, m) give (.., n, m), with broadcasting leading dimensions. Both must have the same dtype.
    Half precisions are accumulated in float32. Raises ValueError if shapes do not fit.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: a tensor for the result; a new one if None.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0]]) @ tensor([[3.0], [4.0]])
    tensor([[11.]])
    """
    try:
        result = _product(input, other)
        if result is NotImplemented:
            raise InvalidTypeError(f"matmul: expected 'other' to be a Tensor; got {describe(other)}")
        return result if out is None else write_out("matmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


operators["matmul"].public = matmul  # passed to classes that override operators, for `@` too


@function(calls="matmul", method=True, quick=True, out=True)
def mm(input: Matrix, mat2: Matrix) -> None:
    """Multiply two matrices; ValueError unless both have 2 dimensions.

    Arguments:
        input: a matrix (n, k).
        mat2: a matrix (k, m).

    >>> from facula_tensor import ones
    >>> mm(ones(2, 3), ones(3, 1))
    tensor([[3.],
            [3.]])
    """


@function(method=True, quick=True, out=True)
def bmm(F: Namespace, input: MatrixStack, mat2: MatrixStack) -> Tensor:
    """Multiply two equally long batches of matrices; ValueError unless both have 3 dimensions.

    Arguments:
        input: matrices (b, n, k).
        mat2: matrices (b, k, m).

    >>> from facula_tensor import ones
    >>> bmm(ones(2, 1, 3), ones(2, 3, 1)).shape
    facula.Size([2, 1, 1])
    """
    try:
        alike = input._layout.shape[0] == mat2._layout.shape[0]
    except AttributeError:  # tensors that override operators
        alike = input.shape[0] == mat2.shape[0]
    if not alike:
        raise ArgumentError(
            f"bmm: expected stacks of one length; got shapes {tuple(input.shape)} and {tuple(mat2.shape)}"
        )
    return F.matmul(input, mat2)


@function(calls="matmul", method=True, out=True)
def mv(input: Matrix, vec: Vector) -> None:
    """Multiply a matrix and a vector.

    Arguments:
        input: a matrix (n, k).
        vec: a vector (k,).

    >>> from facula_tensor import ones
    >>> mv(ones(2, 3), ones(3))
    tensor([3., 3.])
    """


@function(calls="matmul", method=True, out=True)
def dot(input: Vector, tensor: Vector) -> None:
    """Compute the dot product of two vectors, without conjugation.

    Arguments:
        input: a vector (k,).
        tensor: a vector (k,).

    >>> from facula_tensor import ones
    >>> dot(ones(3), ones(3))
    tensor(3.)
    """
