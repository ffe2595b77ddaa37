"""Memory-mapped files of arrays and tokens."""

import pickle

import numpy as np
import pytest

from facula_data import CorruptFileError, DataLoader
from facula_data.files import MemoryMapped, TokenFile
from facula_errors.testing import raises

ROWS = np.arange(60, dtype=np.float32).reshape(12, 5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "u1", "?"])
def test_npy_files(tmp_path, order, dtype):
    array = np.asarray(ROWS.astype(dtype), order=order)
    np.save(tmp_path / "x.npy", array)
    data = MemoryMapped(tmp_path / "x.npy")
    assert len(data) == 12
    np.testing.assert_array_equal(data[-1], array[11])
    np.testing.assert_array_equal(data[2:4], array[2:4])
    assert not data[0].flags.writeable
    assert type(data[0]) is np.ndarray
    batch = next(iter(DataLoader(data, batch_size=12, shuffle=True, generator=1)))
    single = next(iter(DataLoader([data[place] for place in range(12)], batch_size=12, shuffle=True, generator=1)))
    np.testing.assert_array_equal(batch, single)
    assert batch.dtype == single.dtype
    assert batch.flags.writeable
    with raises(IndexError, "MemoryMapped", value=12):
        data[12]
    if dtype != ">f4":  # which collation converts to native byte order
        with raises(IndexError, "MemoryMapped", value=-13):
            data.get_batch(np.array([0, -13]))
    assert repr(data).startswith(f"MemoryMapped({array.dtype} (12, 5) in ")


def test_raw_files(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"head" + ROWS.astype(">f4").tobytes())
    for shape in ((12, 5), (-1, 5)):
        data = MemoryMapped(path, ">f4", shape, offset=4)
        np.testing.assert_array_equal(data.array, ROWS)
    assert len(MemoryMapped(path, "u1")) == 244
    assert len(MemoryMapped(path, ">f4", (3, 5), offset=4)) == 3
    with raises(CorruptFileError, "MemoryMapped", "expected 264 bytes", "truncated"):
        MemoryMapped(path, ">f4", (13, 5), offset=4)
    with raises(CorruptFileError, "MemoryMapped", "rows of 20 bytes", "there are 244"):
        MemoryMapped(path, ">f4", (-1, 5))
    with raises(CorruptFileError, "MemoryMapped", "from byte 999 on"):
        MemoryMapped(path, ">f4", offset=999)
    with raises(ValueError, "MemoryMapped", "dtype with shape"):
        MemoryMapped(path, shape=(3,))
    with raises(ValueError, "MemoryMapped", "at least 0"):
        MemoryMapped(path, "u1", (3, -1))
    with raises(ValueError, "MemoryMapped", "dtype of numbers"):
        MemoryMapped(path, object)
    with raises(TypeError, "MemoryMapped", "dtype='flaot'"):
        MemoryMapped(path, "flaot")
    with raises(CorruptFileError, "MemoryMapped", "expected the header of a .npy file"):
        MemoryMapped(path)


def test_damaged_npy_files(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with raises(
        CorruptFileError, "MemoryMapped", f"expected {len(whole)} bytes for float32 (12, 5)", value=len(whole) - 1
    ):
        MemoryMapped(path)
    np.save(path, np.array([{}], dtype=object))
    with raises(CorruptFileError, "MemoryMapped", "stores pickled Python objects"):
        MemoryMapped(path)
    np.save(path, np.float32(3))
    with raises(CorruptFileError, "MemoryMapped", "no dimensions"):
        MemoryMapped(path)
    np.save(path, np.zeros((0, 3)))
    assert len(MemoryMapped(path)) == 0


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "int32", ">u2"])
@pytest.mark.parametrize(("length", "stride"), [(4, None), (4, 1), (4, 7), (19, None), (1, 1)])
def test_windows_of_tokens(tmp_path, dtype, length, stride):
    tokens = np.random.default_rng(0).integers(0, 999, 20)
    tokens.astype(dtype).tofile(tmp_path / "x.bin")
    data = TokenFile(tmp_path / "x.bin", length, dtype, stride=stride, vocabulary=999)
    step = length if stride is None else stride
    expected = [tokens[at : at + length + 1] for at in range(0, 20 - length, step)]
    assert len(data) == len(expected)
    for place, window in enumerate(expected):
        assert data[place].dtype == np.int64
        np.testing.assert_array_equal(data[place], window)
    places = np.array([-1, 0, len(expected) - 1])
    np.testing.assert_array_equal(data.get_batch(places), [expected[place] for place in places])
    np.testing.assert_array_equal(data.tokens, tokens)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(data))[-1], expected[-1])
    with pytest.raises(IndexError):
        data.get_batch(np.array([len(expected)]))


def test_tokens_in_npy_files_and_after_a_header(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(10, dtype=np.uint32))
    assert TokenFile(tmp_path / "x.npy", 3)[1].tolist() == [3, 4, 5, 6]
    (tmp_path / "x.bin").write_bytes(b"magic!" + np.arange(10, dtype=np.uint16).tobytes())
    assert TokenFile(tmp_path / "x.bin", 3, offset=6)[1].tolist() == [3, 4, 5, 6]


def test_damaged_token_files(tmp_path):
    path = tmp_path / "x.bin"
    np.arange(10, dtype=np.uint16).tofile(path)
    with raises(CorruptFileError, "TokenFile", "at least length + 1 = 11 tokens", value=10):
        TokenFile(path, 10)
    data = TokenFile(path, 4, vocabulary=7)
    with raises(CorruptFileError, "TokenFile", "tokens from 0 to 6", "at token 7 of", value=7):
        data[1]
    with raises(CorruptFileError, "TokenFile", "at token 7 of"):
        data.get_batch(np.array([0, 1]))
    path.write_bytes(path.read_bytes() + b"?")
    with raises(CorruptFileError, "TokenFile", "whole tokens of 2 bytes from byte 0 on", "there are 21"):
        TokenFile(path, 4)
    with raises(TypeError, "TokenFile", value="float64"):
        TokenFile(path, 4, "f8", offset=5)
    with raises(ValueError, "TokenFile", "length=0"):
        TokenFile(path, 0)
