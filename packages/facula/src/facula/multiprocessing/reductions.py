"""How tensors go to other processes: by the name of the shared memory that they lie in."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler

from facula_tensor.extend import register_reductions

from .._lookup.names import publish

__all__ = ["ForkingPickler", "init_reductions"]


def init_reductions() -> None:
    """Let tensors share their memory with whom they are sent to: done when `facula.multiprocessing` is imported."""
    register_reductions()


publish(__name__)
