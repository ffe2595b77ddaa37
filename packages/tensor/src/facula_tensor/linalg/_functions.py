"""Powers, exponentials, products, ranks and condition numbers of matrices, and products of vectors."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_, int64
from facula_storage.extend.layouts import FLOATING

from .._core.promotion import as_integer
from .._core.tensor import Tensor, check_dim, layout_of_tensor
from .._dispatch.written import function
from ..ops.linalg.eigenvalues import spectrum_of
from ..ops.linalg.inverse import inverse_of, solution_of
from ..ops.linalg.matrices import matrices
from ..ops.linalg.matrix_functions import power_of, product_of
from ..ops.linalg.pinverse import pinv_of, rank_of
from ..ops.linalg.products import cross_product
from ..ops.reduction.norms import INF, matrix_norm_of
from ..ops.shape import diagonal as diagonals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._dispatch.kinds import Checked, Integer, SquareMatrices, Steady, Truth
    from .._dispatch.namespaces import Namespace


@function(label="linalg.matrix_power", out=True, overridable=True, instead=partial(power_of, "linalg.matrix_power"))
def matrix_power(F: Namespace, A: Steady, n: Integer) -> None:
    """Raise matrices (..., k, k) to the integer power n; a negative n inverts them first.

    Arguments:
        A: matrices (..., k, k).
        n: the exponent.

    >>> from facula_tensor import tensor
    >>> matrix_power(tensor([[1, 1], [0, 1]]), 5)
    tensor([[1, 5],
            [0, 1]])
    """


@function(label="linalg.matrix_exp", calls="matrix_exp", overridable=True)
def matrix_exp(A: SquareMatrices) -> None:
    """Compute the exponential of matrices (..., n, n): the sum of A^k / k!, in double precision.

    >>> from facula_tensor import zeros
    >>> matrix_exp(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """


@function(label="linalg.multi_dot", out=True, overridable=True)
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications.

    The first may be a vector, treated as a row, and the last, treated as a column; the result lacks that dimension.

    Arguments:
        tensors: the factors, in order.

    >>> from facula_tensor import ones
    >>> multi_dot([ones(2), ones(2, 3), ones(3)])
    tensor(6.)
    """
    return product_of("linalg.multi_dot", tensors)


@function(label="linalg.pinv", out=True, overridable=True)
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: Truth = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """Compute the pseudo-inverse of matrices (..., m, n): (..., n, m).

    Singular values up to the greater of `atol` and `rtol` times the first count as 0. Both are numbers, or tensors with
    one number for each matrix. Unless one is given, `rtol` is max(m, n) times the dtype's precision. `rcond` is an
    alias of `rtol`. For `hermitian` matrices only the lower triangle is read. The gradient assumes a locally constant
    rank.

    Arguments:
        rcond: an alias of `rtol`.
        hermitian: whether A is Hermitian, so that only its lower triangle is read.
        atol: the largest singular value that counts as 0.
        rtol: the same bound, relative to the largest singular value.

    >>> from facula_tensor import tensor
    >>> pinv(tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    A = matrices("linalg.pinv", A, square=hermitian)
    return pinv_of("linalg.pinv", A, atol, rcond if rtol is None else rtol, hermitian)


@function(label="linalg.matrix_rank", out=True, overridable=True)
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: Truth = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """Compute the rank of matrices (..., m, n): the number (int64) of singular values that are not 0, as in `pinv`.

    `tol` is an alias of `atol`.

    Arguments:
        tol: an alias of `atol`.
        hermitian: whether A is Hermitian, so that only its lower triangle is read.
        atol: the largest singular value that counts as 0.
        rtol: the same bound, relative to the largest singular value.

    >>> from facula_tensor import ones
    >>> matrix_rank(ones(2, 3))
    tensor(1)
    """
    name = "linalg.matrix_rank"
    return rank_of(name, matrices(name, A, square=hermitian), tol if atol is None else atol, rtol, hermitian)


@function(label="linalg.cond", out=True, overridable=True)
def cond(F: Namespace, A: Tensor, p: float | str | None = None) -> Tensor:
    """Compute the condition number of matrices: norm of order `p` times that of the inverse; inf for singular ones.

    p None or 2: the largest singular value divided by the smallest, also for matrices (..., m, n); -2: the reciprocal.
    1, -1, inf, -inf, 'fro' and 'nuc' as in `matrix_norm`.

    Arguments:
        p: the order of the norm.

    >>> from facula_tensor import tensor
    >>> cond(tensor([[4.0, 0.0], [0.0, 1.0]]))
    tensor(4.)
    """
    name = "linalg.cond"
    if p is None or p in (2, -2):
        values = spectrum_of(name, "svdvals", matrices(name, A))
        if not layout_of_tensor(values).shape[-1]:
            raise ArgumentError(f"{name}: expected matrices with elements; got shape {tuple(A.shape)}")
        first, last = F.select(values, -1, 0), F.select(values, -1, -1)
        return F.div(last, first) if p == -2 else F.div(first, last)
    A = matrices(name, A, square=True)
    inverse, info = inverse_of(name, A, check=False)
    inverse = F.where(F.unsqueeze(F.unsqueeze(F.eq(info, 0), -1), -1), inverse, 0)  # singular values of NaN fail
    norms = [matrix_norm_of(name, matrix, p, (-2, -1), False, None, None) for matrix in (A, inverse)]
    return F.where(F.eq(info, 0), F.mul(*norms), INF)


@function(label="linalg.tensorinv", out=True, overridable=True)
def tensorinv(F: Namespace, A: Steady, ind: Integer = 2) -> Tensor:
    """Return X such that `tensordot(A, X, ind)` is an identity: the inverse of A, its first `ind` dimensions as rows.

    The product of their lengths must equal that of the others (ValueError). X has shape A.shape[ind:] + A.shape[:ind].

    Arguments:
        A: the tensor.
        ind: the number of leading dimensions that are rows.

    >>> from facula_tensor import eye
    >>> tensorinv(eye(6).reshape(2, 3, 6), ind=2).shape
    facula.Size([6, 2, 3])
    """
    name, shape = "linalg.tensorinv", layout_of_tensor(A).shape
    size = prod(shape[:ind])
    if ind <= 0 or size != prod(shape[ind:]):
        raise ArgumentError(
            f"{name}: expected ind above 0, with as many elements in A.shape[:ind] as in A.shape[ind:]; "
            f"got ind {ind} and shape {shape}"
        )
    inverse, _ = inverse_of(name, matrices(name, F.reshape(A, (size, size))))
    return F.reshape(inverse, (*shape[ind:], *shape[:ind]))


@function(label="linalg.tensorsolve", out=True, overridable=True)
def tensorsolve(F: Namespace, A: Steady, B: Steady, dims: Sequence[int] | None = None) -> Tensor:
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
    name = "linalg.tensorsolve"
    if dims is not None:
        if not isinstance(dims, (tuple, list)):
            raise InvalidTypeError(f"{name}: expected dims to be a tuple of integers; got {dims!r:.200}")
        moved = [check_dim(name, dim, A.ndim) for dim in dims]
        A = F.permute(A, (*[dim for dim in range(A.ndim) if dim not in moved], *moved))
    a, b = layout_of_tensor(A).shape, layout_of_tensor(B).shape
    size = prod(b)
    if prod(a) != size * size:
        raise ArgumentError(f"{name}: expected A with as many elements as the square of B's; got shapes {a} and {b}")
    found, _ = solution_of(name, matrices(name, F.reshape(A, (size, size))), F.reshape(B, (size,)))
    return F.reshape(found, a[len(b) :])


@function(label="linalg.vander", overridable=True)
def vander(F: Namespace, x: Steady, N: int | None = None) -> Tensor:
    """Return powers 0 to N - 1 of each element along a new last dimension: (..., n) to (..., n, N). N defaults to n.

    Arguments:
        N: the number of powers.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    name, layout = "linalg.vander", layout_of_tensor(x)
    if layout.dtype is bool_ or (layout.dtype.itemsize == 2 and layout.dtype.category == FLOATING):
        raise DTypeError(f"{name}: not defined for {layout.dtype.name}; convert with .float()")
    if not layout.shape:
        if N is None:
            raise ArgumentError(f"{name}: expected at least 1 dimension; got shape ()")
        x = F.reshape(x, (1,))
        layout = layout_of_tensor(x)
    count = layout.shape[-1] if N is None else as_integer(N, name, "N")
    if N is not None and count <= 1:
        raise ArgumentError(f"{name}: expected N above 1; got {count}")
    column = F.unsqueeze(x, -1)
    last = len(layout.shape)
    if layout.dtype.category < FLOATING:
        column = F.to(column, (int64,))
    ones = F.add(F.zeros_like(column), 1)
    if count < 2:
        return F.narrow(ones, -1, 0, count)
    powers = F.cumprod(F.expand(column, (*layout.shape, count - 1)), (last, False))
    return F.cat((ones, powers), (last,))


@function(label="linalg.vecdot", out=True, overridable=True)
def vecdot(F: Namespace, x: Steady, y: Steady, *, dim: int = -1) -> Tensor:
    """Compute the dot products of vectors along `dim`, conjugating the first; the operands broadcast and promote.

    Arguments:
        x: the first vectors.
        y: the second vectors.
        dim: the dimension of the vectors.

    >>> from facula_tensor import tensor
    >>> vecdot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    name = "linalg.vecdot"
    for operand in (x, y):
        if layout_of_tensor(operand).dtype.category < FLOATING:
            raise DTypeError(f"{name}: expected floating or complex tensors; got {operand.dtype.name}")
    product = F.mul(F.conj(x), y)
    ndim = layout_of_tensor(product).ndim
    at = check_dim(name, dim, ndim)
    return F.sum(product, ((at,), False)) if ndim else product


@function(label="linalg.cross", out=True, overridable=True)
def cross(F: Namespace, input: Steady, other: Steady, *, dim: int = -1) -> Tensor:
    """Compute the cross product of vectors of three elements along `dim`; the operands broadcast.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        dim: the dimension of length 3.

    >>> from facula_tensor import tensor
    >>> cross(tensor([1, 0, 0]), tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    return cross_product("linalg.cross", F, input, other, dim)


@function(label="linalg.diagonal", overridable=True, instead=diagonals.diagonal)
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> None:
    """Return a view of a diagonal of matrices (the last two dimensions); it becomes the last dimension.

    Arguments:
        offset: the diagonal: 0 is the main one, 1 the next above.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import arange
    >>> diagonal(arange(4).view(2, 2))
    tensor([0, 3])
    """


@function(label="linalg.matmul", calls="matmul", out=True, overridable=True)
def matmul(input: Checked, other: Checked) -> None:
    """Multiply matrices, vectors, or broadcasting batches of them.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.

    >>> from facula_tensor import ones
    >>> matmul(ones(2, 3), ones(3))
    tensor([3., 3.])
    """
