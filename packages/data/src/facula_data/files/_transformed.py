"""Datasets with transforms as attributes, as torchvision's have them."""

from __future__ import annotations

from collections.abc import Callable

from .._datasets.dataset import Dataset, T_co
from .._quick_methods import bears_threads
from .._sampling.sample_rng import Applied
from .._types import Sample


class TransformedDataset(Dataset[T_co]):
    """A dataset whose samples are (data, target); each goes through a function, where there is one."""

    def __init__(
        self, transform: Callable[..., Sample] | None = None, target_transform: Callable[..., Sample] | None = None
    ) -> None:
        self.transform = transform
        self.target_transform = target_transform

    @property
    def transform(self) -> Callable[..., Sample] | None:
        """Applied to the data of each sample; None leaves it. See `facula_data.transforms` for `rng`."""
        return None if self._transform is None else self._transform.function

    @transform.setter
    def transform(self, function: Callable[..., Sample] | None) -> None:
        self._transform = None if function is None else Applied(type(self).__name__, "transform", function)

    @property
    def target_transform(self) -> Callable[..., Sample] | None:
        """Applied to the target of each sample; None leaves it."""
        return None if self._target_transform is None else self._target_transform.function

    @target_transform.setter
    def target_transform(self, function: Callable[..., Sample] | None) -> None:
        made = None if function is None else Applied(type(self).__name__, "target_transform", function)
        self._target_transform = made

    def _transforms_bear_threads(self) -> bool:
        return bears_threads(self.transform) and bears_threads(self.target_transform)

    def _transformed(self, data: Sample, target: Sample, source: str) -> tuple[Sample, Sample]:
        """Both, transformed; what a transform raises says which sample it was."""
        try:
            if self._transform is not None:
                data = self._transform(data)
            if self._target_transform is not None:
                target = self._target_transform(target)
        except Exception as error:
            error.add_note(f"{type(self).__name__}: raised by a transform of {source}")
            raise
        return data, target
