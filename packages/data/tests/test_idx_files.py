"""IDX files and their datasets, valid and damaged."""

import gzip
import pickle
import struct

import numpy as np
import pytest
from file_helpers import idx_bytes, write_mnist
from hypothesis import given
from hypothesis import strategies as st

from facula_data import CorruptFileError, DataLoader
from facula_data.files import KMNIST, MNIST, FashionMNIST, read_idx
from facula_errors.testing import raises


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("shape", [(), (5,), (0, 3), (2, 3, 4)])
def test_read_idx_gives_what_was_written(tmp_path, name, compressed, shape):
    array = (np.arange(int(np.prod(shape))) - 3).astype(name).reshape(shape)
    data = idx_bytes(array)
    path = tmp_path / "array.idx"
    path.write_bytes(gzip.compress(data) if compressed else data)
    found = read_idx(path)
    assert found.dtype == array.dtype
    assert found.dtype.isnative
    np.testing.assert_array_equal(found, array)


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_are_an_array_or_corrupt(tmp_path_factory, data, begun):
    path = tmp_path_factory.mktemp("idx") / "file"
    path.write_bytes(bytes([0, 0, 8]) * begun + data)
    try:
        found = read_idx(path)
    except CorruptFileError as error:
        assert str(path) in str(error)
    else:
        assert idx_bytes(found) == path.read_bytes()


WHOLE = idx_bytes(np.arange(12, dtype=np.uint8).reshape(3, 4))
DAMAGED = {
    "empty": (b"", "two zero bytes"),
    "another format": (b"<html>not here</html>", "got b'<htm'; at byte 0 of ... web page"),
    "unknown dtype": (b"\0\0\x0a\x01" + WHOLE[4:], "code of the dtype"),
    "header cut": (WHOLE[:9], "expected 2 sizes"),
    "data cut": (WHOLE[:-1], "truncated"),
    "too long": (WHOLE + b"!", "there is more; at byte 24"),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_named(tmp_path, kind, compressed):
    data, message = DAMAGED[kind]
    path = tmp_path / "array.idx"
    path.write_bytes(gzip.compress(data) if compressed else data)
    with raises(CorruptFileError, "read_idx", message) as caught:
        read_idx(path)
    assert caught.value.path == str(path)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("cut", [5, 20, -9, -1])
def test_a_cut_or_changed_gzip_file_is_named(tmp_path, cut):
    data = gzip.compress(WHOLE * 1)
    path = tmp_path / "array.gz"
    path.write_bytes(data[:cut])
    with raises(CorruptFileError, "read_idx", "array.gz"):
        read_idx(path)
    path.write_bytes(data[:-5] + bytes([data[-5] ^ 1]) + data[-4:])  # the checksum
    with raises(CorruptFileError, "read_idx", "CRC"):
        read_idx(path)


def test_a_header_that_claims_terabytes_is_rejected_before_allocation(tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(struct.pack(">BBBBII", 0, 0, 8, 2, 1 << 20, 1 << 20)))
    with raises(CorruptFileError, "read_idx", "expected at most"):
        read_idx(path)
    path.write_bytes(gzip.compress(idx_bytes(np.zeros(1 << 20, np.uint8))))
    assert len(read_idx(path)) == 1 << 20
    with raises(CorruptFileError, "read_idx", "pass max_bytes"):
        read_idx(path, max_bytes=1 << 19)


def test_a_missing_file_and_a_folder(tmp_path):
    with raises(FileNotFoundError, "read_idx"):
        read_idx(tmp_path / "none")
    with raises(IsADirectoryError, "read_idx", value="a folder"):
        read_idx(tmp_path)


@pytest.mark.parametrize("place", ["", "raw", "MNIST/raw"])
@pytest.mark.parametrize("compressed", [False, True])
def test_mnist_is_found_in_the_usual_folders(tmp_path, place, compressed):
    pictures, labels = write_mnist(tmp_path / place, compressed=compressed)
    data = MNIST(tmp_path)
    assert len(data) == 12
    picture, label = data[3]
    assert picture.shape == (1, 28, 28)
    np.testing.assert_array_equal(picture[0], pictures[3])
    assert (label, type(label)) == (3, int)
    np.testing.assert_array_equal(data.data, pictures)
    np.testing.assert_array_equal(data.targets, labels)
    assert data.classes[3] == "3 - three"
    assert data.class_to_idx["9 - nine"] == 9
    assert (MNIST(tmp_path, train=False)[0][0] != picture).any()
    assert repr(data) == "MNIST(12 samples: (1, 28, 28) uint8, 10 classes)"
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(again[-1][0], data[11][0])


def test_get_batch_equals_single_samples(tmp_path):
    write_mnist(tmp_path)
    whole = list(DataLoader(MNIST(tmp_path), batch_size=5, shuffle=True, generator=0))
    single = list(
        DataLoader(MNIST(tmp_path, transform=lambda picture: picture), batch_size=5, shuffle=True, generator=0)
    )
    for one, other in zip(whole, single, strict=True):
        assert [part.dtype for part in one] == [part.dtype for part in other]
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    with raises(IndexError, "MNIST", "from -12 to 11", value=12):
        MNIST(tmp_path).get_batch(np.array([0, 12]))


def test_transforms_are_applied(tmp_path):
    write_mnist(tmp_path)

    def noisy(picture, *, rng):
        assert isinstance(rng, np.random.Generator)
        return picture.astype(float) + rng.random()

    data = MNIST(tmp_path, transform=noisy, target_transform=str)
    assert data[4][1] == "4"
    assert (data[4][0] != data[4][0]).any()
    data.transform = None
    assert data.transform is None
    assert data[4][0].dtype == np.uint8
    with raises(TypeError, "MNIST", "transform to be callable"):
        data.transform = 3

    def broken(picture):
        raise KeyError("x")

    data.transform = broken
    with pytest.raises(KeyError) as caught:
        data[5]
    assert caught.value.__notes__ == ["MNIST: raised by a transform of sample 5"]


def test_files_of_other_datasets(tmp_path):
    with raises(FileNotFoundError, "MNIST", "or the same with .gz, should be in one of"):
        MNIST(tmp_path)
    write_mnist(tmp_path)
    labels = tmp_path / "train-labels-idx1-ubyte"
    labels.write_bytes(idx_bytes(np.zeros(11, np.uint8)))
    with raises(CorruptFileError, "MNIST", "expected 12 labels") as caught:
        MNIST(tmp_path)
    assert caught.value.path == str(labels)
    labels.write_bytes(idx_bytes(np.array([1] * 7 + [10] * 5, np.uint8)))
    with raises(CorruptFileError, "MNIST", "labels from 0 to 9", "at sample 7", value=10):
        MNIST(tmp_path)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx_bytes(np.zeros((12, 28), np.uint8)))
    with raises(CorruptFileError, "MNIST", "28 × 28", value="uint8"):
        MNIST(tmp_path)


def test_related_datasets_have_their_own_classes(tmp_path):
    write_mnist(tmp_path / "FashionMNIST" / "raw")
    write_mnist(tmp_path / "KMNIST" / "raw", compressed=True)
    assert FashionMNIST(tmp_path).classes[9] == "Ankle boot"
    assert KMNIST(tmp_path, train=False).class_to_idx["wo"] == 9


def test_an_uncompressed_file_is_mapped(tmp_path):
    write_mnist(tmp_path)
    data = MNIST(tmp_path).data
    assert not data.flags.writeable
    assert not data.flags.owndata
