"""Samples from tar archives, under WebDataset's naming."""

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
_BEGINNING = (0, 0, 0)  # the archive, samples read of it, samples of the archives before it


def _number(data: bytes) -> int:
    return int(decode_text(data))


def _json(data: bytes) -> Any:
    return json.loads(decode_text(data))


#: What the parts of a sample are decoded by, after the last part of the ending: what is not here stays bytes.
DECODERS: Mapping[str, Decoder] = {
    **dict.fromkeys(("bmp", "jpeg", "jpg", "pgm", "png", "ppm", "tif", "tiff", "webp"), decode_image),
    **dict.fromkeys(("cls", "cls2", "index", "inx", "id"), _number),
    **dict.fromkeys(("text", "transcript", "txt"), decode_text),
    "json": _json,
    "npy": decode_npy,
}


def _worker() -> tuple[int, int]:
    """The number of this worker of a loader, and how many there are."""
    try:
        module = import_module("facula_data._workers.worker_info")
    except ImportError:
        return 0, 1
    info = getattr(module, "get_worker_info", lambda: None)()
    return (0, 1) if info is None else (info.id, info.num_workers)


@boundary
class TarShards(IterableDataset[dict[str, Any]]):
    """Samples of tar archives, one after the other: files whose names differ in their endings alone are one sample.

    `"train/7.jpg"` and `"train/7.cls"` are `{"__key__": "train/7", "__url__": ARCHIVE, "jpg": …, "cls": …}`. The ending
    is what follows the first dot of the file's name, in lower case. Files of a sample follow each other.

    Arguments:
        paths: the archives, compressed by gzip, bzip2, xz or not at all; one, or several in their order.
        decoders: by ending (its whole, else its last part) a function of the bytes; None leaves all bytes. By default
            `DECODERS`: pictures by `decode_image`, `npy`, `json`, `txt` and `cls`.
        on_error: what becomes of a sample that cannot be read: "raise"; "skip" leaves it out, and warns once in each
            pass; a function of the error says by True that it is to be left out. Where an archive is damaged, that is
            the rest of it.
        shard: (rank, world): this process has every `world`-th part of the data, from `rank` on.
        max_member_bytes: a larger file in an archive is an error, before it is read.

    Ranks, and a loader's workers within each, share the archives out, every n-th to one; where there are fewer archives
    than n, they share out the samples of all, which each of them then reads. A loader's state has that of each worker.

    Raises:
        CorruptFileError: an archive or a sample is damaged; names the archive, the place and the sample.
        OSError: there is no such file.
        ValueError: `on_error` or `shard` will not do.

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
        """Which part of the data is read here, and how many there are."""
        worker, workers = _worker()
        rank, world = self.shard
        return rank * workers + worker, world * workers

    def __iter__(self) -> Iterator[dict[str, Any]]:
        part, parts = self._part()
        start, self._start = self._start or (part, parts, *_BEGINNING), None
        self._check_part(start)
        self._place = start[2:]
        return self._samples(*start)

    def _samples(self, part: int, parts: int, archive: int, sample: int, before: int) -> Iterator[dict[str, Any]]:
        """The samples from number `sample` of an archive on; `before` it there were as many in other archives."""
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
        """How far the newest iteration has got: the archive of this part, and how many samples of it were read.

        >>> TarShards(["a.tar", "b.tar"]).state_dict()
        {'part': 0, 'parts': 1, 'archive': 0, 'sample': 0, 'before': 0}
        """
        part, parts = self._part()
        return {"part": part, "parts": parts, **dict(zip(("archive", "sample", "before"), self._place, strict=True))}

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next iteration go on from where `state_dict()` was taken. An archive is read from its beginning, and
        not decoded up to there.

        Raises:
            ValueError: this is no such state, or that of another part or of other archives. Nothing has changed then.
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
        """The members of each sample by ending, the sample's key under "". An error loses the sample it is in."""
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
        """The sample, or nothing where it is left out."""
        first = next(iter(group.values()))
        try:
            if is_outside(first.name):
                problem = f"expected names within the archive; got {first.name!r}"
                raise CorruptFileError("TarShards", path, first.place, problem, "trust no archive with such names")
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
            raise CorruptFileError("TarShards", path, place, problem, "write it again, or give on_error") from error

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_place": self._start[2:] if self._start else _BEGINNING}  # not iterated yet

    def __deepcopy__(self, memo: object) -> TarShards:
        return copy(self)  # a thread's own, but for what the program gave

    def __repr__(self) -> str:
        return f"TarShards({len(self.paths)} archives from {self.paths[0]})"


class _Policy:
    """What becomes of errors, in one pass."""

    def __init__(self, on_error: OnError) -> None:
        self._on_error, self._warned = on_error, False
        self.error: Exception | None = None

    def skips(self, error: Exception) -> bool:
        """Whether what the error is about is left out."""
        self.error = error
        if callable(self._on_error):
            return bool(self._on_error(error))
        if self._on_error == "raise":
            return False
        if not self._warned:
            self._warned = True
            warn(f"TarShards: left out what cannot be read; further errors of this pass are not shown: {error}")
        return True


def split_name(name: str) -> tuple[str, str]:
    """The key of a file's sample, and its ending: all that follows the first dot of its name, in lower case.

    >>> split_name("a.b/7.seg.PNG")
    ('a.b/7', 'seg.png')
    """
    folder, slash, base = name.rpartition("/")
    stem, _, ending = base.partition(".")
    return f"{folder}{slash}{stem}", ending.lower()


def is_outside(name: str) -> bool:
    """Whether a name leads out of the folder that an archive would be unpacked to, or holds a NUL.

    >>> is_outside("../x.jpg"), is_outside("/etc/x"), is_outside("a/x..jpg")
    (True, True, False)
    """
    plain = name.replace("\\", "/")
    return plain.startswith("/") or plain[1:3] == ":/" or "\0" in plain or ".." in plain.split("/")
