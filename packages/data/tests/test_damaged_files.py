"""Files with modified bytes yield the original contents, other contents, or an error that names the file."""

import gzip
import io
import json
import pickle

import numpy as np
import pytest
from file_helpers import ppm, tar_bytes
from hypothesis import given
from hypothesis import strategies as st

from facula_data import CorruptFileError
from facula_data.files import (
    CIFAR100,
    CSVFile,
    MemoryMapped,
    ParquetFile,
    TarShards,
    TokenFile,
    decode_image,
    decode_npy,
)

DAMAGES = st.lists(
    st.tuples(st.sampled_from(["change", "cut", "insert", "repeat"]), st.floats(0, 1), st.binary(max_size=8)),
    max_size=3,
)


def damaged(data, damages):
    data = bytearray(data)
    for kind, part, other in damages:
        place = int(part * len(data))
        if kind == "change":
            data[place : place + len(other)] = other
        elif kind == "cut":
            del data[place:]
        elif kind == "insert":
            data[place:place] = other
        else:
            data += data[place:]
    return bytes(data)


def npy():
    stream = io.BytesIO()
    np.save(stream, np.arange(12.0).reshape(3, 4))
    return stream.getvalue()


TAR = tar_bytes(
    [("a/0.npy", npy()), ("a/0.json", json.dumps({"k": 1}).encode()), ("a/1.txt", "ü".encode()), ("a/1.cls", b"3")]
)
CIFAR = pickle.dumps({"data": np.zeros((1, 3072), np.uint8), "fine_labels": [1], "filenames": ["x"]}, protocol=2)
CSV = b"a,b,c\n" + b'1,"x ""y""\n, z",3\n' * 20


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged") / "train"


def reads(read, data, damages, path):
    """Return the result of `read()`, or None if it reports that the file is damaged."""
    path.write_bytes(damaged(data, damages))
    try:
        return read()
    except CorruptFileError as error:
        assert error.remedy
        assert str(path) in str(error) or "in memory" in str(error)
        return None


@given(DAMAGES)
def test_tar_archives(path, damages):
    reads(lambda: list(TarShards(path)), TAR, damages, path)


@given(DAMAGES)
def test_compressed_tar_archives(path, damages):
    found = reads(lambda: list(TarShards(path, None)), gzip.compress(TAR), damages, path)
    if found is not None and path.read_bytes()[:2] == b"\x1f\x8b":
        assert [sorted(sample)[2:] for sample in found] == [["json", "npy"], ["cls", "txt"]]  # detected by the checksum


@given(DAMAGES)
def test_npy_arrays(path, damages):
    found = reads(lambda: decode_npy(path), npy(), damages, path)
    mapped = reads(lambda: MemoryMapped(path).array, npy(), damages, path)
    assert found is None or isinstance(found, np.ndarray)
    assert mapped is None or isinstance(mapped, np.ndarray)


@given(DAMAGES)
def test_pickles_of_cifar(path, damages):
    reads(lambda: list(map(CIFAR100(path.parent).__getitem__, [0])), CIFAR, damages, path)


@given(DAMAGES)
def test_csv_files(path, damages):
    def read():
        data = CSVFile(path)
        return [data[place] for place in range(len(data))]

    found = reads(lambda: read(), CSV, damages, path)
    assert found is None or all(len(row) == len(found[0]) for row in found)


@given(DAMAGES)
def test_tokens(path, damages):
    reads(lambda: TokenFile(path, 4, vocabulary=50)[0], np.arange(50, dtype=np.uint16).tobytes(), damages, path)


@given(DAMAGES, st.sampled_from(["PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP", "PPM", "TGA"]))
def test_pictures(path, damages, form):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (6, 9, 3)).astype(np.uint8)
    stream = io.BytesIO()
    image.fromarray(pixels).save(stream, form)
    found = reads(lambda: decode_image(path, max_pixels=10**6), stream.getvalue(), damages, path)
    assert found is None or (found.dtype == np.uint8 and found.ndim == 3 and len(found) == 3)
    found = reads(lambda: decode_image(path.read_bytes(), max_pixels=10**6), ppm(pixels), damages, path)


@given(DAMAGES)
def test_parquet_files(path, damages):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": np.arange(8), "b": list("abcdefgh")}), stream, row_group_size=4)
    data = stream.getvalue()

    def read():
        found = ParquetFile(path)
        return [found[place] for place in range(min(len(found), 9))]

    reads(read, data, damages, path)
