"""What PyTorch's programs read of a loader's private attributes."""

from __future__ import annotations

from typing import Any

from .._datasets.dataset import IterableDataset


class PrivateNames:
    """PyTorch's names for what a loader does, which it itself does not use."""

    dataset: Any
    sampler: Any
    batch_sampler: Any
    _batched: bool

    @property
    def _dataset_kind(self) -> int:
        """1 for an IterableDataset, 0 for others, as `_DatasetKind` has it."""
        return int(isinstance(self.dataset, IterableDataset))

    @property
    def _auto_collation(self) -> bool:
        """Whether samples are joined into batches."""
        return self._batched

    @property
    def _index_sampler(self) -> Any:
        """What gives the indices of a batch, or of a sample where there are no batches."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler
