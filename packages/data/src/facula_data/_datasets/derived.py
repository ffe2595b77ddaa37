"""Datasets derived from another one by mapping or filtering its samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from facula_errors import FaculaError, InvalidTypeError, MissingAttributeError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._quick_methods import is_thread_safe, quick_method
from .._sampling.sample_rng import Applied, item
from .._types import Index, Sample, Source
from .dataset import Dataset, IterableDataset
from .streams import has_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .dataset import Samples

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)


@boundary
class MapDataset(Dataset[R_co]):
    """A dataset of `function(sample)` for each sample of another dataset, computed on access.

    Arguments:
        dataset: anything with `__getitem__` and `__len__`.
        function: a function of a sample; if it has a parameter `rng`, it also receives a numpy.random.Generator.

    Raises:
        TypeError: the dataset has no length (use `MapIterable`), or the function is not callable.

    >>> MapDataset(range(5), lambda number: number**2)[3]
    9
    """

    def __init__(self, dataset: Dataset[T] | Samples[T], function: Callable[..., R_co]) -> None:
        if isinstance(dataset, IterableDataset) or not _checks.has_length(dataset):
            raise InvalidTypeError(
                f"MapDataset: expected samples by index, and their number; got {type(dataset).__name__}; MapIterable "
                "is for samples one after the other"
            )
        self.dataset: Source = dataset
        self._applied = Applied("MapDataset", "function", function)

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may read the dataset at once, as the dataset and the function declare."""
        return is_thread_safe(self.dataset) and is_thread_safe(self.function)

    @property
    def function(self) -> Callable[..., R_co]:
        """The function that is applied to each sample."""
        return self._applied.function

    def __getitem__(self, index: Index) -> R_co:
        try:
            return self._applied(item(self.dataset, index))
        except FaculaError as error:
            trim_traceback(error)
            raise

    @property
    def __getitems__(self) -> Callable[[list[Index]], list[Sample]]:  # exists if the underlying dataset defines it
        inner = quick_method(self.dataset, "__getitems__", "__getitem__")
        if inner is None or self._applied.wants_rng:  # each random generator belongs to a single sample
            raise MissingAttributeError("MapDataset.__getitems__: the dataset has none")
        return lambda indices: [self._applied(sample) for sample in inner(indices)]

    def __len__(self) -> int:
        return len(self.dataset)

    def __repr__(self) -> str:
        return f"MapDataset({self.dataset!r}, {self.function!r})"


class _Wrapped(IterableDataset[R_co]):
    """An iterable dataset derived from another one, with the state of that dataset."""

    dataset: Source

    @property
    def state_dict(self) -> Callable[[], object]:  # exists if the underlying dataset defines it
        """The underlying dataset's `state_dict`, the progress of its iteration."""
        return self._of_dataset("state_dict")

    @property
    def load_state_dict(self) -> Callable[[Any], object]:
        """The underlying dataset's `load_state_dict`, which resumes the next iteration from a state."""
        return self._of_dataset("load_state_dict")

    def _of_dataset(self, name: str) -> Callable[..., object]:
        if not has_state(self.dataset):
            raise MissingAttributeError(f"{type(self).__name__}.{name}: the dataset has none")
        return getattr(self.dataset, name)


@boundary
class MapIterable(_Wrapped[R_co]):
    """An iterable dataset of `function(sample)` for each sample of another one.

    Arguments:
        dataset: an object that can be iterated once for each epoch.
        function: a function of a sample; if it has a parameter `rng`, it also receives a numpy.random.Generator.

    >>> list(MapIterable([1, 2, 3], lambda number: -number))
    [-1, -2, -3]
    """

    def __init__(self, dataset: Iterable[T], function: Callable[..., R_co]) -> None:
        self.dataset = _iterable("MapIterable", dataset)
        self._applied = Applied("MapIterable", "function", function)

    @property
    def function(self) -> Callable[..., R_co]:
        """The function that is applied to each sample."""
        return self._applied.function

    def __iter__(self) -> Iterator[R_co]:
        return map(self._applied, iter(self.dataset))

    def __repr__(self) -> str:
        return f"MapIterable({self.dataset!r}, {self.function!r})"


@boundary
class FilterIterable(_Wrapped[R_co]):
    """The samples of an iterable dataset for which `function(sample)` is true.

    Arguments:
        dataset: an object that can be iterated once for each epoch.
        function: a predicate of a sample.

    >>> list(FilterIterable(range(6), lambda number: number % 2))
    [1, 3, 5]
    """

    def __init__(self, dataset: Iterable[R_co], function: Callable[[R_co], object]) -> None:
        self.dataset = _iterable("FilterIterable", dataset)
        if not callable(function):
            raise InvalidTypeError(f"FilterIterable: expected function to be callable; got {function!r:.80}")
        self.function: Callable[[Sample], object] = function

    def __iter__(self) -> Iterator[R_co]:
        return filter(self.function, iter(self.dataset))

    def __repr__(self) -> str:
        return f"FilterIterable({self.dataset!r}, {self.function!r})"


def _iterable(operation: str, dataset: Source) -> Source:
    """Return `dataset` after checking that it can be iterated repeatedly."""
    if isinstance(dataset, Iterator):
        raise InvalidTypeError(
            f"{operation}: expected a dataset that can be iterated again; got {type(dataset).__name__}, an iterator, "
            "which ends with the first epoch; pass the iterable behind it"
        )
    if not (hasattr(dataset, "__iter__") or hasattr(dataset, "__getitem__")):
        raise InvalidTypeError(f"{operation}: expected a dataset that can be iterated; got {type(dataset).__name__}")
    return dataset
