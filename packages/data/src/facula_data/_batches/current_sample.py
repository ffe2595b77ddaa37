"""Which sample of a batch a worker process is at, where the program sees it, whatever ends the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._types import Index

NONE = -1  # at no sample that is known

_places: list[memoryview] = []  # at most one


class Lost(NamedTuple):
    """In place of an index whose sample ended its process: the loader's policy says what becomes of it.

    Arguments:
        index: the sample's.
        what: what happened to the process.
    """

    index: Index
    what: str


def mark_in(place: memoryview) -> None:
    """Let this process mark its samples in `place`, which holds one number of 64 bits."""
    _places[:] = [place]
    place[0] = NONE


def marked(indices: list[Index]) -> Iterable[Index]:
    """The indices; in a worker process the position of each is marked while it is read."""
    return _marked(indices, _places[0]) if _places else indices


def _marked(indices: list[Index], place: memoryview) -> Iterator[Index]:
    for place[0], index in enumerate(indices):
        yield index
    place[0] = NONE
