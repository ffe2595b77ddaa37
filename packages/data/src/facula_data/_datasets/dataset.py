"""Datasets: samples by index or by iteration, and datasets composed of other datasets.

A dataset is any object with `__getitem__` and `__len__`. Two optional methods speed up loading: `__getitems__(indices)`
returns a list of samples (PyTorch's protocol), and `get_batch(indices)` returns the batch that `default_collate` would
make of them, or NotImplemented. See Note [Quick methods].
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, MissingAttributeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._arrays import host_view, take_rows
from .._quick_methods import is_thread_safe, quick_method
from .._sample_errors import SizeError
from .._sampling.sample_rng import item
from .._types import Batch, Index, Sample, Source

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    class Listed(Protocol[T_co]):
        """A list, range or similar object."""

        def __getitem__(self, index: int, /) -> T_co: ...
        def __len__(self) -> int: ...

    class Drawing(Protocol[T_co]):
        """A dataset whose samples use random numbers: the loader passes a generator for each sample."""

        def __getitem__(self, index: int, rng: np.random.Generator, /) -> T_co: ...
        def __len__(self) -> int: ...

    # Anything that qualifies as a dataset, of any class.
    Samples: TypeAlias = Listed[T_co] | Drawing[T_co]


@boundary
class Dataset(Generic[T_co]):
    """A dataset of samples by index; subclasses define `__getitem__` and `__len__`. `a + b` concatenates two datasets.

    >>> class Squares(Dataset[int]):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> (Squares() + Squares())[5]
    1

    Source: torch.utils.data.Dataset.
    """

    if TYPE_CHECKING:  # subclasses accept an index, or an index and a generator, under any names

        def __getitem__(self, *args: Any, **kwargs: Any) -> T_co: ...
    else:

        def __getitem__(self, index: Index) -> T_co:
            raise UnsupportedError(f"{type(self).__name__}: expected a method __getitem__; a Dataset must define it")

    def __add__(self, other: Dataset[T]) -> ConcatDataset[T_co | T]:
        return ConcatDataset([self, other])


@boundary
class IterableDataset(Dataset[T_co]):
    """A dataset of samples by iteration, for data without access by index; subclasses define `__iter__`.

    >>> class Countdown(IterableDataset[int]):
    ...     def __iter__(self):
    ...         return iter((3, 2, 1))
    >>> list(Countdown())
    [3, 2, 1]

    Source: torch.utils.data.IterableDataset.
    """

    def __iter__(self) -> Iterator[T_co]:
        name = type(self).__name__
        raise UnsupportedError(f"{name}: expected a method __iter__; an IterableDataset must define it")

    def __add__(self, other: Dataset[T]) -> ChainDataset[T_co | T]:  # type: ignore[override]  # as PyTorch
        return ChainDataset([self, other])


@boundary
class TensorDataset(Dataset[tuple[Sample, ...]]):
    """A dataset of arrays whose first dimension counts the samples; sample i is `(a[i], b[i], …)`.

    Arguments:
        tensors: NumPy arrays, tensors, or anything that has a `shape` and accepts integers as indices of its first
            dimension. They are not copied; a sample of an array is a view if indexing returns one.

    Raises:
        TypeError: an argument has no first dimension.
        ValueError: there are no arguments, or first dimensions differ (the message says which).

    >>> data = TensorDataset(np.eye(3), np.array([5, 6, 7]))
    >>> [part.tolist() for part in data[1]]
    [[0.0, 1.0, 0.0], 6]
    >>> data
    TensorDataset(3 samples: (3,) float64, () int64)

    Source: torch.utils.data.TensorDataset.
    """

    def __init__(self, *tensors: Sample) -> None:
        if not tensors:
            raise InvalidValueError("TensorDataset: expected at least one array; got none")
        for place, tensor in enumerate(tensors):
            shape = getattr(tensor, "shape", None)
            if not shape:
                got = type(tensor).__name__ if shape is None else f"shape {tuple(shape)}"
                raise InvalidTypeError(
                    f"TensorDataset: expected arrays with a first dimension; got {got} for argument {place}; "
                    "numpy.asarray(...) converts a list"
                )
            if shape[0] != tensors[0].shape[0]:
                raise SizeError(
                    "TensorDataset: expected first dimensions of one size; "
                    f"got {tuple(tensors[0].shape)} for argument 0 and {tuple(shape)} for argument {place}"
                )
        self.tensors = tensors

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: always, because reading changes no state."""
        return True

    def __getitem__(self, index: Index) -> tuple[Sample, ...]:
        try:
            if isinstance(index, (int, np.integer)):
                _checks.position("TensorDataset", index, len(self))
            return tuple([tensor[index] for tensor in self.tensors])
        except FaculaError as error:
            trim_traceback(error)
            raise

    def get_batch(self, indices: np.ndarray) -> Batch:
        """Return the collated samples by one fancy index per array, or NotImplemented without access to the memory."""
        try:
            batch = []
            for tensor in self.tensors:
                view = host_view(tensor)
                if view is None:
                    return NotImplemented
                batch.append(view)
            try:
                return [take_rows(view, indices) for view in batch]
            except IndexError:
                for index in indices.tolist():
                    _checks.position("TensorDataset", index, len(self))
                raise
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def __repr__(self) -> str:
        columns = [f"{tuple(t.shape[1:])} {getattr(t, 'dtype', type(t).__name__)}" for t in self.tensors]
        return f"TensorDataset({len(self)} samples: {', '.join(columns)})"


@boundary
class Subset(Dataset[T_co]):
    """The samples of `dataset` at `indices`, in the order of `indices`.

    Arguments:
        dataset: the underlying dataset.
        indices: a sequence or one-dimensional array of indices that `dataset` accepts.

    Raises:
        TypeError: `indices` is a boolean mask.

    >>> list(Subset("abcde", [4, 0]))
    ['e', 'a']

    Source: torch.utils.data.Subset.
    """

    def __init__(self, dataset: Dataset[T_co] | Samples[T_co], indices: Sequence[Index] | np.ndarray) -> None:
        if isinstance(indices, np.ndarray) and (indices.dtype == bool or indices.ndim != 1):
            raise InvalidTypeError(
                f"Subset: expected indices of one dimension; got {indices.dtype} {indices.shape}; "
                "numpy.flatnonzero(mask) converts a mask to indices"
            )
        self.dataset: Source = dataset
        self.indices = indices

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once, as the underlying dataset declares."""
        return is_thread_safe(self.dataset)

    def _index(self, position: object) -> Index:
        found = self.indices[_checks.position("Subset", position, len(self.indices))]
        return found.item() if isinstance(found, np.generic) else found

    def __getitem__(self, index: Index) -> Batch:
        try:
            if isinstance(index, slice):
                index = range(len(self))[index]
            if isinstance(index, (list, range)) or (isinstance(index, np.ndarray) and index.ndim):
                return self.dataset[[self._index(position) for position in index]]
            return item(self.dataset, self._index(index))
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _indices(self, positions: np.ndarray) -> np.ndarray:
        """Return the underlying dataset's indices for an array of positions."""
        try:
            if isinstance(self.indices, np.ndarray):
                return self.indices[positions]
        except IndexError:
            pass  # the loop below raises an error that names the position
        return np.asarray([self._index(position) for position in positions.tolist()])

    # The quick methods exist if the underlying dataset defines them: a property that raises is an absent method.

    @property
    def __getitems__(self) -> Callable[[list[Index]], list[Sample]]:
        inner = quick_method(self.dataset, "__getitems__", "__getitem__")
        if inner is None:
            raise MissingAttributeError("Subset.__getitems__: the dataset has none")
        return lambda positions: inner([self._index(position) for position in positions])

    @property
    def get_batch(self) -> Callable[[np.ndarray], Batch]:
        inner = quick_method(self.dataset, "get_batch", "__getitem__")
        if inner is None:
            raise MissingAttributeError("Subset.get_batch: the dataset has none")

        def get_batch(positions: np.ndarray) -> Batch:
            indices = self._indices(positions)
            return inner(indices) if indices.dtype.kind in "iu" else NotImplemented

        return get_batch

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        return f"Subset({len(self)} of {self.dataset!r})"


@boundary
class ConcatDataset(Dataset[T_co]):
    """Several datasets, concatenated.

    Raises:
        ValueError: there are no datasets.
        TypeError: a dataset has no length (for example an IterableDataset).

    >>> both = ConcatDataset(["abc", "de"])
    >>> len(both), both[3], both[-1]
    (5, 'd', 'e')

    Source: torch.utils.data.ConcatDataset.
    """

    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Dataset[T_co] | Samples[T_co]]) -> None:
        self.datasets: list[Source] = list(datasets)
        if not self.datasets:
            raise SizeError("ConcatDataset: expected at least one dataset; got none")
        for place, dataset in enumerate(self.datasets):
            if isinstance(dataset, IterableDataset) or not _checks.has_length(dataset):
                raise InvalidTypeError(
                    "ConcatDataset: expected datasets with a length and samples by index; "
                    f"got {type(dataset).__name__} at position {place}"
                )
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once: if all of its parts allow it."""
        return all(map(is_thread_safe, self.datasets))

    def __getitem__(self, index: int) -> T_co:
        try:
            position = _checks.position("ConcatDataset", index, len(self))
            place = bisect_right(self.cumulative_sizes, position)
            return item(self.datasets[place], position - (self.cumulative_sizes[place - 1] if place else 0))
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __repr__(self) -> str:
        return f"ConcatDataset({self.datasets!r})"


@boundary
class ChainDataset(IterableDataset[T_co]):
    """Several iterable datasets, chained; `a + b` of two IterableDatasets is a ChainDataset.

    `datasets` may itself be an iterator: it yields each dataset when the previous one is exhausted.

    Raises:
        TypeError: an element is not an IterableDataset; raised when iteration reaches it, or by `len()`.

    >>> class Countdown(IterableDataset[int]):
    ...     def __iter__(self):
    ...         return iter((3, 2, 1))
    >>> list(ChainDataset([Countdown(), Countdown()]))
    [3, 2, 1, 3, 2, 1]

    Source: torch.utils.data.ChainDataset.
    """

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        if not isinstance(datasets, Iterable):
            raise InvalidTypeError(f"ChainDataset: expected an iterable of datasets; got {type(datasets).__name__}")
        self.datasets = datasets

    def _in_turn(self) -> Iterator[IterableDataset[T_co]]:
        for place, dataset in enumerate(self.datasets):
            if not isinstance(dataset, IterableDataset):
                raise InvalidTypeError(
                    f"ChainDataset: expected each dataset to be an IterableDataset; got {type(dataset).__name__} at "
                    f"position {place}; ConcatDataset is for samples by index"
                )
            yield dataset

    def __iter__(self) -> Iterator[T_co]:
        return chain.from_iterable(self._in_turn())

    def __len__(self) -> int:
        try:
            if isinstance(self.datasets, Iterator):
                raise InvalidTypeError("ChainDataset: an iterator of datasets has no len(); pass a list")
            return sum([len(dataset) for dataset in self._in_turn()])  # type: ignore[arg-type, misc]  # some have a length
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __repr__(self) -> str:
        return f"ChainDataset({self.datasets!r})"
