"""Measures of sets of intervals, which may overlap."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Intervals: TypeAlias = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]  # starts and ends

NONE: Intervals = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def union(*parts: Intervals) -> Intervals:
    """Return disjoint intervals, in order, that cover the same points as all parts together.

    >>> import numpy as np
    >>> [ends.tolist() for ends in union((np.array([5, 0, 1]), np.array([9, 3, 4])))]
    [[0, 5], [4, 9]]
    """
    starts, ends = (np.concatenate(column) for column in zip(*parts))
    order = np.argsort(starts, kind="stable")
    starts, reached = starts[order], np.maximum.accumulate(ends[order])
    if not len(starts):
        return NONE
    first = np.flatnonzero(np.concatenate([[True], starts[1:] > reached[:-1]]))
    return starts[first], reached[np.append(first[1:], len(starts)) - 1]


def measure(*parts: Intervals) -> int:
    """Return the length of the union of all parts."""
    starts, ends = union(*parts)
    return int((ends - starts).sum())


def overlap(one: Intervals, other: Intervals) -> int:
    """Return the length of the intersection of two unions."""
    return measure(one) + measure(other) - measure(one, other)
