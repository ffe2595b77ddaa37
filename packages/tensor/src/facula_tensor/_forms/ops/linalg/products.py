"""The public functions of `ops/linalg/products.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import of_ndim, source, steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ...._core.types import Scalar

bodies = bodies_of("ops.linalg.products")


@overridable
@method()
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(input) is not Tensor or len(getattr(input._layout, "shape", ())) != 1:
            input = of_ndim("outer", "input", input, 1)
        if type(vec2) is not Tensor or len(getattr(vec2._layout, "shape", ())) != 1:
            vec2 = of_ndim("outer", "vec2", vec2, 1)
        result = bodies.outer(ops, input, vec2)
        return result if out is None else write_out("outer", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(input) is not Tensor or len(getattr(input._layout, "shape", ())) != 1:
            input = of_ndim("ger", "input", input, 1)
        if type(vec2) is not Tensor or len(getattr(vec2._layout, "shape", ())) != 1:
            vec2 = of_ndim("ger", "vec2", vec2, 1)
        result = bodies.ger(ops, input, vec2)
        return result if out is None else write_out("ger", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if type(input) is not Tensor:
        input = as_tensor("inner", input)
    if type(other) is not Tensor:
        other = as_tensor("inner", other)
    result = bodies.inner(ops, input, other)
    return result if out is None else write_out("inner", result, out)


@overridable
@method()
@boundary
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if type(input) is not Tensor or len(getattr(input._layout, "shape", ())) != 1:
        input = of_ndim("vdot", "input", input, 1)
    if type(other) is not Tensor or len(getattr(other._layout, "shape", ())) != 1:
        other = of_ndim("vdot", "other", other, 1)
    result = bodies.vdot(ops, input, other)
    return result if out is None else write_out("vdot", result, out)


@overridable
@method()
@boundary
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if type(input) is not Tensor:
        input = as_tensor("kron", input)
    if type(other) is not Tensor:
        other = as_tensor("kron", other)
    result = bodies.kron(ops, input, other)
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
        if type(input) is not Tensor:
            input = as_tensor("addmm", input)
        if type(mat1) is not Tensor or len(getattr(mat1._layout, "shape", ())) != 2:
            mat1 = of_ndim("addmm", "mat1", mat1, 2)
        if type(mat2) is not Tensor or len(getattr(mat2._layout, "shape", ())) != 2:
            mat2 = of_ndim("addmm", "mat2", mat2, 2)
        result = bodies.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addmm` in place: changes `input` and returns it. Arguments: those of `addmm`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("addmm_", input)
        if type(mat1) is not Tensor or len(getattr(mat1._layout, "shape", ())) != 2:
            mat1 = of_ndim("addmm_", "mat1", mat1, 2)
        if type(mat2) is not Tensor or len(getattr(mat2._layout, "shape", ())) != 2:
            mat2 = of_ndim("addmm_", "mat2", mat2, 2)
        before = source("addmm_", input, mat1, mat2)
        return assign_inplace("addmm_", input, bodies.addmm(before, mat1, mat2, beta=beta, alpha=alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("addmv", input)
        if type(mat) is not Tensor or len(getattr(mat._layout, "shape", ())) != 2:
            mat = of_ndim("addmv", "mat", mat, 2)
        if type(vec) is not Tensor or len(getattr(vec._layout, "shape", ())) != 1:
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
        if type(input) is not Tensor:
            input = as_tensor("addmv_", input)
        if type(mat) is not Tensor or len(getattr(mat._layout, "shape", ())) != 2:
            mat = of_ndim("addmv_", "mat", mat, 2)
        if type(vec) is not Tensor or len(getattr(vec._layout, "shape", ())) != 1:
            vec = of_ndim("addmv_", "vec", vec, 1)
        before = source("addmv_", input, mat, vec)
        return assign_inplace("addmv_", input, bodies.addmv(before, mat, vec, beta=beta, alpha=alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("addr", input)
        if type(vec1) is not Tensor or len(getattr(vec1._layout, "shape", ())) != 1:
            vec1 = of_ndim("addr", "vec1", vec1, 1)
        if type(vec2) is not Tensor or len(getattr(vec2._layout, "shape", ())) != 1:
            vec2 = of_ndim("addr", "vec2", vec2, 1)
        result = bodies.addr(input, vec1, vec2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addr", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addr` in place: changes `input` and returns it. Arguments: those of `addr`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("addr_", input)
        if type(vec1) is not Tensor or len(getattr(vec1._layout, "shape", ())) != 1:
            vec1 = of_ndim("addr_", "vec1", vec1, 1)
        if type(vec2) is not Tensor or len(getattr(vec2._layout, "shape", ())) != 1:
            vec2 = of_ndim("addr_", "vec2", vec2, 1)
        before = source("addr_", input, vec1, vec2)
        return assign_inplace("addr_", input, bodies.addr(before, vec1, vec2, beta=beta, alpha=alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("baddbmm", input)
        if type(batch1) is not Tensor or len(getattr(batch1._layout, "shape", ())) != 3:
            batch1 = of_ndim("baddbmm", "batch1", batch1, 3)
        if type(batch2) is not Tensor or len(getattr(batch2._layout, "shape", ())) != 3:
            batch2 = of_ndim("baddbmm", "batch2", batch2, 3)
        result = bodies.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else write_out("baddbmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`baddbmm` in place: changes `input` and returns it. Arguments: those of `baddbmm`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("baddbmm_", input)
        if type(batch1) is not Tensor or len(getattr(batch1._layout, "shape", ())) != 3:
            batch1 = of_ndim("baddbmm_", "batch1", batch1, 3)
        if type(batch2) is not Tensor or len(getattr(batch2._layout, "shape", ())) != 3:
            batch2 = of_ndim("baddbmm_", "batch2", batch2, 3)
        before = source("baddbmm_", input, batch1, batch2)
        return assign_inplace("baddbmm_", input, bodies.baddbmm(before, batch1, batch2, beta=beta, alpha=alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("addbmm", input)
        if type(batch1) is not Tensor or len(getattr(batch1._layout, "shape", ())) != 3:
            batch1 = of_ndim("addbmm", "batch1", batch1, 3)
        if type(batch2) is not Tensor or len(getattr(batch2._layout, "shape", ())) != 3:
            batch2 = of_ndim("addbmm", "batch2", batch2, 3)
        result = bodies.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)
        return result if out is None else write_out("addbmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """`addbmm` in place: changes `input` and returns it. Arguments: those of `addbmm`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("addbmm_", input)
        if type(batch1) is not Tensor or len(getattr(batch1._layout, "shape", ())) != 3:
            batch1 = of_ndim("addbmm_", "batch1", batch1, 3)
        if type(batch2) is not Tensor or len(getattr(batch2._layout, "shape", ())) != 3:
            batch2 = of_ndim("addbmm_", "batch2", batch2, 3)
        before = source("addbmm_", input, batch1, batch2)
        return assign_inplace("addbmm_", input, bodies.addbmm(before, batch1, batch2, beta=beta, alpha=alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise
