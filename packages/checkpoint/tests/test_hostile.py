"""Files that are damaged, hostile or of another format: rejected completely, with their name and the reason."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import struct
import tarfile
import tempfile
import zipfile

import numpy as np
import pytest
from checkpoint_testing import entry, file_bytes, parts

from facula_checkpoint import CheckpointError, load, load_file, load_metadata, save, save_file
from facula_errors.testing import raises

READERS = [load_file, lambda path: load_file(path, lazy=False), load, load_metadata]
D = bytes(8)  # one tensor's data
E = entry()


def refused(path, content, message):
    """Check that every reader rejects the file and names it."""
    path.write_bytes(content)
    for reader in READERS:
        with raises(CheckpointError, str(path)) as caught:
            reader(path)
        assert re.search(message, caught.value.reason)
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)


HEADERS = {
    "no JSON": (file_bytes(b"{,}"), "the header is not valid"),
    "cut JSON": (file_bytes(b'{"a":'), "the header is not valid"),
    "no object": (file_bytes(b"[]"), r"does not begin with '\{'"),
    "spaces before": (file_bytes(b"  {}"), r"does not begin with '\{'"),
    "no header": (file_bytes(b""), r"does not begin with '\{'"),
    "no UTF-8": (file_bytes(b'{"\xff": 1}'), "the header is not valid"),
    "UTF-16": (file_bytes("{}".encode("utf-16")), "does not begin"),
    "UTF-16 without a mark": (file_bytes("{ }".encode("utf-16-le")), "the header is not valid"),
    "two values": (file_bytes(b"{}{}"), "Extra data"),
    "NaN": (file_bytes(b'{"a": NaN}'), "NaN is not a JSON number"),
    "many digits": (file_bytes(b'{"a": %s}' % (b"9" * 5000)), "the header is not valid"),
    "deep": (file_bytes(b'{"a":' + b"[" * 200_000), "nested too deeply"),
    "a name twice": (
        file_bytes(f'{{"a":{json.dumps(E)},"a":{json.dumps(E)}}}'.encode(), D),
        "the name 'a' occurs twice",
    ),
    "a name twice, escaped": (file_bytes(rb'{"a":1,"\u0061":2}'), "the name 'a' occurs twice"),
    "a key twice": (file_bytes(b'{"a":{"dtype":"F32","dtype":"I32"}}'), "the name 'dtype' occurs twice"),
    "metadata, no object": (file_bytes({"__metadata__": ["x"]}), "__metadata__ is not an object of strings"),
    "metadata, no texts": (file_bytes({"__metadata__": {"x": 1}}), "__metadata__ is not an object of strings"),
    "complex128, no list": (file_bytes({"__metadata__": {"facula.complex128": "{}"}}), "not a list of different names"),
    "complex128, no JSON": (file_bytes({"__metadata__": {"facula.complex128": "["}}), "facula.complex128 is not valid"),
    "complex128, no tensor": (
        file_bytes({"__metadata__": {"facula.complex128": '["z"]'}}),
        "'z' complex128, but it is not stored as pairs",
    ),
    "complex128, no pairs": (
        file_bytes({"__metadata__": {"facula.complex128": '["a"]'}, "a": entry("F64", (1,), (0, 8))}, D),
        "'a' complex128, but it is not stored as pairs",
    ),
}
ENTRIES = {
    "no object": ("F32", "not described by dtype, shape and data_offsets"),
    "no dtype": ({"shape": [2], "data_offsets": [0, 8]}, "not described by"),
    "no shape": ({"dtype": "F32", "data_offsets": [0, 8]}, "not described by"),
    "no range": ({"dtype": "F32", "shape": [2]}, "not described by"),
    "unknown dtype": (entry("F33"), "of unknown dtype 'F33'; known are BOOL, U8"),
    "dtype in small letters": (entry("f32"), "of unknown dtype 'f32'"),
    "dtype, no text": (entry(["F32"]), "of unknown dtype"),
    "dtype of others": (entry("F6_E2M3", (8,)), "of dtype F6_E2M3, which facula lacks; convert it"),
    "shape, no list": (entry() | {"shape": 2}, "has shape 2; expected at most 64 sizes"),
    "negative size": (entry(shape=(-2,)), r"has shape \[-2\]"),
    "negative sizes": (entry(shape=(-1, -2)), r"has shape \[-1, -2\]"),
    "fractional size": (entry(shape=(2.0,)), r"has shape \[2.0\]"),
    "bool for a size": (entry(shape=(True, 2)), r"has shape \[True, 2\]"),
    "size as text": (entry(shape=("2",)), r"has shape \['2'\]"),
    "huge size": (entry(shape=(2**63,)), "has shape"),
    "huge product": (entry(shape=(2**62, 2**62)), "needs 85.* bytes, its range has 8"),
    "product that wraps to 8 bytes": (entry(shape=(2**31, 2**31, 2, 2**31 + 1)), "its range has 8"),
    "huge and empty": (entry(shape=(2**62, 2**62, 0), offsets=(0, 0)), "too large for 64 bits"),
    "many dimensions": (entry(shape=(1,) * 65), "at most 64 sizes"),
    "too few bytes": (entry(shape=(3,)), "needs 12 bytes, its range has 8"),
    "too many bytes": (entry(shape=(1,)), "needs 4 bytes, its range has 8"),
    "another dtype's bytes": (entry("F64"), "needs 16 bytes, its range has 8"),
    "range, no list": (entry() | {"data_offsets": 8}, "has data_offsets 8"),
    "range of three": (entry(offsets=(0, 4, 8)), "has data_offsets"),
    "negative range": (entry(offsets=(-8, 0)), "has data_offsets"),
    "backward range": (entry(offsets=(8, 0)), "has data_offsets"),
    "fractional range": (entry(offsets=(0, 8.0)), "has data_offsets"),
    "huge range": (entry(offsets=(0, 2**64)), "has data_offsets"),
    "out of the file": (entry(offsets=(8, 16)), "ends at byte 16 of the data, of which there are 8; the file is trunc"),
    "hole before": (entry("U8", (4,), (4, 8)), "bytes 0 to 4 of the data belong to no tensor"),
    "rest after": (entry("U8", (4,), (0, 4)), "bytes 4 to 8 of the data belong to no tensor"),
}


@pytest.mark.parametrize("content", HEADERS.values(), ids=HEADERS)
def test_a_bad_header_is_refused(path, content):
    refused(path, *content)


@pytest.mark.parametrize("content", ENTRIES.values(), ids=ENTRIES)
def test_a_bad_tensor_is_refused(path, content):
    value, message = content
    refused(path, file_bytes({"weight": value}, D), f"tensor 'weight'.*{message}|^[^']*{message}")


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ([(0, 8), (0, 8)], "'t0' and 't1' overlap, at byte 0"),
        ([(0, 6), (4, 8)], "'t0' and 't1' overlap, at byte 4"),
        ([(4, 8), (0, 5)], "'t1' and 't0' overlap, at byte 4"),
        ([(0, 8), (4, 4)], "'t0' and 't1' overlap, at byte 4"),
        ([(0, 2), (4, 8)], "bytes 2 to 4 of the data belong to no tensor"),
        ([(0, 2), (4, 4), (2, 8)], "'t2' and 't1' overlap, at byte 4"),
    ],
    ids=str,
)
def test_ranges_must_be_a_partition(path, ranges, message):
    header = {f"t{i}": entry("U8", (end - begin,), (begin, end)) for i, (begin, end) in enumerate(ranges)}
    refused(path, file_bytes(header, D), message)


def test_bools_other_than_0_and_1_are_rejected(path):
    path.write_bytes(file_bytes({"mask": entry("BOOL", (8,), (0, 8))}, b"\0\1\0\0\0\0\2\0"))
    for reader in READERS[:3]:
        with raises(CheckpointError, ".../model.safetensors", "tensor 'mask' is BOOL and has a byte 2"):
            reader(path)


@pytest.mark.parametrize("length", [100_000_001, 2**63, 2**64 - 1])
def test_a_huge_header_is_rejected_before_allocation(path, length):
    with path.open("wb") as file:
        file.write(struct.pack("<Q", length) + b"{}")
        file.truncate(200_000_000)  # sparse
    for reader in READERS:
        with raises(CheckpointError, ".../model.safetensors", "at most 100000000 are allowed"):
            reader(path)


def test_a_header_longer_than_the_file_is_refused(path):
    refused(path, struct.pack("<Q", 90_000_000) + b"{}", "would have 90000000 bytes, but only 2 follow: truncated")


def test_many_dimensions_of_large_size_do_not_take_long(path):
    refused(path, file_bytes({"w": entry(shape=(2**63 - 1,) * 64)}, D), "its range has 8")  # otherwise an endless loop


def zipped():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}, 2))
    return memory.getvalue()


def tarred(name="files"):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    return memory.getvalue()


def npy():
    memory = io.BytesIO()
    np.save(memory, np.arange(100))
    return memory.getvalue()


PYTORCH = {
    "zip": (zipped(), "this looks like a zip archive, perhaps a checkpoint of PyTorch's: read it with"),
    "old PyTorch": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." * 9, "a pickle, perhaps an old checkpoint"),
    **{f"pickle {p}": (pickle.dumps([1] * 99, p), "this looks like a pickle, perhaps") for p in (2, 3, 4, 5)},
}
FOREIGN = {
    "empty zip": (b"PK\5\6" + bytes(18), "zip archive"),
    "PyTorch 0.1": (tarred("sys_info"), "a tar archive of PyTorch 0.1: load it with PyTorch, and save it with"),
    "tar": (tarred(), "a tar archive"),
    "npy": (npy(), "a NumPy .npy file"),
    "gzip": (b"\x1f\x8b\x08" + bytes(99), "a gzip archive: unpack it"),
    "GGUF": (b"GGUF\3\0\0\0\7\0\0\0", "a GGUF file"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(99), "an HDF5 file"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer.*git lfs pull"),
    "page": (b"<!DOCTYPE html><html>", "an HTML or XML page"),
    "index": (b'{"metadata": {}, "weight_map": {}}', "JSON without the eight bytes"),
    "nothing": (b"", "it has 0 bytes"),
    "seven bytes": (b"1234567", "it has 7 bytes"),
    "text": (
        b"Hello, this is some text.",
        "neither a safetensors file nor one of torch.save: it is text that begins with",
    ),
    "zeros": (bytes(4096), "neither a safetensors file"),
}


@pytest.mark.parametrize("content", PYTORCH.values(), ids=PYTORCH)
def test_files_of_pytorch_are_not_safetensors_files(path, content):
    path.write_bytes(content[0])
    for reader in (load_file, load_metadata):
        with raises(CheckpointError, ".../model.safetensors", content[1]):
            reader(path)


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_other_kinds_of_files_are_recognised(path, content):
    refused(path, *content)


def test_directories_and_missing_files_raise_pythons_errors(path):
    for reader in READERS:
        with pytest.raises(IsADirectoryError) as caught:
            reader(path.parent)
        assert caught.value.filename == str(path.parent)
        with pytest.raises(FileNotFoundError) as missing:
            reader(path)
        assert missing.value.filename == str(path)


def test_a_path_that_is_empty_is_no_folder():
    with raises(FileNotFoundError, "save", "expected a path for a file", "this one is empty"):
        save({}, "")


@pytest.fixture
def folder():
    """A folder for a user whom permissions restrict; root may read all files, so the test does not run as root."""
    with tempfile.TemporaryDirectory() as made:
        if os.geteuid():
            yield made
            return
        os.chmod(made, 0o777)
        os.seteuid(65534)
        try:
            if not os.access(made, os.W_OK | os.X_OK, effective_ids=True):
                pytest.skip("the place for temporary files is root's alone")
            yield made
        finally:
            os.seteuid(0)


def test_unreadable_files_raise_pythons_errors(folder):
    path = f"{folder}/private"
    save_file({}, path)
    os.chmod(path, 0)
    for reader in READERS:
        with pytest.raises(PermissionError) as caught:
            reader(path)
        assert caught.value.filename == path
    with raises(PermissionError, "save", "write-protected"):
        save_file({}, path)


def test_a_pipe_does_not_hang(path):
    os.mkfifo(path)
    for reader in READERS:
        with raises(CheckpointError, ".../model.safetensors", "not a regular file"):
            reader(path)


def test_devices_are_refused():
    with raises(CheckpointError, ".../zero", "not a regular file"):
        load_file("/dev/zero")


def test_errors_pickle_whole(path):
    path.write_bytes(b"x")
    with pytest.raises(CheckpointError) as caught:
        load_file(path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.path, again.reason, str(again)) == (caught.value.path, caught.value.reason, str(caught.value))


@pytest.mark.parametrize("lazy", [True, False])
def test_a_file_that_shrinks_while_it_is_read_is_refused(path, monkeypatch, lazy):
    save_file({"a": parts(np.arange(1000.0)), "b": parts(np.arange(10.0))}, path)
    from facula_checkpoint import _reading

    def shrink(*arguments):
        os.truncate(path, os.path.getsize(path) - 100)
        return parse(*arguments)

    parse = _reading.parse_header
    monkeypatch.setattr(_reading, "parse_header", shrink)
    with raises(CheckpointError, ".../model.safetensors", "truncated while it was read"):
        load_file(path, lazy=lazy)


def test_a_file_that_grows_while_it_is_read_is_refused(path, monkeypatch):
    save_file({"a": parts(np.arange(10.0))}, path)
    from facula_checkpoint import _reading

    def grow(*arguments):
        with path.open("ab") as file:
            file.write(b"more")
        return parse(*arguments)

    parse = _reading.parse_header
    monkeypatch.setattr(_reading, "parse_header", grow)
    with raises(CheckpointError, ".../model.safetensors", "length changed"):
        load_file(path)


def test_every_truncation_is_refused(path):
    save({"a": parts(np.arange(3.0)), "b": [parts(np.arange(2, dtype=np.int8)), None]}, path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        for reader in READERS:
            with pytest.raises(CheckpointError):
                reader(path)
