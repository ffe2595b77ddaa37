"""Layer, group and root-mean-square normalization against NumPy in double precision."""

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises

TOLERANCE = {"float32": 3e-5, "float64": 1e-12}


def compute(operator, arrays, outputs, count, *scalars):
    """Launch an operator; None marks an omitted array."""
    layouts = tuple(None if one is None else layout(one) for one in arrays)
    plan = BACKEND.plan(operator, layouts, tuple(map(layout, outputs)), (count,))
    space = np.empty(plan.workspace + 64, "u1")
    addresses = [0 if one is None else one.ctypes.data for one in (*arrays, *outputs)]
    at = -space.ctypes.data % 64
    plan.launch(outputs[0].size, *addresses, *[space.ctypes.data + at] * (plan.workspace > 0), *scalars)
    return outputs


def definition(operator, x, g, weight, bias, count, eps):
    """Return results and gradients in double precision."""
    x, g = x.astype("f8"), g.astype("f8")
    if operator == "group_norm":
        rows, wide = x.reshape(len(x) * count, -1), (1, -1, *(1,) * (x.ndim - 2))
        sides = (0, *range(2, x.ndim))
    else:
        rows, wide = x.reshape(*x.shape[: x.ndim - count], -1), x.shape[x.ndim - count :]
        rows, sides = rows.reshape(-1, rows.shape[-1]), tuple(range(x.ndim - count))
    scale = 1.0 if weight is None else weight.astype("f8").reshape(wide)
    shift = 0.0 if bias is None else bias.astype("f8").reshape(wide)
    centred = rows if operator == "rms_norm" else rows - rows.mean(1, keepdims=True)
    deviation = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + eps)
    y = centred * deviation
    along = (g * scale).reshape(rows.shape)
    less = y * (along * y).mean(1, keepdims=True)
    if operator != "rms_norm":
        less = less + along.mean(1, keepdims=True)
    slope, y = (deviation * (along - less)).reshape(x.shape), y.reshape(x.shape)
    return y * scale + shift, rows.mean(1), deviation[:, 0], slope, (g * y).sum(sides), g.sum(sides)


SHAPES = [
    ("layer_norm", (3, 4), 1),
    ("layer_norm", (37, 16), 1),
    ("layer_norm", (7, 33), 1),
    ("layer_norm", (2, 3, 5, 13), 2),
    ("layer_norm", (700, 160), 1),
    ("layer_norm", (3, 5000), 1),
    ("rms_norm", (19, 10), 1),
    ("rms_norm", (4, 70), 1),
    ("rms_norm", (2, 3, 40), 2),
    ("group_norm", (3, 6), 2),
    ("group_norm", (2, 6, 5, 7), 3),
    ("group_norm", (5, 64, 16, 16), 8),
    ("group_norm", (2, 4, 1, 1), 2),
]


@pytest.mark.parametrize("affine", [0, 1, 2])
@pytest.mark.parametrize(("operator", "shape", "count"), SHAPES, ids=str)
@pytest.mark.parametrize("name", TOLERANCE)
def test_results_and_gradients(name, operator, shape, count, affine):
    rng = np.random.default_rng(0)
    x, g = ((rng.standard_normal(shape) * 2 + 5).astype(name) for _ in range(2))
    of_weight = shape[1:2] if operator == "group_norm" else shape[len(shape) - count :]
    weight, bias = (rng.random(of_weight).astype(name) + 0.5 if affine > i else None for i in range(2))
    centred = operator != "rms_norm"
    bias = bias if centred else None
    out, mean, inverse, *gradients = definition(operator, x, g, weight, bias, count, 1e-3)
    close = {"rtol": TOLERANCE[name], "atol": TOLERANCE[name] * 20}
    kept = [np.full(len(mean), 7, name) for _ in range(2 if centred else 1)]
    found = compute(operator, (x, weight, bias)[: 3 if centred else 2], (np.full_like(x, 7), *kept), count, 1e-3)
    for got, wanted in zip(found, (out, mean, inverse) if centred else (out, inverse), strict=True):
        np.testing.assert_allclose(got, wanted, **close)
    made = [np.full(of_weight if affine else (0,), 7, name) for _ in kept]
    arrays = (g, x, *kept, weight)
    threads = get_num_threads()
    for number in (1, 3):
        set_num_threads(number)
        found = compute(f"{operator}_grad", arrays, (np.full_like(x, 7), *made), count)
        set_num_threads(threads)
        for got, wanted in zip(found, gradients[: len(found) if affine else 1], strict=False):
            size = np.abs(wanted).max()
            np.testing.assert_allclose(got / size, wanted / size, **close)


def test_rows_whose_first_elements_are_far_from_the_mean():
    x = np.full((2, 4096), 1000, "f4")
    x[:, 0::2] += np.float32(0.25)
    x[1, :40] = 0
    out = compute("layer_norm", (x, None, None), (np.empty_like(x), np.empty(2, "f4"), np.empty(2, "f4")), 1, 0.0)[0]
    wide = x.astype("f8")
    wanted = (wide - wide.mean(1, keepdims=True)) / wide.std(1, keepdims=True)
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


def test_weight_gradients_of_empty_inputs_are_zero():
    x, weight = np.empty((0, 5), "f4"), np.ones(5, "f4")
    found = compute("layer_norm_grad", (x, x, x[:, 0].copy(), x[:, 0].copy(), weight), (x, weight + 1, weight + 2), 1)
    assert (found[1] == 0).all()
    assert (found[2] == 0).all()


def test_other_dtypes_are_refused():
    x = np.zeros((2, 3), "i4")
    with raises(NotImplementedError, "layer_norm"):
        compute("layer_norm", (x, None, None), (x, x[:, 0].copy(), x[:, 0].copy()), 1, 1e-5)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("shape", "count"), [((1, 1), 1), ((37, 5), 1), ((19, 16), 1), ((7, 33), 1), ((3, 4, 70), 2), ((300, 2500), 1)]
)
def test_rows_divided_by_their_lengths(shape, count, dtype):
    """Rows of ordinary, short, huge, zero, infinite and NaN elements; for any number of threads."""
    rng = np.random.default_rng(3)
    rows = int(np.prod(shape[: len(shape) - count]))
    x, g = (rng.standard_normal((rows, *shape[len(shape) - count :])).astype(dtype) for _ in range(2))
    for row, factor in enumerate((1e-6, 1e25, 0.0, np.inf, np.nan), 1):
        with np.errstate(invalid="ignore"):
            x[row : row + 1] *= factor
    eps = 1e-3
    with np.errstate(invalid="ignore", over="ignore"):
        flat, wide = x.reshape(rows, -1).astype("f8"), g.reshape(rows, -1).astype("f8")
        length = np.sqrt((flat**2).sum(1, keepdims=True))
        divisor = np.maximum(length, eps)
        y = flat / divisor
        slope = (wide - np.where(length >= eps, y * (wide * y).sum(1, keepdims=True), 0)) / divisor
    found = []
    for threads in (1, 2):
        before = get_num_threads()
        set_num_threads(threads)
        try:
            o, inverse = compute(
                "unit_rows", (x.reshape(shape),), (np.empty(shape, dtype), np.empty(rows, dtype)), count, eps
            )
            (of_x,) = compute("unit_rows_grad", (g.reshape(shape), o, inverse), (np.empty(shape, dtype),), count)
        finally:
            set_num_threads(before)
        found.append((o.tobytes(), inverse.tobytes(), of_x.tobytes()))
    assert found[0] == found[1]
    near = {"rtol": 4e-7 if dtype == "float32" else 1e-14, "atol": 1e-37}
    np.testing.assert_allclose(o.reshape(rows, -1), y, **near)
    np.testing.assert_allclose(inverse, (np.where(length < eps, -1, 1) / divisor)[:, 0], **near)
    near = TOLERANCE[dtype] * np.abs(1 / divisor)
    assert (np.abs(of_x.reshape(rows, -1) - slope) <= near)[np.isfinite(slope)].all()
    np.testing.assert_array_equal(np.isfinite(of_x.reshape(rows, -1)), np.isfinite(slope))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("shape", "count"),
    [((9, 1), 1), ((37, 5), 1), ((19, 16), 1), ((7, 33), 1), ((9, 4, 70), 2), ((300, 2500), 1), ((9, 5000), 1)],
)
def test_cosines_of_rows(shape, count, dtype):
    """Rows of ordinary, short, huge, zero, infinite and NaN elements; for any number of threads."""
    rng = np.random.default_rng(3)
    kept, eps = shape[: len(shape) - count], 1e-3
    x, y = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    g = rng.standard_normal(kept).astype(dtype)
    for row, factor in enumerate((1e-6, 1e25, 0.0, np.inf, np.nan, 1e-22), 1):
        with np.errstate(invalid="ignore"):
            x[row : row + 1] *= factor
    y[2] *= 1e10
    y[6] *= 1e-20
    wide = [one.reshape(g.size, -1).astype("f8") for one in (x, y)]
    with np.errstate(invalid="ignore"):
        lengths = [np.sqrt((one**2).sum(1, keepdims=True)) for one in wide]
        units = [one / np.maximum(length, eps) for one, length in zip(wide, lengths, strict=True)]
        cosine = (units[0] * units[1]).sum(1)
        slope = units[1] - np.where(lengths[0] >= eps, units[0] * cosine[:, None], 0)
        slope = g.reshape(-1, 1) * slope / np.maximum(lengths[0], eps)
    found = []
    for threads in (1, 2):
        before = get_num_threads()
        set_num_threads(threads)
        try:
            o, *inverses = compute("cosine_rows", (x, y), tuple(np.empty(kept, dtype) for _ in range(3)), count, eps)
            (of_x,) = compute("cosine_rows_grad", (g, x, y, o, *inverses), (np.empty(shape, dtype),), count)
        finally:
            set_num_threads(before)
        found.append((o.tobytes(), *(one.tobytes() for one in inverses), of_x.tobytes()))
    assert found[0] == found[1]
    np.testing.assert_allclose(o.reshape(-1), cosine, rtol=1e-5 if dtype == "float32" else 1e-12, atol=TOLERANCE[dtype])
    for inverse, length in zip(inverses, lengths, strict=True):
        wanted = np.where(length < eps, -1, 1) / np.maximum(length, eps)
        np.testing.assert_allclose(inverse.reshape(-1, 1), wanted, rtol=4e-7 if dtype == "float32" else 1e-14)
    finite = np.isfinite(slope) & (lengths[0] < 1e18)  # squares of inverse lengths underflow
    near = TOLERANCE[dtype] / np.maximum(lengths[0], eps) * np.abs(g.reshape(-1, 1))
    assert (np.abs(of_x.reshape(g.size, -1) - slope) <= near)[finite].all()


def test_lengths_of_rows_without_elements():
    for shape in ((0, 4), (3, 0)):
        cosine, *_ = compute("cosine_rows", (np.empty(shape, "f4"),) * 2, (np.ones(shape[0], "f4"),) * 3, 1, 1e-8)
        assert (cosine == 0).all()
        o, _ = compute(
            "unit_rows", (np.empty(shape, "f4"),), (np.empty(shape, "f4"), np.empty(shape[0], "f4")), 1, 1e-12
        )
        assert o.shape == shape
