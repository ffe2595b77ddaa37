"""Functions of tensors, where programs for PyTorch look for them."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
