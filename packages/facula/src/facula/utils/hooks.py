"""Handles of hooks, where programs for PyTorch look for them."""

from facula_tensor.extend import Handle as RemovableHandle

from .._names import publish

__all__ = ["RemovableHandle"]

publish(__name__)
