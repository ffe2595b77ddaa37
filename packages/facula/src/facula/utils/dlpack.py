"""Memory shared with other libraries, where programs for PyTorch look for it."""

from facula_tensor import from_dlpack, to_dlpack

from .._names import publish

__all__ = ["from_dlpack", "to_dlpack"]

publish(__name__)
