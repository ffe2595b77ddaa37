"""facula._C: PyTorch's inside, of which nothing is here: each name in it is an AttributeError that says so."""

from __future__ import annotations

from facula_errors import MissingAttributeError

__all__: list[str] = []


def __getattr__(name: str) -> object:
    text = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("__"):
        text += ": it is PyTorch's inside, written in C++; facula has none of it; use the public function instead"
    raise MissingAttributeError(text, name=name)
