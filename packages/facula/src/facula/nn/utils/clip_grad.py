"""Gradients of bounded size, where programs for PyTorch look for them."""

from ..._names import publish
from . import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

publish(__name__)
