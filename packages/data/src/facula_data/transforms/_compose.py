"""Composition of transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from facula_errors.extend import boundary

from .._quick_methods import is_thread_safe
from .._sampling.sample_rng import Applied, sample_rng
from .._types import Sample


@boundary
class Compose:
    """A sequence of transforms; those with a parameter `rng` receive the same generator.

    >>> from facula_data.transforms import Normalize, ToFloat
    >>> Compose([ToFloat(), Normalize([0.5], [0.5])])(np.array([[[0, 255]]], dtype="uint8")).tolist()
    [[[-1.0, 1.0]]]

    Source: torchvision.transforms.Compose.
    """

    transforms: list[Callable[..., Sample]]
    wants_rng: bool

    def __init__(self, transforms: Iterable[Callable[..., Sample]]) -> None:
        given = list(transforms)
        self._applied = [Applied("Compose", f"transforms[{place}]", transform) for place, transform in enumerate(given)]
        self.transforms = given
        self.wants_rng = any(step.wants_rng for step in self._applied)

    @property
    def thread_safe(self) -> bool:
        """Whether several threads may use the transform at once: if all of its parts are thread-safe."""
        return all(map(is_thread_safe, self.transforms))

    def __call__(self, sample: Sample, *, rng: np.random.Generator | None = None) -> Sample:
        for step in self._applied:
            if step.wants_rng:
                rng = sample_rng() if rng is None else rng
                sample = step.function(sample, rng=rng)
            else:
                sample = step.function(sample)
        return sample

    def __repr__(self) -> str:
        return f"Compose({self.transforms!r})"
