"""Sequences of unequal lengths: padded to a common length, or packed step by step.

Packed sequences are sorted by length, the longest first. The rows of a step are adjacent; step t has `batch_sizes[t]`
rows, at most as many as the step before. One gather moves all rows, and one its gradients.
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
    """Packed sequences: the rows of each step are adjacent, the longest sequence comes first.

    Created by `pack_padded_sequence` and `pack_sequence`. Methods such as `to` and `float` convert `data`.

    Arguments:
        data: (rows, ...); or the pair of `data` and `batch_sizes`.
        batch_sizes: (steps,), int64, on the CPU: the number of rows in each step; None if `data` is the pair.
        sorted_indices: the index of the sequence at each position; None if they were not sorted.
        unsorted_indices: the inverse permutation; computed if None.

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
        """Create packed sequences from `data` and `batch_sizes`, or from a pair. TypeError if they are not tensors."""
        if batch_sizes is None:
            if not isinstance(data, (tuple, list)) or len(data) != 2:
                raise InvalidTypeError(
                    f"PackedSequence: expected data and batch_sizes, or a pair of them; got {type(data).__name__}; "
                    "use pack_sequence() to make one"
                )
            data, batch_sizes = data
        for name, value in (("data", data), ("batch_sizes", batch_sizes)):
            if not isinstance(value, Tensor):
                raise InvalidTypeError(f"PackedSequence: expected {name} to be a Tensor; got {type(value).__name__}")
        if batch_sizes.device.type != "cpu":  # type: ignore[union-attr]
            raise ArgumentError(
                f"PackedSequence: expected batch_sizes on the CPU; got {batch_sizes.device}"  # type: ignore[union-attr]
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)  # type: ignore[arg-type]

    def _with_data(self, data: Tensor) -> PackedSequence:
        """Return the same sequences with other data."""
        indices = [part if part is None else part.to(data.device) for part in self[2:]]
        return type(self)(data, self.batch_sizes, *indices)

    @boundary
    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences with `data` on another device or in another dtype; this object if both are the same."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with_data(data)

    def cpu(self) -> PackedSequence:
        """Return the sequences on the CPU."""
        return self.to("cpu")

    def double(self) -> PackedSequence:
        """Return the sequences in float64."""
        return self.to(self.data.double().dtype)

    def float(self) -> PackedSequence:
        """Return the sequences in float32."""
        return self.to(self.data.float().dtype)

    def half(self) -> PackedSequence:
        """Return the sequences in float16."""
        return self.to(self.data.half().dtype)

    def long(self) -> PackedSequence:
        """Return the sequences in int64."""
        return self.to(self.data.long().dtype)

    def int(self) -> PackedSequence:
        """Return the sequences in int32."""
        return self.to(self.data.int().dtype)

    def short(self) -> PackedSequence:
        """Return the sequences in int16."""
        return self.to(self.data.short().dtype)

    def char(self) -> PackedSequence:
        """Return the sequences in int8."""
        return self.to(self.data.char().dtype)

    def byte(self) -> PackedSequence:
        """Return the sequences in uint8."""
        return self.to(self.data.byte().dtype)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences on a CUDA device; RuntimeError if there is none."""
        return self._with_data(self.data.cuda(*args, **kwargs))

    def is_pinned(self) -> bool:
        """Return whether `data` is in pinned memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether `data` is on a CUDA device."""
        return self.data.device.type == "cuda"


@boundary
def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of `permutation`; None for None.

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
    """Pack padded sequences (steps, batch, ...), or (batch, steps, ...) if `batch_first`.

    `lengths` contains one number per sequence, in decreasing order unless `enforce_sorted` is False. ValueError for
    lengths below 1 or above the number of steps, for too few or too many of them, and for a wrong order.

    Arguments:
        input: padded sequences (steps, batch, *).
        lengths: the length of each sequence, at least 1.
        batch_first: `input` is (batch, steps, *).
        enforce_sorted: require decreasing lengths instead of sorting the sequences.

    Returns:
        The packed sequences.

    Raises:
        ValueError: the lengths do not match the input, or do not decrease as required.

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
            "or pass enforce_sorted=False"
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
    """Pad packed sequences to (steps, batch, ...), or (batch, steps, ...) if `batch_first`; also return their lengths.

    The sequences have the order that they had before packing. Positions after the end of a sequence contain
    `padding_value`. The number of steps is the longest length or `total_length`; ValueError if that is less.

    Arguments:
        sequence: packed sequences.
        batch_first: return (batch, steps, *).
        padding_value: the value of the padding.
        total_length: the number of steps, at least the longest length; the longest length if None.

    Returns:
        The padded sequences, and their lengths (batch,).

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
    rows = np.full((steps, batch), data.shape[0], np.int64)  # the index of the padding row
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
    """Pad sequences (length, ...) of unequal lengths to (steps, batch, ...), or (batch, steps, ...) if `batch_first`.

    The number of steps is the longest length. Shorter sequences are followed by `padding_value`, or preceded by it if
    `padding_side` is "left". ValueError without sequences, or if they differ in more than their lengths.

    Arguments:
        sequences: tensors (steps, *).
        batch_first: return (batch, steps, *).
        padding_value: the value of the padding.
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
    counts = np.array([tensor.shape[0] for tensor in given])
    steps = int(counts.max())
    if (counts == steps).all():
        return stack(given, 0 if batch_first else 1)
    starts = np.cumsum(counts) - counts
    at = np.arange(steps)[:, None]  # (steps, batch), like the arrays below
    if padding_side == "left":
        at = at - (steps - counts)
    rows = np.where((at >= 0) & (at < counts), at + starts, counts.sum())
    return _gathered(cat(given), rows.T if batch_first else rows, padding_value)


@boundary
def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Return the list of sequences that `pad_sequence` joined, given their lengths.

    Arguments:
        padded_sequences: (steps, batch, *).
        lengths: the length of each sequence.
        batch_first: they are (batch, steps, *).

    Returns:
        A list of tensors (steps, *).

    >>> from facula_tensor import tensor
    >>> [sequence.tolist() for sequence in unpad_sequence(tensor([[1, 2], [3, 0]]), tensor([2, 1]))]
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
    """Pack sequences (length, ...), the longest first; they are sorted if `enforce_sorted` is False.

    >>> from facula_tensor import tensor
    >>> pack_sequence([tensor([1, 3]), tensor([2])]).data.tolist()
    [1, 2, 3]
    """
    given = _sequences("pack_sequence", sequences)
    return pack_padded_sequence(
        pad_sequence(given), [tensor.shape[0] for tensor in given], enforce_sorted=enforce_sorted
    )


@boundary
def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences that `pack_sequence` joined, in their original order.

    >>> from facula_tensor import tensor
    >>> [sequence.tolist() for sequence in unpack_sequence(pack_sequence([tensor([1, 3]), tensor([2])]))]
    [[1, 3], [2]]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


def _sequence_lengths(function: str, lengths: Tensor | Iterable[SupportsInt]) -> np.ndarray:
    """Convert lengths of any numeric type to int64."""
    given = np.asarray(lengths.cpu().tolist() if isinstance(lengths, Tensor) else [int(length) for length in lengths])
    if given.ndim != 1:
        raise ArgumentError(f"{function}: expected lengths (batch,); got shape {given.shape}")
    return given.astype(np.int64)


def _sequences(function: str, sequences: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Check that the tensors differ only in their first dimension, and return them as a list."""
    given = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not given:
        raise ArgumentError(f"{function}: expected at least one sequence; got none")
    for place, tensor in enumerate(given):
        if not isinstance(tensor, Tensor):
            raise InvalidTypeError(
                f"{function}: expected sequences[{place}] to be a Tensor; got {type(tensor).__name__}"
            )
        if not tensor.ndim or tensor.shape[1:] != given[0].shape[1:]:
            expected = ", ".join(["length", *map(str, given[0].shape[1:])])
            raise ArgumentError(
                f"{function}: expected sequences of shape ({expected}); got sequences[{place}] of shape "
                f"{tuple(tensor.shape)}"
            )
    return given


def _gathered(data: Tensor, rows: np.ndarray, padding_value: float) -> Tensor:
    """Gather rows of `data`; the index after the last row selects the padding.

    Arguments:
        data: the rows.
        rows: the indices of the rows to gather.
        padding_value: the value of the padding.
    """
    if (rows == len(data)).any():
        padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
        data = cat([data, padding])
    return data[_indices(rows.ravel(), data)].reshape(*rows.shape, *data.shape[1:])


def _indices(indices: np.ndarray, like: Tensor) -> Tensor:
    return from_numpy(np.ascontiguousarray(indices, np.int64)).to(like.device)
