"""What rows cannot say of `pad` and `interpolate`: scales, other dtypes, and what is refused."""

import pytest

import facula_tensor as ft
from facula_tensor.functional import interpolate, pad


def test_scales_are_those_given():
    x = ft.arange(10.0).view(1, 1, 10)
    given = interpolate(x, scale_factor=0.35, mode="linear")
    again = interpolate(x, scale_factor=0.35, mode="linear", recompute_scale_factor=True)
    ends = [0.5 / 0.35 - 0.5, 1.5 / 0.35 - 0.5, 2.5 / 0.35 - 0.5]
    assert given.view(-1).tolist() == pytest.approx(ends, rel=1e-6)
    assert again.view(-1).tolist() == pytest.approx(
        [0.5 * 10 / 3 - 0.5, 1.5 * 10 / 3 - 0.5, 2.5 * 10 / 3 - 0.5], rel=1e-6
    )


def test_images_of_bytes_are_rounded():
    x = ft.tensor([[[[0, 255], [10, 20]]]], dtype=ft.uint8)
    y = interpolate(x, (1, 1), mode="bilinear")
    assert y.dtype is ft.uint8 and y.item() == 71


def test_padding_of_any_dimensions():
    x = pad(ft.ones(2, dtype=ft.bool), (1, 0), value=True)
    assert x.tolist() == [True, True, True]
    assert pad(ft.ones(1, 1, 1, 1, 1), (0, 1) * 5).sum() == 1
    assert pad(ft.zeros(0), (1, 1), value=3.5).tolist() == [3.5, 3.5]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: pad(x, (1,)), "pad: expected pad to have two numbers"),
        (lambda x: pad(x, (5, 0), "reflect"), "pad: mode 'reflect' .*less than 4"),
        (lambda x: pad(x, (1, 1), "mirror"), "pad: expected mode to be one of"),
        (lambda x: pad(x, (-3, -2)), "leave nothing"),
        (lambda x: pad(x, (1, 1), "circular", 2), "pad: expected a value only for mode 'constant'"),
        (lambda x: interpolate(x), "interpolate: expected size or scale_factor; got neither"),
        (lambda x: interpolate(x, 2, 2), "got both"),
        (lambda x: interpolate(x, 2, mode="bilinear"), "interpolate: mode 'bilinear' takes 4"),
        (lambda x: interpolate(x, 2, mode="cubic"), "interpolate: expected mode to be one of"),
        (lambda x: interpolate(x, 0), "interpolate: expected size to be positive"),
        (lambda x: interpolate(x, scale_factor=0.1), "leaves nothing"),
        (lambda x: interpolate(x, 2, align_corners=True), "align_corners only for"),
    ],
)
def test_refused(call, text):
    with pytest.raises(ValueError, match=text):
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
def test_antialias_gives_the_numbers_of_pytorch(mode, size, align, wanted):
    x = ft.arange(16.0).view(1, 1, 4, 4)
    y = interpolate(x, size, mode=mode, align_corners=align, antialias=True)
    assert y.view(-1).tolist() == pytest.approx(wanted, rel=1e-6)


def test_antialias_of_bytes_and_what_it_does_not_know():
    x = ft.tensor([[[[0, 255, 0, 255], [255, 0, 255, 0]]]], dtype=ft.uint8)
    for mode in ("bilinear", "bicubic"):
        y = interpolate(x, (2, 2), mode=mode, antialias=True)
        assert y.dtype is ft.uint8 and y.float().mean() == pytest.approx(127.5, abs=1)
        same = interpolate(x, (2, 4), mode=mode, antialias=True)
        assert same.tolist() == x.tolist()
    z = ft.rand(1, 2, 9, 3, dtype=ft.float64)  # each dimension by itself, whatever the other's length
    once = interpolate(z, (4, 1), mode="bilinear", antialias=True)
    assert once.allclose(interpolate(interpolate(z, (4, 3), mode="bilinear", antialias=True), (4, 1), mode="bilinear",
                                     antialias=True))  # fmt: skip
    for mode in ("nearest", "area", "linear", "trilinear"):
        with pytest.raises(ValueError, match="antialias only for bilinear, bicubic"):
            dims = {"linear": 1, "trilinear": 3}.get(mode, 2)
            interpolate(ft.ones(1, 1, *[4] * dims), 2, mode=mode, antialias=True)
