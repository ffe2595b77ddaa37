"""Samplers: the order in which a pass reads samples, as indices.

A custom sampler needs `__iter__` and, for `len(loader)`, `__len__`. If it has a method `order(epoch)` that returns all
indices of one epoch as an array or another sliceable sequence, a loader can also resume in mid-epoch without iterating
(Note [Order]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary

from .. import _checks
from .._quick_methods import quick_method
from .._types import Source
from .orders import BLOCK, BlockOrder, indices_from
from .seeds import Seeded, bits, permutation, uniform

if TYPE_CHECKING:
    from .seeds import SeedLike

T_co = TypeVar("T_co", covariant=True)
Order: TypeAlias = np.ndarray | BlockOrder


@boundary
class Sampler(Generic[T_co]):
    """An iterable over the indices of samples, in the order in which a pass reads them.

    >>> class Backwards(Sampler[int]):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(Backwards())
    [2, 1, 0]

    Source: torch.utils.data.Sampler.
    """

    def __iter__(self) -> Iterator[T_co]:
        raise UnsupportedError(f"{type(self).__name__}: expected a method __iter__; a Sampler must define it")


@boundary
class SequentialSampler(Sampler[int]):
    """The indices 0, 1, 2, … up to the length of `data_source`.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]

    Source: torch.utils.data.SequentialSampler.
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def order(self, epoch: int) -> range:
        """Return the indices, the same in every epoch."""
        return range(len(self.data_source))

    def __iter__(self) -> Iterator[int]:
        return iter(self.order(0))

    def __len__(self) -> int:
        return len(self.data_source)

    def __repr__(self) -> str:
        return f"SequentialSampler({len(self)} samples)"


@boundary
class _RandomOrder(Sampler[int], Seeded):
    """A sampler whose `__iter__` advances to the order of the next epoch; `order(epoch)` returns any of them."""

    num_samples: int

    def __init__(self, generator: SeedLike) -> None:
        Seeded.__init__(self, generator)
        self._passes = 0

    def order(self, epoch: int) -> Order:
        """Return the indices of one epoch, int64 (len(self),), the same at each call."""
        raise UnsupportedError

    def __iter__(self) -> Iterator[int]:
        epoch = self._passes
        self._passes += 1
        return indices_from(self.order(epoch), 0)

    def _draws(self, epoch: int, index: Callable[[np.ndarray], np.ndarray]) -> BlockOrder:
        """Return `num_samples` independent draws: `index` applied to random numbers in [0, 1)."""
        seed = self.seed
        return BlockOrder(
            self.num_samples, BLOCK, lambda number: index(uniform(bits(seed, epoch, start=number * BLOCK), BLOCK))
        )

    def __len__(self) -> int:
        return self.num_samples

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.num_samples} samples)"


@boundary
class RandomSampler(_RandomOrder):
    """All indices of a dataset in random order, or random indices with replacement.

    Arguments:
        data_source: the dataset; only its length is used.
        replacement: draw each index independently of the others.
        num_samples: the number of indices in an epoch; by default the length of `data_source`. Without replacement, no
            index occurs twice before every index has occurred once.
        generator: a seed, a numpy.random.Generator (which draws a seed), an object with `initial_seed()`, or None.

    Raises:
        ValueError: `data_source` is empty, or `num_samples` is not positive.

    >>> sampler = RandomSampler("abcde", generator=0)
    >>> list(sampler), list(sampler)
    ([0, 2, 1, 4, 3], [4, 2, 0, 1, 3])
    >>> sampler.order(0)
    array([0, 2, 1, 4, 3])

    Source: torch.utils.data.RandomSampler.
    """

    replacement: bool

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: SeedLike = None
    ) -> None:
        super().__init__(generator)
        self.data_source = data_source
        self.replacement = _checks.truth("RandomSampler", "replacement", replacement)
        self._num_samples = (
            None if num_samples is None else _checks.whole_number("RandomSampler", "num_samples", num_samples, 1)
        )
        if not len(data_source):
            raise InvalidValueError(
                "RandomSampler: expected at least one sample to draw from; got an empty data_source"
            )

    @property
    def num_samples(self) -> int:  # type: ignore[override]  # a dataset may grow between epochs
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def order(self, epoch: int) -> Order:
        """Return the indices of one epoch, int64 (len(self),), the same at each call.

        The result is an array; if an epoch can be longer than `data_source`, it is a sequence whose slices are arrays.
        The sequence uses the memory of one block of draws, or of one round over `data_source`, for any `num_samples`.
        """
        seed, available, wanted = self.seed, len(self.data_source), self.num_samples
        if self.replacement:
            return self._draws(epoch, lambda numbers: (numbers * available).astype(np.int64))
        if wanted <= available:
            return permutation(bits(seed, epoch), available)[:wanted]
        return BlockOrder(
            wanted, available, lambda number: permutation(bits(seed, epoch, start=number * available), available)
        )


@boundary
class SubsetRandomSampler(_RandomOrder):
    """A permutation of the given indices.

    Arguments:
        indices: integers, in a sequence or a one-dimensional array.
        generator: see RandomSampler.

    >>> sorted(SubsetRandomSampler([3, 5, 8], generator=0))
    [3, 5, 8]

    Source: torch.utils.data.SubsetRandomSampler.
    """

    def __init__(self, indices: Sequence[int] | np.ndarray, generator: SeedLike = None) -> None:
        super().__init__(generator)
        given = np.array(indices, dtype=np.int64 if not len(indices) else None)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise InvalidValueError(
                "SubsetRandomSampler: expected indices to be integers in one dimension; "
                f"got {given.dtype} {given.shape}; numpy.flatnonzero(mask) converts a mask to indices"
            )
        self.indices: np.ndarray | range = given  # a range if a file stores one

    @property
    def num_samples(self) -> int:  # type: ignore[override]
        return len(self.indices)

    def order(self, epoch: int) -> np.ndarray:
        """Return the indices of one epoch, int64 (len(self),), the same at each call."""
        order, indices = permutation(bits(self.seed, epoch), len(self.indices)), self.indices
        return indices.start + indices.step * order if isinstance(indices, range) else indices[order]


@boundary
class WeightedRandomSampler(_RandomOrder):
    """Random indices from 0 to len(weights) - 1, each with probability proportional to its weight.

    Arguments:
        weights: (n,) non-negative numbers, not all 0; they need not sum to 1.
        num_samples: the number of indices in an epoch.
        replacement: whether an index may occur more than once.
        generator: see RandomSampler.

    Raises:
        ValueError: a weight is negative or not finite (the message says which), or without replacement fewer than
            `num_samples` weights are positive.

    >>> list(WeightedRandomSampler([0, 1, 0], 4, generator=0))
    [1, 1, 1, 1]

    Source: torch.utils.data.WeightedRandomSampler; without replacement, the keys of Efraimidis and Spirakis, Weighted
    random sampling with a reservoir, 2006.
    """

    replacement: bool

    def __init__(
        self,
        weights: Sequence[float] | np.ndarray,
        num_samples: int,
        replacement: bool = True,
        generator: SeedLike = None,
    ) -> None:
        super().__init__(generator)
        self.weights: np.ndarray = np.array(weights, dtype=np.float64)
        self.num_samples = _checks.whole_number("WeightedRandomSampler", "num_samples", num_samples, 1)
        self.replacement = _checks.truth("WeightedRandomSampler", "replacement", replacement)
        if self.weights.ndim != 1:
            raise InvalidValueError(
                f"WeightedRandomSampler: expected weights of one dimension; got {self.weights.shape}"
            )
        wrong = np.flatnonzero(~(np.isfinite(self.weights) & (self.weights >= 0)))
        if wrong.size:
            first = int(wrong[0])
            raise InvalidValueError(
                "WeightedRandomSampler: expected finite weights of at least 0; "
                f"got weights[{first}]={self.weights[first]}"
            )
        available = int(np.count_nonzero(self.weights))
        needed = 1 if self.replacement else self.num_samples
        if available < needed:
            raise InvalidValueError(
                f"WeightedRandomSampler: expected at least {needed} weights above 0 to draw {self.num_samples} "
                f"samples with replacement={self.replacement}; got {available}"
            )

    def order(self, epoch: int) -> Order:
        """Return the indices of one epoch, int64 (len(self),), the same at each call.

        With replacement, the result is a sequence whose slices are arrays, drawn one block at a time; otherwise it is
        an array.
        """
        words = bits(self.seed, epoch)
        if self.replacement:
            ends = (self.weights / self.weights.max()).cumsum()
            # Rounding may move a draw to the very end; it belongs to the last index with a positive weight.
            last = int(np.flatnonzero(self.weights)[-1])
            return self._draws(epoch, lambda numbers: np.minimum(ends.searchsorted(numbers * ends[-1], "right"), last))
        candidates = np.flatnonzero(self.weights)
        # log(-log(1 - u) / weight), in a form that does not overflow for the smallest weights; u may be 0.
        with np.errstate(divide="ignore"):
            keys = np.log(-np.log1p(-uniform(words, candidates.size))) - np.log(self.weights[candidates])
        return candidates[keys.argsort(kind="stable")[: self.num_samples]]


@boundary
class BatchSampler(Sampler[list[int]]):
    """Groups of indices of another sampler.

    Arguments:
        sampler: an iterable of indices.
        batch_size: the number of indices in a group.
        drop_last: leave out an incomplete last group.

    >>> list(BatchSampler(SequentialSampler("abcde"), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]

    Source: torch.utils.data.BatchSampler.
    """

    batch_size: int
    drop_last: bool

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not hasattr(sampler, "__iter__"):
            raise InvalidTypeError(f"BatchSampler: expected sampler to be iterable; got {type(sampler).__name__}")
        self.sampler = sampler
        self.batch_size = _checks.whole_number("BatchSampler", "batch_size", batch_size, 1)
        self.drop_last = _checks.truth("BatchSampler", "drop_last", drop_last)

    def batches(self, epoch: int, start: int = 0) -> Iterator[Sequence[int] | np.ndarray]:
        """Iterate over the groups of one epoch from sample `start`; arrays or ranges if the sampler has `order`."""
        size = self.batch_size
        order = order_of(self.sampler, epoch)
        if order is None:
            indices = islice(iter(self.sampler), start, None)
            groups = iter(lambda: list(islice(indices, size)), [])
        else:
            groups = (order[first : first + size] for first in range(start, len(order), size))
        return (group for group in groups if len(group) == size) if self.drop_last else groups

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        for group in iter(lambda: list(islice(indices, self.batch_size)), []):
            if len(group) == self.batch_size or not self.drop_last:
                yield group

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __repr__(self) -> str:
        return f"BatchSampler({self.sampler!r}, batch_size={self.batch_size}, drop_last={self.drop_last})"


def order_of(sampler: object, epoch: int) -> Source:
    """Return all indices of an epoch as a sliceable sequence, or None if the sampler can only be iterated."""
    order = quick_method(sampler, "order", "__iter__")
    if order is not None:
        return order(epoch)
    return sampler if isinstance(sampler, (list, tuple, range, np.ndarray)) else None


def default_sampler(dataset: Source, shuffle: bool, generator: SeedLike) -> Sampler[int]:
    """Return the sampler of a loader that was constructed without one.

    Raises:
        ValueError: `shuffle` is true and the dataset is empty.
    """
    if not shuffle:
        return SequentialSampler(dataset)
    if not len(dataset):
        raise InvalidValueError("DataLoader: expected at least one sample to shuffle; got an empty dataset")
    return RandomSampler(dataset, generator=generator)
