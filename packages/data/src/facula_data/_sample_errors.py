"""Errors for samples or datasets that do not match; they name the samples and the part that differs."""

from __future__ import annotations

from facula_errors import FaculaError

from ._types import Index


class SizeError(FaculaError, ValueError, AssertionError):
    """Arrays or datasets of different sizes. Also an AssertionError, for compatibility with PyTorch."""


class CollateError(FaculaError, ValueError, RuntimeError):
    """Samples that cannot be collated into one batch.

    Also a RuntimeError, for compatibility with PyTorch. `indices` contains the dataset indices of the batch if a loader
    knows them.

    Arguments:
        expected: the expected property of the samples.
        where: the path to the part of a sample: `""`, `"[0]"`, `"['image'].mask"`.
        positions: the positions of the samples concerned within the batch.
        found: the actual property of each of these samples.
        remedy: the suggested remedy.

    >>> import numpy as np
    >>> from facula_data import default_collate
    >>> default_collate([np.zeros(2), np.zeros(3)])
    Traceback (most recent call last):
    facula_data.CollateError: default_collate: expected samples of one shape; got (2,) in sample 0 and (3,) in \
sample 1; pad or crop them in the dataset, or pass collate_fn
    """

    def __init__(self, expected: str, where: str, positions: list[int], found: list[str], remedy: str) -> None:
        super().__init__(expected, where, positions, found, remedy)
        self.expected, self.where, self.positions, self.found, self.remedy = expected, where, positions, found, remedy
        self.indices: list[Index] | None = None

    def at(self, indices: list[Index]) -> CollateError:
        """Return this error with the batch's dataset indices."""
        self.indices = indices
        return self

    def _sample(self, position: int) -> str:
        if self.indices is None:
            return f"sample {position}"
        return f"sample {self.indices[position]!r} of the dataset (position {position} of the batch)"

    def __str__(self) -> str:
        where = f" at {self.where}" if self.where else ""
        got = " and ".join(f"{text} in {self._sample(p)}" for p, text in zip(self.positions, self.found, strict=True))
        return f"default_collate: expected {self.expected}{where}; got {got}; {self.remedy}"


class CollateTypeError(CollateError, TypeError):
    """A sample contains a value that cannot be collated.

    >>> from facula_data import default_collate
    >>> default_collate([1, None])
    Traceback (most recent call last):
    facula_data.CollateTypeError: default_collate: expected a number or array in every sample; got NoneType in \
sample 1; make them uniform in the dataset, or pass collate_fn
    """
