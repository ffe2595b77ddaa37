"""The public functions of `ops/linalg/inverse.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.inverse")


@overridable
@method()
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input = matrices("inverse", input, "input", square=True)
        result = bodies.inverse(input)
        return result if out is None else write_out("inverse", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
