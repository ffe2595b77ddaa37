"""The index of a checkpoint: which files contain which parts of which tensors.

Note [Sharded checkpoints]
~~~~~~~~~~~~~~~~~~~~~~~~~~
A checkpoint is a directory with a file of each rank, such as `rank-00003.safetensors`, and `index.json`. All ranks have
the same state, and each writes a share of it: a tensor is written by the rank that its name determines, and a large one
in rows by all ranks. Of tensors whose rows are on different ranks (`Rows`), each rank writes its own. The index is
written last, and replaces the former one atomically. A second save to the same directory writes files with another
number, `rank-00003.1.safetensors`, and those of the former checkpoint are removed after the index has been replaced. So
there is always one complete checkpoint, wherever a save is interrupted.

    {"format": "facula.distributed.checkpoint", "version": 1, "save": TOKEN, "state": STRUCTURE,
     "tensors": {NAME: {"dtype": "float32", "shape": [4, 2], "pieces": [[FILE, [[0, 2], [0, 2]]], ...]}}}

STRUCTURE describes containers and values as in the metadata of facula_checkpoint's files. A piece is a box: the first
and the last index, exclusive, along each dimension. TOKEN is also in the metadata of the files, as "save".
"""

from __future__ import annotations

import json
import os
import re
import zlib
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from facula_checkpoint import CheckpointError
from facula_checkpoint.extend import parse_json, replacing
from facula_errors import FaculaError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

INDEX = "index.json"
_FORMAT = "facula.distributed.checkpoint"
_VERSION = 1
_SPLIT_BYTES = 16 << 20  # tensors from this size on are split
_FILE = re.compile(r"rank-(\d{5})(?:\.(\d+))?\.safetensors")
Box: TypeAlias = tuple[tuple[int, int], ...]


class Described(NamedTuple):
    """A tensor: its dtype, its shape, its bytes, whether it may be split, and for a DTensor who writes which box.

    The ranks of boxes are those among all processes; a DTensor has no bytes to split.
    """

    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    can_split: bool
    boxes: tuple[tuple[int, Box], ...] | None = None


class Piece(NamedTuple):
    """A part of a tensor: the file that contains it, and its box."""

    file: str
    box: Box


class Stored(NamedTuple):
    """A tensor in a checkpoint."""

    dtype: str
    shape: tuple[int, ...]
    pieces: tuple[Piece, ...]


class Index(NamedTuple):
    """The contents of an index."""

    token: str
    state: Any
    tensors: Mapping[str, Stored]

    @property
    def files(self) -> set[str]:
        return {piece.file for stored in self.tensors.values() for piece in stored.pieces}


def file_name(rank: int, number: int) -> str:
    """Return the name of a rank's file in a save of a number."""
    return f"rank-{rank:05}{f'.{number}' if number else ''}.safetensors"


def is_file_name(name: str) -> bool:
    """Return whether a name is one of `file_name`."""
    return _FILE.fullmatch(name) is not None


def unused_number(folder: str) -> int:
    """Return the lowest number of which the current checkpoint of a directory has no files."""
    try:
        used = {int(_FILE.fullmatch(name)[2] or 0) for name in read_index(folder).files}  # type: ignore[index]
    except FileNotFoundError:
        used = set()
    return next(number for number in range(len(used) + 1) if number not in used)


def divided(name: str, tensor: Described, ranks: int) -> list[tuple[int, Box]]:
    """Return which rank writes which box of a tensor."""
    whole: Box = tuple((0, length) for length in tensor.shape)
    home = zlib.crc32(name.encode()) % ranks
    if ranks == 1 or not tensor.can_split or tensor.nbytes < _SPLIT_BYTES or tensor.shape[0] < ranks:
        return [(home, whole)]
    rows = tensor.shape[0]
    return [(rank, ((rows * rank // ranks, rows * (rank + 1) // ranks), *whole[1:])) for rank in range(ranks)]


def by_rows(shape: tuple[int, ...], rows: list[tuple[int, int]]) -> list[tuple[int, Box]]:
    """Return which rank writes which box of a tensor of which each rank has some rows."""
    rest = tuple((0, length) for length in shape[1:])
    kept = [(rank, (one, *rest)) for rank, one in enumerate(rows) if one[1] > one[0]]
    return kept or [(0, ((0, 0), *rest))]


def write_index(folder: str, index: Index) -> None:
    """Write the index of a directory, atomically."""
    tensors = {
        name: {"dtype": stored.dtype, "shape": stored.shape, "pieces": stored.pieces}
        for name, stored in index.tensors.items()
    }
    described = {
        "format": _FORMAT, "version": _VERSION, "save": index.token, "state": index.state, "tensors": tensors,
    }  # fmt: skip
    data = json.dumps(described, allow_nan=False).encode()
    with replacing(os.path.join(folder, INDEX)) as file:
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]


def read_index(folder: str) -> Index:
    """Read the index of a directory.

    Raises:
        FileNotFoundError: there is none.
        CheckpointError: it is damaged, or of another format.
    """
    path = os.path.join(folder, INDEX)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError as error:
        raise MissingFileError(
            error.errno, "load: there is no complete checkpoint in this directory; check the path", path
        ) from None
    found = parse_json(path, "its text", text)
    if type(found) is not dict or found.get("format") != _FORMAT:
        raise CheckpointError(path, "not the index of a checkpoint of facula.distributed; check the path")
    if found.get("version") != _VERSION:
        raise CheckpointError(
            path, f"it is of version {found.get('version')!r:.50}, this package reads {_VERSION}; update it"
        )
    try:
        tensors = {str(name): _stored(entry) for name, entry in found["tensors"].items()}
        return Index(str(found["save"]), found["state"], tensors)
    except (_Damaged, KeyError, TypeError, ValueError, AttributeError):
        raise CheckpointError(path, "its entries are damaged") from None


class _Damaged(FaculaError):
    """An entry that `write_index` cannot have written."""


def _stored(entry: Any) -> Stored:
    shape = tuple(map(_size, entry["shape"]))
    pieces = []
    for file, box in entry["pieces"]:
        checked = tuple((_size(begin), _size(end)) for begin, end in box)
        if not is_file_name(file) or len(checked) != len(shape):
            raise _Damaged(file)
        if any(not begin <= end <= length for (begin, end), length in zip(checked, shape, strict=True)):
            raise _Damaged(box)
        pieces.append(Piece(file, checked))
    if sum(prod(end - begin for begin, end in piece.box) for piece in pieces) != prod(shape) or not pieces:
        raise _Damaged(shape)
    return Stored(str(entry["dtype"]), shape, tuple(pieces))


def _size(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise _Damaged(value)
    return value
