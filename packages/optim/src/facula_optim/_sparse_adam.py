"""SparseAdam, by name only: gradients are dense here."""

from __future__ import annotations

from facula_errors import UnsupportedError
from facula_errors.extend import boundary

from ._optimizer import Optimizer


@boundary
class SparseAdam(Optimizer):
    """Adam for sparse gradients, which are not there yet: NotImplementedError when it is made.

    `Adam` does the same with the dense gradients that `Embedding` has.

    >>> SparseAdam([])
    Traceback (most recent call last):
    facula_errors.UnsupportedError: SparseAdam: gradients are dense, since sparse tensors are not there yet; use Adam
    """

    def __init__(self, *arguments: object, **options: object) -> None:
        raise UnsupportedError("SparseAdam: gradients are dense, since sparse tensors are not there yet; use Adam")
