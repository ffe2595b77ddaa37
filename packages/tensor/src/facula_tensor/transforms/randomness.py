"""What functions that draw do inside `vmap`."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from .levels import entered

if TYPE_CHECKING:
    from .batch import BatchLevel

# The levels of `vmap` around what runs in this thread and task, the innermost last.
_around: ContextVar[tuple[BatchLevel, ...]] = ContextVar("facula_tensor.vmap", default=())


class drawing_at(entered):
    """Context manager: inside a level of `vmap`, which says what functions that draw do."""

    __slots__ = ("_former",)

    def __enter__(self) -> None:
        super().__enter__()
        self._former = _around.get()
        _around.set((*self._former, self.level))

    def __exit__(self, *error: object) -> None:
        _around.set(self._former)
        super().__exit__(*error)
