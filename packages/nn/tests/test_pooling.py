"""Pooling layers: reprs, shapes, and the indices of maxima."""

import inspect
import itertools

import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
        (lambda: nn.AvgPool2d((2, 3), padding=1), "AvgPool2d(kernel_size=(2, 3), stride=(2, 3), padding=1)"),
        (lambda: nn.AdaptiveAvgPool2d((1, None)), "AdaptiveAvgPool2d(output_size=(1, None))"),
        (lambda: nn.MaxPool1d(2, 1), "MaxPool1d(kernel_size=2, stride=1, padding=0, dilation=1, ceil_mode=False)"),
        (lambda: nn.AvgPool3d(2), "AvgPool3d(kernel_size=2, stride=2, padding=0)"),
        (lambda: nn.AvgPool1d(2), "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
        (lambda: nn.FractionalMaxPool2d(2, 3), "FractionalMaxPool2d()"),
        (lambda: nn.AdaptiveMaxPool3d(4), "AdaptiveMaxPool3d(output_size=4)"),
    ],
)
def test_repr(make, shown):
    assert repr(make()) == shown


@pytest.mark.parametrize(
    ("layer", "given", "made"),
    [
        (lambda: nn.MaxPool2d(2, stride=1), (2, 3, 4, 5), (2, 3, 3, 4)),
        (lambda: nn.MaxPool2d(2, ceil_mode=True), (3, 5, 5), (3, 3, 3)),
        (lambda: nn.AvgPool2d((2, 1), padding=(1, 0)), (1, 1, 4, 4), (1, 1, 3, 4)),
        (lambda: nn.AdaptiveAvgPool2d((None, 2)), (1, 2, 5, 6), (1, 2, 5, 2)),
        (lambda: nn.MaxPool1d(3, 2, ceil_mode=True), (2, 3, 6), (2, 3, 3)),
        (lambda: nn.MaxPool3d((1, 2, 3), 2), (2, 3, 6, 5, 4), (2, 3, 3, 2, 1)),
        (lambda: nn.AvgPool1d(3, padding=1), (3, 6), (3, 2)),
        (lambda: nn.AvgPool3d(2, count_include_pad=False, padding=1), (1, 2, 2, 4, 4), (1, 2, 2, 3, 3)),
        (lambda: nn.AdaptiveAvgPool1d(4), (2, 3, 6), (2, 3, 4)),
        (lambda: nn.AdaptiveAvgPool3d((None, 2, 1)), (3, 3, 4, 5), (3, 3, 2, 1)),
        (lambda: nn.AdaptiveMaxPool1d(4), (2, 3, 6), (2, 3, 4)),
        (lambda: nn.AdaptiveMaxPool2d((None, 2)), (2, 3, 6, 7), (2, 3, 6, 2)),
        (lambda: nn.AdaptiveMaxPool3d(2), (2, 3, 6, 7, 8), (2, 3, 2, 2, 2)),
    ],
)
def test_shapes(layer, given, made):
    assert tuple(layer()(ft.rand(*given)).shape) == made


@pytest.mark.parametrize(
    "make", [lambda: nn.MaxPool1d(2, return_indices=True), lambda: nn.AdaptiveMaxPool1d(2, return_indices=True)]
)
def test_indices_of_maxima(make):
    values, indices = make()(ft.tensor([[1.0, 3.0, 2.0, 0.0]]))
    assert values.tolist() == [[3, 2]] and indices.tolist() == [[1, 2]]


def test_max_pooling_with_indices():
    values, indices = nn.MaxPool2d(2, return_indices=True)(ft.arange(16.0).reshape(1, 4, 4))
    assert indices.reshape(-1).tolist() == [5, 7, 13, 15] == values.reshape(-1).tolist()


def test_unpooling_and_powers():
    x = ft.rand(2, 3, 6, 7)
    values, indices = nn.MaxPool2d(2, return_indices=True)(x)
    back = nn.MaxUnpool2d(2)(values, indices, output_size=x.shape)
    assert back.shape == x.shape and (nn.MaxPool2d(2)(back) == values).all()
    assert repr(nn.MaxUnpool2d(2)) == "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))"
    with raises(TypeError, "MaxUnpool3d", "expected kernel_size to be an integer or three"):
        nn.MaxUnpool3d((1, 2))
    assert (nn.LPPool2d(1, 2)(x) - 4 * nn.AvgPool2d(2)(x)).abs().max().item() < 1e-5
    assert repr(nn.LPPool1d(2, 3)) == "LPPool1d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"


SIZES = {"kernel_size": 2, "stride": 2, "padding": 0, "dilation": 1, "output_size": 2}
LAYERS = [
    *(f"{kind}Pool{dims}d" for kind in ("Max", "Avg", "LP", "AdaptiveAvg", "AdaptiveMax") for dims in (1, 2, 3)),
    *("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Fold", "Unfold", "FractionalMaxPool2d", "FractionalMaxPool3d"),
]


@pytest.mark.parametrize("name", LAYERS)
def test_sizes_are_validated_by_constructors(name):
    parameters = inspect.signature(getattr(nn, name)).parameters
    given = {key: SIZES[key] for key in parameters if key in ("kernel_size", "output_size")}
    given |= {"norm_type": 2.0} if "LP" in name else {}
    getattr(nn, name)(**given)
    for key in parameters.keys() & SIZES.keys():
        for wrong in ("a", b"x", 2.5, [1.5], (1, 2, 3, 4), {}, object()):
            with raises(TypeError, name, f"expected {key} to be an integer"):
                getattr(nn, name)(**{**given, key: wrong})


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("batch", [(2, 3), (3,)])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_fractional_pooling(dims, batch, dtype):
    """Compare with windows sliced explicitly, at the starts given by the paper's sequence of steps."""
    lengths, wanted, kernel = (7, 8, 6)[:dims], (3, 4, 1)[:dims], (2, 3, 2)[:dims]
    x = ft.randn(*batch, *lengths, dtype=dtype, requires_grad=True)
    samples = ft.rand(2 if len(batch) == 2 else 1, 3, dims, dtype=dtype)
    make = getattr(nn, f"FractionalMaxPool{dims}d")
    out, indices = make(kernel, wanted, return_indices=True, _random_samples=samples)(x)
    assert out.shape == indices.shape == (*batch, *wanted) and indices.dtype is ft.int64
    flat = x.detach().flatten(-dims)
    assert ft.equal(flat.gather(-1, indices.flatten(-dims)), out.detach().flatten(-dims))
    image, sample = x.detach().reshape(-1, *lengths)[1], samples.reshape(-1, dims)[1].tolist()
    begins = []
    for at, (length, size, window) in enumerate(zip(lengths, wanted, kernel, strict=True)):
        u, step = sample[at if dims == 3 else 1 - at], (length - window) / max(size - 1, 1)
        begins.append([int((j + u) * step) - int(u * step) for j in range(size - 1)] + [length - window])
    found = []
    for place in itertools.product(*begins):
        window = image[tuple([slice(first, first + size) for first, size in zip(place, kernel, strict=True)])]
        found.append(window.max().item())
    assert out.detach().reshape(-1, *wanted)[1].flatten().tolist() == found
    out.sum().backward()
    assert x.grad.sum().item() == out.numel() and set(x.grad.flatten().tolist()) <= set(map(float, range(9)))
    ratio = tuple([size / length + 1e-6 for size, length in zip(wanted, lengths, strict=True)])
    assert make(kernel, output_ratio=ratio)(x).shape == out.shape


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: nn.FractionalMaxPool2d(2), ValueError, "FractionalMaxPool2d: an output_size or an output_ratio"),
        (lambda: nn.FractionalMaxPool2d(2, 3, 0.5), ValueError, "FractionalMaxPool2d: got both, 3 and 0.5"),
        (lambda: nn.FractionalMaxPool3d(2, output_ratio=2.0), ValueError, "FractionalMaxPool3d: got 2.0"),
        (lambda: nn.FractionalMaxPool2d(2, output_ratio="a"), TypeError, "FractionalMaxPool2d: output_ratio to be a"),
        (lambda: nn.FractionalMaxPool2d(3, 3)(ft.ones(1, 4, 9)), ValueError, "fractional_max_pool2d: to fit into (4"),
        (lambda: nn.FractionalMaxPool2d(3, 3)(ft.ones(4, 9)), ValueError, "fractional_max_pool2d: 3 ... got (4, 9)"),
        (
            lambda: nn.functional.fractional_max_pool2d(ft.ones(1, 9, 9), 2, 3, _random_samples=ft.rand(2, 2)),
            ValueError,
            "fractional_max_pool2d: samples of shape (1, 1, 2); got (2, 2)",
        ),
    ],
)
def test_fractional_pooling_rejects_invalid_arguments(call, error, said):
    with raises(error, said):
        call()
