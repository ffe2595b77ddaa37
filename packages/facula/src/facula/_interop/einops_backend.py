"""The operators that einops needs, for facula's tensors. Imported along with einops: see Note [einops].

einops calls these methods; their names and arguments are its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from einops._backends import AbstractBackend

import facula

if TYPE_CHECKING:
    from facula import Tensor


class FaculaBackend(AbstractBackend):
    """An einops backend that rearranges with facula's views and copies, so gradients flow through."""

    framework_name = "facula"

    def is_appropriate_type(self, tensor: object) -> bool:
        return isinstance(tensor, facula.Tensor)

    def from_numpy(self, x: np.ndarray) -> Tensor:
        tensor = facula.from_numpy(x)
        return tensor.requires_grad_() if tensor.is_floating_point() else tensor

    def to_numpy(self, x: Tensor) -> np.ndarray:
        return x.detach().cpu().numpy()

    def arange(self, start: int, stop: int) -> Tensor:
        return facula.arange(start, stop)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        return x.permute(*axes)

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        if operation == "prod":  # which takes one dimension
            for axis in sorted(axes, reverse=True):
                x = x.prod(axis)
            return x
        name = {"min": "amin", "max": "amax"}.get(operation, operation)
        return getattr(x, name)(tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: Sequence[Tensor]) -> Tensor:
        return facula.stack(tuple(tensors))

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        return x.unsqueeze(new_position)

    def add_axes(self, x: Tensor, n_axes: int, pos2len: Mapping[int, int]) -> Tensor:
        for position in pos2len:
            x = x.unsqueeze(position)
        return x.expand(*(pos2len.get(axis, -1) for axis in range(n_axes)))

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        return x.repeat(*repeats)

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        return facula.cat(tuple(tensors), axis)

    def is_float_type(self, x: Tensor) -> bool:
        return x.is_floating_point()

    def layers(self) -> ModuleType:
        return import_module("facula.utils.einops")  # needs einops, and few programs use it

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        return facula.einsum(pattern, *x)
