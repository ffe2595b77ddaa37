"""Storages of tensors, where programs for PyTorch look for them."""

from facula_tensor import TypedStorage, UntypedStorage

from ._names import publish

__all__ = ["TypedStorage", "UntypedStorage"]

publish(__name__)
