"""The public functions of `ops/neural/instance_norm.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer, as_real, real_or_tensor
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.instance_norm")


@overridable
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    try:
        input = steady_tensor("instance_norm", input)
        if type(momentum) is not float and type(momentum) is not int:
            momentum = as_real(momentum, "instance_norm", "momentum")
        if type(eps) is not float:
            eps = float(as_real(eps, "instance_norm", "eps"))
        return bodies.instance_norm(ops, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def local_response_norm(
    input: Tensor, size: int, alpha: float | Tensor = 0.0001, beta: float | Tensor = 0.75, k: float | Tensor = 1.0
) -> Tensor:
    try:
        input = steady_tensor("local_response_norm", input)
        if type(size) is not int:
            size = as_integer(size, "local_response_norm", "size")
        if type(alpha) is not float and type(alpha) is not int:
            alpha = real_or_tensor(alpha, "local_response_norm", "alpha")
        if type(beta) is not float and type(beta) is not int:
            beta = real_or_tensor(beta, "local_response_norm", "beta")
        if type(k) is not float and type(k) is not int:
            k = real_or_tensor(k, "local_response_norm", "k")
        return bodies.local_response_norm(ops, input, size, alpha, beta, k)
    except FaculaError as error:
        trim_traceback(error)
        raise
