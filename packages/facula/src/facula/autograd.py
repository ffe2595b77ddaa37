"""Differentiation: backward passes, custom functions, checks. The names of facula_autograd."""

from facula_autograd import (
    Function,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    gradcheck,
    gradgradcheck,
    inference_mode,
    no_grad,
    once_differentiable,
    saved_tensors_hooks,
    set_grad_enabled,
)

__all__ = [
    "Function", "backward", "detect_anomaly", "enable_grad", "grad", "gradcheck", "gradgradcheck", "inference_mode",
    "no_grad", "once_differentiable", "saved_tensors_hooks", "set_grad_enabled",
]  # fmt: skip
