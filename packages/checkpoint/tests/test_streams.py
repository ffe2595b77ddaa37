"""Open files: writing and reading start at the current position."""

from __future__ import annotations

import gzip
import io
import os
import re
import tempfile
import zipfile

import numpy as np
import pytest
from checkpoint_testing import ALL, described, entry, file_bytes, parts, random_parts

from facula_checkpoint import CheckpointError, load, load_file, load_metadata, save, save_file
from facula_errors import FaculaError, FileModeError
from facula_errors.testing import raises

RUN = {"w": np.arange(6.0).reshape(2, 3), "steps": [np.int64(3), 4], "flags": np.array([True, False])}


def assert_is_run(loaded):
    assert list(loaded) == ["w", "steps", "flags"]
    assert loaded["w"].tolist() == RUN["w"].tolist() and loaded["steps"] == [3, 4]
    assert loaded["flags"].tolist() == [True, False]


class Pipe:
    """A file object that only supports reading and writing, a few bytes at a time."""

    def __init__(self, contents=b"", most=7):
        self.contents, self.most, self.pieces = bytearray(contents), most, []

    def write(self, data):
        assert type(data) is bytes, "a stranger may keep what it is handed"
        self.pieces.append(data)
        self.contents += data

    def read(self, count=-1):
        count = min(self.most, len(self.contents) if count < 0 else count)
        piece, self.contents = bytes(self.contents[:count]), self.contents[count:]
        return piece


def test_the_bytes_are_those_of_a_file(path):
    save(RUN, path)
    stream, pipe = io.BytesIO(), Pipe()
    save(RUN, stream)
    save(RUN, pipe)
    assert stream.getvalue() == pipe.contents == path.read_bytes()


@pytest.mark.parametrize("buffering", [-1, 0])
def test_files_opened_by_the_user(path, buffering):
    with open(path, "wb", buffering=buffering) as file:
        save(RUN, file)
    assert_is_run(load(path))
    with open(path, "rb", buffering=buffering) as file:
        assert_is_run(load(file))
        assert file.read() == b""


STREAMS = {
    "memory": io.BytesIO,
    "temporary": tempfile.TemporaryFile,
    "named": tempfile.NamedTemporaryFile,
    "spooled": lambda: tempfile.SpooledTemporaryFile(max_size=10),
    "updated": lambda: open(os.path.join(tempfile.mkdtemp(), "f"), "w+b"),
    "raw": lambda: open(os.path.join(tempfile.mkdtemp(), "f"), "w+b", buffering=0),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_several_saves_in_one_file_are_read_in_turn(kind):
    with STREAMS[kind]() as stream:
        stream.write(b"before")
        save(RUN, stream)
        save_file({"t": random_parts(ALL[8])}, stream, {"k": "v"})
        save([], stream)
        stream.write(b"after")
        stream.seek(6)
        assert_is_run(load(stream))
        second = stream.tell()
        assert described(load_file(stream)["t"]) == described(random_parts(ALL[8]))
        assert load(stream) == []
        assert stream.read() == b"after"
        stream.seek(second)
        assert load_metadata(stream) == {"k": "v"}


@pytest.mark.parametrize("shape", [(), (0,), (3, 5)], ids=str)
def test_every_dtype_comes_back_in_the_headers_order(shape):
    saved = {dtype.name: random_parts(dtype, shape) for dtype in ALL}
    stream = io.BytesIO()
    save_file(saved, stream)
    stream.seek(0)
    loaded = load_file(stream)
    assert list(loaded) == list(saved)
    assert [described(tensor) for tensor in loaded.values()] == [described(tensor) for tensor in saved.values()]
    assert all(storage.version is not None for storage, _, _ in loaded.values())


def test_compressed_files(tmp_path):
    with gzip.open(tmp_path / "run.gz", "wb") as file:
        save(RUN, file)
    with gzip.open(tmp_path / "run.gz") as file:
        assert_is_run(load(file))
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive, archive.open("run", "w") as member:
        save(RUN, member)
    with zipfile.ZipFile(tmp_path / "run.zip") as archive, archive.open("run") as member:
        assert_is_run(load(member))


def test_streams_with_short_reads(monkeypatch):
    monkeypatch.setattr("facula_checkpoint._streams._PIECE", 11)
    pipe = Pipe()
    save(RUN, pipe)
    assert_is_run(load(pipe))


def test_a_stream_that_claims_more_than_it_has_is_rejected_before_allocation():
    header = {"w": entry("F32", (1 << 60,), (0, 1 << 62))}
    for stream in (io.BytesIO(file_bytes(header, bytes(8))), Pipe(file_bytes(header, bytes(8)))):
        with raises(CheckpointError, "<...>", "its tensors take 4611686018427387904 bytes, of which there are 8"):
            load(stream)


def test_truncated_streams_are_refused():
    stream = io.BytesIO()
    save(RUN, stream)
    whole = stream.getvalue()
    for length in range(0, len(whole), 13):
        for part in (io.BytesIO(whole[:length]), Pipe(whole[:length])):
            with raises(CheckpointError, "<...>") as caught:
                load(part)
            assert re.search("truncated|safetensors", str(caught.value))
    stream.seek(0, os.SEEK_END)
    with raises(CheckpointError, "<BytesIO>", "not a safetensors file: the file has no data", ".seek(0)"):
        load(stream)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"\x80\x02pickle...", "a pickle that torch.save did not write"),
        (b"PK\x03\x04" + b"\0" * 60, "its zip directory is missing: the file is truncated"),
        (b"\xff" * 40, "does not begin with the length"),
        (file_bytes({"w": entry("BOOL", (8,), (0, 8))}, b"\2" * 8), "has a byte 2"),
        (file_bytes({"w": entry("F32", (2,), (8, 16))}, bytes(16)), "belong to no tensor"),
    ],
)
def test_streams_of_other_formats_are_rejected(contents, message):
    with raises(CheckpointError, "<BytesIO>", message):
        load(io.BytesIO(contents))


def closed(mode, path):
    with open(path, mode) as file:
        return file


SAVES = [lambda f: save([1], f), lambda f: save_file({"w": parts([1.0])}, f)]
LOADS = [load, load_file, load_metadata]


@pytest.mark.parametrize("operation", [*SAVES, *LOADS])
def test_unusable_files_are_named(path, operation):
    save([1], path)
    before = path.read_bytes()
    way, name, mode = ("write", "save...", "wb") if operation in SAVES else ("read", operation.__name__, "rb")
    for text in (lambda: open(path), lambda: open(path, "a"), io.StringIO):
        with text() as file, raises(TypeError, name, f"is open in text mode; open it with mode '{mode}'"):
            operation(file)
    with raises(ValueError, name, f"model.safetensors is closed; open it with mode '{mode}'"):
        operation(closed("rb", path))
    with open(path, "ab" if way == "read" else "rb") as file:
        with raises(io.UnsupportedOperation, name, f"is not open for ... open it with mode '{mode}'") as caught:
            operation(file)
        assert isinstance(caught.value, FileModeError) and isinstance(caught.value, FaculaError)
    with raises(TypeError, name, f"a path or a file opened with mode '{mode}'", value="int"):
        operation(3)
    assert path.read_bytes() == before


def test_a_failed_save_leaves_an_open_file_unchanged():
    stream = io.BytesIO()
    with raises(TypeError, "save", "the object"):
        save([b"bytes"], stream)
    assert stream.getvalue() == b""


def test_a_full_disk_is_named():
    with open("/dev/full", "wb", buffering=0) as file:
        with raises(OSError, "save", "No space left on device", "the file is not whole: '/dev/full'"):
            save(RUN, file)
