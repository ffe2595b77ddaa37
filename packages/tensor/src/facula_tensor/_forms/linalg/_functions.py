"""The public functions of `linalg/_functions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import FLOATING

from ..._core.promotion import as_integer
from ..._core.tensor import Tensor, check_dim, layout_of_tensor
from ..._dispatch.arguments import flag_value, steady_tensor
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import bodies_of
from ...ops.linalg.inverse import inverse_of
from ...ops.linalg.matrices import matrices
from ...ops.linalg.matrix_functions import product_of
from ...ops.linalg.pinverse import rank_of
from ...ops.linalg.products import cross_product

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("linalg._functions")


@overridable
def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
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
    try:
        A = matrices("linalg.matrix_exp", A, "A", square=True)
        return ops.matrix_exp(A)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        result = product_of("linalg.multi_dot", tensors)
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
    """A: the tensor."""
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
    """A: the tensor."""
    try:
        if hermitian is not False and hermitian is not True:
            hermitian = flag_value("linalg.matrix_rank", "hermitian", hermitian)
        name = "linalg.matrix_rank"
        result = rank_of(name, matrices(name, A, square=hermitian), tol if atol is None else atol, rtol, hermitian)
        return result if out is None else write_out("linalg.matrix_rank", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cond(A: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """A: the tensor."""
    try:
        result = bodies.cond(ops, A, p)
        return result if out is None else write_out("linalg.cond", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    try:
        A = steady_tensor("linalg.tensorinv", A)
        if type(ind) is not int:
            ind = as_integer(ind, "linalg.tensorinv", "ind")
        name, shape = "linalg.tensorinv", layout_of_tensor(A).shape
        size = prod(shape[:ind])
        if ind <= 0 or size != prod(shape[ind:]):
            raise ArgumentError(
                f"{name}: expected ind above 0, with as many elements in A.shape[:ind] as in A.shape[ind:]; "
                f"got ind {ind} and shape {shape}"
            )
        inverse, _ = inverse_of(name, matrices(name, ops.reshape(A, (size, size))))
        result = ops.reshape(inverse, (*shape[ind:], *shape[:ind]))
        return result if out is None else write_out("linalg.tensorinv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
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
    """x: the tensor."""
    try:
        x = steady_tensor("linalg.vander", x)
        return bodies.vander(ops, x, N)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    try:
        x = steady_tensor("linalg.vecdot", x)
        y = steady_tensor("linalg.vecdot", y)
        name = "linalg.vecdot"
        for operand in (x, y):
            if layout_of_tensor(operand).dtype.category < FLOATING:
                raise DTypeError(f"{name}: expected floating or complex tensors; got {operand.dtype.name}")
        product = ops.mul(ops.conj(x), y)
        ndim = layout_of_tensor(product).ndim
        at = check_dim(name, dim, ndim)
        result = ops.sum(product, ((at,), False)) if ndim else product
        return result if out is None else write_out("linalg.vecdot", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("linalg.cross", input)
        other = steady_tensor("linalg.cross", other)
        result = cross_product("linalg.cross", ops, input, other, dim)
        return result if out is None else write_out("linalg.cross", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A: the tensor."""
    try:
        return bodies.diagonal(A, offset=offset, dim1=dim1, dim2=dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("linalg.matmul", input)
        if not isinstance(other, Tensor):
            other = as_tensor("linalg.matmul", other)
        result = ops.matmul(input, other)
        return result if out is None else write_out("linalg.matmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
