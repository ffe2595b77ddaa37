"""Sampling at the points of a grid, point by point; its gradients; grids of affine maps."""

import itertools

import numpy as np
import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

SIZES = {2: (4, 5), 3: (3, 4, 2)}


def kernel(mode, distance):
    """Return the weight of an element at a distance from the point."""
    d, a = abs(distance), -0.75
    if mode == "bilinear":
        return max(1 - d, 0)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else 0


def reflected(at, length, align):
    """Reflect a coordinate at the centres, or edges, of the outermost elements."""
    low, span = (0, length - 1) if align else (-0.5, length)
    if not span:
        return 0
    away = abs(at - low) % (2 * span)
    return min(away, 2 * span - away) + low


def brought_in(at, length, padding, align):
    if padding == "reflection":
        at = reflected(at, length, align)
    return at if padding == "zeros" else min(max(at, 0), length - 1)


def taps(point, length, mode, padding, align):
    """Return pairs (position, weight) along one dimension."""
    at = (point + 1) / 2 * (length - 1) if align else ((point + 1) * length - 1) / 2
    if mode == "bicubic":
        around = [int(np.floor(at)) + k for k in range(-1, 3)]
        return [(int(brought_in(k, length, padding, align)), kernel(mode, at - k)) for k in around]
    at = brought_in(at, length, padding, align)
    if mode == "nearest":
        return [(round(at), 1)]
    return [(int(np.floor(at)) + k, kernel(mode, at - np.floor(at) - k)) for k in (0, 1)]


def expect(x, grid, mode, padding, align):
    result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    size = x.shape[2:]
    for n, *at in np.ndindex(len(x), *grid.shape[1:-1]):
        point = grid[(n, *at)][::-1]
        for tap in itertools.product(*[taps(p, length, mode, padding, align) for p, length in zip(point, size)]):
            place = tuple(index for index, _ in tap)
            if all(0 <= index < length for index, length in zip(place, size)):
                result[(n, slice(None), *at)] += x[(n, slice(None), *place)] * np.prod([w for _, w in tap])
    return result


CASES = [
    case
    for case in itertools.product(
        SIZES, ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True)
    )
    if case[:2] != (3, "bicubic")
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_gradients(case):
    dims, mode, padding, align = case
    rng = np.random.default_rng(dims)
    x, grid = rng.standard_normal((2, 3, *SIZES[dims])), rng.uniform(-2.5, 2.5, (2, *(3, 2, 2)[:dims], dims))
    wanted = expect(x, grid, mode, padding, align)
    operands = [ft.tensor(array, requires_grad=True) for array in (x, grid)]
    got = F.grid_sample(*operands, mode, padding, align)
    np.testing.assert_allclose(got.detach().numpy(), wanted, rtol=1e-9, atol=1e-9)
    strided = [ft.tensor(array.transpose()).permute(*range(array.ndim)[::-1]) for array in (x, grid)]
    assert not strided[0].is_contiguous() and (F.grid_sample(*strided, mode, padding, align) == got).all()
    assert gradcheck(lambda x, g: F.grid_sample(x, g, mode, padding, align), operands)
    small = [operands[0].detach()[:1, :1].requires_grad_(), operands[1].detach()[:1, :1].requires_grad_()]
    assert gradgradcheck(lambda x, g: F.grid_sample(x, g, mode, padding, align), small)


def test_corners_and_edges():
    x = ft.arange(9.0).view(1, 1, 3, 3)
    points = ft.tensor([[[[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [0.0, 0.5]]]])
    assert F.grid_sample(x, points, align_corners=True).view(-1).tolist() == [0, 8, 2, 5.5]
    assert F.grid_sample(x, points, align_corners=False).view(-1).tolist() == [0, 2, 0.5, 6.25]
    assert F.grid_sample(x, points).tolist() == F.grid_sample(x, points, align_corners=False).tolist()
    nowhere = ft.tensor([[[[float("nan"), 0.0], [float("inf"), 0.0], [0.0, -float("inf")], [1e30, 0.0]]]])
    for mode in ("bilinear", "nearest", "bicubic"):
        assert F.grid_sample(x, nowhere, mode).view(-1).tolist() == [0] * 4
        assert F.grid_sample(x, nowhere, mode, "border").view(-1).tolist() == [3, 5, 1, 5]
        assert np.isfinite(F.grid_sample(x, nowhere, mode, "reflection").numpy()).all()
    grid = ft.tensor([[[[1.0, 0.0]]]], requires_grad=True)  # at the border: the gradient from outside
    F.grid_sample(x, grid, padding_mode="border", align_corners=True).sum().backward()
    assert grid.grad.tolist() == [[[[0.0, 3.0]]]]


def test_other_dtypes_and_empty():
    x, grid = ft.rand(1, 2, 4, 4), ft.rand(1, 3, 3, 2)
    half = F.grid_sample(x.half(), grid.half(), align_corners=True)
    assert half.dtype is ft.float16
    np.testing.assert_allclose(half.float().numpy(), F.grid_sample(x, grid, align_corners=True).numpy(), atol=2e-2)
    assert F.grid_sample(x[:0], grid[:0]).shape == (0, 2, 3, 3) and F.grid_sample(x, grid[:, :0]).shape == (1, 2, 0, 3)
    assert F.grid_sample(x.to("meta"), grid.to("meta")).shape == (1, 2, 3, 3)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x, g: F.grid_sample(x, g[..., :1]), ValueError, "grid_sample: grid ... got (1, 1, 3, 3) and"),
        (lambda x, g: F.grid_sample(x, ft.ones(2, 2, 2, 2)), ValueError, "grid_sample: expected input"),
        (lambda x, g: F.grid_sample(x[:, :, :0], g), ValueError, "grid_sample: input with elements"),
        (lambda x, g: F.grid_sample(x, g, "cubic"), ValueError, "grid_sample: mode to be 'bilinear' ... 'cubic'"),
        (lambda x, g: F.grid_sample(x, g, padding_mode="wrap"), ValueError, "grid_sample: padding_mode to be 'zeros'"),
        (
            lambda x, g: F.grid_sample(x[..., None], ft.ones(1, 2, 2, 2, 3), "bicubic"),
            ValueError,
            "grid_sample: 'bicubic' takes images",
        ),
        (lambda x, g: F.grid_sample(x, g.double()), TypeError, "grid_sample: got float32 and float64"),
        (lambda x, g: F.grid_sample(x.long(), g.long()), TypeError, "grid_sample: one floating dtype"),
        (lambda x, g: F.affine_grid(ft.ones(1, 2, 3), (2, 1, 3, 3)), ValueError, "affine_grid: got (1, 2, 3) and (2"),
        (lambda x, g: F.affine_grid(ft.ones(1, 2, 3), (1, 1, 0, 3)), ValueError, "affine_grid: positive lengths"),
        (lambda x, g: F.affine_grid(ft.ones(1, 2, 3).long(), (1, 1, 3, 3)), TypeError, "affine_grid: got int64"),
    ],
)
def test_errors(call, kind, text):
    with raises(kind, text):
        call(ft.ones(1, 1, 3, 3), ft.zeros(1, 2, 2, 2))


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("size", [(2, 1, 3, 4), (1, 1, 1, 2), (2, 3, 2, 3, 4)], ids=str)
def test_affine_grids(size, align):
    dims = len(size) - 2
    theta = np.random.default_rng(0).standard_normal((size[0], dims, dims + 1))
    wanted = np.zeros((size[0], *size[2:], dims))
    for n, *at in np.ndindex(size[0], *size[2:]):
        steps = [
            (2 * i / (length - 1) - 1 if length > 1 else 0) if align else (2 * i + 1) / length - 1
            for i, length in zip(at, size[2:])
        ]
        wanted[(n, *at)] = theta[n] @ [*steps[::-1], 1]
    x = ft.tensor(theta, requires_grad=True)
    np.testing.assert_allclose(F.affine_grid(x, size, align).detach().numpy(), wanted, rtol=1e-12, atol=1e-12)
    assert gradcheck(lambda x: F.affine_grid(x, size, align), (x,))


def test_the_identity_returns_the_image():
    x = ft.rand(1, 2, 5, 6)
    grid = F.affine_grid(ft.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), x.shape)
    np.testing.assert_allclose(F.grid_sample(x, grid).numpy(), x.numpy(), atol=1e-5)
