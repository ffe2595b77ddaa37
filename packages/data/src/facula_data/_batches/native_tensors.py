"""Tensors of libraries that assemble batches themselves, without NumPy arrays in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._types import Convert, Sample


class Native:
    """A `convert` argument of a loader for a tensor library that can stack its own tensors.

    Batches may then have dtypes that NumPy lacks, be on other devices, and stay connected to an autograd graph.

    Arguments:
        kind: the class of the tensors.
        convert: makes a tensor from a NumPy array; applied to all other samples.
        stack: makes a tensor from a list of tensors, with a new first dimension; raises if their shapes differ.
    """

    __slots__ = ("convert", "kind", "stack")

    def __init__(
        self, kind: type, convert: Callable[[np.ndarray], object], stack: Callable[[Sequence[Sample]], Sample]
    ) -> None:
        self.kind = kind
        self.convert: Callable[[np.ndarray], object] = convert
        self.stack: Callable[[Sequence[Sample]], Sample] = stack

    def __call__(self, array: np.ndarray) -> Sample:
        return self.convert(array)


def native_of(convert: Convert) -> Native | None:
    """Return `convert` if it can stack tensors, otherwise None."""
    return convert if isinstance(convert, Native) else None
