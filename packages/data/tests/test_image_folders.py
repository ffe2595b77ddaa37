"""Folders of images by class, and decoding, compared with Pillow."""

import io
import os
import pickle
import re

import numpy as np
import pytest
from file_helpers import ppm

from facula_data import CorruptFileError, DataLoader
from facula_data.files import DatasetFolder, ImageFolder, decode_image, decode_npy, decode_text
from facula_errors.testing import raises

Image = pytest.importorskip("PIL.Image")

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (6, 9, 3)).astype(np.uint8)


def encoded(pixels, form, **options):
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, form, **options)
    return stream.getvalue()


def make(root, names):
    for place, name in enumerate(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ppm(np.full((4, 5, 3), place, np.uint8)))


def test_classes_and_samples_are_sorted(tmp_path):
    make(
        tmp_path,
        ["dog/b.ppm", "cat/z.PPM", "cat/a.ppm", "cat/sub/c.ppm", "cat/sub-2/d.ppm", "dog/notes.txt", "top.ppm"],
    )
    data = ImageFolder(tmp_path)
    assert data.classes == ["cat", "dog"]
    assert data.class_to_idx == {"cat": 0, "dog": 1}
    found = [(os.path.relpath(path, tmp_path), label) for path, label in data.samples]
    expected = [("cat/a.ppm", 0), ("cat/z.PPM", 0), ("cat/sub/c.ppm", 0), ("cat/sub-2/d.ppm", 0), ("dog/b.ppm", 1)]
    assert found == expected  # like torchvision: sorted by folder path, then by name
    assert data.samples == list(data.samples)
    assert data.imgs[-1] == data.samples[4]
    assert data.samples[1:3] == list(data.samples)[1:3]
    assert data.targets.tolist() == [0, 0, 0, 0, 1]
    picture, label = data[-1]
    assert (picture.shape, picture.dtype, label) == ((3, 4, 5), np.uint8, 1)
    assert (picture == 0).all()
    assert repr(data) == f"ImageFolder(5 samples of 2 classes in {tmp_path})"
    x, y = next(iter(DataLoader(data, batch_size=5)))
    assert x.shape == (5, 3, 4, 5)
    assert y.tolist() == [0, 0, 0, 0, 1]
    again = pickle.loads(pickle.dumps(data))
    assert again.samples == data.samples
    assert (again[0][0] == data[0][0]).all()


def test_circular_links_terminate(tmp_path):
    make(tmp_path, ["cat/a.ppm"])
    (tmp_path / "cat" / "again").symlink_to(tmp_path / "cat")
    assert len(ImageFolder(tmp_path)) == 1


def test_other_files_by_another_loader(tmp_path):
    for name in ("a/1.npy", "b/2.npy"):
        (tmp_path / name).parent.mkdir()
        np.save(tmp_path / name, np.full(3, int(name[2])))
    (tmp_path / "b" / "3.bak").touch()
    data = DatasetFolder(tmp_path, decode_npy, (".npy",), transform=np.negative, target_transform=str)
    assert [(array.tolist(), label) for array, label in (data[0], data[1])] == [([-1] * 3, "0"), ([-2] * 3, "1")]
    chosen = DatasetFolder(tmp_path, str, is_valid_file=lambda path: "1" in os.path.basename(path), allow_empty=True)
    assert len(chosen) == 1
    with raises(ValueError, "DatasetFolder", "either extensions or is_valid_file"):
        DatasetFolder(tmp_path, str)


def test_incomplete_folders(tmp_path):
    with raises(FileNotFoundError, "ImageFolder", "no such folder"):
        ImageFolder(tmp_path / "none")
    with raises(FileNotFoundError, "ImageFolder", "there is no folder in it"):
        ImageFolder(tmp_path)
    make(tmp_path, ["cat/a.ppm"])
    (tmp_path / "dog").mkdir()
    with raises(FileNotFoundError, "ImageFolder", ".jpg", "there are none", "allow_empty=True", "dog"):
        ImageFolder(tmp_path)
    assert ImageFolder(tmp_path, allow_empty=True).classes == ["cat", "dog"]
    with pytest.raises(NotADirectoryError):
        ImageFolder(tmp_path / "cat" / "a.ppm")
    with raises(IndexError, "ImageFolder", value=1):
        ImageFolder(tmp_path, allow_empty=True)[1]


def test_a_damaged_picture_is_named(tmp_path):
    make(tmp_path, ["cat/a.ppm", "cat/b.ppm"])
    path = tmp_path / "cat" / "b.ppm"
    path.write_bytes(path.read_bytes()[:-7])
    with raises(CorruptFileError, "decode_image", "truncated") as caught:
        list(DataLoader(ImageFolder(tmp_path), batch_size=2))
    assert caught.value.path == str(path)
    assert caught.value.__notes__ == ["DataLoader: raised by ImageFolder.__getitem__(1)"]


@pytest.mark.parametrize(("form", "options"), [("PNG", {}), ("JPEG", {"quality": 90}), ("BMP", {}), ("TIFF", {})])
def test_pixels_equal_pillows(form, options, tmp_path):
    data = encoded(PIXELS, form, **options)
    expected = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    np.testing.assert_array_equal(decode_image(data, layout="HWC"), expected)
    np.testing.assert_array_equal(decode_image(bytearray(data)), expected.transpose(2, 0, 1))
    assert decode_image(data).flags.c_contiguous
    path = tmp_path / "picture"
    path.write_bytes(data)
    np.testing.assert_array_equal(decode_image(path, "L")[0], np.asarray(Image.open(path).convert("L")))


def test_modes():
    gray = encoded(PIXELS[:, :, 0], "PNG")
    assert decode_image(gray).shape == (3, 6, 9)
    assert decode_image(gray, None).shape == (1, 6, 9)
    assert decode_image(gray, "RGBA", layout="HWC").shape == (6, 9, 4)
    deep = encoded(PIXELS[:, :, 0].astype(np.uint16) * 256, "PNG")
    assert decode_image(deep, None).dtype == np.uint16
    with raises(ValueError, "decode_image", "layout='WHC'"):
        decode_image(gray, layout="WHC")


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("cut", [0, 5, 40, -60])
def test_cut_pictures(form, cut):
    data = encoded(PIXELS, form)[:cut]
    with raises(CorruptFileError, "decode_image", "in bytes in memory"):
        decode_image(data)


def test_a_picture_of_too_many_pixels_is_rejected_before_decoding():
    bomb = encoded(np.zeros((2000, 2000), np.uint8), "PNG")
    assert len(bomb) < 20_000
    with raises(CorruptFileError, "decode_image", "at most 1000000 pixels", value="2000 × 2000"):
        decode_image(bomb, max_pixels=10**6)


def test_formats_that_run_programs_are_rejected():
    with raises(CorruptFileError, "decode_image", "cannot identify"):
        decode_image(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n")


def test_without_pillow(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with raises(ImportError, "decode_image", "pip install pillow"):
        decode_image(b"")


def test_decode_npy_and_text(tmp_path):
    for array in (
        np.arange(6).reshape(2, 3),
        np.asfortranarray(np.ones((2, 3), ">f4")),
        np.zeros((0, 2)),
        np.array(3.0),
    ):
        stream = io.BytesIO()
        np.save(stream, array)
        data = stream.getvalue()
        found = decode_npy(data)
        assert (found.shape, found.dtype) == (array.shape, array.dtype)
        np.testing.assert_array_equal(found, array)
        for damaged in (
            data[:-1],
            data + b"!",
            data[:20],
            b"",
            b"\x93NUMPY\x09\x00" + data[8:],
            data.replace(b"'", b"("),
        ):
            if damaged != data:
                with raises(CorruptFileError, "decode_npy") as caught:
                    decode_npy(damaged)
                assert re.search("allow_pickle=False|copy or write", str(caught.value))
    stream = io.BytesIO()
    np.save(stream, np.array([os.system], dtype=object), allow_pickle=True)
    with raises(CorruptFileError, "decode_npy", "stores pickled Python objects"):
        decode_npy(stream.getvalue())
    lying = stream.getvalue()[:0] + b"\x93NUMPY\x01\x00\x76\x00"
    lying += b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,), }".ljust(117) + b"\n"
    with raises(CorruptFileError, "decode_npy", "expected 7999999999992 bytes"):
        decode_npy(lying)
    assert decode_text("é".encode("latin-1"), "latin-1") == "é"
    with raises(CorruptFileError, "decode_text", "byte 1 of"):
        decode_text(b"a\xff")
