"""Products of vectors and matrices beyond `matmul`: outer, inner, Kronecker, cross, and the `addmm` family."""

from __future__ import annotations

from functools import partial
from math import prod as numel
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_
from facula_storage.extend.layouts import FLOATING

from ..._core.errors import named
from ..._core.promotion import SCALAR_CATEGORY, as_integer, element, plain_number, result_type
from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.namespaces import operators, recorded_ops
from ..._dispatch.slow_path.alpha import with_alpha
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.written import function, operands_of
from . import matmul as _  # noqa: F401  declares the operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType

    from ..._core.types import Function, Number, Scalar
    from ..._dispatch.kinds import Checked, Matrix, MatrixStack, Steady, Vector
    from ..._dispatch.namespaces import Namespace


@function(method=True, out=True)
def outer(F: Namespace, input: Vector, vec2: Vector) -> Tensor:
    """Multiply all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote.

    Arguments:
        input: the vector (n,).
        vec2: the vector (m,).

    >>> from facula_tensor import tensor
    >>> outer(tensor([1, 2]), tensor([1, 10, 100]))
    tensor([[  1,  10, 100],
            [  2,  20, 200]])
    """
    return F.mul(F.unsqueeze(input, 1), vec2)


@function(method=True, out=True)
def ger(F: Namespace, input: Vector, vec2: Vector) -> Tensor:
    """Multiply all pairs of elements of two vectors: an alias of `outer`.

    Arguments:
        input: the vector (n,).
        vec2: the vector (m,).
    """
    return F.mul(F.unsqueeze(input, 1), vec2)


@function(method=True, out=True)
def inner(F: Namespace, input: Checked, other: Checked) -> Tensor:
    """Compute dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand is a factor.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.

    >>> from facula_tensor import tensor
    >>> inner(tensor([[1, 2], [3, 4]]), tensor([1, 10]))
    tensor([21, 43])
    """
    if not input.ndim or not other.ndim:
        return F.mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise ArgumentError(
            f"inner: expected input.shape[-1] == other.shape[-1]; got {tuple(input.shape)} and {tuple(other.shape)}"
        )
    if other.ndim <= 2:
        return F.matmul(input, F.mT(other) if other.ndim == 2 else other)
    flat = F.reshape(other, (numel(other.shape[:-1]), other.shape[-1]))
    return F.reshape(F.matmul(input, F.mT(flat)), (*input.shape[:-1], *other.shape[:-1]))


@function(method=True, out=True)
def vdot(F: Namespace, input: Vector, other: Vector) -> Tensor:
    """Compute the dot product of two vectors, conjugating the first.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.

    >>> from facula_tensor import tensor
    >>> vdot(tensor([1 + 2j]), tensor([1 + 2j]))
    tensor(5.+0.j)
    """
    return F.matmul(F.conj(input), other)


@function(method=True, out=True)
def kron(F: Namespace, input: Checked, other: Checked) -> Tensor:
    """Compute the Kronecker product: replace each element of `input` by its product with `other`.

    Shapes are padded with 1 on the left; each length of the result is the product of the operands' lengths.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.

    >>> from facula_tensor import tensor
    >>> kron(tensor([[1, 2]]), tensor([[1, 1]]))
    tensor([[1, 1, 2, 2]])
    """
    ndim = max(input.ndim, other.ndim)
    rows, columns = (1,) * (ndim - input.ndim) + tuple(input.shape), (1,) * (ndim - other.ndim) + tuple(other.shape)
    a = F.reshape(input, tuple([size for row in rows for size in (row, 1)]))
    b = F.reshape(other, tuple([size for column in columns for size in (1, column)]))
    return F.reshape(F.mul(a, b), tuple([row * column for row, column in zip(rows, columns, strict=True)]))


def cross_product(operation: str, F: Namespace, a: Tensor, b: Tensor, dim: int | None) -> Tensor:
    """Compute the cross product along `dim`, or along the first dimension of length 3."""
    if a.ndim != b.ndim:
        raise ArgumentError(f"{operation}: expected equally many dimensions; got shapes {_shapes(a, b)}")
    shape = broadcast_shapes(operation, tuple(a.shape), tuple(b.shape))
    if dim is None:
        if 3 not in shape:
            raise ArgumentError(f"{operation}: expected a dimension of length 3; got shapes {_shapes(a, b)}")
        dim = shape.index(3)
    dim = as_integer(dim, operation, "dim")
    if not -a.ndim <= dim < a.ndim or not a.shape[dim] == b.shape[dim] == 3:
        raise ArgumentError(
            f"{operation}: expected dim to be a dimension of length 3; got {dim} for shapes {_shapes(a, b)}"
        )
    dim %= a.ndim
    a, b = [F.cat((operand, operand.narrow(dim, 0, 2)), (dim,)) for operand in (a, b)]  # 0 1 2 0 1
    first = F.mul(a.narrow(dim, 1, 3), b.narrow(dim, 2, 3))
    return F.sub(first, F.mul(a.narrow(dim, 2, 3), b.narrow(dim, 1, 3)))


def _shapes(a: Tensor, b: Tensor) -> str:
    return f"{tuple(a.shape)} and {tuple(b.shape)}"


@function(method=True, out=True, instead=partial(cross_product, "cross"))
def cross(F: Namespace, input: Steady, other: Steady, dim: int | None = None) -> None:
    """Compute the cross product of vectors of three elements, along `dim` or the first dimension of length 3.

    The operands have the same number of dimensions, and broadcast. Raises ValueError if `dim` has another length.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        dim: the dimension of length 3; the first one if None.

    >>> from facula_tensor import tensor
    >>> cross(tensor([1, 0, 0]), tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """


# -------------------------------------------------------------------------------------- beta input + alpha product
def _check_dtypes(operation: str, names: tuple[str, ...], input: Tensor, *others: Tensor) -> None:
    """Raise a TypeError unless all have the same dtype, and it supports products."""
    dtype = layout_of_tensor(input).dtype
    for name, operand in zip(names, others, strict=True):
        found = layout_of_tensor(operand).dtype
        if found is not dtype:
            raise DTypeError(
                f"{operation}: expected all in one dtype; got input {dtype.name}, {name} {found.name}; "
                "convert with .to()"
            )
    if dtype is bool_:
        raise DTypeError(f"{operation}: not defined for bool; convert with .to()")


def _factor(operation: str, name: str, value: object, dtype: DType) -> Number:
    """Convert a factor for the dtype: integers drop the fraction. TypeError unless it is a real number."""
    number = plain_number(element(value, operation, name))
    if number is None or SCALAR_CATEGORY[type(number)] > max(dtype.category, FLOATING):
        error = f"{operation}: expected {name} to be a real number; got {type(value).__name__}"
        raise named(InvalidTypeError(error))
    if dtype is bool_:
        return bool(number)
    return number if dtype.category >= FLOATING and type(number) is not bool else int(number)  # type: ignore[arg-type]


def _check_shape(operation: str, input: Tensor, product: Tensor) -> None:
    """Raise a ValueError unless `input` broadcasts to the product."""
    own, shape = tuple(input.shape), tuple(product.shape)
    if broadcast_shapes(operation, own, shape) != shape:
        raise ArgumentError(f"{operation}: expected an input that broadcasts to {shape}; got {own}")


def _product_added(
    operation: str,
    names: tuple[str, ...],
    product_of: Function,
    promotes: bool,
    input: Tensor,
    first: Tensor,
    second: Tensor,
    *,
    beta: Scalar,
    alpha: Scalar,
) -> Tensor:
    """Return beta * input + alpha * product_of(first, second); `input` is ignored if beta is 0.

    Inline conditions cover most calls: unwrapped layouts, one floating dtype, Python numbers, and an input that
    broadcasts only along additional dimensions.
    """
    F, own = recorded_ops, input._layout
    dtype = getattr(own, "dtype", None)
    alike = dtype is getattr(first._layout, "dtype", None) is getattr(second._layout, "dtype", None)
    plain = alike and dtype is not None and dtype.category >= FLOATING
    if not (plain or promotes):
        _check_dtypes(operation, names, input, first, second)
    if promotes and not plain:
        dtype = result_type(input, first, second)
        input, first, second = [operand.to(dtype) for operand in (input, first, second)]
    product = product_of(first, second)
    if not plain or type(beta) not in (int, float) or type(alpha) not in (int, float):
        dtype = result_type(input, product)
        beta, alpha = [_factor(operation, *factor, dtype) for factor in (("beta", beta), ("alpha", alpha))]
    shape = getattr(product._layout, "shape", ())
    if not plain or own.shape != shape[len(shape) - len(own.shape) :]:
        _check_shape(operation, input, product)
    if beta == 0:
        result = product if alpha == 1 else F.mul(product, alpha)
        if input.node is None:
            return result
        return F.where(F.to(F.zeros_like(product.detach()), (bool_,)), input, result)  # its gradient is 0, not missing
    scaled = input if beta == 1 else F.mul(input, beta)
    if type(alpha) is int and alpha == 1:
        return F.add(scaled, product)
    return with_alpha(operators["add"], scaled, product, alpha, None)


def _sum_with(product_of: Function, promotes: bool = False) -> Callable[[Function], Function]:
    """Return a decorator that declares a sum with a product from its signature.

    Arguments:
        product_of: computes the product.
        promotes: whether the operands may have different dtypes.
    """

    def decorate(signature: Function) -> Function:
        name, names = signature.__name__, operands_of(signature)[1:3]
        body = partial(_product_added, name, names, product_of, promotes)
        return function(method=True, changes=True, out=True, instead=body)(signature)

    return decorate


@_sum_with(recorded_ops.matmul)
def addmm(input: Checked, mat1: Matrix, mat2: Matrix, *, beta: Scalar = 1, alpha: Scalar = 1) -> None:
    """Compute `beta * input + alpha * (mat1 @ mat2)` of matrices (n, k) and (k, m); `input` broadcasts to (n, m).

    All operands have the same dtype; for integers `beta` and `alpha` drop their fractions. If `beta` is 0, NaN and
    infinities in `input` are ignored.

    Arguments:
        input: the tensor to add; it broadcasts.
        mat1: the first matrix.
        mat2: the second matrix.
        beta: the factor of `input`.
        alpha: the factor of the product.

    >>> from facula_tensor import ones
    >>> addmm(ones(3), ones(2, 4), ones(4, 3), beta=2)
    tensor([[6., 6., 6.],
            [6., 6., 6.]])
    """


@_sum_with(recorded_ops.matmul)
def addmv(input: Checked, mat: Matrix, vec: Vector, *, beta: Scalar = 1, alpha: Scalar = 1) -> None:
    """Compute `beta * input + alpha * (mat @ vec)` of a matrix (n, k) and a vector (k,); `input` broadcasts to (n,).

    Arguments:
        input: the tensor to add; it broadcasts.
        mat: the matrix.
        vec: the vector.
        beta: the factor of `input`.
        alpha: the factor of the product.

    >>> from facula_tensor import ones
    >>> addmv(ones(2), ones(2, 4), ones(4))
    tensor([5., 5.])
    """


def _outer(first: Tensor, second: Tensor) -> Tensor:
    """Multiply all pairs of elements."""
    return recorded_ops.mul(recorded_ops.unsqueeze(first, 1), second)


@_sum_with(_outer, promotes=True)
def addr(input: Checked, vec1: Vector, vec2: Vector, *, beta: Scalar = 1, alpha: Scalar = 1) -> None:
    """Compute `beta * input + alpha * outer(vec1, vec2)` of vectors (n,) and (m,); `input` broadcasts to (n, m).

    All operands promote.

    Arguments:
        input: the tensor to add; it broadcasts.
        vec1: the first vector.
        vec2: the second vector.
        beta: the factor of `input`.
        alpha: the factor of the product.

    >>> from facula_tensor import ones
    >>> addr(ones(2, 3), ones(2), ones(3), alpha=2)
    tensor([[3., 3., 3.],
            [3., 3., 3.]])
    """


def _stacked(operation: str, first: Tensor, second: Tensor) -> Tensor:
    """Multiply two batches of matrices."""
    _check_stacks(operation, first, second)
    return recorded_ops.matmul(first, second)


@_sum_with(partial(_stacked, "baddbmm"))
def baddbmm(input: Checked, batch1: MatrixStack, batch2: MatrixStack, *, beta: Scalar = 1, alpha: Scalar = 1) -> None:
    """Compute `beta * input + alpha * (batch1 @ batch2)` of batches (b, n, k) and (b, k, m).

    `input` broadcasts to (b, n, m).

    Arguments:
        input: the tensor to add; it broadcasts.
        batch1: the first batch.
        batch2: the second batch.
        beta: the factor of `input`.
        alpha: the factor of the product.

    >>> from facula_tensor import ones
    >>> baddbmm(ones(2, 1, 1), ones(2, 1, 4), ones(2, 4, 1))[0]
    tensor([[5.]])
    """


def _stacked_sum(operation: str, first: Tensor, second: Tensor) -> Tensor:
    """Sum the products of two batches by one product of long rows, without a result for each matrix."""
    _check_stacks(operation, first, second)
    F, (count, rows, inner_size), columns = recorded_ops, first.shape, second.shape[2]
    left = F.reshape(F.permute(first, (1, 0, 2)), (rows, count * inner_size))
    return F.matmul(left, F.reshape(second, (count * inner_size, columns)))


def _check_stacks(operation: str, first: Tensor, second: Tensor) -> None:
    """Raise a ValueError unless two batches of matrices can be multiplied."""
    if first.shape[0] != second.shape[0] or first.shape[2] != second.shape[1]:
        raise ArgumentError(
            f"{operation}: expected stacks (b, n, k) and (b, k, m); "
            f"got shapes {tuple(first.shape)} and {tuple(second.shape)}"
        )


@_sum_with(partial(_stacked_sum, "addbmm"))
def addbmm(input: Checked, batch1: MatrixStack, batch2: MatrixStack, *, beta: Scalar = 1, alpha: Scalar = 1) -> None:
    """Compute `beta * input + alpha * (batch1 @ batch2).sum(0)` of batches (b, n, k) and (b, k, m).

    `input` broadcasts to (n, m).

    Arguments:
        input: the tensor to add; it broadcasts.
        batch1: the first batch.
        batch2: the second batch.
        beta: the factor of `input`.
        alpha: the factor of the product.

    >>> from facula_tensor import ones
    >>> addbmm(ones(1), ones(2, 1, 4), ones(2, 4, 1))
    tensor([[9.]])
    """
