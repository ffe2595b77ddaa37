"""The public functions of `linalg/_functions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.promotion import as_integer
from ..._core.tensor import Tensor
from ..._dispatch.arguments import flag_value, steady_tensor
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import bodies_of
from ...ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("linalg._functions")


@overridable
def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Raise matrices (..., k, k) to the integer power n; a negative n inverts them first.

    Arguments:
        A: matrices (..., k, k).
        n: the exponent.

    >>> from facula_tensor import tensor
    >>> matrix_power(tensor([[1, 1], [0, 1]]), 5)
    tensor([[1, 5],
            [0, 1]])
    """
    try:
        A = steady_tensor("linalg.matrix_power", A)
        if type(n) is not int:
            n = as_integer(n, "linalg.matrix_power", "n")
        result = bodies.matrix_power(ops, A, n)
        return result if out is None else write_out("linalg.matrix_power", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matrix_exp(A: Tensor) -> Tensor:
    """Compute the exponential of matrices (..., n, n): the sum of A^k / k!, in double precision.

    >>> from facula_tensor import zeros
    >>> matrix_exp(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    try:
        A = matrices("linalg.matrix_exp", A, "A", square=True)
        return ops.matrix_exp(A)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications.

    The first may be a vector, treated as a row, and the last, treated as a column; the result lacks that dimension.

    Arguments:
        tensors: the factors, in order.

    >>> from facula_tensor import ones
    >>> multi_dot([ones(2), ones(2, 3), ones(3)])
    tensor(6.)
    """
    try:
        result = bodies.multi_dot(tensors)
        return result if out is None else write_out("linalg.multi_dot", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the pseudo-inverse of matrices (..., m, n): (..., n, m).

    Singular values up to the greater of `atol` and `rtol` times the first count as 0. Both are numbers, or tensors with
    one number for each matrix. Unless one is given, `rtol` is max(m, n) times the dtype's precision. `rcond` is an
    alias of `rtol`. For `hermitian` matrices only the lower triangle is read. The gradient assumes a locally constant
    rank.

    Arguments:
        A: the tensor.
        rcond: an alias of `rtol`.
        hermitian: whether A is Hermitian, so that only its lower triangle is read.
        atol: the largest singular value that counts as 0.
        rtol: the same bound, relative to the largest singular value.

    >>> from facula_tensor import tensor
    >>> pinv(tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    try:
        if hermitian is not False and hermitian is not True:
            hermitian = flag_value("linalg.pinv", "hermitian", hermitian)
        result = bodies.pinv(A, rcond, hermitian, atol=atol, rtol=rtol)
        return result if out is None else write_out("linalg.pinv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the rank of matrices (..., m, n): the number (int64) of singular values that are not 0, as in `pinv`.

    `tol` is an alias of `atol`.

    Arguments:
        A: the tensor.
        tol: an alias of `atol`.
        hermitian: whether A is Hermitian, so that only its lower triangle is read.
        atol: the largest singular value that counts as 0.
        rtol: the same bound, relative to the largest singular value.

    >>> from facula_tensor import ones
    >>> matrix_rank(ones(2, 3))
    tensor(1)
    """
    try:
        if hermitian is not False and hermitian is not True:
            hermitian = flag_value("linalg.matrix_rank", "hermitian", hermitian)
        result = bodies.matrix_rank(A, tol, hermitian, atol=atol, rtol=rtol)
        return result if out is None else write_out("linalg.matrix_rank", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cond(A: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Compute the condition number of matrices: norm of order `p` times that of the inverse; inf for singular ones.

    p None or 2: the largest singular value divided by the smallest, also for matrices (..., m, n); -2: the reciprocal.
    1, -1, inf, -inf, 'fro' and 'nuc' as in `matrix_norm`.

    Arguments:
        A: the tensor.
        p: the order of the norm.

    >>> from facula_tensor import tensor
    >>> cond(tensor([[4.0, 0.0], [0.0, 1.0]]))
    tensor(4.)
    """
    try:
        result = bodies.cond(ops, A, p)
        return result if out is None else write_out("linalg.cond", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Return X such that `tensordot(A, X, ind)` is an identity: the inverse of A, its first `ind` dimensions as rows.

    The product of their lengths must equal that of the others (ValueError). X has shape A.shape[ind:] + A.shape[:ind].

    Arguments:
        A: the tensor.
        ind: the number of leading dimensions that are rows.

    >>> from facula_tensor import eye
    >>> tensorinv(eye(6).reshape(2, 3, 6), ind=2).shape
    facula.Size([6, 2, 3])
    """
    try:
        A = steady_tensor("linalg.tensorinv", A)
        if type(ind) is not int:
            ind = as_integer(ind, "linalg.tensorinv", "ind")
        result = bodies.tensorinv(ops, A, ind)
        return result if out is None else write_out("linalg.tensorinv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """Solve `tensordot(A, X, X.ndim) == B` for X, after moving the dimensions `dims` of A to its end.

    A has shape B.shape + X.shape; both have the same number of elements.

    Arguments:
        A: the tensor of the equations.
        B: the right-hand side.
        dims: dimensions of A to move to its end; none if None.

    >>> from facula_tensor import eye, ones
    >>> tensorsolve(eye(6).reshape(2, 3, 6), ones(2, 3)).shape
    facula.Size([6])
    """
    try:
        A = steady_tensor("linalg.tensorsolve", A)
        B = steady_tensor("linalg.tensorsolve", B)
        result = bodies.tensorsolve(ops, A, B, dims)
        return result if out is None else write_out("linalg.tensorsolve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Return powers 0 to N - 1 of each element along a new last dimension: (..., n) to (..., n, N). N defaults to n.

    Arguments:
        x: the tensor.
        N: the number of powers.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    try:
        x = steady_tensor("linalg.vander", x)
        return bodies.vander(ops, x, N)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Compute the dot products of vectors along `dim`, conjugating the first; the operands broadcast and promote.

    Arguments:
        x: the first vectors.
        y: the second vectors.
        dim: the dimension of the vectors.

    >>> from facula_tensor import tensor
    >>> vecdot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    try:
        x = steady_tensor("linalg.vecdot", x)
        y = steady_tensor("linalg.vecdot", y)
        result = bodies.vecdot(ops, x, y, dim=dim)
        return result if out is None else write_out("linalg.vecdot", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Compute the cross product of vectors of three elements along `dim`; the operands broadcast.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        dim: the dimension of length 3.

    >>> from facula_tensor import tensor
    >>> cross(tensor([1, 0, 0]), tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    try:
        input = steady_tensor("linalg.cross", input)
        other = steady_tensor("linalg.cross", other)
        result = bodies.cross(ops, input, other, dim=dim)
        return result if out is None else write_out("linalg.cross", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return a view of a diagonal of matrices (the last two dimensions); it becomes the last dimension.

    Arguments:
        A: the tensor.
        offset: the diagonal: 0 is the main one, 1 the next above.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import arange
    >>> diagonal(arange(4).view(2, 2))
    tensor([0, 3])
    """
    try:
        return bodies.diagonal(A, offset=offset, dim1=dim1, dim2=dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices, vectors, or broadcasting batches of them.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.

    >>> from facula_tensor import ones
    >>> matmul(ones(2, 3), ones(3))
    tensor([3., 3.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("linalg.matmul", input)
        if type(other) is not Tensor:
            other = as_tensor("linalg.matmul", other)
        result = ops.matmul(input, other)
        return result if out is None else write_out("linalg.matmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
