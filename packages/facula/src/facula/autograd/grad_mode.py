"""Modes of gradients, where programs for PyTorch look for them."""

from facula_autograd import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled

from .._names import publish

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]

publish(__name__)
