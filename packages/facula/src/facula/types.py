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

Device: TypeAlias = _device | str | int | None
Number: TypeAlias = int | float | bool
FileLike: TypeAlias = str | os.PathLike[str]

publish(__name__)
