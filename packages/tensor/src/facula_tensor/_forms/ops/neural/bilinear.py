"""The public functions of `ops/neural/bilinear.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.bilinear")


@overridable
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    try:
        input1 = steady_tensor("bilinear", input1)
        input2 = steady_tensor("bilinear", input2)
        weight = steady_tensor("bilinear", weight)
        return bodies.bilinear(ops, input1, input2, weight, bias)
    except FaculaError as error:
        trim_traceback(error)
        raise
