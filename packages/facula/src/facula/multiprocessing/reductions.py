"""Sending tensors to other processes: by the name of their shared memory."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler

from facula_tensor.extend.tensors import register_reductions

from .._lookup.names import publish

__all__ = ["ForkingPickler", "init_reductions"]


def init_reductions() -> None:
    """Register the pickling of tensors by shared memory: called when `facula.multiprocessing` is imported."""
    register_reductions()


publish(__name__)
