"""The public functions of `ops/neural/linear.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.namespaces import recorded_ops as ops

if TYPE_CHECKING:
    from ...._core.tensor import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `input @ weight.T + bias`: input (..., inputs), weight (outputs, inputs), bias (outputs,); one dtype.

    Raises ValueError if shapes do not fit.

    Arguments:
        input: rows (..., inputs).
        weight: the matrix (outputs, inputs).
        bias: the row to add (outputs,); none if None.

    >>> from facula_tensor import tensor
    >>> linear(tensor([1.0, 2.0]), tensor([[3.0, 4.0]]), tensor([0.5]))
    tensor([11.5000])
    """
    try:
        return ops.linear(input, weight, bias)
    except FaculaError as error:
        trim_traceback(error)
        raise
