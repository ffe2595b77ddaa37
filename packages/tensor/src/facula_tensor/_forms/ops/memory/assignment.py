"""The public functions of `ops/memory/assignment.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ...._core.types import Operand


@overridable
def fill(input: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("fill", input)
        result = ops.clone(input).fill_(value)
        return result if out is None else write_out("fill", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
