"""The public functions of `ops/linalg/matmul.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import of_ndim
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out

if TYPE_CHECKING:
    from ...._core.tensor import Tensor


@overridable
@method()
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 2:
            input = of_ndim("mm", "input", input, 2)
        if len(getattr(getattr(mat2, "_layout", None), "shape", ())) != 2:
            mat2 = of_ndim("mm", "mat2", mat2, 2)
        result = ops.matmul(input, mat2)
        return result if out is None else write_out("mm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 3:
            input = of_ndim("bmm", "input", input, 3)
        if len(getattr(getattr(mat2, "_layout", None), "shape", ())) != 3:
            mat2 = of_ndim("bmm", "mat2", mat2, 3)
        try:
            alike = input._layout.shape[0] == mat2._layout.shape[0]
        except AttributeError:  # tensors that override operators
            alike = input.shape[0] == mat2.shape[0]
        if not alike:
            raise ArgumentError(
                f"bmm: expected stacks of one length; got shapes {tuple(input.shape)} and {tuple(mat2.shape)}"
            )
        result = ops.matmul(input, mat2)
        return result if out is None else write_out("bmm", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 2:
            input = of_ndim("mv", "input", input, 2)
        if len(getattr(getattr(vec, "_layout", None), "shape", ())) != 1:
            vec = of_ndim("mv", "vec", vec, 1)
        result = ops.matmul(input, vec)
        return result if out is None else write_out("mv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if len(getattr(getattr(input, "_layout", None), "shape", ())) != 1:
            input = of_ndim("dot", "input", input, 1)
        if len(getattr(getattr(tensor, "_layout", None), "shape", ())) != 1:
            tensor = of_ndim("dot", "tensor", tensor, 1)
        result = ops.matmul(input, tensor)
        return result if out is None else write_out("dot", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
