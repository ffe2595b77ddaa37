"""Embedding tables: vectors, selected by index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty, no_grad

from .. import functional as F
from .. import init
from .._arguments import check_lengths
from .._modules.module import Module

if TYPE_CHECKING:
    from typing import Self

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import DeviceAndDType


class VectorTable(Module):
    """Base class of embeddings: a weight with one vector per index, and the options of the look-up."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    weight: Parameter

    def _make(
        self,
        shape: tuple[int, int],
        padding_idx: int | None,
        sparse: bool,
        weight: Tensor | None,
        requires_grad: bool,
        place: DeviceAndDType,
    ) -> None:
        """Check the sizes, and create the weight or use the given one.

        Arguments:
            shape: (indices, features).
            padding_idx: the index whose row is initialized to zeros and receives no gradient.
            sparse: must be False; gradients are dense.
            weight: the initial weight, instead of random values.
            requires_grad: whether the weight is trained.
            place: the device and the dtype of the weight.
        """
        name, (count, width) = type(self).__name__, shape
        check_lengths(name, num_embeddings=count, embedding_dim=width)
        if sparse:
            raise UnsupportedError(f"{name}: sparse=True is not supported; there are no sparse gradients; leave it out")
        if padding_idx is not None and not -count <= padding_idx < count:
            raise InvalidValueError(f"{name}: expected padding_idx from {-count} to {count - 1}; got {padding_idx}")
        self.num_embeddings, self.embedding_dim, self.sparse = count, width, sparse
        self.padding_idx = None if padding_idx is None else padding_idx % count
        if weight is None:
            self.weight = Parameter(empty(shape, **place), requires_grad)
            self.reset_parameters()
            return
        if tuple(weight.shape) != shape:
            raise InvalidValueError(f"{name}: expected a weight of shape {shape}; got {tuple(weight.shape)}")
        self.weight = Parameter(weight, requires_grad)

    def reset_parameters(self) -> None:
        """Initialize the weight again, with zeros in the row `padding_idx`."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0  # also of a DTensor, which a view may copy


@boundary
class Embedding(VectorTable):
    """A vector for each of `num_embeddings` indices: int64 or int32 (*) to (*, embedding_dim).

    `weight` (num_embeddings, embedding_dim) is initialized from the normal distribution, with zeros in the row
    `padding_idx`, which receives no gradient. `max_norm` limits the norm of the rows that are used, in place;
    `scale_grad_by_freq` divides a row's gradient by its frequency in the input. `sparse=True` is not supported.

    Arguments:
        num_embeddings: the number of rows.
        embedding_dim: the length of each row.
        padding_idx: the index whose row is initialized to zeros and receives no gradient.
        max_norm: the maximum norm of a row; rows that are used and exceed it are scaled down in place.
        norm_type: the order of the norm.
        scale_grad_by_freq: divide each row's gradient by the frequency of its index in the input.
        sparse: must be False; gradients are dense.
        _weight: the initial weight, instead of random values.
        _freeze: exclude the weight from training.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import tensor
    >>> Embedding(10, 3)(tensor([[1, 2], [4, 5]])).shape
    facula.Size([2, 2, 3])
    """

    _repr_items = (
        "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False"
    )

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        self._make((num_embeddings, embedding_dim), padding_idx, sparse, _weight, not _freeze, place)

    def forward(self, input: Tensor) -> Tensor:
        """Select rows of the weight by `input` (*): (*, embedding_dim)."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """Create a layer with the weight `embeddings` (indices, features), sharing memory, not trained if `freeze`.

        Arguments:
            embeddings: the weight, (indices, features).
            freeze: exclude the weight from training.
            padding_idx: the index whose row is initialized to zeros and receives no gradient.
            max_norm: the maximum norm of a row; rows that are used and exceed it are scaled down in place.
            norm_type: the order of the norm.
            scale_grad_by_freq: divide each row's gradient by the frequency of its index in the input.
            sparse: must be False; gradients are dense.

        Returns:
            The layer.

        >>> from facula_tensor import tensor
        >>> Embedding.from_pretrained(tensor([[1.0, 2.0], [3.0, 4.0]]))(tensor([1]))
        tensor([[3., 4.]])
        """
        if not isinstance(embeddings, Tensor) or embeddings.ndim != 2:
            got = tuple(embeddings.shape) if isinstance(embeddings, Tensor) else type(embeddings).__name__
            raise InvalidValueError(
                f"Embedding: expected embeddings to be a Tensor of shape (numbers, features); got {got}"
            )
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )
