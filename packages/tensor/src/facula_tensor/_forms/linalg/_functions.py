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
        result = bodies.matrix_rank(A, tol, hermitian, atol=atol, rtol=rtol)
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
        result = bodies.tensorinv(ops, A, ind)
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
        result = bodies.vecdot(ops, x, y, dim=dim)
        return result if out is None else write_out("linalg.vecdot", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
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
    """A: the tensor."""
    try:
        return bodies.diagonal(A, offset=offset, dim1=dim1, dim2=dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
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
