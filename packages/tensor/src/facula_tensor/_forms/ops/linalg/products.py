"""The public functions of `ops/linalg/products.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import of_ndim, steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ...._core.types import Scalar

bodies = bodies_of("ops.linalg.products")


@overridable
@method()
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 1:
            input = of_ndim("outer", "input", input, 1)
        if len(getattr(getattr(vec2, "_layout", None), "shape", ())) != 1:
            vec2 = of_ndim("outer", "vec2", vec2, 1)
        result = ops.mul(ops.unsqueeze(input, 1), vec2)
        return result if out is None else write_out("outer", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 1:
            input = of_ndim("ger", "input", input, 1)
        if len(getattr(getattr(vec2, "_layout", None), "shape", ())) != 1:
            vec2 = of_ndim("ger", "vec2", vec2, 1)
        result = ops.mul(ops.unsqueeze(input, 1), vec2)
        return result if out is None else write_out("ger", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("inner", input)
    if not isinstance(other, Tensor):
        other = as_tensor("inner", other)
    result = bodies.inner(ops, input, other)
    return result if out is None else write_out("inner", result, out)


@overridable
@method()
@boundary
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if len(getattr(getattr(input, "_layout", None), "shape", ())) != 1:
        input = of_ndim("vdot", "input", input, 1)
    if len(getattr(getattr(other, "_layout", None), "shape", ())) != 1:
        other = of_ndim("vdot", "other", other, 1)
    result = ops.matmul(ops.conj(input), other)
    return result if out is None else write_out("vdot", result, out)


@overridable
@method()
@boundary
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("kron", input)
    if not isinstance(other, Tensor):
        other = as_tensor("kron", other)
    ndim = max(input.ndim, other.ndim)
    rows, columns = (1,) * (ndim - input.ndim) + tuple(input.shape), (1,) * (ndim - other.ndim) + tuple(other.shape)
    a = ops.reshape(input, tuple([size for row in rows for size in (row, 1)]))
    b = ops.reshape(other, tuple([size for column in columns for size in (1, column)]))
    result = ops.reshape(ops.mul(a, b), tuple([row * column for row, column in zip(rows, columns, strict=True)]))
    return result if out is None else write_out("kron", result, out)


@overridable
@method()
@boundary
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    input = steady_tensor("cross", input)
    other = steady_tensor("cross", other)
    result = bodies.cross(ops, input, other, dim)
    return result if out is None else write_out("cross", result, out)


@overridable
@method()
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addmm", input)
        if len(getattr(getattr(mat1, "_layout", None), "shape", ())) != 2:
            mat1 = of_ndim("addmm", "mat1", mat1, 2)
        if len(getattr(getattr(mat2, "_layout", None), "shape", ())) != 2:
            mat2 = of_ndim("addmm", "mat2", mat2, 2)
        result = bodies.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addmm_(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addmm` in place: changes `self` and returns it. Arguments: those of `addmm`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("addmm_", self)
        if len(getattr(getattr(mat1, "_layout", None), "shape", ())) != 2:
            mat1 = of_ndim("addmm_", "mat1", mat1, 2)
        if len(getattr(getattr(mat2, "_layout", None), "shape", ())) != 2:
            mat2 = of_ndim("addmm_", "mat2", mat2, 2)
        return changed("addmm_", self, bodies.addmm, mat1, mat2, beta=beta, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addmv", input)
        if len(getattr(getattr(mat, "_layout", None), "shape", ())) != 2:
            mat = of_ndim("addmv", "mat", mat, 2)
        if len(getattr(getattr(vec, "_layout", None), "shape", ())) != 1:
            vec = of_ndim("addmv", "vec", vec, 1)
        result = bodies.addmv(input, mat, vec, beta=beta, alpha=alpha)
        return result if out is None else write_out("addmv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addmv` in place: changes `input` and returns it. Arguments: those of `addmv`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addmv_", input)
        if len(getattr(getattr(mat, "_layout", None), "shape", ())) != 2:
            mat = of_ndim("addmv_", "mat", mat, 2)
        if len(getattr(getattr(vec, "_layout", None), "shape", ())) != 1:
            vec = of_ndim("addmv_", "vec", vec, 1)
        return changed("addmv_", input, bodies.addmv, mat, vec, beta=beta, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addr", input)
        if len(getattr(getattr(vec1, "_layout", None), "shape", ())) != 1:
            vec1 = of_ndim("addr", "vec1", vec1, 1)
        if len(getattr(getattr(vec2, "_layout", None), "shape", ())) != 1:
            vec2 = of_ndim("addr", "vec2", vec2, 1)
        result = bodies.addr(input, vec1, vec2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addr", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addr_(self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addr` in place: changes `self` and returns it. Arguments: those of `addr`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("addr_", self)
        if len(getattr(getattr(vec1, "_layout", None), "shape", ())) != 1:
            vec1 = of_ndim("addr_", "vec1", vec1, 1)
        if len(getattr(getattr(vec2, "_layout", None), "shape", ())) != 1:
            vec2 = of_ndim("addr_", "vec2", vec2, 1)
        return changed("addr_", self, bodies.addr, vec1, vec2, beta=beta, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("baddbmm", input)
        if len(getattr(getattr(batch1, "_layout", None), "shape", ())) != 3:
            batch1 = of_ndim("baddbmm", "batch1", batch1, 3)
        if len(getattr(getattr(batch2, "_layout", None), "shape", ())) != 3:
            batch2 = of_ndim("baddbmm", "batch2", batch2, 3)
        result = bodies.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else write_out("baddbmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def baddbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`baddbmm` in place: changes `self` and returns it. Arguments: those of `baddbmm`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("baddbmm_", self)
        if len(getattr(getattr(batch1, "_layout", None), "shape", ())) != 3:
            batch1 = of_ndim("baddbmm_", "batch1", batch1, 3)
        if len(getattr(getattr(batch2, "_layout", None), "shape", ())) != 3:
            batch2 = of_ndim("baddbmm_", "batch2", batch2, 3)
        return changed("baddbmm_", self, bodies.baddbmm, batch1, batch2, beta=beta, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addbmm", input)
        if len(getattr(getattr(batch1, "_layout", None), "shape", ())) != 3:
            batch1 = of_ndim("addbmm", "batch1", batch1, 3)
        if len(getattr(getattr(batch2, "_layout", None), "shape", ())) != 3:
            batch2 = of_ndim("addbmm", "batch2", batch2, 3)
        result = bodies.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addbmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addbmm` in place: changes `self` and returns it. Arguments: those of `addbmm`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("addbmm_", self)
        if len(getattr(getattr(batch1, "_layout", None), "shape", ())) != 3:
            batch1 = of_ndim("addbmm_", "batch1", batch1, 3)
        if len(getattr(getattr(batch2, "_layout", None), "shape", ())) != 3:
            batch2 = of_ndim("addbmm_", "batch2", batch2, 3)
        return changed("addbmm_", self, bodies.addbmm, batch1, batch2, beta=beta, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise
