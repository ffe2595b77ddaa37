"""Samples from tar archives, with WebDataset's naming."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from importlib import import_module
from typing import Any, TypeAlias

from facula_errors import CorruptFileError, FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, warn

from .. import _checks
from .._datasets.dataset import IterableDataset
from .._types import Sample
from ._decode import Decoder, decode_image, decode_npy, decode_text
from ._file_errors import Path
from ._tar import Member, members

OnError: TypeAlias = str | Callable[[Exception], object]
MAX_MEMBER = 1 << 28
_BEGINNING = (0, 0, 0)  # the archive, the number of its samples that were read, and the samples of earlier archives


def _number(data: bytes) -> int:
    return int(decode_text(data))


def _json(data: bytes) -> Any:
    return json.loads(decode_text(data))


#: The decoder of each part of a sample, by the last part of the suffix; other parts stay bytes.
DECODERS: Mapping[str, Decoder] = {
    **dict.fromkeys(("bmp", "jpeg", "jpg", "pgm", "png", "ppm", "tif", "tiff", "webp"), decode_image),
    **dict.fromkeys(("cls", "cls2", "index", "inx", "id"), _number),
    **dict.fromkeys(("text", "transcript", "txt"), decode_text),
    "json": _json,
    "npy": decode_npy,
}


def _worker() -> tuple[int, int]:
    """Return the number of this worker of a loader, and the number of workers."""
    try:
        module = import_module("facula_data._workers.worker_info")
    except ImportError:
        return 0, 1
    info = getattr(module, "get_worker_info", lambda: None)()
    return (0, 1) if info is None else (info.id, info.num_workers)


@boundary
class TarShards(IterableDataset[dict[str, Any]]):
    """Samples of tar archives in order: files whose names differ only in their suffixes form one sample.

    `"train/7.jpg"` and `"train/7.cls"` are `{"__key__": "train/7", "__url__": ARCHIVE, "jpg": …, "cls": …}`. The suffix
    is the part after the first dot of the file's name, in lower case. The files of a sample must be consecutive.

    Arguments:
        paths: the archives, uncompressed or compressed by gzip, bzip2 or xz; one path, or several in order.
        decoders: maps a suffix (the whole one, otherwise its last part) to a function of the bytes; None keeps all
            bytes. By default `DECODERS`: `decode_image` for images, and decoders for `npy`, `json`, `txt` and `cls`.
        on_error: the policy for a sample that cannot be read: "raise"; "skip", which leaves it out and warns once per
            pass; or a function of the error that returns True to leave it out. If an archive is damaged, the rest of it
            is left out.
        shard: (rank, world): this process reads every `world`-th part of the data, starting at `rank`.
        max_member_bytes: the maximum size of a file in an archive; a larger one is an error before it is read.

    The archives are distributed over the ranks and, within each rank, over a loader's workers: each reads every n-th
    archive. With fewer archives than n, each reads all archives and takes every n-th sample. A loader's state includes
    that of each worker.

    Raises:
        CorruptFileError: an archive or a sample is damaged; the message names the archive, the place and the sample.
        OSError: a file does not exist.
        ValueError: `on_error` or `shard` is invalid.

    >>> import io, tarfile, tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".tar") as file:
    ...     with tarfile.open(file.name, "w") as archive:
    ...         for name, data in ("0.txt", b"one"), ("0.cls", b"1"), ("1.txt", b"two"):
    ...             info = tarfile.TarInfo(name)
    ...             info.size = len(data)
    ...             archive.addfile(info, io.BytesIO(data))
    ...     for sample in TarShards(file.name):
    ...         print(sample["__key__"], sample["txt"], sample.get("cls"))
    0 one 1
    1 two None

    Source: webdataset's WebDataset.
    """

    paths: tuple[str, ...]
    decoders: dict[str, Decoder]
    shard: tuple[int, int]
    max_member_bytes: int

    def __init__(
        self,
        paths: Path | Iterable[Path],
        decoders: Mapping[str, Decoder] | None = DECODERS,
        *,
        on_error: OnError = "raise",
        shard: tuple[int, int] = (0, 1),
        max_member_bytes: int = MAX_MEMBER,
    ) -> None:
        given = (paths,) if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = tuple(os.fspath(path) for path in given)
        if not self.paths:
            raise InvalidValueError("TarShards: expected at least one archive; got none")
        if on_error not in ("raise", "skip") and not callable(on_error):
            raise InvalidValueError(f"TarShards: expected on_error to be 'raise', 'skip' or callable; got {on_error!r}")
        if not isinstance(shard, (tuple, list)) or len(shard) != 2:
            raise InvalidTypeError(f"TarShards: expected shard to be (rank, world); got shard={shard!r}")
        self.shard = (
            _checks.whole_number("TarShards", "rank", shard[0], 0),
            _checks.whole_number("TarShards", "world", shard[1], 1),
        )
        if self.shard[0] >= self.shard[1]:
            raise InvalidValueError(f"TarShards: expected a rank below world; got shard={self.shard}")
        for name, decoder in (decoders or {}).items():
            if not callable(decoder):
                raise InvalidTypeError(f"TarShards: expected decoders to be callable; got {decoder!r:.60} for {name!r}")
        self.decoders = {name.lower(): decoder for name, decoder in (decoders or {}).items()}
        self.on_error = on_error
        self.max_member_bytes = _checks.whole_number("TarShards", "max_member_bytes", max_member_bytes, 1)
        self._start: tuple[int, ...] | None = None  # the part, the number of parts, and a place
        self._place: tuple[int, ...] = _BEGINNING

    def _part(self) -> tuple[int, int]:
        """Return the index of the part of the data that is read here, and the number of parts."""
        worker, workers = _worker()
        rank, world = self.shard
        return rank * workers + worker, world * workers

    def __iter__(self) -> Iterator[dict[str, Any]]:
        part, parts = self._part()
        start, self._start = self._start or (part, parts, *_BEGINNING), None
        self._check_part(start)
        self._place = start[2:]
        return self._samples(*start)

    @boundary
    def _samples(self, part: int, parts: int, archive: int, sample: int, before: int) -> Iterator[dict[str, Any]]:
        """Iterate over the samples from number `sample` of an archive on; earlier archives contain `before` samples."""
        policy = _Policy(self.on_error)
        whole = len(self.paths) >= parts
        paths = self.paths[part::parts] if whole else self.paths
        for place in range(archive, len(paths)):
            number = 0
            for number, group in enumerate(self._groups(paths[place], policy), 1):
                if number > sample:
                    self._place = place, number, before
                    if whole or (before + number - 1) % parts == part:
                        yield from self._decoded(paths[place], group, policy)
            sample, before = 0, before + number

    def state_dict(self) -> dict[str, int]:
        """Return the progress of the newest iteration: the archive of this part, and the number of samples read.

        >>> TarShards(["a.tar", "b.tar"]).state_dict()
        {'part': 0, 'parts': 1, 'archive': 0, 'sample': 0, 'before': 0}
        """
        part, parts = self._part()
        return {"part": part, "parts": parts, **dict(zip(("archive", "sample", "before"), self._place, strict=True))}

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next iteration resume from a state of `state_dict()`.

        The archive is read from its beginning, but not decoded up to the position.

        Raises:
            ValueError: the state is invalid, or belongs to another part or other archives. The dataset is then
                unchanged.
        """
        part, parts = self._part()
        names = ("part", "parts", "archive", "sample", "before")
        if not isinstance(state_dict, Mapping) or set(state_dict) != set(names):
            raise InvalidValueError(f"TarShards: expected a state with {names}; got {state_dict!r:.200}")
        place = tuple(_checks.whole_number("TarShards", name, state_dict[name], 0) for name in names)
        self._check_part(place)
        count = len(self.paths[part::parts]) if len(self.paths) >= parts else len(self.paths)
        if place[2] >= count:
            raise InvalidValueError(f"TarShards: expected archive to be below {count}; got archive={place[2]}")
        self._place, self._start = place[2:], place

    def _check_part(self, found: tuple[int, ...]) -> None:
        part, parts = self._part()
        if found[:2] != (part, parts):
            raise InvalidValueError(
                f"TarShards: expected the state of part {part} of {parts} (ranks times workers); got part {found[0]} "
                f"of {found[1]}; go on with as many"
            )

    def _groups(self, path: str, policy: _Policy) -> Iterator[dict[str, Member]]:
        """Iterate over the members of each sample by suffix, its key under "". An error loses the sample it is in."""
        group: dict[str, Member] = {}
        key: str | None = None
        try:
            for member in members(path, self.max_member_bytes):
                found, ending = split_name(member.name)
                if found != key:
                    if group:
                        yield group
                    group, key = {}, found
                if not ending:
                    continue
                if ending in group:
                    problem = f"expected one file of each ending in a sample; got {member.name!r} twice"
                    twice = CorruptFileError("TarShards", path, member.place, problem, "rename one")
                    if not policy.skips(twice):
                        raise twice
                    continue
                group[ending] = member
        except (CorruptFileError, OSError) as error:
            if error is policy.error or not policy.skips(error):
                raise
            return
        if group:
            yield group

    def _decoded(self, path: str, group: dict[str, Member], policy: _Policy) -> Iterator[dict[str, Any]]:
        """Yield the sample, unless it is left out."""
        first = next(iter(group.values()))
        try:
            if is_outside(first.name):
                problem = f"expected names within the archive; got {first.name!r}"
                raise CorruptFileError("TarShards", path, first.place, problem, "do not trust archives with such names")
            sample: dict[str, Any] = {"__key__": split_name(first.name)[0], "__url__": path}
            for ending, member in group.items():
                sample[ending] = self._decode(path, ending, member)
        except Exception as error:
            if not policy.skips(error):
                raise
            return
        yield sample

    def _decode(self, path: str, ending: str, member: Member) -> Sample:
        decoder = self.decoders.get(ending) or self.decoders.get(ending.rpartition(".")[2])
        if decoder is None:
            return member.data
        try:
            return decoder(member.data)
        except (FaculaError, ValueError) as error:
            if not isinstance(error, CorruptFileError) and isinstance(error, FaculaError):
                raise
            problem = (
                error.problem if isinstance(error, CorruptFileError) else f"{type(error).__name__}: {error!s:.200}"
            )
            place = f"{member.name!r} ({member.place})"
            raise CorruptFileError("TarShards", path, place, problem, "write it again, or pass on_error") from error

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_place": self._start[2:] if self._start else _BEGINNING}  # not iterated yet

    def __deepcopy__(self, memo: object) -> TarShards:
        return copy(self)  # a copy for each thread that shares the program's objects

    def __repr__(self) -> str:
        return f"TarShards({len(self.paths)} archives from {self.paths[0]})"


class _Policy:
    """The policy for errors during one pass."""

    def __init__(self, on_error: OnError) -> None:
        self._on_error, self._warned = on_error, False
        self.error: Exception | None = None

    def skips(self, error: Exception) -> bool:
        """Return whether to leave out the sample that caused the error."""
        self.error = error
        if callable(self._on_error):
            return bool(self._on_error(error))
        if self._on_error == "raise":
            return False
        if not self._warned:
            self._warned = True
            warn(f"TarShards: skipped a sample that cannot be read; further errors of this pass are not shown: {error}")
        return True


def split_name(name: str) -> tuple[str, str]:
    """Return the key of a file's sample, and its suffix: the part after the first dot of its name, in lower case.

    >>> split_name("a.b/7.seg.PNG")
    ('a.b/7', 'seg.png')
    """
    folder, slash, base = name.rpartition("/")
    stem, _, ending = base.partition(".")
    return f"{folder}{slash}{stem}", ending.lower()


def is_outside(name: str) -> bool:
    """Return whether a name leads out of the folder of extraction, or contains a NUL.

    >>> is_outside("../x.jpg"), is_outside("/etc/x"), is_outside("a/x..jpg")
    (True, True, False)
    """
    plain = name.replace("\\", "/")
    return plain.startswith("/") or plain[1:3] == ":/" or "\0" in plain or ".." in plain.split("/")
