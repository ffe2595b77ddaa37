"""Tables of vectors, looked up by number and added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .embedding import VectorTable

if TYPE_CHECKING:
    from typing import Self

    from facula_tensor.extend import DeviceLike, DTypeLike

    from .._types import DeviceAndDType


@boundary
class EmbeddingBag(VectorTable):
    """The "sum", "mean" or "max" of the vectors of each bag of numbers: (bags, embedding_dim).

    `weight` (num_embeddings, embedding_dim) begins with draws from the normal distribution, and zeros in the row
    `padding_idx`, which counts for nothing. Options are as for `Embedding` and `functional.embedding_bag`;
    `sparse=True` is refused.

    Arguments:
        num_embeddings: how many numbers there are.
        embedding_dim: the length of a vector.
        max_norm: the greatest norm of rows; longer ones that are used are scaled down, in place.
        norm_type: the order of that norm.
        scale_grad_by_freq: divide gradients by how often a number comes.
        mode: "sum", "mean" or "max".
        sparse: True is refused: gradients are dense.
        _weight: the weight, in place of a drawn one.
        include_last_offset: the last offset is the end of the last bag.
        padding_idx: a number that counts for nothing.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

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
        """`input` (bags, numbers), or (numbers,) with `offsets` (bags,): (bags, embedding_dim).

        Arguments:
            input: the numbers.
            offsets: where the bags begin, for an input of one dimension.
            per_sample_weights: a factor for each number, of the input's shape.
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
        """A layer whose weight is `embeddings` (numbers, features), over its memory; with `freeze` it is not trained.

        Arguments:
            embeddings: the weight, (numbers, features).
            freeze: do not train the weight.
            max_norm: the greatest norm of rows; longer ones that are used are scaled down, in place.
            norm_type: the order of that norm.
            scale_grad_by_freq: divide gradients by how often a number comes.
            mode: "sum", "mean" or "max".
            sparse: True is refused: gradients are dense.
            include_last_offset: the last offset is the end of the last bag.
            padding_idx: a number that counts for nothing.

        Returns:
            The layer.

        >>> from facula_tensor import tensor
        >>> EmbeddingBag.from_pretrained(tensor([[1.0, 2.0], [3.0, 4.0]]))(tensor([[0, 1]]))
        tensor([[2., 3.]])
        """
        if not isinstance(embeddings, Tensor) or embeddings.ndim != 2:
            raise InvalidValueError("EmbeddingBag: expected embeddings to be a Tensor of shape (numbers, features)")
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
