"""Private attributes of PyTorch's loader that existing programs read."""

from __future__ import annotations

from typing import Any

from .._datasets.dataset import IterableDataset


class PrivateNames:
    """A mixin with PyTorch's names for properties of a loader, which the loader itself does not use."""

    dataset: Any
    sampler: Any
    batch_sampler: Any
    _batched: bool

    @property
    def _dataset_kind(self) -> int:
        """1 for an IterableDataset, 0 for other datasets, like PyTorch's `_DatasetKind`."""
        return int(isinstance(self.dataset, IterableDataset))

    @property
    def _auto_collation(self) -> bool:
        """Whether samples are joined into batches."""
        return self._batched

    @property
    def _index_sampler(self) -> Any:
        """The sampler of the indices of a batch, or of a sample if there are no batches."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler
