"""Powers, exponentials, products, ranks and condition of matrices, and products of vectors."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import bool_, int64
from facula_storage.extend import FLOATING

from .._core.promotion import as_integer
from .._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from ..ops import diagonals, products
from ..ops import matmul as products_of_matrices
from ..ops.inverses import inverse_of, solution_of
from ..ops.matrices import matrices
from ..ops.matrix_functions import exponential_of, power_of, product_of
from ..ops.pseudo_inverse import pinv_of, rank_of
from ..ops.reduction.norms import INF, matrix_norm_of
from ..ops.spectral import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "cond", "cross", "diagonal", "matmul", "matrix_exp", "matrix_power", "matrix_rank", "multi_dot", "pinv",
    "tensorinv", "tensorsolve", "vander", "vecdot",
]  # fmt: skip


@overridable
@boundary
def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """The product of matrices (..., k, k) with themselves, n times: of their inverses where n is negative.

    Arguments:
        A: matrices (..., k, k).
        n: how many factors.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> matrix_power(tensor([[1, 1], [0, 1]]), 5)
    tensor([[1, 5],
            [0, 1]])
    """
    return write_out("linalg.matrix_power", power_of("linalg.matrix_power", A, n), out)


@overridable
@boundary
def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of matrices (..., n, n): the sum of A^k / k!, computed in double precision.

    >>> from facula_tensor import zeros
    >>> matrix_exp(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return exponential_of("linalg.matrix_exp", A)


@overridable
@boundary
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of matrices in the order that takes the fewest multiplications.

    The first may be a vector, as a row, and the last one, as a column; the result lacks that dimension.

    >>> from facula_tensor import ones
    >>> multi_dot([ones(2), ones(2, 3), ones(3)])
    tensor(6.)
    """
    return write_out("linalg.multi_dot", product_of("linalg.multi_dot", tensors), out)


@overridable
@boundary
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The pseudo-inverse of matrices (..., m, n): (..., n, m).

    Singular values up to the greater of `atol` and `rtol` times the first count as 0. Both are numbers, or tensors with
    one for each matrix; `rtol` is the greater of m and n times the dtype's precision unless one is given. `rcond` is
    another name of `rtol`. Of `hermitian` matrices the lower triangle is read. The gradient is that at a rank which
    stays as it is.

    Arguments:
        A: matrices (..., m, n).
        rcond: another name of `rtol`.
        hermitian: whether A is Hermitian, so that its lower triangle is enough.
        atol: the greatest singular value that counts as 0.
        rtol: the same, as a share of the greatest singular value.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> pinv(tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return write_out("linalg.pinv", pinv_of("linalg.pinv", A, atol, rcond if rtol is None else rtol, hermitian), out)


@overridable
@boundary
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The rank of matrices (..., m, n): the number of singular values (int64) that are not 0, as `pinv` counts them.

    `tol` is another name of `atol`.

    Arguments:
        A: matrices (..., m, n).
        tol: another name of `atol`.
        hermitian: whether A is Hermitian, so that its lower triangle is enough.
        atol: the greatest singular value that counts as 0.
        rtol: the same, as a share of the greatest singular value.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> matrix_rank(ones(2, 3))
    tensor(1)
    """
    name = "linalg.matrix_rank"
    return write_out(name, rank_of(name, A, tol if atol is None else atol, rtol, hermitian), out)


@overridable
@boundary
def cond(A: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition of matrices: the norm of order `p` of each times that of its inverse; inf where it is singular.

    p None or 2: the greatest singular value divided by the least, also of matrices (..., m, n); -2 the inverse of that.
    1, -1, inf, -inf, 'fro' and 'nuc' as in `matrix_norm`.

    Arguments:
        A: matrices (..., m, n).
        p: the order of the norm.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> cond(tensor([[4.0, 0.0], [0.0, 1.0]]))
    tensor(4.)
    """
    name, F = "linalg.cond", recorded_ops
    if p is None or p in (2, -2):
        values = values_of(name, "svdvals", A)
        if not layout_of_tensor(values).shape[-1]:
            raise ArgumentError(f"{name}: expected matrices with elements; got shape {tuple(A.shape)}")
        first, last = F.select(values, -1, 0), F.select(values, -1, -1)
        return write_out(name, F.div(last, first) if p == -2 else F.div(first, last), out)
    A = matrices(name, A, square=True)
    inverse, info = inverse_of(name, A, check=False)
    norms = [matrix_norm_of(name, one, p, (-2, -1), False, None, None) for one in (A, inverse)]
    return write_out(name, F.where(F.eq(info, 0), F.mul(*norms), INF), out)


@overridable
@boundary
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """X with `tensordot(A, X, ind)` an identity: the inverse of A with its first `ind` dimensions as rows.

    The product of their lengths is that of the others: ValueError else. X has the shape A.shape[ind:] + A.shape[:ind].

    Arguments:
        A: the tensor.
        ind: how many of its first dimensions are rows.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import eye
    >>> tensorinv(eye(6).reshape(2, 3, 6), ind=2).shape
    facula.Size([6, 2, 3])
    """
    name, F = "linalg.tensorinv", recorded_ops
    A = steady(as_tensor(name, A))
    shape, count = layout_of_tensor(A).shape, as_integer(ind, name, "ind")
    if count <= 0 or prod(shape[:count]) != prod(shape[count:]):
        raise ArgumentError(
            f"{name}: expected ind above 0, with as many elements in A.shape[:ind] as in A.shape[ind:]; "
            f"got ind {count} and shape {shape}"
        )
    size = prod(shape[:count])
    inverse, _ = inverse_of(name, F.reshape(A, (size, size)))
    return write_out(name, F.reshape(inverse, (*shape[count:], *shape[:count])), out)


@overridable
@boundary
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """X with `tensordot(A, X, X.ndim) == B`; first the dimensions `dims` of A go to its end.

    A has the shape B.shape + X.shape, with as many elements in the one as in the other.

    Arguments:
        A: the tensor of the equations.
        B: the right-hand side.
        dims: dimensions of A that go to its end; none if None.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import eye, ones
    >>> tensorsolve(eye(6).reshape(2, 3, 6), ones(2, 3)).shape
    facula.Size([6])
    """
    name, F = "linalg.tensorsolve", recorded_ops
    A, B = steady(as_tensor(name, A)), steady(as_tensor(name, B))
    if dims is not None:
        if not isinstance(dims, (tuple, list)):
            raise InvalidTypeError(f"{name}: expected dims to be a tuple of integers; got {dims!r:.200}")
        moved = [check_dim(name, dim, A.ndim) for dim in dims]
        A = F.permute(A, (*[dim for dim in range(A.ndim) if dim not in moved], *moved))
    a, b = layout_of_tensor(A).shape, layout_of_tensor(B).shape
    size = prod(b)
    if prod(a) != size * size:
        raise ArgumentError(f"{name}: expected A with as many elements as the square of B's; got shapes {a} and {b}")
    found, _ = solution_of(name, F.reshape(A, (size, size)), F.reshape(B, (size,)))
    return write_out(name, F.reshape(found, a[len(b) :]), out)


@overridable
@boundary
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Powers 0 to N - 1 of each element along a new last dimension: (..., n) gives (..., n, N). N is n if not given.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    name, F = "linalg.vander", recorded_ops
    x = steady(as_tensor(name, x))
    layout = layout_of_tensor(x)
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


@overridable
@boundary
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The dot products of vectors along `dim`, the first conjugated; the operands broadcast and promote.

    Arguments:
        x: the first vectors.
        y: the second vectors.
        dim: the dimension of the vectors.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> vecdot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    name, F = "linalg.vecdot", recorded_ops
    x, y = steady(as_tensor(name, x)), steady(as_tensor(name, y))
    for one in (x, y):
        if layout_of_tensor(one).dtype.category < FLOATING:
            raise DTypeError(f"{name}: expected floating or complex tensors; got {one.dtype.name}")
    product = F.mul(F.conj(x), y)
    ndim = layout_of_tensor(product).ndim
    at = check_dim(name, dim, ndim)
    return write_out(name, F.sum(product, ((at,), False)) if ndim else product, out)


@overridable
@boundary
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements along `dim`; the operands broadcast.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        dim: the dimension of length 3.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> cross(tensor([1, 0, 0]), tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    return products.cross(input, other, dim, out=out)


@overridable
@boundary
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of a diagonal of matrices, the last two dimensions; it becomes the last dimension.

    Arguments:
        A: matrices (..., m, n).
        offset: which diagonal: 0 is the main one, 1 the next above.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import arange
    >>> diagonal(arange(4).view(2, 2))
    tensor([0, 3])
    """
    return diagonals.diagonal(A, offset, dim1, dim2)


@overridable
@boundary
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of matrices, vectors, or stacks of them that broadcast.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> matmul(ones(2, 3), ones(3))
    tensor([3., 3.])
    """
    return products_of_matrices.matmul(input, other, out=out)
