"""facula._C: internals of PyTorch that programs name: an exception class that they catch, and dispatch keys."""

from __future__ import annotations

from enum import Enum

from facula_tensor.linalg import LinAlgError as _LinAlgError

from ._lookup.names import publish

__all__ = ["DispatchKey", "DispatchKeySet", "_LinAlgError"]

_DEVICES = ("CPU", "CUDA", "MPS", "XPU")
DispatchKey = Enum(  # type: ignore[misc]  # names by rule
    "DispatchKey",
    ["CompositeImplicitAutograd", "CompositeExplicitAutograd", "Autograd", "Meta", *_DEVICES]
    + [kind + device for kind in ("Autograd", "Autocast") for device in _DEVICES],
    module=__name__,
)
DispatchKey.__doc__ = "For which tensors a function of `library.Library.impl` serves."


class DispatchKeySet(frozenset[DispatchKey]):
    """A set of dispatch keys, built from one or more of them. Supports `|`, `&`, `-` and `in` like Python's sets.

    >>> keys = DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.CUDA)
    >>> keys.has(DispatchKey.CUDA)
    True
    """

    def __new__(cls, *keys: DispatchKey) -> DispatchKeySet:
        return super().__new__(cls, keys)

    def __or__(self, other: frozenset[DispatchKey]) -> DispatchKeySet:  # type: ignore[override]
        return DispatchKeySet(*super().__or__(other))

    def __and__(self, other: frozenset[DispatchKey]) -> DispatchKeySet:  # type: ignore[override]
        return DispatchKeySet(*super().__and__(other))

    def __sub__(self, other: frozenset[DispatchKey]) -> DispatchKeySet:  # type: ignore[override]
        return DispatchKeySet(*super().__sub__(other))

    def has(self, key: DispatchKey) -> bool:
        """Return whether the set contains a key."""
        return key in self

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(key.name for key in self))})"


publish(
    __name__, otherwise="it is PyTorch's inside, written in C++; facula has none of it; use the public function instead"
)
