"""`pad` and `interpolate`: scales, other dtypes, and errors that the matrix does not cover."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.functional import interpolate, pad
from facula_tensor.ops.neural.vision.resample import RegularTaps


def test_explicit_scales_are_used():
    x = ft.arange(10.0).view(1, 1, 10)
    given = interpolate(x, scale_factor=0.35, mode="linear")
    again = interpolate(x, scale_factor=0.35, mode="linear", recompute_scale_factor=True)
    ends = [0.5 / 0.35 - 0.5, 1.5 / 0.35 - 0.5, 2.5 / 0.35 - 0.5]
    assert given.view(-1).tolist() == pytest.approx(ends, rel=1e-6)
    assert again.view(-1).tolist() == pytest.approx(
        [0.5 * 10 / 3 - 0.5, 1.5 * 10 / 3 - 0.5, 2.5 * 10 / 3 - 0.5], rel=1e-6
    )


@pytest.mark.parametrize(
    ("shape", "mode", "scale", "wanted"),
    [
        ((3,), "linear", 1.1, [0, 1, 2]), ((1, 3), "bilinear", 1.3, [0, 1, 2]), ((1, 3), "nearest", 1.1, [0, 1, 2]),
        ((1, 3), "nearest", (1, 2.1), [0, 0, 1, 1, 2, 2]), ((3,), "nearest", 1.3, [0, 0, 1]),
        ((1, 1, 3), "nearest", 1.3, [0, 0, 1]),
    ],
)  # fmt: skip
def test_scales_that_pytorch_ignores(shape, mode, scale, wanted):
    x = ft.arange(3.0).view(1, 1, *shape)
    assert interpolate(x, scale_factor=scale, mode=mode).view(-1).tolist() == wanted


@pytest.mark.parametrize("mode", ["nearest", "linear", "bicubic", "reflect", "replicate", "circular"])
def test_matrices_are_made_in_c(monkeypatch, mode):
    """The arrays of NumPy, which are slower, are not even created."""
    monkeypatch.setattr(RegularTaps, "__getattr__", lambda taps, name: pytest.fail(f"reads {name}"))
    x = ft.ones(1, 1, 17, 19) if mode == "bicubic" else ft.ones(1, 1, 323)
    resizes = mode in ("nearest", "linear", "bicubic")
    y = (
        interpolate(x, size=(23, 29) if mode == "bicubic" else 977, mode=mode)
        if resizes
        else pad(x, (101, 103), mode=mode)
    )
    assert ft.allclose(y, ft.ones_like(y))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64"])
@pytest.mark.parametrize("shape", [(3, 5, 1), (2, 9, 7), (5, 2, 20), (1, 3, 33), (4, 16)])
def test_nearest_elements_of_twice_as_many(shape, dtype):
    x = ft.arange(np.prod(shape)).view(1, *shape).to(getattr(ft, dtype))
    wanted = x.double().numpy().repeat(2, -1)
    wanted = wanted.repeat(2, -2) if len(shape) == 3 else wanted
    x.requires_grad = x.is_floating_point()
    y = interpolate(x, scale_factor=2)
    assert (y.detach().double().numpy() == wanted).all()
    if x.requires_grad:
        g = ft.arange(y.numel()).view(y.shape).remainder(13).to(x.dtype)
        (y * g).sum().backward()
        sums = g.double().numpy()[..., ::2] + g.double().numpy()[..., 1::2]
        sums = sums[..., ::2, :] + sums[..., 1::2, :] if len(shape) == 3 else sums
        assert (x.grad.double().numpy() == sums).all()


def test_images_of_bytes_are_rounded():
    x = ft.tensor([[[[0, 255], [10, 20]]]], dtype=ft.uint8)
    y = interpolate(x, (1, 1), mode="bilinear")
    assert y.dtype is ft.uint8 and y.item() == 72  # columns become 128 and 15


def resized_bytes(image, size, mode):
    """Interpolate with 16-bit integer weights, columns before rows, rounding and clamping to bytes after each pass."""
    for axis, count in ((1, size[1]), (0, size[0])):
        length = image.shape[axis]
        weights = interpolate(ft.eye(length, dtype=ft.float64)[None], count, mode="linear").numpy()[0].T
        if mode == "bicubic":
            weights = interpolate(ft.eye(length, dtype=ft.float64)[None, None], (length, count), mode=mode)
            weights = weights.numpy()[0, 0].T
        bits = max(bits for bits in range(22) if np.rint(weights.max() * 2**bits) < 2**15)
        whole = np.trunc(weights * 2**bits + np.copysign(0.5, weights)).astype(np.int64)
        sums = np.tensordot(whole, np.moveaxis(image, axis, 0), 1)
        image = np.moveaxis(np.clip((sums + (1 << bits - 1)) >> bits, 0, 255), 0, axis)
    return image


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(7, 9), (33, 40), (41, 5), (20, 15)])
def test_images_of_bytes_use_16_bit_weights(mode, size):
    image = np.random.default_rng(1).integers(0, 256, (20, 31), dtype=np.uint8)
    wanted = resized_bytes(image.astype(np.int64), size, mode)
    found = interpolate(ft.from_numpy(image)[None, None], size, mode=mode)
    assert (found.numpy()[0, 0] == wanted).all()


@pytest.mark.parametrize(
    ("mode", "antialias", "wanted"),
    [  # of PyTorch 2.13.0
        ("bilinear", False, [90, 144, 134, 124, 138, 128, 118, 108, 122, 112, 166, 156]),
        ("bilinear", True, [99, 126, 130, 131, 130, 128, 134, 120, 128, 130, 152, 145]),
        ("bicubic", False, [85, 160, 138, 124, 141, 128, 106, 104, 121, 96, 174, 160]),
        ("bicubic", True, [93, 128, 130, 133, 132, 126, 134, 116, 129, 127, 156, 146]),
    ],
)
def test_images_of_bytes_equal_pytorchs(mode, antialias, wanted):
    x = (ft.arange(48) * 91 % 256).view(1, 1, 6, 8).to(ft.uint8)
    assert interpolate(x, (3, 4), mode=mode, antialias=antialias).view(-1).tolist() == wanted


def test_padding_of_any_dimensions():
    x = pad(ft.ones(2, dtype=ft.bool), (1, 0), value=True)
    assert x.tolist() == [True, True, True]
    assert pad(ft.ones(1, 1, 1, 1, 1), (0, 1) * 5).sum() == 1
    assert pad(ft.zeros(0), (1, 1), value=3.5).tolist() == [3.5, 3.5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    ("shape", "amounts"), [((5, 7), (1, 1, 1, 1)), ((3, 28), (2, 0, 0, 1)), ((60, 41), (40, 35, 2, 0)), ((9,), (3, 2))]
)
def test_padded_elements_and_their_gradients(shape, amounts, mode, dtype):
    x = ft.arange(2.0 * np.prod(shape)).view(1, 2, *shape).to(getattr(ft, dtype))
    x[0, 0] = -0.0
    y = pad(x.requires_grad_(), amounts, mode)
    widths = [(0, 0), (0, 0), *zip(amounts[-2::-2], amounts[::-2], strict=True)]
    names = {"replicate": "edge", "circular": "wrap"}
    wanted = np.pad(x.detach().numpy(), widths, names.get(mode, mode))
    assert np.array_equal(y.detach().numpy(), wanted) and np.signbit(y.detach().numpy()[0, 0]).all()
    sources = np.pad(np.arange(x.numel()).reshape(x.shape), widths, names.get(mode, mode))
    g = ft.arange(y.numel()).view(y.shape).remainder(13).to(x.dtype)
    y.backward(g)
    sums = np.bincount(sources.ravel(), g.numpy().ravel()).reshape(x.shape)
    assert np.array_equal(x.grad.numpy(), sums)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: pad(x, (1,)), "pad: expected pad to have two numbers"),
        (lambda x: pad(x, (5, 0), "reflect"), "pad: mode 'reflect' ... less than 4"),
        (lambda x: pad(x, (1, 1), "mirror"), "pad: expected mode to be ... constant"),
        (lambda x: pad(x, (-3, -2)), "pad: leave no elements"),
        (lambda x: pad(x, (-5, 9)), "pad: leave no elements"),  # nothing is left to which elements are added
        (lambda x: pad(x, (1, 1), "circular", 2), "pad: expected a value only for mode 'constant'"),
        (lambda x: interpolate(x), "interpolate: expected size or scale_factor; got neither"),
        (lambda x: interpolate(x, 2, 2), "interpolate: got both"),
        (lambda x: interpolate(x, 2, mode="bilinear"), "interpolate: mode 'bilinear' takes 4"),
        (lambda x: interpolate(x, 2, mode="cubic"), "interpolate: expected mode to be one of"),
        (lambda x: interpolate(x, 0), "interpolate: expected size to be positive"),
        (lambda x: interpolate(x, scale_factor=0.1), "interpolate: leaves no elements"),
        (lambda x: interpolate(x, 2, align_corners=True), "interpolate: align_corners only for"),
    ],
)
def test_errors(call, text):
    with raises(ValueError, text):
        call(ft.ones(1, 2, 4))


@pytest.mark.parametrize(
    ("mode", "size", "align", "wanted"),
    [  # of PyTorch 2.13.0
        ("bilinear", (1, 2), False, [6.7142854, 8.2857141]),
        ("bilinear", (1, 2), True, [1.25, 2.6666667]),
        ("bicubic", (3, 2), False, [1.3465022, 3.1729484, 6.5867767, 8.4132223, 11.8270521, 13.6534986]),
        ("bicubic", (3, 2), True, [2.3828704, 4.0449586, 8.430769, 10.0928583, 13.2031851, 14.8652735]),
    ],
)
def test_antialias_equals_pytorch(mode, size, align, wanted):
    x = ft.arange(16.0).view(1, 1, 4, 4)
    y = interpolate(x, size, mode=mode, align_corners=align, antialias=True)
    assert y.view(-1).tolist() == pytest.approx(wanted, rel=1e-6)


def test_antialias_of_bytes_and_unsupported_modes():
    x = ft.tensor([[[[0, 255, 0, 255], [255, 0, 255, 0]]]], dtype=ft.uint8)
    for mode in ("bilinear", "bicubic"):
        y = interpolate(x, (2, 2), mode=mode, antialias=True)
        assert y.dtype is ft.uint8 and y.float().mean() == pytest.approx(127.5, abs=1)
        same = interpolate(x, (2, 4), mode=mode, antialias=True)
        assert same.tolist() == x.tolist()
    z = ft.rand(1, 2, 9, 3, dtype=ft.float64)  # each dimension depends only on its own length
    once = interpolate(z, (4, 1), mode="bilinear", antialias=True)
    assert once.allclose(interpolate(interpolate(z, (4, 3), mode="bilinear", antialias=True), (4, 1), mode="bilinear",
                                     antialias=True))  # fmt: skip
    for mode in ("nearest", "area", "linear", "trilinear"):
        with raises(ValueError, "interpolate", "antialias only for bilinear, bicubic"):
            dims = {"linear": 1, "trilinear": 3}.get(mode, 2)
            interpolate(ft.ones(1, 1, *[4] * dims), 2, mode=mode, antialias=True)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize("length", [2100, 9000])
def test_gradients_of_few_elements_of_long_rows(length, dtype):
    """Almost all elements of the input contribute to no output."""
    x = ft.zeros(2, 4, length, dtype=dtype, requires_grad=True)
    interpolate(x, 3, mode="nearest").sum().backward()
    wanted = np.zeros(length)
    wanted[[0, length // 3, 2 * length // 3]] = 1
    assert np.array_equal(x.grad.numpy(), np.broadcast_to(wanted, x.shape))
