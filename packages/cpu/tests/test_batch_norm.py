"""Batch normalization and dropout against NumPy in double precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, empty, layout, narrow, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def compute(operator, arrays, outputs, *scalars):
    """Launch an operator; None marks an omitted array."""
    layouts = tuple(None if one is None else layout(one) for one in arrays)
    plan = BACKEND.plan(operator, layouts, tuple(map(layout, outputs)), ())
    addresses = [0 if one is None else one.ctypes.data for one in (*arrays, *outputs)]
    plan.launch(outputs[0].size, *addresses, *scalars)
    return outputs


def normalise(x, weight, bias, mean, var):
    """Return the normalized x by definition, and the factors that depend on x."""
    along = (1, -1, *(1,) * (x.ndim - 2))
    y = (x - mean.reshape(along)) / np.sqrt(var + 1e-3).reshape(along)
    scaled = y if weight is None else y * weight.reshape(along)
    return y, scaled if bias is None else scaled + bias.reshape(along)


@pytest.mark.parametrize("name", TOLERANCE)
@given(data=st.data())
def test_batch_norm(name, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    inner = tuple(data.draw(st.lists(st.sampled_from([1, 2, 5, 16, 33]), max_size=2)))
    batch, channels = data.draw(st.sampled_from([2, 3, 40])), data.draw(st.sampled_from([1, 3, 31, 33, 70]))
    x, g = ((rng.standard_normal((batch, channels, *inner)) * 2 + 5).astype(name) for _ in range(2))
    weight, bias, mean, var = (
        rng.random(channels).astype(name) + 0.5 if data.draw(st.booleans()) else None for _ in range(4)
    )
    close = {"rtol": TOLERANCE[name], "atol": TOLERANCE[name] * 20}
    dims = (0, *range(2, x.ndim))
    wide, n = x.astype("f8"), x.size // channels
    middle, spread = wide.mean(dims), wide.var(dims)
    running = [None if one is None else one.copy() for one in (mean, var)]
    outputs = np.full_like(x, 7), np.full(channels, 7, name), np.full(channels, 7, name)
    compute("batch_norm", (x, weight, bias, *running), outputs, 0.3, 1e-3)
    y, wanted = normalise(wide, weight, bias, middle, spread)
    for got, one in zip(outputs, (wanted, middle, 1 / np.sqrt(spread + 1e-3)), strict=True):
        np.testing.assert_allclose(got, one, **close)
    for got, before, batchs in zip(running, (mean, var), (middle, spread * n / (n - 1)), strict=True):
        if before is not None:
            np.testing.assert_allclose(got, 0.7 * before + 0.3 * batchs, **close)
    count, counted = data.draw(st.integers(0, 5)), [None if one is None else one.copy() for one in (mean, var)]
    shared = [None if one is None else one.copy() for one in (mean, var)]
    again = [np.full_like(one, 7) for one in outputs]
    compute("batch_norm", (x, weight, bias, *shared), again, 1 / (count + 1), 1e-3)
    compute("batch_norm_counted", (x, weight, bias, *counted, np.array(count)), outputs, 1e-3)
    for got, one in zip((*counted, *outputs), (*shared, *again), strict=True):
        np.testing.assert_array_equal(got, one)

    gradients = np.full_like(x, 7), np.full(channels, 7, name), np.full(channels, 7, name)
    compute("batch_norm_grad", (g, x, *outputs[1:], weight), gradients)
    along = (1, -1, *(1,) * (x.ndim - 2))
    g = g.astype("f8")
    mean_g, mean_gy = (one.mean(dims).reshape(along) for one in (g, g * y))
    scale = (1 if weight is None else weight) / np.sqrt(spread + 1e-3)
    wanted = scale.reshape(along) * (g - mean_g - y * mean_gy)
    close["atol"] *= float(np.abs(g).sum(dims).max())
    for got, one in zip(gradients, (wanted, (g * y).sum(dims), g.sum(dims)), strict=True):
        np.testing.assert_allclose(got, one, **close)

    if mean is not None and var is not None:
        (got,) = compute("batch_norm_eval", (x, weight, bias, mean, var), (np.full_like(x, 7),), 1e-3)
        np.testing.assert_allclose(got, normalise(wide, weight, bias, mean, var)[1], **close)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(5, 33), (40, 3, 5), (3, 31, 9, 12)], ids=str)
def test_half_precision_is_rounded_once(shape, name, level):
    """Check against float32, with some operands of channels in float32 and some in half precision."""
    rng = np.random.default_rng(4)
    x, g = (narrow(rng.standard_normal(shape) * 2 + 5, name) for _ in range(2))
    given = [narrow(rng.random(shape[1]) + 0.5, name) if k % 2 else rng.random(shape[1]).astype("f4") for k in range(4)]
    wide = [widen(one).copy() for one in given]
    outputs, gradients = (tuple(empty(one, dtype) for one, dtype in ((shape, name), *[(shape[1:2], "float32")] * 2))
                          for _ in range(2))  # fmt: skip
    wanted, wanted_gradients = (tuple(empty(one.shape, "float32") for one in outputs) for _ in range(2))
    compute("batch_norm", (x, *given), outputs, 0.3, 1e-3)
    compute("batch_norm", (widen(x), *wide), wanted, 0.3, 1e-3)
    for weight, other in ((given[0], wide[0]), (given[1], wide[1])):
        compute("batch_norm_grad", (g, x, *outputs[1:], weight), gradients)
        compute("batch_norm_grad", (widen(g), widen(x), *wanted[1:], other), wanted_gradients)
        for got, one in zip((*outputs, *gradients), (*wanted, *wanted_gradients), strict=True):
            np.testing.assert_array_equal(got, narrow(one, name) if got.shape == shape else one)
    for got, one in zip(given, wide, strict=True):
        np.testing.assert_array_equal(widen(got), widen(narrow(one, name)) if got.itemsize < 4 else one)


@pytest.mark.parametrize("name", TOLERANCE)
@pytest.mark.parametrize("shape", [(0, 2), (0, 33, 3, 3), (2, 3, 0), (2, 3, 4, 0), (2, 0, 4)], ids=str)
def test_no_elements(shape, name, level):
    """Check that empty inputs cause no access outside the arrays, and zero gradients of weight and bias."""
    room, channels = np.full(4096, 7, name), shape[1]
    x = room[2048:2048].reshape(shape)
    outputs = x, np.full(channels, 7, name), np.full(channels, 7, name)
    compute("batch_norm", (x, None, None, None, None), outputs, 0.1, 0.0)
    gradients = x, np.full(channels, 7, name), np.full(channels, 7, name)
    compute("batch_norm_grad", (x, x, *outputs[1:], None), gradients)
    assert not gradients[1].any() and not gradients[2].any()
    compute("batch_norm_eval", (x, None, None, np.zeros(channels, name), np.zeros(channels, name)), (x,), 1e-5)
    assert (room == 7).all()


@pytest.mark.parametrize("shape", [(3000, 70), (30, 70, 12, 12)], ids=str)
def test_levels_and_threads_agree(shape, level):
    """Check each instruction level, and that one thread and three give the same bits."""
    x = np.random.default_rng(3).standard_normal(shape).astype("f4")
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        outputs = np.empty_like(x), np.empty(70, "f4"), np.empty(70, "f4")
        compute("batch_norm", (x, None, None, None, None), outputs, 0.1, 1e-3)
        gradients = np.empty_like(x), np.empty(70, "f4"), np.empty(70, "f4")
        compute("batch_norm_grad", (x, x, *outputs[1:], None), gradients)
        results.append((*outputs, *gradients))
    set_num_threads(before)
    dims = (0, *range(2, x.ndim))
    wide = x.astype("f8")
    wanted = normalise(wide, None, None, wide.mean(dims), wide.var(dims))[1]
    np.testing.assert_allclose(results[0][0], wanted, rtol=1e-5, atol=1e-5)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_operands_must_be_contiguous_and_of_one_dtype():
    x, channels = np.zeros((4, 3), "f4"), np.zeros(3, "f4")
    outputs = np.empty_like(x), channels, channels
    for wrong in ((x.astype("f2"), None, None), (x, channels.astype("f8"), None), (x, np.zeros(6, "f4")[::2], None)):
        with raises(NotImplementedError, "batch_norm"):
            compute("batch_norm", (*wrong, None, None), outputs, 0.1, 1e-5)


# --------------------------------------------------------------------------------------------------- dropout
@pytest.mark.parametrize("name", TOLERANCE)
def test_dropout(name, level):
    """Check the share of dropped elements, the scale of the rest, and dependence on only seed, offset and position."""
    x = np.random.default_rng(1).random(200_003).astype(name) + 1
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        results.append(compute("dropout", (x,), (np.full_like(x, 7),), 0.3, 5, 6)[0])
    set_num_threads(before)
    np.testing.assert_array_equal(*results)
    kept = results[0] != 0
    assert abs(kept.mean() - 0.7) < 0.005
    np.testing.assert_allclose(results[0][kept], x[kept] / 0.7, rtol=1e-6)
    short = compute("dropout", (x[:1000],), (np.empty(1000, name),), 0.3, 5, 6)[0]
    np.testing.assert_array_equal(short, results[0][:1000])
    other = compute("dropout", (x,), (np.empty_like(x),), 0.3, 5, 7)[0]
    assert abs(((other != 0) == kept).mean() - 0.58) < 0.01  # independent: 0.7² + 0.3²
    assert not compute("dropout", (x,), (np.empty_like(x),), 1.0, 5, 6)[0].any()
    np.testing.assert_array_equal(compute("dropout", (x,), (np.empty_like(x),), 0.0, 5, 6)[0], x)


def test_dropout_is_the_same_in_both_dtypes():
    one, other = (compute("dropout", (np.ones(999, t),), (np.empty(999, t),), 0.5, 1, 2)[0] for t in ("f4", "f8"))
    np.testing.assert_array_equal(one, other)
