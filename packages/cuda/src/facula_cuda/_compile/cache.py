"""Compiled kernels on disk.

Note [Cache of kernels]
~~~~~~~~~~~~~~~~~~~~~~~
An entry is named by the SHA-256 of all that its content depends on, including only those headers that the source
includes. Its file has the content and then the SHA-256 of the content, so that a truncated or damaged file is
recognized, removed and compiled again. (Shared libraries may have bytes after their end.) Files appear by an atomic
rename: processes that compile the same kernel at the same time replace each other's equal files. The entries that were
used longest ago are removed when there is more than `LIMIT`. A folder that cannot be written costs one warning; kernels
are then compiled by each process.

FACULA_CUDA_CACHE names the folder; if it is empty, nothing is stored.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING

from facula_errors.extend import warn

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT = 256 << 20  # bytes
KEPT = LIMIT * 3 // 4  # after a removal, so that the next one is not due at once
DIGEST_BYTES = 32
TOUCH_AFTER = 86400  # seconds: entries used on the same day count as equally recent

_lock = Lock()
_warned = False
_sizes: dict[Path, int] = {}  # bytes in each folder, as counted at the first store


def key_of(*parts: str | bytes) -> str:
    """Return the name of an entry: a digest of all parts and their lengths.

    >>> key_of("ab", "c") == key_of("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


_digests: dict[int, tuple[Mapping[str, str], str]] = {}


def digest_of(headers: Mapping[str, str]) -> str:
    """Return the digest of all names and texts. A mapping is hashed once, so it must not change."""
    found = _digests.get(id(headers))
    if found is None or found[0] is not headers:
        found = headers, key_of(*[part for item in sorted(headers.items()) for part in item])
        if headers:
            _digests[id(headers)] = found
    return found[1]


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.MULTILINE)
_parsed: dict[str, dict[str, tuple[set[str], str]]] = {}  # of some headers: for each, those it includes, and its digest


def digest_for(source: str, headers: Mapping[str, str]) -> str:
    """Return the digest of the headers that a source includes, directly or through others.

    >>> headers = {"a.h": '#include "b.h"', "b.h": "", "c.h": ""}
    >>> digest_for('#include "a.h"', headers) == digest_for('#include "a.h"', {**headers, "c.h": "int c;"})
    True
    """
    parsed = _parsed.get(digest_of(headers))
    if parsed is None:
        parsed = _parsed[digest_of(headers)] = {
            name: (_included(text, name, headers), key_of(name, text)) for name, text in headers.items()
        }
    needed, pending = set(), _included(source, "", headers)
    while pending:
        name = pending.pop()
        needed.add(name)
        pending |= parsed[name][0] - needed
    return key_of(*[parsed[name][1] for name in sorted(needed)])


def _included(text: str, name: str, headers: Mapping[str, str]) -> set[str]:
    """Return the names of the headers that a header of some name includes; relative to its folder, too."""
    found = _INCLUDE.findall(text)
    return {one for given in found for one in (given, str(PurePosixPath(name).parent / given)) if one in headers}


def folder() -> Path | None:
    """Return the folder of entries, which may not exist yet; None if nothing is to be stored."""
    wanted = os.environ.get("FACULA_CUDA_CACHE")
    if wanted is not None:
        return Path(wanted) if wanted else None
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "facula" / "cuda"
    except RuntimeError:  # the user has no home
        return None


def place(key: str, suffix: str) -> Path | None:
    """Return the path of an entry, which may not exist."""
    base = folder()
    return None if base is None else base / key[:2] / f"{key}{suffix}"


def load(key: str, suffix: str) -> bytes | None:
    """Return the content of an entry, or None. Damaged entries are removed."""
    path = place(key, suffix)
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
    if len(data) <= DIGEST_BYTES or hashlib.sha256(content).digest() != digest:
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > TOUCH_AFTER:
            os.utime(path)
    return content


def store(key: str, suffix: str, content: bytes) -> Path | None:
    """Store an entry and return its path; None, after one warning, if that fails."""
    path = place(key, suffix)
    if path is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.write(hashlib.sha256(content).digest())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        _warn_once(error)
        return None
    _make_room(path, len(content) + DIGEST_BYTES)
    return path


def _warn_once(error: OSError) -> None:
    global _warned
    with _lock:
        if _warned:
            return
        _warned = True
    warn(
        f"cuda: compiled kernels cannot be stored in {folder()} ({error.strerror or error}), so that each process "
        "compiles them again. Free space there, or name another folder in FACULA_CUDA_CACHE"
    )


def _make_room(added: Path, nbytes: int) -> None:
    """Remove the entries that were used longest ago, if there is more than LIMIT."""
    base = added.parent.parent
    with _lock, suppress(OSError):
        if base not in _sizes:
            _sizes[base] = sum(size for _, size, _ in _entries(base))
        else:
            _sizes[base] += nbytes
        if _sizes[base] <= LIMIT:
            return
        entries = sorted(_entries(base))
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= KEPT:
                break
            if path != added:
                with suppress(OSError):
                    path.unlink()
                total -= size
        _sizes[base] = total


def _entries(base: Path) -> list[tuple[float, int, Path]]:
    """Return the time of last use, the size and the path of each file."""
    found = []
    for path in base.glob("??/*"):
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    return found
