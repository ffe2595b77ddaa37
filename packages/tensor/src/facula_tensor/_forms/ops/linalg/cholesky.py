"""The public functions of `ops/linalg/cholesky.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import flag_value
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.cholesky")


@overridable
@method()
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    try:
        input = matrices("cholesky", input, "input", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("cholesky", "upper", upper)
        result = bodies.cholesky(input, upper)
        return result if out is None else write_out("cholesky", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    try:
        input = matrices("cholesky_solve", input, "input")
        L = matrices("cholesky_solve", L, "L", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("cholesky_solve", "upper", upper)
        result = bodies.cholesky_solve(input, L, upper)
        return result if out is None else write_out("cholesky_solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    try:
        input = matrices("cholesky_inverse", input, "input", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("cholesky_inverse", "upper", upper)
        result = bodies.cholesky_inverse(ops, input, upper)
        return result if out is None else write_out("cholesky_inverse", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
