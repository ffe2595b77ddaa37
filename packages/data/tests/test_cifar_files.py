"""CIFAR's pickles and binary files; malicious pickles are rejected."""

import os
import pickle

import numpy as np
import pytest
from file_helpers import write_cifar10

from facula_data import CorruptFileError, DataLoader
from facula_data.files import CIFAR10, CIFAR100
from facula_errors.testing import raises


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_both_versions_give_the_same(tmp_path, binary, inner):
    folder = tmp_path / ("cifar-10-batches-bin" if binary else "cifar-10-batches-py")
    pictures, labels = write_cifar10(folder, binary=binary)
    data = CIFAR10(folder if inner else tmp_path)
    assert len(data) == 20
    assert len(CIFAR10(tmp_path, train=False)) == 4
    for place in (0, 3, 4, 19):
        picture, label = data[place]
        np.testing.assert_array_equal(picture, pictures[place].reshape(3, 32, 32))
        assert picture.flags.owndata or picture.base is None
        assert label == labels[place]
    assert data.classes[0] == "airplane"
    np.testing.assert_array_equal(data.data, pictures.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
    np.testing.assert_array_equal(data.targets, labels)
    (x, y), *_ = DataLoader(data, batch_size=20, shuffle=True, generator=3)
    plain = DataLoader(CIFAR10(tmp_path, transform=np.copy), batch_size=20, shuffle=True, generator=3)
    ((expected_x, expected_y),) = plain
    np.testing.assert_array_equal(x, expected_x)
    np.testing.assert_array_equal(y, expected_y)
    assert y.dtype == expected_y.dtype
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(again[-1][0], data[19][0])


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_every_protocol_is_read(tmp_path, protocol):
    data = np.arange(2 * 3072, dtype=np.uint64).astype(np.uint8).reshape(2, 3072)
    content = {"data": data, "fine_labels": [3, 99], "coarse_labels": [1, 2], "filenames": [b"a", "b"]}
    (tmp_path / "train").write_bytes(pickle.dumps(content, protocol=protocol))
    found = CIFAR100(tmp_path)
    np.testing.assert_array_equal(found[1][0].ravel(), data[1])
    assert found[1][1] == 99
    assert found.classes[99] == "class 99"


def test_cifar100_binary(tmp_path):
    records = np.zeros((3, 2 + 3072), np.uint8)
    records[:, 0], records[:, 1], records[:, 2:] = [1, 2, 3], [10, 20, 30], [[7], [8], [9]]
    folder = tmp_path / "cifar-100-binary"
    folder.mkdir()
    (folder / "test.bin").write_bytes(records.tobytes())
    (folder / "fine_label_names.txt").write_text("".join(f"n{number}\n" for number in range(100)))
    data = CIFAR100(tmp_path, train=False)
    assert data[2][1] == 30
    assert (data[2][0] == 9).all()
    assert data.classes[30] == "n30"


class Calls:
    def __init__(self, function, *arguments):
        self.made = (function, arguments)

    def __reduce__(self):
        return self.made


def written(tmp_path, data):
    (tmp_path / "train").write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        Calls(os.system, "touch harmed"),
        Calls(eval, "1"),
        Calls(np.zeros, 1 << 50),
        Calls(np.ndarray, (1 << 50,)),
        Calls(np.dtype, "O"),
        Calls(getattr, 1, "real"),
        Calls(bytearray, 1 << 50),
    ],
    ids=str,
)
def test_a_pickle_that_calls_anything_is_refused(tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with raises(CorruptFileError, "CIFAR100", "only", "this one") as caught:
        CIFAR100(written(tmp_path, pickle.dumps({"data": call, "fine_labels": []})))
    assert caught.value.path == str(tmp_path / "train")
    assert not (tmp_path / "harmed").exists()


def test_arrays_with_false_sizes_are_rejected(tmp_path):
    whole = pickle.dumps({"data": np.zeros((2, 3072), np.uint8), "fine_labels": [0, 1]}, protocol=2)
    shape = pickle.dumps((2, 3072), protocol=2)[2:-3]  # its opcodes, without the frame of a pickle
    assert shape[:5] in whole
    with raises(CorruptFileError, "CIFAR100", "6144 bytes for an array"):
        CIFAR100(written(tmp_path, whole.replace(b"K\x02M\x00\x0c\x86", b"K\xffM\x00\x0c\x86")))


@pytest.mark.parametrize("cut", [0, 1, 10, 100, -1])
def test_truncated_pickles(tmp_path, cut):
    whole = pickle.dumps({"data": np.zeros((2, 3072), np.uint8), "fine_labels": [0, 1]}, protocol=2)
    with raises(CorruptFileError, "CIFAR100", "expected a complete pickle"):
        CIFAR100(written(tmp_path, whole[:cut]))


RIGHT = np.zeros((2, 3072), np.uint8)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1, 2], "'data' to be uint8"),
        ({"data": RIGHT}, "list of 2 integers; got NoneType"),
        ({"data": RIGHT, "fine_labels": [0]}, "list of 2 integers; got 1 values"),
        ({"data": RIGHT, "fine_labels": [0, "1"]}, "list of 2 integers"),
        ({"data": RIGHT, "fine_labels": [0, 100]}, "from 0 to 99; got 100; at sample 1"),
        ({"data": RIGHT, "fine_labels": [-1, 0]}, "from 0 to 99; got -1"),
        ({"data": RIGHT[:, :5], "fine_labels": [0, 1]}, "got uint8 (2, 5)"),
        ({"data": RIGHT.astype(float), "fine_labels": [0, 1]}, "got float64"),
    ],
)
def test_pickles_of_something_else(tmp_path, content, message):
    with raises(CorruptFileError, "CIFAR100", message):
        CIFAR100(written(tmp_path, pickle.dumps(content)))


def test_damaged_and_missing_files(tmp_path):
    with raises(FileNotFoundError, "CIFAR10", "data_batch_1.bin, should be in"):
        CIFAR10(tmp_path)
    folder = tmp_path / "cifar-10-batches-bin"
    write_cifar10(folder, binary=True)
    with open(folder / "data_batch_3.bin", "ab") as file:
        file.write(b"?")
    with raises(CorruptFileError, "CIFAR10", "records of 3073 bytes", "at byte 12292 of", "data_batch_3"):
        CIFAR10(tmp_path)
    (folder / "data_batch_3.bin").unlink()
    with raises(FileNotFoundError, "CIFAR10", "pass download=True, or unpack https://"):
        CIFAR10(tmp_path)
