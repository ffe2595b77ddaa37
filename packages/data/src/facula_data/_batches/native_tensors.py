"""Tensors of a library that makes batches itself, without the way through NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._types import Convert, Sample


class Native:
    """What may stand for a loader's `convert`: samples that are tensors of this kind are stacked by their own library.

    So batches can be of dtypes that NumPy has not, on other devices, and connected to what asks for gradients.

    Arguments:
        kind: the class of these tensors.
        convert: makes one of a NumPy array; for all other samples.
        stack: makes one of a list of them, with a new first dimension; raises where their shapes differ.
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
    """The kind of tensors that `convert` knows to stack, if it does."""
    return convert if isinstance(convert, Native) else None
