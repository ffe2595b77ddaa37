"""Random splits of a dataset into disjoint parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from facula_errors import InvalidValueError
from facula_errors.extend import boundary, warn

from .. import _checks
from .._sampling.seeds import SPLIT, bits, permutation, seed_of
from .dataset import Subset

if TYPE_CHECKING:
    from .._sampling.seeds import SeedLike
    from .dataset import Dataset, Samples

T = TypeVar("T")


@boundary
def random_split(
    dataset: Dataset[T] | Samples[T], lengths: Sequence[float], generator: SeedLike = None
) -> list[Subset[T]]:
    """Split a dataset into parts of the given lengths, with the samples in random order.

    Arguments:
        dataset: anything with `__getitem__` and `__len__`.
        lengths: the number of samples of each part, or fractions that sum to 1. Fractional lengths are rounded down,
            and the remaining samples go to the first parts, one each. An empty part causes a warning.
        generator: a seed, a numpy.random.Generator (which draws a seed), an object with `initial_seed()`, or None.

    Raises:
        ValueError: the lengths do not sum to `len(dataset)`, or the fractions do not sum to 1.

    >>> train, test = random_split(range(10), [0.8, 0.2], generator=0)
    >>> len(train), len(test), sorted([*train, *test]) == list(range(10))
    (8, 2, True)

    Source: torch.utils.data.random_split.
    """
    available = len(dataset)  # type: ignore[arg-type]
    counts = _counts(available, list(lengths))
    for place, count in enumerate(counts):
        if not count:
            warn(f"random_split: part {place} of {available} samples is empty")
    order = permutation(bits(seed_of("random_split", generator), 0, SPLIT), available)
    parts: list[Subset[T]] = []
    start = 0
    for count in counts:
        parts.append(Subset(dataset, order[start : start + count]))
        start += count
    return parts


def _counts(available: int, lengths: list[float]) -> list[int]:
    total = sum(lengths)
    if lengths and math.isclose(total, 1) and any(isinstance(length, float) for length in lengths):
        for place, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise InvalidValueError(
                    f"random_split: expected fractions from 0 to 1; got lengths[{place}]={fraction}"
                )
        counts = [math.floor(available * fraction) for fraction in lengths]
        for place in range(available - sum(counts)):
            counts[place % len(counts)] += 1
        return counts
    if total != available:
        raise InvalidValueError(
            f"random_split: expected lengths that sum to the {available} samples, or fractions that sum to 1; "
            f"got {lengths}, which sum to {total}"
        )
    return [_checks.whole_number("random_split", f"lengths[{place}]", n, 0) for place, n in enumerate(lengths)]
