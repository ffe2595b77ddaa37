"""Sequences of unequal lengths: padded to one length, or packed one step after another.

Packed, the sequences are sorted, the longest first; the rows of a step lie together, and step t has `batch_sizes[t]` of
them, never more than the step before. Rows are moved by one gather, so that gradients are moved by one, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, cat, from_numpy, full, stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self, SupportsInt

__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
           "pad_sequence", "unpack_sequence", "unpad_sequence"]  # fmt: skip

__dir__ = published(__name__)


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Packed sequences: the rows of a step together, the longest sequence first.

    Made by `pack_padded_sequence` and `pack_sequence`. Methods such as `to` and `float` do to `data` what they do to a
    tensor.

    Arguments:
        data: (rows, ...); or the pair of `data` and `batch_sizes`.
        batch_sizes: (steps,), int64, on the CPU: how many rows each step has; None where `data` is the pair.
        sorted_indices: which sequence is at each place; None where they were not sorted.
        unsorted_indices: the inverse of it; computed if None.

    >>> from facula_tensor import ones
    >>> pack_sequence([ones(2), ones(1)]).batch_sizes.tolist()
    [2, 1]
    """

    __slots__ = ()

    @boundary
    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        """`data` and `batch_sizes`, perhaps as a pair. TypeError where they are no tensors."""
        if batch_sizes is None:
            if not isinstance(data, (tuple, list)) or len(data) != 2:
                raise InvalidTypeError(
                    f"PackedSequence: expected data and batch_sizes, or a pair of them; got {type(data).__name__}; "
                    "use pack_sequence() to make one"
                )
            data, batch_sizes = data
        for name, one in (("data", data), ("batch_sizes", batch_sizes)):
            if not isinstance(one, Tensor):
                raise InvalidTypeError(f"PackedSequence: expected {name} to be a Tensor; got {type(one).__name__}")
        if batch_sizes.device.type != "cpu":  # type: ignore[union-attr]
            raise ArgumentError(
                f"PackedSequence: expected batch_sizes on the CPU; got {batch_sizes.device}"  # type: ignore[union-attr]
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)  # type: ignore[arg-type]

    def _with(self, data: Tensor) -> PackedSequence:
        """The same sequences of other data."""
        indices = [one if one is None else one.to(data.device) for one in self[2:]]
        return type(self)(data, self.batch_sizes, *indices)

    @boundary
    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With `data` at another place or in another dtype; this one itself where it is so."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data)

    def cpu(self) -> PackedSequence:
        """On the CPU."""
        return self.to("cpu")

    def double(self) -> PackedSequence:
        """In float64."""
        return self.to(self.data.double().dtype)

    def float(self) -> PackedSequence:
        """In float32."""
        return self.to(self.data.float().dtype)

    def half(self) -> PackedSequence:
        """In float16."""
        return self.to(self.data.half().dtype)

    def long(self) -> PackedSequence:
        """In int64."""
        return self.to(self.data.long().dtype)

    def int(self) -> PackedSequence:
        """In int32."""
        return self.to(self.data.int().dtype)

    def short(self) -> PackedSequence:
        """In int16."""
        return self.to(self.data.short().dtype)

    def char(self) -> PackedSequence:
        """In int8."""
        return self.to(self.data.char().dtype)

    def byte(self) -> PackedSequence:
        """In uint8."""
        return self.to(self.data.byte().dtype)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """On a CUDA device; RuntimeError where there is none."""
        return self._with(self.data.cuda(*args, **kwargs))

    def is_pinned(self) -> bool:
        """Whether `data` lies in pinned memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether `data` is on a CUDA device."""
        return self.data.device.type == "cuda"


@boundary
def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes `permutation`; None for None.

    >>> from facula_tensor import tensor
    >>> invert_permutation(tensor([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    if permutation is None:
        return None
    order = permutation.cpu().numpy()
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return _indices(inverse, permutation)


@boundary
def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences (steps, batch, ...), or (batch, steps, ...) where `batch_first`, without their padding.

    `lengths` has one number for each sequence; in decreasing order, unless `enforce_sorted` is False. ValueError for
    lengths below 1 or above the steps there are, and where they are too few, too many, or not in order.

    Arguments:
        input: padded sequences (steps, batch, *).
        lengths: the length of each, from 1.
        batch_first: `input` is (batch, steps, *).
        enforce_sorted: lengths decrease already; otherwise they are sorted here.

    Returns:
        The packed sequences.

    Raises:
        ValueError: lengths that do not fit, or do not decrease though they should.

    >>> from facula_tensor import tensor
    >>> packed = pack_padded_sequence(tensor([[1, 2], [3, 0]]), [2, 1])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 2, 3], [2, 1])
    """
    if not isinstance(input, Tensor) or input.ndim < 2:
        shown = f"shape {tuple(input.shape)}" if isinstance(input, Tensor) else type(input).__name__
        raise ArgumentError(
            f"pack_padded_sequence: expected input (steps, batch, ...) or (batch, steps, ...); got {shown}"
        )
    counts = _sequence_lengths("pack_padded_sequence", lengths)
    steps, batch = input.shape[:2]
    if batch_first:
        steps, batch = batch, steps
    if len(counts) != batch:
        raise ArgumentError(
            f"pack_padded_sequence: expected {batch} lengths, one for each sequence of input {tuple(input.shape)} with "
            f"batch_first={batch_first}; got {len(counts)}"
        )
    if batch == 0 or counts.min() < 1 or counts.max() > steps:
        raise ArgumentError(
            f"pack_padded_sequence: expected lengths from 1 to {steps}, of at least one sequence; got {counts.tolist()}"
        )
    order = None
    if not enforce_sorted:
        order = np.argsort(-counts, kind="stable")
        counts = counts[order]
    elif (np.diff(counts) > 0).any():
        raise ArgumentError(
            f"pack_padded_sequence: expected lengths in decreasing order; got {counts.tolist()}; sort the sequences, "
            "or give enforce_sorted=False"
        )
    inside = counts > np.arange(counts[0])[:, None]  # (steps, batch)
    at_step, place = inside.nonzero()
    column = place if order is None else order[place]
    rows = column * steps + at_step if batch_first else at_step * batch + column
    data = input.reshape(steps * batch, *input.shape[2:])[_indices(rows, input)]
    indices = None if order is None else _indices(order, input)
    return PackedSequence(data, from_numpy(inside.sum(1)), indices)


@boundary
def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Packed sequences as (steps, batch, ...), or (batch, steps, ...) where `batch_first`, and their lengths (batch,).

    In the order in which they were before packing. Places behind a sequence's end have `padding_value`. There are as
    many steps as the longest sequence has, or `total_length`; ValueError where that is less.

    Arguments:
        sequence: packed sequences.
        batch_first: give (batch, steps, *).
        padding_value: what stands behind the ends.
        total_length: the number of steps, at least the longest; that one's if None.

    Returns:
        The padded sequences, and their lengths.

    >>> from facula_tensor import tensor
    >>> padded, lengths = pad_packed_sequence(pack_sequence([tensor([1, 3]), tensor([2])]), batch_first=True)
    >>> padded.tolist(), lengths.tolist()
    ([[1, 3], [2, 0]], [2, 1])
    """
    if not isinstance(sequence, PackedSequence):
        raise InvalidTypeError(
            f"pad_packed_sequence: expected sequence to be a PackedSequence; got {type(sequence).__name__}"
        )
    data = sequence.data
    sizes = sequence.batch_sizes.numpy()
    longest, batch = len(sizes), int(sizes[0]) if len(sizes) else 0
    steps = longest if total_length is None else total_length
    if steps < longest:
        raise ArgumentError(
            f"pad_packed_sequence: expected total_length of at least {longest}, as the longest sequence has; "
            f"got {steps}"
        )
    inside = np.arange(batch) < sizes[:, None]  # (steps, batch)
    rows = np.full((steps, batch), data.shape[0], np.int64)  # the row behind all others
    rows[:longest][inside] = np.arange(data.shape[0])
    lengths = inside.sum(0)
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices.cpu().numpy()
        rows, lengths = rows[:, order], lengths[order]
    return _gathered(data, rows.T if batch_first else rows, padding_value), from_numpy(lengths)


@boundary
def pad_sequence(
    sequences: Tensor | Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (length, ...) of unequal lengths as (steps, batch, ...), or (batch, steps, ...) where `batch_first`.

    There are as many steps as the longest has; `padding_value` follows the others, or goes before them where
    `padding_side` is "left". ValueError for no sequences, and where they differ in more than their lengths.

    Arguments:
        sequences: tensors (steps, *).
        batch_first: give (batch, steps, *).
        padding_value: what stands beside the shorter ones.
        padding_side: "right" or "left".

    Returns:
        One tensor (longest, batch, *).

    >>> from facula_tensor import tensor
    >>> pad_sequence([tensor([1, 3]), tensor([2])], batch_first=True).tolist()
    [[1, 3], [2, 0]]
    """
    given = _sequences("pad_sequence", sequences)
    if padding_side not in ("left", "right"):
        raise ArgumentError(f"pad_sequence: expected padding_side to be 'left' or 'right'; got {padding_side!r}")
    counts = np.array([one.shape[0] for one in given])
    steps = int(counts.max())
    if (counts == steps).all():
        return stack(given, 0 if batch_first else 1)
    starts = np.cumsum(counts) - counts
    at = np.arange(steps)[:, None]  # (steps, batch), as what follows
    if padding_side == "left":
        at = at - (steps - counts)
    rows = np.where((at >= 0) & (at < counts), at + starts, counts.sum())
    return _gathered(cat(given), rows.T if batch_first else rows, padding_value)


@boundary
def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of which `pad_sequence` made one tensor, given their lengths: a list.

    Arguments:
        padded_sequences: (steps, batch, *).
        lengths: the length of each.
        batch_first: they are (batch, steps, *).

    Returns:
        A list of tensors (steps, *).

    >>> from facula_tensor import tensor
    >>> [one.tolist() for one in unpad_sequence(tensor([[1, 2], [3, 0]]), tensor([2, 1]))]
    [[1, 3], [2]]
    """
    counts = _sequence_lengths("unpad_sequence", lengths).tolist()
    columns = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    if len(counts) != columns.shape[0]:
        raise ArgumentError(
            f"unpad_sequence: expected {columns.shape[0]} lengths, one for each sequence; got {len(counts)}"
        )
    return [column[:count] for column, count in zip(columns.unbind(0), counts, strict=True)]


@boundary
def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (length, ...), packed. The longest first, unless `enforce_sorted` is False.

    >>> from facula_tensor import tensor
    >>> pack_sequence([tensor([1, 3]), tensor([2])]).data.tolist()
    [1, 2, 3]
    """
    given = _sequences("pack_sequence", sequences)
    return pack_padded_sequence(pad_sequence(given), [one.shape[0] for one in given], enforce_sorted=enforce_sorted)


@boundary
def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of which `pack_sequence` made one, in the order they had.

    >>> from facula_tensor import tensor
    >>> [one.tolist() for one in unpack_sequence(pack_sequence([tensor([1, 3]), tensor([2])]))]
    [[1, 3], [2]]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


def _sequence_lengths(function: str, lengths: Tensor | Iterable[SupportsInt]) -> np.ndarray:
    """Lengths as int64, of whatever numbers they are."""
    given = np.asarray(lengths.cpu().tolist() if isinstance(lengths, Tensor) else [int(one) for one in lengths])
    if given.ndim != 1:
        raise ArgumentError(f"{function}: expected lengths (batch,); got shape {given.shape}")
    return given.astype(np.int64)


def _sequences(function: str, sequences: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """A list of tensors that differ in their first dimension alone."""
    given = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not given:
        raise ArgumentError(f"{function}: expected at least one sequence; got none")
    for place, one in enumerate(given):
        if not isinstance(one, Tensor):
            raise InvalidTypeError(f"{function}: expected sequences[{place}] to be a Tensor; got {type(one).__name__}")
        if not one.ndim or one.shape[1:] != given[0].shape[1:]:
            expected = ", ".join(["length", *map(str, given[0].shape[1:])])
            raise ArgumentError(
                f"{function}: expected sequences of shape ({expected}); got sequences[{place}] of shape "
                f"{tuple(one.shape)}"
            )
    return given


def _gathered(data: Tensor, rows: np.ndarray, padding_value: float) -> Tensor:
    """Rows of `data`; the one behind the last is padding.

    Arguments:
        data: the rows.
        rows: the numbers of those that are taken.
        padding_value: the number that padding has.
    """
    if (rows == len(data)).any():
        padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
        data = cat([data, padding])
    return data[_indices(rows.ravel(), data)].reshape(*rows.shape, *data.shape[1:])


def _indices(indices: np.ndarray, like: Tensor) -> Tensor:
    return from_numpy(np.ascontiguousarray(indices, np.int64)).to(like.device)
