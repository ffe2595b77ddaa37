"""Layers that only change the shape."""

from __future__ import annotations

import math

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend.arguments import check_dim

from .._arguments import check_input
from .._modules.layer import layer
from .._modules.module import Module


@layer
class Flatten(Module):
    """Flatten the dimensions from `start_dim` to `end_dim` into one.

    >>> from facula_tensor import ones
    >>> Flatten()(ones(2, 3, 4)).shape
    facula.Size([2, 12])
    """

    start_dim: int = 1
    end_dim: int = -1

    def forward(self, input: Tensor) -> Tensor:
        """Flatten an input that has these dimensions."""
        check_input("Flatten", input)
        return input.flatten(self.start_dim, self.end_dim)


@boundary
class Unflatten(Module):
    """Unflatten the dimension `dim` into several with the lengths `unflattened_size` (one may be -1).

    >>> from facula_tensor import ones
    >>> Unflatten(1, (3, 4))(ones(2, 12)).shape
    facula.Size([2, 3, 4])
    """

    _repr_items = "dim=, unflattened_size="

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise InvalidTypeError(f"Unflatten: expected dim to be an integer; got {dim!r}")
        if not isinstance(unflattened_size, (tuple, list)) or not all(isinstance(n, int) for n in unflattened_size):
            raise InvalidTypeError(
                f"Unflatten: expected unflattened_size to be a tuple of integers; got {unflattened_size!r}"
            )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """Unflatten an input that has this dimension."""
        check_input("Unflatten", input)
        shape = tuple(input.shape)
        dim = check_dim("Unflatten", self.dim, len(shape))
        parts = tuple(self.unflattened_size)
        known = math.prod([length for length in parts if length != -1])
        open_ = parts.count(-1)
        if open_ > 1 or min(parts, default=0) < -1 or (shape[dim] % known if open_ and known else shape[dim] != known):
            raise InvalidValueError(
                f"Unflatten: expected unflattened_size of {shape[dim]} elements, as dimension {dim} of input {shape} "
                f"has; got {parts}"
            )
        return input.reshape(*shape[:dim], *parts, *shape[dim + 1 :])
