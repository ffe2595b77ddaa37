"""Softmax over a large number of classes, only a few of which are frequent."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, cat, where

from ... import functional as F
from ..._modules.containers import ModuleList, Sequential
from ..._modules.module import Module
from ..linear import Linear

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


class _ASMoutput(NamedTuple):
    """The log-probability of each target, and the negative mean of them."""

    output: Tensor
    loss: Tensor


@boundary
class AdaptiveLogSoftmaxWithLoss(Module):
    """Two-level log softmax: a head for the frequent classes and the clusters, and a tail for each cluster.

    Classes are sorted by decreasing frequency; `cutoffs`, increasing, are the first classes of the clusters. The tail
    of cluster i has in_features / div_value**(i + 1) hidden features. ValueError unless the cutoffs increase between
    1 and `n_classes` - 1. E. Grave and others: Efficient softmax approximation for GPUs, 2016.

    Arguments:
        in_features: the length of the inputs.
        n_classes: the number of classes.
        cutoffs: the first classes of the clusters, increasing.
        div_value: the factor by which each tail is narrower than the previous one.
        head_bias: whether the head has a bias.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones, tensor
    >>> layer = AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5], div_value=2.0)
    >>> layer(ones(3, 4), tensor([0, 3, 9])).output.shape, layer.log_prob(ones(3, 4)).shape
    (facula.Size([3]), facula.Size([3, 10]))
    """

    head: Linear
    tail: ModuleList
    cutoffs: list[int]
    shortlist_size: int
    n_clusters: int
    head_size: int

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(cutoffs, (tuple, list)) or not all(isinstance(cutoff, Integral) for cutoff in cutoffs):
            raise InvalidTypeError(
                f"AdaptiveLogSoftmaxWithLoss: expected cutoffs to be a list of integers; got {cutoffs!r:.60}"
            )
        if not div_value > 0:
            raise InvalidValueError(f"AdaptiveLogSoftmaxWithLoss: expected div_value above 0; got {div_value}")
        bounds = [int(cutoff) for cutoff in cutoffs]
        if not bounds or bounds != sorted(set(bounds)) or bounds[0] < 1 or bounds[-1] >= n_classes:
            raise InvalidValueError(
                f"AdaptiveLogSoftmaxWithLoss: expected cutoffs that rise from 1 on, below n_classes {n_classes}; "
                f"got {list(cutoffs)}"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*bounds, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = bounds[0], len(bounds)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner, classes = int(in_features // div_value ** (i + 1)), self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, device=device, dtype=dtype),
                    Linear(inner, classes, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Initialize the weights again."""
        for layer in self.modules():
            if isinstance(layer, Linear):
                layer.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> _ASMoutput:
        """Return `output`, like target, and `loss`, for (N, in_features) and classes (N), or for (in_features) and ().

        IndexError for a target outside the classes.
        """
        if input.ndim != target.ndim + 1 or target.ndim > 1 or input.shape[:-1] != target.shape:
            raise InvalidValueError(
                f"AdaptiveLogSoftmaxWithLoss: expected input (N, {self.in_features}) and target (N), or "
                f"({self.in_features},) and (); got {tuple(input.shape)} and {tuple(target.shape)}"
            )
        rows, classes = (input, target) if target.ndim else (input.unsqueeze(0), target.unsqueeze(0))
        if classes.numel() and not (classes.amin() >= 0 and classes.amax() < self.n_classes):
            found = classes[(classes < 0) | (classes >= self.n_classes)][0].item()
            raise InvalidIndexError(
                f"AdaptiveLogSoftmaxWithLoss: expected targets from 0 to {self.n_classes - 1}; got {found}"
            )
        of_head, at_head, places, parts = F.log_softmax(self.head(rows), 1), classes, [], []
        for i, cluster in enumerate(self.tail):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
            inside = (classes >= low) & (classes < high)
            at_head = where(inside, self.shortlist_size + i, at_head)
            place = inside.nonzero().squeeze(1)
            if place.numel():
                of_cluster = F.log_softmax(cluster(rows.index_select(0, place)), 1)
                at_cluster = (classes.index_select(0, place) - low).unsqueeze(1)
                places.append(place)
                parts.append(of_cluster.gather(1, at_cluster).squeeze(1))
        output = of_head.gather(1, at_head.unsqueeze(1)).squeeze(1)
        if parts:
            output = output.index_add(0, cat(places), cat(parts))
        loss = -output.mean()
        return _ASMoutput(output if target.ndim else output.squeeze(0), loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes: (N, in_features) to (N, n_classes)."""
        return self._log_probabilities(input, F.log_softmax(self.head(input), 1))

    def _log_probabilities(self, input: Tensor, of_head: Tensor) -> Tensor:
        parts = [of_head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), 1) + of_head[:, self.shortlist_size + i].unsqueeze(1))
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row: (N, in_features) to (N)."""
        return self.log_prob(input).argmax(1)
