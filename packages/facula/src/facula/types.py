"""Types of arguments, as annotations of PyTorch programs name them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from facula_storage import Device as _device
from facula_storage import DType as _dtype  # noqa: F401
from facula_tensor import Size, Tensor

from ._lookup.names import publish

__all__ = ["Device", "FileLike", "Number"]

_int, _float, _bool, _complex = int, float, bool, complex
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

Device: TypeAlias = _device | str | int | None  # a device, its name, the index of a GPU, or None for the default
Number: TypeAlias = int | float | bool  # numbers of Python that operators accept as operands
FileLike: TypeAlias = str | os.PathLike[str]  # the path of a file

publish(__name__)
