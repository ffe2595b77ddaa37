"""Transforms of images, compared with NumPy and Pillow; random transforms depend only on their generator."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_data import DataLoader, IterableDataset, Subset
from facula_data._sampling.sample_rng import SampleRandom
from facula_data.transforms import (
    CenterCrop,
    Compose,
    FilterIterable,
    MapDataset,
    MapIterable,
    Normalize,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
    ToCHW,
    ToFloat,
    sample_rng,
)
from facula_errors.testing import raises

PICTURE = np.random.default_rng(0).integers(0, 256, (7, 10, 3)).astype(np.uint8)
CHW = np.ascontiguousarray(PICTURE.transpose(2, 0, 1))
GRAY = PICTURE[:, :, 0]


def rng(seed=0):
    return np.random.default_rng(seed)


def same_in_each_layout(make, **options):
    """Return the transform's result, (height, width, channels), after checking that both layouts agree."""
    hwc = make("HWC")(PICTURE, **{name: made() for name, made in options.items()})
    chw = make("CHW")(CHW, **{name: made() for name, made in options.items()})
    many = make("CHW")(CHW[None], **{name: made() for name, made in options.items()})
    gray = [make(layout)(GRAY, **{name: made() for name, made in options.items()}) for layout in ("CHW", "HWC")]
    np.testing.assert_array_equal(chw.transpose(1, 2, 0), hwc)
    np.testing.assert_array_equal(many[0], chw)
    np.testing.assert_array_equal(gray[0], hwc[:, :, 0])
    np.testing.assert_array_equal(gray[1], hwc[:, :, 0])
    assert hwc.dtype == np.uint8
    return hwc


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int16", "int32", "uint32", "int64"])
def test_to_float_divides_by_the_largest(dtype):
    limits = np.iinfo(dtype)
    numbers = np.array([0, 1, limits.max // 3, limits.max], dtype)
    expected = np.array([int(number) / limits.max for number in numbers]).astype(np.float32)
    found = ToFloat()(numbers)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(ToFloat()(expected.astype(np.float64)), expected)


def test_to_float_of_all_bytes_is_exact_division():
    every = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(ToFloat()(every), (every.astype(np.float64) / 255).astype(np.float32))
    with raises(TypeError, "ToFloat", value="dtype bool"):
        ToFloat()(np.zeros(3, bool))
    with raises(TypeError, "ToFloat", value="list"):
        ToFloat()([1])


def test_normalize():
    image = ToFloat()(CHW)
    mean, std = (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)
    expected = np.stack([(image[c] - np.float32(mean[c])) / np.float32(std[c]) for c in range(3)])
    np.testing.assert_array_equal(Normalize(mean, std)(image), expected)
    np.testing.assert_array_equal(Normalize(mean, std)(image[None])[0], expected)
    hwc = Normalize(mean, std, layout="HWC")(np.ascontiguousarray(image.transpose(1, 2, 0)))
    np.testing.assert_array_equal(hwc.transpose(2, 0, 1), expected)
    assert hwc.dtype == np.float32
    assert Normalize(0.5, 0.5)(image[0]).shape == (7, 10)
    with raises(TypeError, "Normalize", "ToFloat"):
        Normalize(mean, std)(CHW)
    with raises(ValueError, "Normalize", "each of 3 channels"):
        Normalize((0, 0), (1, 1))(image)
    with raises(ValueError, "Normalize", "without zeros"):
        Normalize(0, (1, 0))
    with raises(TypeError, "Normalize", "mean='x'"):
        Normalize("x", 1)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
@pytest.mark.parametrize(
    ("padding", "widths"), [(2, (2, 2, 2, 2)), ((1, 3), (1, 3, 1, 3)), ((0, 1, 2, 3), (0, 1, 2, 3))]
)
def test_pad(mode, padding, widths):
    left, top, right, bottom = widths
    found = same_in_each_layout(lambda layout: Pad(padding, padding_mode=mode, layout=layout))
    np.testing.assert_array_equal(found, np.pad(PICTURE, [(top, bottom), (left, right), (0, 0)], mode))


def test_pad_arguments():
    assert (same_in_each_layout(lambda layout: Pad(1, fill=9, layout=layout))[0] == 9).all()
    with raises(ValueError, "Pad", "padding=-1"):
        Pad(-1)
    with raises(ValueError, "Pad", "padding=(1, 2, 3)"):
        Pad((1, 2, 3))
    with raises(ValueError, "Pad", "padding_mode='wrap'"):
        Pad(1, padding_mode="wrap")
    with raises(ValueError, "Pad", "smaller than the picture, 7 × 10"):
        Pad(7, padding_mode="reflect")(GRAY)
    with raises(ValueError, "Pad", "layout='NCHW'"):
        Pad(1, layout="NCHW")
    with raises(TypeError, "Pad", "numpy.asarray"):
        Pad(1)([[1]])
    with raises(ValueError, "Pad", value="shape (3,)"):
        Pad(1)(np.zeros(3))


def test_center_crop():
    found = same_in_each_layout(lambda layout: CenterCrop((3, 4), layout=layout))
    np.testing.assert_array_equal(found, PICTURE[2:5, 3:7])
    padded = same_in_each_layout(lambda layout: CenterCrop((10, 4), layout=layout))
    np.testing.assert_array_equal(padded, np.pad(PICTURE[:, 3:7], [(1, 2), (0, 0), (0, 0)]))


def test_random_crops_are_parts_and_all_are_drawn():
    numbered = np.arange(20).reshape(4, 5)
    generator = rng()
    seen = set()
    for _ in range(300):
        found = RandomCrop((3, 2))(numbered, rng=generator)
        top, left = divmod(int(found[0, 0]), 5)
        np.testing.assert_array_equal(found, numbered[top : top + 3, left : left + 2])
        seen.add((top, left))
    assert seen == {(top, left) for top in range(2) for left in range(4)}
    found = same_in_each_layout(lambda layout: RandomCrop(5, padding=2, layout=layout), rng=rng)
    assert found.shape == (5, 5, 3)
    bordered = RandomCrop((9, 12), pad_if_needed=True, fill=1)(GRAY, rng=generator)
    assert bordered.shape == (9, 12)
    np.testing.assert_array_equal(RandomCrop((7, 10))(GRAY), GRAY)
    with raises(ValueError, "RandomCrop", "at least 8 × 8", value="7 × 10"):
        RandomCrop(8)(GRAY)


def test_flips():
    assert (same_in_each_layout(lambda layout: RandomHorizontalFlip(1, layout=layout)) == PICTURE[:, ::-1]).all()
    assert (same_in_each_layout(lambda layout: RandomVerticalFlip(1.0, layout=layout)) == PICTURE[::-1]).all()
    generator = rng()
    flipped = sum((RandomHorizontalFlip()(GRAY, rng=generator) != GRAY).any() for _ in range(400))
    assert 150 < flipped < 250
    assert not any((RandomVerticalFlip(0)(GRAY) != GRAY).any() for _ in range(20))
    with raises(ValueError, "RandomHorizontalFlip", "p=1.5"):
        RandomHorizontalFlip(1.5)


@pytest.mark.parametrize("size", [(3, 4), (14, 24), (7, 3), 4, (7, 10)])
def test_resize_equals_pillows(size):
    image = pytest.importorskip("PIL.Image")
    for ours, theirs, apart in (("bilinear", image.BILINEAR, 1), ("nearest-exact", image.NEAREST, 0)):
        found = same_in_each_layout(lambda layout, ours=ours: Resize(size, ours, layout=layout))
        target = (4, int(4 * 10 / 7)) if size == 4 else size
        expected = np.asarray(image.fromarray(PICTURE).resize(target[::-1], theirs))
        assert found.shape == expected.shape
        assert np.abs(found.astype(int) - expected.astype(int)).max() <= apart


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 20), st.integers(1, 20), st.booleans())
def test_resize_keeps_what_is_linear(height, width, tall, wide, antialias):
    flat = np.full((height, width), 3.25, np.float64)
    np.testing.assert_allclose(Resize((tall, wide), antialias=antialias)(flat), 3.25, rtol=1e-12)
    image = rng().random((height, width))
    down, across = (Resize(one, antialias=antialias) for one in ((tall, width), (height, wide)))
    np.testing.assert_allclose(
        Resize((tall, wide), antialias=antialias)(image), across_then(down, across, image), atol=1e-12
    )
    nearest = Resize((tall, wide), "nearest")(image)
    expected = image[np.arange(tall) * height // tall][:, np.arange(wide) * width // wide]
    np.testing.assert_array_equal(nearest, expected)


def across_then(down, across, image):
    """Resize one direction after the other."""
    height, width = down.size[0], across.size[1]
    return (
        Resize((height, width), antialias=down.antialias)(across(image)) if height != image.shape[0] else across(image)
    )


def test_resize_without_antialias_is_interpolation():
    row = np.array([[0.0, 10.0, 20.0, 30.0]])
    places = np.clip((np.arange(7) + 0.5) * 4 / 7 - 0.5, 0, 3)
    np.testing.assert_allclose(Resize((1, 7), antialias=False)(row)[0], np.interp(places, np.arange(4), row[0]))
    with raises(ValueError, "Resize", "interpolation among"):
        Resize(3, "bicubic")
    with raises(ValueError, "Resize", "picture with pixels"):
        Resize(3)(np.zeros((0, 4)))
    with raises(TypeError, "Resize", value="dtype complex128"):
        Resize(3)(np.zeros((2, 4), complex))


def test_random_resized_crops():
    found = same_in_each_layout(lambda layout: RandomResizedCrop((4, 5), layout=layout), rng=rng)
    assert found.shape == (4, 5, 3)
    whole = RandomResizedCrop((7, 10), scale=(1, 1), ratio=(10 / 7, 10 / 7))(GRAY, rng=rng())
    np.testing.assert_array_equal(whole, GRAY)
    thin = np.zeros((1, 50), np.uint8)
    assert RandomResizedCrop(3)(thin).shape == (3, 3)
    areas = [RandomResizedCrop(8, scale=(0.25, 0.5))._part(100, 100, rng(seed))[2:] for seed in range(50)]
    assert all(0.24 < tall * wide / 10_000 < 0.51 and 0.73 < wide / tall < 1.36 for tall, wide in areas)
    with raises(ValueError, "RandomResizedCrop", "scale=(1, 0.5)"):
        RandomResizedCrop(3, scale=(1, 0.5))


def test_to_chw():
    np.testing.assert_array_equal(ToCHW()(PICTURE), CHW)
    assert ToCHW()(PICTURE).flags.c_contiguous
    assert ToCHW()(GRAY).shape == (1, 7, 10)


def noisy(sample, *, rng):
    return sample + rng.random()


def test_compose_passes_one_generator():
    made = Compose([ToFloat(), noisy, lambda sample: sample * 2, noisy])
    expected = rng(5)
    first, second = expected.random(), expected.random()
    np.testing.assert_allclose(made(np.zeros(1, np.uint8), rng=rng(5)), first * 2 + second)
    assert made(np.zeros(1, np.uint8)) != made(np.zeros(1, np.uint8))
    assert made.wants_rng
    assert not Compose([ToFloat(), Compose([ToCHW()])]).wants_rng  # no generator is created
    assert Compose([ToFloat(), Compose([RandomHorizontalFlip()])]).wants_rng
    assert repr(Compose([ToFloat()])) == "Compose([ToFloat()])"
    with raises(TypeError, "Compose", "transforms[1] to be callable"):
        Compose([ToFloat(), 3])
    again = pickle.loads(pickle.dumps(Compose([ToFloat(), RandomHorizontalFlip(1)])))
    assert again(GRAY).dtype == np.float32


def test_random_numbers_are_those_of_the_sample_however_nested():
    inner = MapDataset(range(10), noisy)
    nested = MapDataset(Subset(inner, [7, 8, 9]), Compose([noisy]))
    drawn = {}
    for seed, epoch, index in [(1, 0, 2), (1, 0, 1), (1, 1, 2), (2, 0, 2), (1, 0, 2)]:
        with SampleRandom(seed, epoch, index):
            assert sample_rng() is sample_rng()
            drawn.setdefault((seed, epoch, index), set()).add(nested[2])
    assert all(len(values) == 1 for values in drawn.values())
    assert len(set.union(*drawn.values())) == 4
    assert nested[2] != nested[2]


def test_datasets_of_a_function():
    squares = MapDataset(range(10), lambda number: number * number)
    assert (len(squares), squares[3], squares[-1]) == (10, 9, 81)
    assert [batch.tolist() for batch in DataLoader(squares, batch_size=5)] == [[0, 1, 4, 9, 16], [25, 36, 49, 64, 81]]
    assert not hasattr(squares, "__getitems__")

    class Quick(list):
        def __getitems__(self, indices):
            return [100 + index for index in indices]

    assert MapDataset(Quick([1, 2, 3]), str).__getitems__([2, 0]) == ["102", "100"]
    assert not hasattr(MapDataset(Quick([1, 2, 3]), noisy), "__getitems__")
    with raises(TypeError, "MapDataset", "MapIterable is for"):
        MapDataset(iter([1]), str)
    with raises(TypeError, "MapDataset", "function to be callable"):
        MapDataset([1], 3)


def test_iterable_datasets_of_a_function():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(6))

    odd = FilterIterable(MapIterable(Stream(), lambda number: number * 3), lambda number: number % 2)
    for _ in range(2):
        assert [batch.tolist() for batch in DataLoader(odd, batch_size=2)] == [[3, 9], [15]]
    with raises(TypeError, "MapIterable", "an iterator, which ends"):
        MapIterable(iter([1]), str)
    with raises(TypeError, "FilterIterable", value="int"):
        FilterIterable(3, str)
