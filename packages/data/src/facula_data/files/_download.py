"""Downloads of dataset files: checked, resumable, and renamed when complete.

The bytes of FILE arrive in FILE.part, which later calls continue. A complete file with the right checksum is renamed to
FILE. A lock on FILE.part makes other processes wait for the one that downloads.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from errno import EIO
from io import BufferedRandom, BufferedReader
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from facula_errors import CorruptFileError, FileError

try:
    import fcntl
except ImportError:  # Windows: two processes must not download the same file
    fcntl = None  # type: ignore[assignment]

ATTEMPTS = 3  # for each address, in a row without new bytes
BLOCK = 1 << 18  # bytes
SECONDS = 30.0  # without an answer of the server


def fetch(operation: str, folder: str, files: Mapping[str, str], mirrors: Sequence[str]) -> None:
    """Download the missing ones of `files` into `folder`.

    Arguments:
        operation: the prefix of error messages.
        folder: the folder, which is created.
        files: the MD5 of each file in hexadecimal digits, by name.
        mirrors: addresses that end with a slash; the names are appended to them, in this order until one works.

    Raises:
        CorruptFileError: a file in `folder` has another checksum.
        OSError: no address has the file, or it cannot be written. The bytes so far remain in FILE.part.
    """
    for name, checksum in files.items():
        path = os.path.join(folder, name)
        try:
            os.makedirs(folder, exist_ok=True)
            if not os.path.exists(path):
                with open(path + ".part", "a+b") as part:
                    if fcntl is not None:
                        fcntl.flock(part, fcntl.LOCK_EX)
                    if not os.path.exists(path):  # else another process has downloaded it
                        _fetch_one(operation, path, checksum, [mirror + name for mirror in mirrors], part)
            with open(path, "rb") as file:
                found = _md5(file)
        except FileError:
            raise
        except OSError as error:
            text = f"{operation}: cannot write the download: {error.strerror}; free space or choose another folder, "
            raise FileError(error.errno, f"{text}and call it again, which continues", path + ".part") from None
        if found != checksum:
            problem = f"expected the MD5 {checksum}; got {found}"
            raise CorruptFileError(operation, path, "", problem, "remove the file, and call it again")


def _fetch_one(operation: str, path: str, checksum: str, addresses: list[str], part: BufferedRandom) -> None:
    """Download one file into the open `part`, from the first address that has it, and rename it to `path`."""
    reasons: dict[str, int] = {}  # why each address failed, and the number of the error
    for address in addresses:
        attempts = ATTEMPTS
        while attempts:
            begun = part.seek(0, os.SEEK_END)
            complete = False
            try:
                complete = _receive(address, part)
            except (URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
                reason = error if isinstance(error, HTTPError) else getattr(error, "reason", error)
                reasons[f"{address}: {reason or type(error).__name__}"] = getattr(reason, "errno", None) or EIO
                if isinstance(error, HTTPError):  # the server would answer the same again
                    break
            if complete:
                found = _md5(part)
                if found == checksum:
                    part.flush()
                    os.fsync(part.fileno())
                    os.replace(part.name, path)
                    return
                reasons[f"{address}: expected the MD5 {checksum}; got {found}"] = EIO
                part.truncate(0)
                attempts = 1 if begun else 0  # the first bytes may be those of another version
            elif part.seek(0, os.SEEK_END) > begun:
                attempts = ATTEMPTS
            else:
                attempts -= 1
    reasons = reasons or {"the connections ended early": EIO}
    raise FileError(
        list(reasons.values())[-1], f"{operation}: cannot download {os.path.basename(path)} ({'; '.join(reasons)}); "
        f"without a network, get {addresses[0]} elsewhere, and put it in {os.path.dirname(path)}", path,
    )  # fmt: skip


def _receive(address: str, part: BufferedRandom) -> bool:
    """Append the bytes that `part` lacks; return whether it is complete."""
    begun = part.seek(0, os.SEEK_END)
    headers = {"User-Agent": "facula-data", "Accept-Encoding": "identity"}
    if begun:
        headers["Range"] = f"bytes={begun}-"
    try:
        answer = urlopen(Request(address, headers=headers), timeout=SECONDS)
    except HTTPError as error:
        if error.code != 416:  # the server has no bytes after these
            raise
        return True
    with answer:
        if begun and not (answer.getheader("Content-Range") or "").startswith(f"bytes {begun}-"):
            part.truncate(begun := 0)  # the server sends the whole file
        length = answer.getheader("Content-Length")
        total = None if length is None else begun + int(length)
        progress = _Progress(os.path.basename(address), total)
        while block := answer.read(BLOCK):
            part.write(block)
            progress.show(part.tell())
        part.flush()
        progress.show(part.tell(), last=True)
    return total is None or part.tell() >= total


def _md5(file: BufferedRandom | BufferedReader) -> str:
    file.seek(0)
    return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


class _Progress:
    """A line about one download on stderr: rewritten in a terminal, else a line every ten seconds and at the end."""

    def __init__(self, name: str, total: int | None) -> None:
        self.name, self.total = name, total
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.seconds = 0.1 if self.terminal else 10.0
        self.shown = time.monotonic()

    def show(self, count: int, last: bool = False) -> None:
        now = time.monotonic()
        if sys.stderr is None or (not last and now - self.shown < self.seconds):
            return
        self.shown = now
        share = "" if not self.total else f" of {self.total / 1e6:.1f} MB, {count / self.total:.0%}"
        bar = f"[{'#' * (20 * count // self.total):20}] " if self.total and self.terminal else ""
        end = "\n" if last or not self.terminal else ""
        sys.stderr.write(f"{chr(13) if self.terminal else ''}{self.name}: {bar}{count / 1e6:.1f} MB{share}{end}")
        sys.stderr.flush()


def unpack(operation: str, archive: str, folder: str) -> None:
    """Write the files of a tar archive, without their folders, into a new `folder`, which appears when complete."""
    try:
        with tempfile.TemporaryDirectory(dir=os.path.dirname(folder), prefix=".unpacked-") as place:
            whole = os.path.join(place, "files")
            os.mkdir(whole)
            with tarfile.open(archive) as tar:
                for member in tar:
                    content = tar.extractfile(member) if member.isfile() else None
                    if content is not None:
                        with open(os.path.join(whole, os.path.basename(member.name)), "wb") as file:
                            shutil.copyfileobj(content, file)
            try:
                os.rename(whole, folder)
            except OSError:
                if not os.path.isdir(folder):  # else another process was faster
                    raise
    except OSError as error:
        text = f"{operation}: cannot unpack {archive}: {error.strerror or error}; free space, and call it again"
        raise FileError(error.errno or EIO, text, folder) from None
