"""Rows of Parquet files, compared with the written data and with pyarrow."""

import pickle

import numpy as np
import pytest

from facula_data import CorruptFileError, DataLoader
from facula_data.files import ParquetFile
from facula_errors.testing import raises

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNT = 25


def columns():
    rng = np.random.default_rng(0)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(rng.random(COUNT * 3, dtype=np.float32)), 3)
    return pa.table(
        {
            "id": np.arange(COUNT, dtype=np.int32),
            "x": rng.random(COUNT),
            "good": rng.random(COUNT) < 0.5,
            "vector": vectors,
            "name": [f"n{number}" for number in range(COUNT)],
            "gaps": [None if number % 3 else number for number in range(COUNT)],
            "words": [["a"] * (number % 3) for number in range(COUNT)],
        }
    )


@pytest.fixture
def path(tmp_path):
    pq.write_table(columns(), tmp_path / "x.parquet", row_group_size=10)
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("cached", [1, 3])
def test_rows_are_those_that_were_written(path, cached):
    data = ParquetFile(path, cached_row_groups=cached)
    assert len(data) == COUNT
    expected = columns().to_pylist()
    for place in np.random.default_rng(1).permutation(COUNT).tolist():
        found = data[place]
        assert isinstance(found["id"], np.int32)
        assert (found["vector"].dtype, found["vector"].shape) == (np.float32, (3,))
        assert {**found, "vector": found["vector"].tolist()} == expected[place]
    assert data[-1]["id"] == COUNT - 1
    assert [one["id"] for one in data.__getitems__([24, 0, 11, 3])] == [24, 0, 11, 3]
    with raises(IndexError, "ParquetFile", value=25):
        data[COUNT]
    assert pickle.loads(pickle.dumps(data))[4]["name"] == "n4"
    assert repr(data).startswith("ParquetFile(25 rows of id, x, ")


def test_columns_and_row_groups(path):
    data = ParquetFile(path, ["vector", "id"], row_groups=[2, -3])
    assert len(data) == 15
    assert list(data[0]) == ["vector", "id"]
    assert [int(data[place]["id"]) for place in range(15)] == [*range(20, 25), *range(10)]
    with raises(KeyError, "ParquetFile", value="'z'"):
        ParquetFile(path, ["z"])
    with raises(IndexError, "ParquetFile", value=3):
        ParquetFile(path, row_groups=[3])
    with raises(ValueError, "ParquetFile", "once each"):
        ParquetFile(path, row_groups=[0, -3])


@pytest.mark.parametrize("shuffle", [False, True])
def test_batches_are_those_sample_by_sample(path, shuffle):
    wanted = ["id", "x", "good", "vector"]
    data = ParquetFile(path, wanted)
    plain = [data[place] for place in range(COUNT)]
    ours, theirs = (DataLoader(one, batch_size=4, shuffle=shuffle, generator=0) for one in (data, plain))
    for one, other in zip(ours, theirs, strict=True):
        assert list(one) == list(other) == wanted
        for name in wanted:
            assert one[name].dtype == other[name].dtype
            np.testing.assert_array_equal(one[name], other[name])


def test_damaged_files(path, tmp_path):
    whole = path.read_bytes()
    for data in (b"", b"no such format" * 10, whole[:-1], whole[:100] + whole[-100:]):
        path.write_bytes(data)
        with raises(CorruptFileError, "ParquetFile", "expected a Parquet file", "x.parquet"):
            ParquetFile(path)
    path.write_bytes(whole[:4] + bytes(200) + whole[204:])  # the first pages
    data = ParquetFile(path)
    assert data[24]["id"] == 24
    with raises(CorruptFileError, "ParquetFile", "at row group 0 of"):
        data[0]
    with raises(FileNotFoundError, "ParquetFile"):
        ParquetFile(tmp_path / "none")


def test_a_row_group_that_unpacks_to_too_much_is_rejected(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": np.zeros(1 << 20)}), path, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < 1 << 16
    assert ParquetFile(path)[7]["x"] == 0
    with raises(CorruptFileError, "ParquetFile", "at most 1000000 bytes; got", "row group 0", "row_group_size"):
        ParquetFile(path, max_row_group_bytes=10**6)[7]


def test_without_pyarrow(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with raises(ImportError, "ParquetFile", "pip install pyarrow"):
        ParquetFile(path)
