"""The public functions of `ops/neural/linear.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.namespaces import recorded_ops as ops

if TYPE_CHECKING:
    from ...._core.tensor import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    try:
        return ops.linear(input, weight, bias)
    except FaculaError as error:
        trim_traceback(error)
        raise
