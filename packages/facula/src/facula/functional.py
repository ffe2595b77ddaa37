"""Functions of tensors, in PyTorch's module for them."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
