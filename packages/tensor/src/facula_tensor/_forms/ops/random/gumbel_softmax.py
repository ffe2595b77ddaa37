"""The public functions of `ops/random/gumbel_softmax.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import real_or_tensor
from ...._dispatch.arguments import floats
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.random.gumbel_softmax")


@overridable
def gumbel_softmax(
    logits: Tensor, tau: float | Tensor = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    try:
        logits = floats("gumbel_softmax", logits)
        if type(tau) is not float and type(tau) is not int:
            tau = real_or_tensor(tau, "gumbel_softmax", "tau")
        if not tau > 0:
            raise ArgumentError(f"gumbel_softmax: expected tau > 0; got {tau}")
        return bodies.gumbel_softmax(ops, logits, tau, hard, eps, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise
