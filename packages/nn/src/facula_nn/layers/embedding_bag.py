"""Embedding tables with reductions over bags of indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .embedding import VectorTable

if TYPE_CHECKING:
    from typing import Self

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import DeviceAndDType


@boundary
class EmbeddingBag(VectorTable):
    """The "sum", "mean" or "max" of the vectors of each bag of indices: (bags, embedding_dim).

    `weight` (num_embeddings, embedding_dim) is initialized from the normal distribution, with zeros in the row
    `padding_idx`, which does not contribute to the results. Other options are as in `Embedding` and
    `functional.embedding_bag`; `sparse=True` is not supported.

    Arguments:
        num_embeddings: the number of rows.
        embedding_dim: the length of each row.
        max_norm: the maximum norm of a row; rows that are used and exceed it are scaled down in place.
        norm_type: the order of the norm.
        scale_grad_by_freq: divide each row's gradient by the frequency of its index in the input.
        mode: "sum", "mean" or "max".
        sparse: must be False; gradients are dense.
        _weight: the initial weight, instead of random values.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: an index that does not contribute to the results.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import tensor
    >>> EmbeddingBag(10, 3, mode="sum")(tensor([1, 2, 4, 5]), tensor([0, 3])).shape
    facula.Size([2, 3])
    """

    _repr_items = (
        "num_embeddings, embedding_dim, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode!r=, padding_idx=None"
    )

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.mode, self.include_last_offset = mode, include_last_offset
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        self._make((num_embeddings, embedding_dim), padding_idx, sparse, _weight, True, place)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Reduce `input` (bags, indices), or (indices,) with `offsets` (bags,), to (bags, embedding_dim).

        Arguments:
            input: the indices.
            offsets: the starts of the bags, for an input of one dimension.
            per_sample_weights: a factor for each index, of the input's shape.
        """
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Create a layer with the weight `embeddings` (indices, features), sharing memory, not trained if `freeze`.

        Arguments:
            embeddings: the weight, (indices, features).
            freeze: exclude the weight from training.
            max_norm: the maximum norm of a row; rows that are used and exceed it are scaled down in place.
            norm_type: the order of the norm.
            scale_grad_by_freq: divide each row's gradient by the frequency of its index in the input.
            mode: "sum", "mean" or "max".
            sparse: must be False; gradients are dense.
            include_last_offset: whether the last offset is the end of the last bag.
            padding_idx: an index that does not contribute to the results.

        Returns:
            The layer.

        >>> from facula_tensor import tensor
        >>> EmbeddingBag.from_pretrained(tensor([[1.0, 2.0], [3.0, 4.0]]))(tensor([[0, 1]]))
        tensor([[2., 3.]])
        """
        if not isinstance(embeddings, Tensor) or embeddings.ndim != 2:
            got = tuple(embeddings.shape) if isinstance(embeddings, Tensor) else type(embeddings).__name__
            raise InvalidValueError(
                f"EmbeddingBag: expected embeddings to be a Tensor of shape (numbers, features); got {got}"
            )
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad_(not freeze)
        return made
