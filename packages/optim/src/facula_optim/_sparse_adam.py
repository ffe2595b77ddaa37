"""`SparseAdam`, which is not supported, since all gradients are dense."""

from __future__ import annotations

from facula_errors import UnsupportedError
from facula_errors.extend import boundary

from ._optimizer import Optimizer


@boundary
class SparseAdam(Optimizer):
    """Adam for sparse gradients, which are not supported: the constructor raises NotImplementedError.

    `Adam` computes the same steps from the dense gradients of `Embedding`.

    >>> SparseAdam([])
    Traceback (most recent call last):
    facula_errors.UnsupportedError: SparseAdam: gradients are dense, since sparse tensors are not supported; use Adam
    """

    def __init__(self, *arguments: object, **options: object) -> None:
        raise UnsupportedError("SparseAdam: gradients are dense, since sparse tensors are not supported; use Adam")
