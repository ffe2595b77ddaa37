"""The position that a worker process reads, recorded in shared memory so that it survives the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._types import Index

NONE = -1  # no sample is being read

_places: list[memoryview] = []  # at most one element


class Lost(NamedTuple):
    """A substitute for an index whose sample ended its process; the loader's policy decides how to proceed.

    Arguments:
        index: the index of the sample.
        what: a description of the process's end.
    """

    index: Index
    what: str


def mark_in(place: memoryview) -> None:
    """Record the positions of this process in `place`, a view of one 64-bit integer."""
    _places[:] = [place]
    place[0] = NONE


def marked(indices: list[Index]) -> Iterable[Index]:
    """Iterate over the indices; in a worker process, record the position of each while its sample is read."""
    return _marked(indices, _places[0]) if _places else indices


def _marked(indices: list[Index], place: memoryview) -> Iterator[Index]:
    for place[0], index in enumerate(indices):
        yield index
    place[0] = NONE
