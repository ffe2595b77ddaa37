"""The public functions of `ops/neural/batch_norm.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.view_call import as_tensor
from ....ops.neural.batch_norm import check_several


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("batch_norm", input)
        if type(momentum) is not float:
            momentum = float(as_real(momentum, "batch_norm", "momentum"))
        if type(eps) is not float:
            eps = float(as_real(eps, "batch_norm", "eps"))
        if not eps >= 0:
            raise ArgumentError(f"batch_norm: expected eps of at least 0, which is added to a variance; got {eps}")
        if training and not eps:
            raise ArgumentError("batch_norm: expected eps above 0 in training, where a variance may be 0; got 0.0")
        layout = layout_of_tensor(input)
        if layout.shape == (0,):  # no examples of no channels
            return ops.clone(input)
        if not training:
            if running_mean is None or running_var is None:
                raise ArgumentError("batch_norm: expected running_mean and running_var, or training=True; got None")
            return ops.batch_norm_eval(input, weight, bias, running_mean, running_var, (eps,))
        if len(layout.shape) < 2 or layout.numel <= layout.shape[1]:  # at most one value per channel
            check_several(layout, (input, weight, bias, running_mean, running_var))
            running_mean = running_var = None
        return ops.batch_norm(input, weight, bias, running_mean, running_var, (momentum, eps))[0]
    except FaculaError as error:
        trim_traceback(error)
        raise
