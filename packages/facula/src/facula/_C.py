"""facula._C: PyTorch's inside. Of it there is `_LinAlgError` alone, which programs catch; other names say so."""

from __future__ import annotations

from facula_errors import MissingAttributeError
from facula_tensor.linalg import LinAlgError as _LinAlgError

__all__ = ["_LinAlgError"]


def __getattr__(name: str) -> object:
    text = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("__"):
        text += ": it is PyTorch's inside, written in C++; facula has none of it; use the public function instead"
    raise MissingAttributeError(text, name=name)
