"""Datasets with transforms as attributes, as in torchvision."""

from __future__ import annotations

from collections.abc import Callable

from .._datasets.dataset import Dataset, T_co
from .._quick_methods import is_thread_safe
from .._sampling.sample_rng import Applied
from .._types import Sample


class TransformedDataset(Dataset[T_co]):
    """A dataset of samples (data, target) with an optional transform for each of the two."""

    def __init__(
        self, transform: Callable[..., Sample] | None = None, target_transform: Callable[..., Sample] | None = None
    ) -> None:
        self.transform = transform
        self.target_transform = target_transform

    @property
    def transform(self) -> Callable[..., Sample] | None:
        """The function applied to the data of each sample, or None. See `facula_data.transforms` for `rng`."""
        return None if self._transform is None else self._transform.function

    @transform.setter
    def transform(self, function: Callable[..., Sample] | None) -> None:
        self._transform = None if function is None else Applied(type(self).__name__, "transform", function)

    @property
    def target_transform(self) -> Callable[..., Sample] | None:
        """The function applied to the target of each sample, or None."""
        return None if self._target_transform is None else self._target_transform.function

    @target_transform.setter
    def target_transform(self, function: Callable[..., Sample] | None) -> None:
        made = None if function is None else Applied(type(self).__name__, "target_transform", function)
        self._target_transform = made

    def _transforms_are_thread_safe(self) -> bool:
        return is_thread_safe(self.transform) and is_thread_safe(self.target_transform)

    def _transformed(self, data: Sample, target: Sample, source: str) -> tuple[Sample, Sample]:
        """Return both after their transforms; an error of a transform names the sample."""
        try:
            if self._transform is not None:
                data = self._transform(data)
            if self._target_transform is not None:
                target = self._target_transform(target)
        except Exception as error:
            error.add_note(f"{type(self).__name__}: raised by a transform of {source}")
            raise
        return data, target
