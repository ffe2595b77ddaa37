"""The public functions of `ops/linalg/pinverse.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.pinverse")


@overridable
@method()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """input: matrices (..., m, n)."""
    try:
        input = matrices("pinverse", input, "input")
        return bodies.pinverse(input, rcond)
    except FaculaError as error:
        trim_traceback(error)
        raise
