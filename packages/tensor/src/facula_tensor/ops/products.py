"""Products of vectors and matrices beyond `matmul`: outer, inner, Kronecker, cross, and the `addmm` family."""

from __future__ import annotations

from math import prod as numel
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import bool_
from facula_storage.extend import FLOATING

from .._core.promotion import SCALAR_CATEGORY, as_integer, plain_number, result_type
from .._core.tensor import Tensor, layout_of_tensor, method, steady
from .._dispatch.namespaces import operators, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.planning import broadcast_shapes
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .in_place import in_place_of
from .matmul import need_dims

if TYPE_CHECKING:
    from facula_storage import DType

    from .._core.types import Number, Scalar

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm", "cross", "ger", "inner", "kron", "outer", "vdot"]

_product = operators["matmul"].library_call


@overridable
@method()
@boundary
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of all pairs of elements of two vectors (n,) and (m,): (n, m). The two promote.

    Arguments:
        input: the vector (n,).
        vec2: the vector (m,).
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> outer(tensor([1, 2]), tensor([1, 10, 100]))
    tensor([[  1,  10, 100],
            [  2,  20, 200]])
    """
    need_dims("outer", 1, input, vec2)
    return write_out("outer", recorded_ops.mul(recorded_ops.unsqueeze(input, 1), vec2), out)


@overridable
@method()
@boundary
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `outer`.

    Arguments:
        input: the vector (n,).
        vec2: the vector (m,).
        out: where the result goes; a new tensor if None.
    """
    return outer(input, vec2, out=out)


@overridable
@method()
@boundary
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot products of rows: (..., k) and (+++, k) give (..., +++). A zero-dimensional operand multiplies the other.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> inner(tensor([[1, 2], [3, 4]]), tensor([1, 10]))
    tensor([21, 43])
    """
    a, b = as_tensor("inner", input), as_tensor("inner", other)
    if not a.ndim or not b.ndim:
        return write_out("inner", recorded_ops.mul(a, b), out)
    if a.shape[-1] != b.shape[-1]:
        raise ArgumentError(
            f"inner: expected input.shape[-1] == other.shape[-1]; got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    if b.ndim > 2:
        flat = recorded_ops.reshape(b, (numel(b.shape[:-1]), b.shape[-1]))
        result = recorded_ops.reshape(_product(a, recorded_ops.mT(flat)), (*a.shape[:-1], *b.shape[:-1]))
    else:
        result = _product(a, recorded_ops.mT(b) if b.ndim == 2 else b)
    return write_out("inner", result, out)


@overridable
@method()
@boundary
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, the first of them conjugated.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> vdot(tensor([1 + 2j]), tensor([1 + 2j]))
    tensor(5.+0.j)
    """
    need_dims("vdot", 1, input, other)
    return write_out("vdot", _product(recorded_ops.conj(input), other), out)


@overridable
@method()
@boundary
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` times each element of `input`, in place of that element.

    Shapes are filled up with 1 from the left; each length of the result is the product of the operands'.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> kron(tensor([[1, 2]]), tensor([[1, 1]]))
    tensor([[1, 1, 2, 2]])
    """
    a, b = as_tensor("kron", input), as_tensor("kron", other)
    ndim = max(a.ndim, b.ndim)
    rows, columns = (1,) * (ndim - a.ndim) + tuple(a.shape), (1,) * (ndim - b.ndim) + tuple(b.shape)
    a = recorded_ops.reshape(a, tuple([size for row in rows for size in (row, 1)]))
    b = recorded_ops.reshape(b, tuple([size for column in columns for size in (1, column)]))
    shape = tuple([row * column for row, column in zip(rows, columns, strict=True)])
    return write_out("kron", recorded_ops.reshape(recorded_ops.mul(a, b), shape), out)


@overridable
@method()
@boundary
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements, along `dim`, or the first dimension of length 3.

    The operands have equally many dimensions, and broadcast. ValueError where `dim` has another length.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        dim: the dimension of length 3; the first such if None.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> cross(tensor([1, 0, 0]), tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    a, b = steady(as_tensor("cross", input)), steady(as_tensor("cross", other))
    if a.ndim != b.ndim:
        raise ArgumentError(
            f"cross: expected equally many dimensions; got shapes {tuple(a.shape)} and {tuple(b.shape)}"
        )
    shape = broadcast_shapes("cross", tuple(a.shape), tuple(b.shape))
    if dim is None:
        if 3 not in shape:
            raise ArgumentError(
                f"cross: expected a dimension of length 3; got shapes {tuple(a.shape)} and {tuple(b.shape)}"
            )
        dim = shape.index(3)
    dim = as_integer(dim, "cross", "dim")
    if not -a.ndim <= dim < a.ndim or not a.shape[dim] == b.shape[dim] == 3:
        raise ArgumentError(
            f"cross: expected dim to be a dimension of length 3; got {dim} for shapes {tuple(a.shape)} "
            f"and {tuple(b.shape)}"
        )
    dim %= a.ndim
    a, b = [recorded_ops.cat((one, one.narrow(dim, 0, 2)), (dim,)) for one in (a, b)]  # 0 1 2 0 1
    first = recorded_ops.mul(a.narrow(dim, 1, 3), b.narrow(dim, 2, 3))
    return write_out("cross", recorded_ops.sub(first, recorded_ops.mul(a.narrow(dim, 2, 3), b.narrow(dim, 1, 3))), out)


# -------------------------------------------------------------------------------------- beta input + alpha product
def _check(operation: str, input: Tensor, operands: tuple[tuple[str, Tensor, int], ...]) -> None:
    """Raise where operands are no tensors, of another dtype than `input`, or of the wrong dimensions."""
    dtype = layout_of_tensor(as_tensor(operation, input)).dtype
    for name, one, ndim in operands:
        layout = layout_of_tensor(as_tensor(operation, one))
        if len(layout.shape) != ndim:
            raise ArgumentError(f"{operation}: expected {name} to have {ndim} dimension(s); got shape {layout.shape}")
        if layout.dtype is not dtype:
            raise DTypeError(
                f"{operation}: expected all in one dtype; got input {dtype.name}, {name} {layout.dtype.name}; "
                "convert with .to()"
            )
    if dtype is bool_:
        raise DTypeError(f"{operation}: not defined for bool; convert with .to()")


def _factor(operation: str, name: str, value: object, dtype: DType) -> Number:
    """A number as the dtype has it: integers have no fraction. TypeError where it is no number, or complex."""
    if isinstance(value, Tensor) and not value.ndim and value.node is None:
        value = value.item()
    number = plain_number(value)
    if number is None or SCALAR_CATEGORY[type(number)] > max(dtype.category, FLOATING):
        raise InvalidTypeError(f"{operation}: expected {name} to be a real number; got {type(value).__name__}")
    return number if dtype.category >= FLOATING else bool(number) if dtype is bool_ else int(number)  # type: ignore[arg-type]


def _added(operation: str, input: Tensor, product: Tensor, beta: Scalar, alpha: Scalar, out: Tensor | None) -> Tensor:
    """beta * input + alpha * product. `input` broadcasts to the product, and counts for nothing where beta is 0."""
    shape = tuple(product.shape)
    beta, alpha = [_factor(operation, *one, result_type(input, product)) for one in (("beta", beta), ("alpha", alpha))]
    if broadcast_shapes(operation, tuple(input.shape), shape) != shape:
        raise ArgumentError(f"{operation}: expected an input that broadcasts to {shape}; got {tuple(input.shape)}")
    if beta == 0:
        result = product if alpha == 1 else recorded_ops.mul(product, alpha)
        if input.node is not None:  # whose gradient is 0, not missing
            result = recorded_ops.where(recorded_ops.zeros_like(product.detach()).to(bool_), input, result)
    else:
        scaled = input if beta == 1 else recorded_ops.mul(input, beta)
        result = operators["add"].public(scaled, product, alpha=alpha)
    return write_out(operation, result, out)


@overridable
@method()
@boundary
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * (mat1 @ mat2)` of matrices (n, k) and (k, m); `input` broadcasts to (n, m).

    All in one dtype; beside integers, `beta` and `alpha` lose their fractions. Where `beta` is 0, NaN and infinities in
    `input` count for nothing.

    Arguments:
        input: what is added; it broadcasts.
        mat1: the first matrix.
        mat2: the second matrix.
        beta: the factor of `input`.
        alpha: the factor of the product.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> addmm(ones(3), ones(2, 4), ones(4, 3), beta=2)
    tensor([[6., 6., 6.],
            [6., 6., 6.]])
    """
    _check("addmm", input, (("mat1", mat1, 2), ("mat2", mat2, 2)))
    return _added("addmm", input, _product(mat1, mat2), beta, alpha, out)


@overridable
@method()
@boundary
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * (mat @ vec)` of a matrix (n, k) and a vector (k,); `input` broadcasts to (n,).

    Arguments:
        input: what is added; it broadcasts.
        mat: the matrix.
        vec: the vector.
        beta: the factor of `input`.
        alpha: the factor of the product.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> addmv(ones(2), ones(2, 4), ones(4))
    tensor([5., 5.])
    """
    _check("addmv", input, (("mat", mat, 2), ("vec", vec, 1)))
    return _added("addmv", input, _product(mat, vec), beta, alpha, out)


@overridable
@method()
@boundary
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * outer(vec1, vec2)` of vectors (n,) and (m,); `input` broadcasts to (n, m). All promote.

    Arguments:
        input: what is added; it broadcasts.
        vec1: the first vector.
        vec2: the second vector.
        beta: the factor of `input`.
        alpha: the factor of the product.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> addr(ones(2, 3), ones(2), ones(3), alpha=2)
    tensor([[3., 3., 3.],
            [3., 3., 3.]])
    """
    need_dims("addr", 1, vec1, vec2)
    as_tensor("addr", input)
    return _added("addr", input, recorded_ops.mul(recorded_ops.unsqueeze(vec1, 1), vec2), beta, alpha, out)


@overridable
@method()
@boundary
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)` of stacks (b, n, k) and (b, k, m); `input` broadcasts to (b, n, m).

    Arguments:
        input: what is added; it broadcasts.
        batch1: the first stack.
        batch2: the second stack.
        beta: the factor of `input`.
        alpha: the factor of the product.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> baddbmm(ones(2, 1, 1), ones(2, 1, 4), ones(2, 4, 1))[0]
    tensor([[5.]])
    """
    return _added("baddbmm", input, _stacks("baddbmm", input, batch1, batch2), beta, alpha, out)


@overridable
@method()
@boundary
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2).sum(0)` of stacks (b, n, k), (b, k, m); `input` broadcasts to (n, m).

    Arguments:
        input: what is added; it broadcasts.
        batch1: the first stack.
        batch2: the second stack.
        beta: the factor of `input`.
        alpha: the factor of the product.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> addbmm(ones(1), ones(2, 1, 4), ones(2, 4, 1))
    tensor([[9.]])
    """
    _check("addbmm", input, (("batch1", batch1, 3), ("batch2", batch2, 3)))
    _need_one_length("addbmm", batch1, batch2)
    count, rows, inner_size = batch1.shape
    columns = batch2.shape[2]
    # One product of long rows: nothing is made for each matrix of the stack.
    left = recorded_ops.reshape(recorded_ops.permute(batch1, (1, 0, 2)), (rows, count * inner_size))
    right = recorded_ops.reshape(batch2, (batch2.shape[0] * batch2.shape[1], columns))
    return _added("addbmm", input, _product(left, right), beta, alpha, out)


def _stacks(operation: str, input: Tensor, batch1: Tensor, batch2: Tensor) -> Tensor:
    """The products of two stacks, checked against `input`."""
    _check(operation, input, (("batch1", batch1, 3), ("batch2", batch2, 3)))
    _need_one_length(operation, batch1, batch2)
    return _product(batch1, batch2)


def _need_one_length(operation: str, batch1: Tensor, batch2: Tensor) -> None:
    """ValueError unless two stacks of matrices can be multiplied."""
    if batch1.shape[0] != batch2.shape[0] or batch1.shape[2] != batch2.shape[1]:
        raise ArgumentError(
            f"{operation}: expected stacks (b, n, k) and (b, k, m); "
            f"got shapes {tuple(batch1.shape)} and {tuple(batch2.shape)}"
        )


for _function in (addbmm, addmm, addmv, addr, baddbmm):
    in_place_of(_function)
