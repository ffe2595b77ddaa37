"""Parallel datasets whose samples combine into one sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, MissingAttributeError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._quick_methods import quick_method
from .._sample_errors import SizeError
from .._sampling.sample_rng import accepts_rng, item
from .._types import Batch, Index, Sample, Source
from .dataset import Dataset, IterableDataset

if TYPE_CHECKING:
    from .dataset import Samples


@boundary
class StackDataset(Dataset[Any]):
    """Several datasets of one length in parallel: sample i is a tuple of their samples i, or a dict if they are named.

    If all datasets define `get_batch`, as `TensorDataset` and `MemoryMapped` do, StackDataset defines it too.

    Raises:
        ValueError: there are no datasets, only some are named, or their lengths differ (the message says which).
        TypeError: a dataset has no length.

    >>> StackDataset("abc", range(3))[1]
    ('b', 1)
    >>> StackDataset(letter="abc", number=range(3))[-1]
    {'letter': 'c', 'number': 2}

    Source: torch.utils.data.StackDataset.
    """

    datasets: tuple[Source, ...] | dict[str, Source]

    def __init__(self, *args: Dataset[Any] | Samples[Any], **kwargs: Dataset[Any] | Samples[Any]) -> None:
        if bool(args) == bool(kwargs):
            got = f"{len(args)} without names and {len(kwargs)} with names"
            raise InvalidValueError(f"StackDataset: expected datasets, all with names or all without; got {got}")
        self.datasets = args if args else kwargs
        named: list[tuple[object, Source]] = [*kwargs.items(), *enumerate(args)]
        first, length = named[0][0], None
        for name, dataset in named:
            if isinstance(dataset, IterableDataset) or not _checks.has_length(dataset):
                raise InvalidTypeError(
                    f"StackDataset: expected datasets with a length and samples by index; "
                    f"got {type(dataset).__name__} for {name!r}"
                )
            if length is None:
                length = len(dataset)
            elif len(dataset) != length:
                raise SizeError(
                    f"StackDataset: expected datasets of one length; got {length} samples for {first!r} and "
                    f"{len(dataset)} for {name!r}"
                )

    def _parts(self) -> list[Source]:
        return list(self.datasets.values()) if isinstance(self.datasets, dict) else list(self.datasets)

    def __getitem__(self, index: Index) -> Any:
        try:
            if isinstance(self.datasets, dict):
                return {name: item(dataset, index) for name, dataset in self.datasets.items()}
            return tuple([item(dataset, index) for dataset in self.datasets])
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _quick(self, name: str) -> list[Callable[..., Sample] | None]:
        return [quick_method(dataset, name, "__getitem__") for dataset in self._parts()]

    # The quick methods exist if the datasets define them: a property that raises is an absent method.

    @property
    def __getitems__(self) -> Callable[[list[Index]], list[Sample]]:
        methods = self._quick("__getitems__")
        if not any(methods) or any(accepts_rng(type(part).__getitem__) for part in self._parts()):
            raise MissingAttributeError("StackDataset.__getitems__: the datasets have none, or take rng")

        def read(indices: list[Index]) -> list[Sample]:
            columns = [
                [dataset[index] for index in indices] if method is None else method(indices)
                for dataset, method in zip(self._parts(), methods, strict=True)
            ]
            for dataset, column in zip(self._parts(), columns, strict=True):
                if len(column) != len(indices):
                    raise InvalidValueError(
                        f"StackDataset: expected {type(dataset).__name__}.__getitems__ to give a sample for each "
                        f"index; got {len(column)} for {len(indices)} indices"
                    )
            rows = zip(*columns, strict=True)
            return [dict(zip(self.datasets, row, strict=True)) for row in rows] if self._named() else list(rows)

        return read

    def _named(self) -> bool:
        return isinstance(self.datasets, dict)

    @property
    def get_batch(self) -> Callable[[np.ndarray], Batch]:
        """The collated samples of an array of indices, assembled by the datasets themselves."""
        methods = [method for method in self._quick("get_batch") if method is not None]
        if len(methods) != len(self.datasets):
            raise MissingAttributeError("StackDataset.get_batch: not all datasets have it")

        def read(indices: np.ndarray) -> Batch:
            parts = []
            for method in methods:
                part = method(indices)
                if part is NotImplemented:
                    return NotImplemented
                parts.append(part)
            return dict(zip(self.datasets, parts, strict=True)) if self._named() else parts

        return read

    def __len__(self) -> int:
        return len(self._parts()[0])

    def __repr__(self) -> str:
        if isinstance(self.datasets, dict):
            return f"StackDataset({', '.join(f'{name}={dataset!r}' for name, dataset in self.datasets.items())})"
        return f"StackDataset({', '.join(map(repr, self.datasets))})"
