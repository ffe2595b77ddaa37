"""Downloads of dataset files: checked, resumable, and renamed when complete.

The bytes of FILE arrive in FILE.part, which later calls continue. A complete file with the right checksum is renamed to
FILE. A lock on FILE.part makes other processes wait for the one that downloads. A failed download without any bytes
leaves no file.
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
from contextlib import closing
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


def fetch(operation: str, paths: Mapping[str, str], mirrors: Sequence[str], hint: str = "") -> None:
    """Download the missing ones of `paths`, and check the others.

    Arguments:
        operation: the prefix of error messages.
        paths: the MD5 of each file in hexadecimal digits, by path. Folders are created.
        mirrors: addresses that end with a slash; the files' names are appended to them, in this order until one works.
        hint: the end of the message if a file cannot be downloaded.

    Raises:
        CorruptFileError: a file has another checksum.
        OSError: no address has the file, or it cannot be written. The bytes so far remain in FILE.part.
    """
    for path, checksum in paths.items():
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if not os.path.exists(path):
                with _Part(path + ".part") as part, closing(_Progress(os.path.basename(path))) as progress:
                    if not os.path.exists(path):  # else another process has downloaded it
                        missing = [other for other in paths if not os.path.exists(other)]
                        _fetch_one(operation, path, checksum, mirrors, part, progress, missing, hint)
            with open(path, "rb") as file:
                found = _md5(file)
        except FileError:
            raise
        except OSError as error:
            text = f"{operation}: cannot write the download: {error.strerror}; free space or choose another folder, "
            raise FileError(error.errno, f"{text}and call it again, which continues", path + ".part") from None
        if found != checksum:
            problem = f"the file is damaged or not the official one: expected the MD5 {checksum}; got {found}"
            raise CorruptFileError(operation, path, "", problem, "remove the file, and call it again to download it")


class _Part:
    """The bytes of a download so far, in a file that this process has locked; removed at the end if it is empty."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> BufferedRandom:
        while True:
            self.file = open(self.path, "a+b")  # closed by __exit__
            if fcntl is not None:
                fcntl.flock(self.file, fcntl.LOCK_EX)
            if self._is_in_place():
                return self.file
            self.file.close()  # the process that had the lock has removed or renamed it

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.path))
        except FileNotFoundError:
            return False

    def __exit__(self, *exception: object) -> None:
        try:
            self.file.flush()
        except OSError:  # on a full disk; the error that ended the block says so
            pass
        if not os.path.islink(self.path) and self._is_in_place() and not os.path.getsize(self.path):
            os.unlink(self.path)
        try:
            self.file.close()
        except OSError:
            pass


def _fetch_one(
    operation: str,
    path: str,
    checksum: str,
    mirrors: Sequence[str],
    part: BufferedRandom,
    progress: _Progress,
    missing: Sequence[str],
    hint: str,
) -> None:
    """Download one file into the open `part`, from the first mirror that has it, and rename it to `path`.

    The error names all `missing` files, and ends with the `hint`.
    """
    name = os.path.basename(path)
    reasons: dict[str, int] = {}  # why each address failed, and the number of the error
    for address in (mirror + name for mirror in mirrors):
        attempts, most = ATTEMPTS, part.seek(0, os.SEEK_END)
        is_resumed = most > 0
        while attempts:
            complete = False
            try:
                complete = _receive(address, part, progress)
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
                # Bytes that were there before may be those of another version.
                attempts, most, is_resumed = ATTEMPTS if is_resumed else 0, 0, False
            elif (size := part.seek(0, os.SEEK_END)) > most:
                attempts, most = ATTEMPTS, size
            else:
                attempts -= 1
    reasons = reasons or {"the connections ended early": EIO}
    places: dict[str, list[str]] = {}  # the addresses of the missing files, by folder
    for other in missing:
        places.setdefault(os.path.dirname(other), []).append(mirrors[0] + os.path.basename(other))
    remedy = "; ".join(f"{', '.join(addresses)} to {folder or '.'}" for folder, addresses in places.items())
    raise FileError(
        list(reasons.values())[-1], f"{operation}: cannot download {name} ({'; '.join(reasons)}); without a network, "
        f"download {remedy} by other means, and call it again{hint}", path,
    )  # fmt: skip


def _receive(address: str, part: BufferedRandom, progress: _Progress) -> bool:
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
        progress.total = total = None if length is None else begun + int(length)
        while block := answer.read(BLOCK):
            part.write(block)
            progress.show(part.tell())
        part.flush()
    complete = total is None or part.tell() >= total
    if complete:  # else the next attempt continues the line
        progress.show(part.tell(), last=True)
    return complete


def _md5(file: BufferedRandom | BufferedReader) -> str:
    file.seek(0)
    return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


class _Progress:
    """A line about one download on stderr: rewritten in a terminal, else a line every ten seconds and at the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.total: int | None = None  # the size of the file in bytes, as soon as a server has answered
        self.is_open = False  # whether the line has no end yet
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
        self.is_open = self.terminal and not last
        end = "" if self.is_open else "\n"
        sys.stderr.write(f"{chr(13) if self.terminal else ''}{self.name}: {bar}{count / 1e6:.1f} MB{share}{end}")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line of a download that failed."""
        if self.is_open and sys.stderr is not None:
            sys.stderr.write("\n")


def unpack(operation: str, archive: str, folder: str) -> None:
    """Write the files of a tar archive, without their folders, into `folder`, which appears when complete.

    If it exists, only the missing files are written.
    """
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
                if not os.path.isdir(folder):
                    raise
                for name in os.listdir(whole):
                    if not os.path.exists(os.path.join(folder, name)):
                        os.replace(os.path.join(whole, name), os.path.join(folder, name))
    except OSError as error:
        text = f"{operation}: cannot unpack {archive}: {error.strerror or error}; free space, and call it again"
        raise FileError(error.errno or EIO, text, folder) from None
