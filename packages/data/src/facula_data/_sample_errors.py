"""Samples and datasets that do not go together: errors that say which samples, and where in them."""

from __future__ import annotations

from facula_errors import FaculaError

from ._types import Index


class SizeError(FaculaError, ValueError, AssertionError):
    """Arrays or datasets that do not go together. An AssertionError too, because PyTorch raises that."""


class CollateError(FaculaError, ValueError, RuntimeError):
    """Samples cannot become one batch.

    A RuntimeError too, because PyTorch raises that. `indices`: the dataset indices of the batch, where a loader knows
    them.

    Arguments:
        expected: what the samples should have been.
        where: the path to the part of a sample: `""`, `"[0]"`, `"['image'].mask"`.
        positions: those of the samples concerned within the batch.
        found: what each of these has.
        remedy: what to do about it.

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
        """This error, with the batch's dataset indices."""
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
    """A sample holds what no batch can be made of.

    >>> from facula_data import default_collate
    >>> default_collate([1, None])
    Traceback (most recent call last):
    facula_data.CollateTypeError: default_collate: expected a number or array in every sample; got NoneType in \
sample 1; make them alike in the dataset, or pass collate_fn
    """
