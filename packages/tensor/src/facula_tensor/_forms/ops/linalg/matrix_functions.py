"""The public functions of `ops/linalg/matrix_functions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.matrix_functions")


@overridable
@method()
def matrix_exp(input: Tensor) -> Tensor:
    try:
        input = matrices("matrix_exp", input, "input", square=True)
        return ops.matrix_exp(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("matrix_power", input)
        if type(n) is not int:
            n = as_integer(n, "matrix_power", "n")
        result = bodies.matrix_power(ops, input, n)
        return result if out is None else write_out("matrix_power", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    try:
        result = bodies.chain_matmul(*matrices)
        return result if out is None else write_out("chain_matmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
