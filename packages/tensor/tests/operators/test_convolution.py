"""conv2d and conv_transpose2d against sums in NumPy; derivatives to order two."""

import gc

import numpy as np
import pytest
from elements import check_slopes
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad
from facula_cpu import get_convolution_algorithm, set_convolution_algorithm
from facula_cpu.extend import at_level, levels
from facula_errors.testing import raises


def drawn(*shape, grad=False, dtype=ft.float64, seed=0):
    rng = np.random.default_rng([seed, *shape])
    return ft.tensor(rng.standard_normal(shape), dtype=dtype).requires_grad_(grad)


def expect(x, w, stride, padding, dilation, groups):
    """Convolve by definition, pixel by pixel."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    filters, channels, height, width = w.shape
    spans = [(k - 1) * d + 1 for k, d in zip((height, width), dilation)]
    out = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, stride)]
    result = np.zeros((x.shape[0], filters, *out))
    for f, i, j in np.ndindex(filters, *out):
        first = f // (filters // groups) * channels
        top, left = i * stride[0], j * stride[1]
        seen = x[:, first : first + channels, top : top + spans[0] : dilation[0], left : left + spans[1] : dilation[1]]
        result[:, f, i, j] = (seen * w[f]).sum((1, 2, 3))
    return result


@given(
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    groups=st.integers(1, 2),
    images=st.integers(0, 3),
    dtype=st.sampled_from([ft.float32, ft.float64]),
)
def test_values(stride, padding, dilation, kernel, groups, images, dtype):
    x, w = drawn(images, 2 * groups, 7, 6, dtype=dtype), drawn(3 * groups, 2, *kernel, dtype=dtype)
    bias = drawn(3 * groups, dtype=dtype)
    got = F.conv2d(x, w, bias, stride, padding, dilation, groups)
    wanted = expect(x.numpy().astype("f8"), w.numpy().astype("f8"), stride, padding, dilation, groups)
    wanted += bias.numpy()[:, None, None]
    assert got.dtype is dtype
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4, atol=1e-4 if dtype is ft.float32 else 1e-11)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"padding": 1},
        {"stride": (2, 1), "dilation": (1, 2), "padding": 2},
        {"groups": 2},
        {"groups": 2, "stride": 2, "padding": 1},
        {"padding": "same"},
    ],
    ids=str,
)
def test_gradients(options):
    groups = options.get("groups", 1)
    operands = drawn(2, 2, 5, 4, grad=True), drawn(4, 2 // groups, 3, 2, grad=True), drawn(4, grad=True)
    check_slopes(lambda x, w, b: F.conv2d(x, w, b, **options), operands)


@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "output_padding": (1, 0)}, {"padding": 1, "dilation": 2, "groups": 2}], ids=str
)
def test_transposed(options):
    operands = drawn(2, 2, 3, 4, grad=True), drawn(2, 3, 3, 2, grad=True), None
    check_slopes(lambda x, w: F.conv_transpose2d(x, w, None, **options), operands[:2])
    # <conv(h), x> = <h, transposed(x)> for every h
    x, w = (operand.detach() for operand in operands[:2])
    got = F.conv_transpose2d(x, w, None, **options)
    h = drawn(*got.shape, seed=1)
    geometry = {name: value for name, value in options.items() if name != "output_padding"}
    np.testing.assert_allclose((F.conv2d(h, w, None, **geometry) * x).sum().item(), (h * got).sum().item(), rtol=1e-9)
    bias = drawn(got.shape[1])
    with_bias = F.conv_transpose2d(x, w, bias, **options)
    np.testing.assert_allclose(with_bias.numpy(), got.numpy() + bias.numpy()[:, None, None])


def test_one_image_strides_and_words():
    x, w = drawn(2, 3, 6, 5), drawn(4, 3, 3, 2)
    whole = F.conv2d(x, w)
    np.testing.assert_allclose(F.conv2d(x[1], w).numpy(), whole[1].numpy())
    assert F.conv_transpose2d(x[1], drawn(3, 4, 2, 2)).shape == (4, 7, 6)
    turned = x.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2)
    assert not turned.is_contiguous()
    np.testing.assert_array_equal(F.conv2d(turned, w).numpy(), whole.numpy())
    np.testing.assert_array_equal(F.conv2d(x, w, padding="valid").numpy(), whole.numpy())
    same = F.conv2d(x, w, padding="same", dilation=(1, 2))
    assert same.shape == (2, 4, 6, 5)
    np.testing.assert_allclose(
        same.numpy(), expect(x.numpy(), w.numpy(), (1, 1), (1, 1), (1, 2), 1), rtol=1e-12, atol=1e-12
    )


BAD = {
    "kernel": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 5, 2)), "kernel (5, 2) ... padded input (3, 3)"),
    "dilated": (
        lambda: F.conv2d(ft.ones(1, 1, 4, 4), ft.ones(1, 1, 3, 3), dilation=2),
        "dilation (2, 2) spans (5, 5) ... (4, 4)",
    ),
    "channels": (
        lambda: F.conv2d(ft.ones(1, 2, 3, 3), ft.ones(1, 3, 1, 1)),
        "expected input with 3 channels ... got 2",
    ),
    "groups": (lambda: F.conv2d(ft.ones(1, 4, 3, 3), ft.ones(3, 2, 1, 1), groups=2), "multiple of groups=2"),
    "no groups": (lambda: F.conv2d(ft.ones(1, 4, 3, 3), ft.ones(3, 2, 1, 1), groups=0), "groups ... at least 1; got 0"),
    "stride": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1), stride=0), "stride of at least 1; got 0"),
    "padding": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1), padding=-1), "padding of at least 0"),
    "word": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1), padding="full"), "'same' or 'valid'"),
    "same": (
        lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1), padding="same", stride=2),
        "'same' needs stride 1",
    ),
    "bias": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(2, 1, 1, 1), ft.ones(3)), "bias of shape (2,) ... (3,)"),
    "dims": (lambda: F.conv2d(ft.ones(3, 3), ft.ones(1, 1, 1, 1)), "input of shape ... got (3, 3)"),
    "weight": (lambda: F.conv2d(ft.ones(1, 3, 3), ft.ones(1, 1, 1)), "expected weight of shape ... got (1, 1, 1)"),
    "empty kernel": (lambda: F.conv2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 0, 1)), "at least one element"),
    "output_padding": (
        lambda: F.conv_transpose2d(ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1), output_padding=1),
        "output_padding smaller than stride",
    ),
    "nothing left": (
        lambda: F.conv_transpose2d(ft.ones(1, 1, 1, 1), ft.ones(1, 1, 1, 1), padding=1),
        "make padding smaller",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_impossible_geometry(case):
    call, message = BAD[case]
    with raises(ValueError, "conv_transpose2d" if case in ("output_padding", "nothing left") else "conv2d", message):
        call()


def test_errors_name_dtypes_and_types():
    x, w = ft.ones(1, 1, 3, 3), ft.ones(1, 1, 1, 1)
    with raises(TypeError, "conv2d", "expected all in one dtype", value="float32, float64"):
        F.conv2d(x, w.double())
    with raises(TypeError, "conv2d", "not defined for bool"):
        F.conv2d(x.bool(), w.bool())
    with raises(TypeError, "conv2d", "stride to be an int or two", value=1.5):
        F.conv2d(x, w, stride=1.5)
    with raises(TypeError, "conv2d", "list"):
        F.conv2d([[1.0]], w)
    F.conv2d(x, w, stride=1)
    for same in (1.0, True):  # equal to a number accepted before
        with raises(TypeError, "conv2d", "stride to be an int or two", value=same):
            F.conv2d(x, w, stride=same)


def test_the_fast_path_finds_the_workspace(monkeypatch):
    """A convolution with known layouts takes the fast path."""
    x, w = drawn(2, 3, 6, 6), drawn(4, 3, 3, 3)
    first = F.conv2d(x, w)

    def long_way(op, *args):
        raise AssertionError(f"{op.name} went the long way")

    monkeypatch.setattr("facula_tensor._forms._dispatch.fast.ternary.slow_call", long_way)
    assert (F.conv2d(x, w) == first).all()


@pytest.mark.parametrize("algorithm", ["fast", "direct"])
@pytest.mark.parametrize("taps", [3, 5])
def test_derivatives_of_large_layers(taps, algorithm):
    """Compare float32, where the CPU has two algorithms, with float64: values, first and second derivatives."""
    made, before = {}, get_convolution_algorithm()
    try:
        set_convolution_algorithm(algorithm)
        for dtype in (ft.float32, ft.float64):
            x, w, bias = (
                drawn(*shape, grad=True, dtype=dtype) for shape in ((2, 70, 9, 8), (66, 35, taps, taps), (66,))
            )
            result = F.conv2d(x, w, bias, padding=1, groups=2)
            first = grad((result**2).sum(), (x, w, bias), create_graph=True)
            second = grad(sum((one**2).sum() for one in first), (x, w, bias))
            made[dtype] = [one.detach().numpy() for one in (result, *first, *second)]
    finally:
        set_convolution_algorithm(before)
    for one, wanted in zip(made[ft.float32], made[ft.float64], strict=True):
        assert abs(one - wanted).max() <= 1e-5 * abs(wanted).max()
    assert (made[ft.float32][0] != made[ft.float64][0]).any()


def test_meta_and_memory():
    assert F.conv2d(ft.empty(2, 3, 8, 8, device="meta"), ft.empty(4, 3, 3, 3, device="meta")).shape == (2, 4, 6, 6)
    gc.collect()
    gc.disable()
    try:
        x, w = drawn(2, 3, 5, 5, grad=True), drawn(4, 3, 3, 3, grad=True)
        F.conv2d(x, w).sum().backward()
        del x, w
        assert not [tensor for tensor in gc.get_objects() if type(tensor) is ft.Tensor and tensor.shape == (2, 3, 5, 5)]
    finally:
        gc.enable()


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize(
    ("images", "filters", "stride", "groups"),
    [((2, 6, 11, 13), 4, 1, 1), ((1, 7, 10, 10), 33, 1, 1), ((3, 5, 3, 3), 2, 1, 1), ((2, 4, 10, 10), 6, 1, 2),
     ((2, 4, 11, 12), 3, 2, 1), ((1, 8, 9, 7), 6, 3, 2), ((0, 4, 10, 10), 3, 1, 1)],
)  # fmt: skip
def test_bfloat16_of_single_pixels(images, filters, stride, groups, level):
    """Products of bfloat16 and float32 convolutions, and their gradients, round once from sums in float32."""
    shapes = images, (filters, images[1] // groups, 1, 1), (filters,)
    with at_level(level):
        halves = [drawn(*shape, dtype=ft.bfloat16).requires_grad_() for shape in shapes]
        wide = [half.detach().double().requires_grad_() for half in halves]
        got, wanted = (
            F.conv2d(*operands, stride=(stride, 1 + stride // 2), groups=groups) for operands in (halves, wide)
        )
        slope = drawn(*got.shape, dtype=ft.bfloat16, seed=1)
        found = [got, *grad(got, halves, slope, create_graph=True)]
        exact = [wanted, *grad(wanted, wide, slope.double())]
        for one, other in zip(found, exact, strict=True):
            assert one.dtype is ft.bfloat16 and one.shape == other.shape
            largest = abs(other.detach().numpy()).max(initial=0)
            np.testing.assert_allclose(
                one.detach().double().numpy(), other.detach().numpy(), rtol=2**-8, atol=1e-5 * largest
            )
        assert grad(found[1].sum() + found[2].sum(), halves[1])[0].dtype is ft.bfloat16
