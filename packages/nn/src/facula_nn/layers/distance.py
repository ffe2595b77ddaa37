"""Layers that compare vectors."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_input
from .._modules.layer import layer
from .._modules.module import Module


@layer
class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`; their norms are clamped to at least `eps`.

    >>> from facula_tensor import tensor
    >>> CosineSimilarity()(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    _repr_items = ""
    dim: int = 1
    eps: float = 1e-8

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the similarity of inputs whose shapes broadcast, without the dimension `dim`."""
        check_input("CosineSimilarity", x1)
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


@boundary
class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps along the last dimension.

    Arguments:
        p: the order of the norm.
        eps: the constant added to the differences.
        keepdim: keep the last dimension, with length 1.

    >>> from facula_tensor import tensor
    >>> PairwiseDistance()(tensor([[3.0, 4.0]]), tensor([[0.0, 0.0]]))
    tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distance of inputs (N, D), or (D,); D is removed, or becomes 1."""
        check_input("PairwiseDistance", x1)
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
