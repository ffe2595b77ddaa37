"""Cross entropy, the negative log likelihood and their gradients against NumPy in double precision."""

import numpy as np
import pytest
from arrays import laid_out
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises
from facula_storage import LaunchError

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}
FILL = 7.5


def compute(operator, arrays, output, reduction, ignored=-100, smoothing=0.0):
    """Launch an operator; None marks an omitted array."""
    layouts = tuple(None if one is None else layout(one) for one in arrays)
    plan = BACKEND.plan(operator, layouts, (layout(output),), (reduction,))
    addresses = [0 if one is None else one.ctypes.data for one in (*arrays, output)]
    plan.launch(output.size, *addresses, ignored, smoothing)
    return output


def expect(operator, x, target, weight, reduction, ignored, smoothing):
    """Return the losses, their gradients (each loss by its row of x), and the divisor of the sum of losses."""
    classes = x.shape[1]
    x = np.moveaxis(x, 1, -1).astype("f8")
    w = np.ones(classes) if weight is None else weight.astype("f8")
    counts = (target != ignored)[..., None]
    share = (1 - smoothing) * w * (np.arange(classes) == target[..., None]) + smoothing / classes * w
    share = np.where(counts, share, 0)
    logs = x
    if operator == "cross_entropy":
        shifted = x - x.max(-1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    slopes = -share + (np.exp(logs) * share.sum(-1, keepdims=True) if operator == "cross_entropy" else 0)
    total = np.where(counts[..., 0], w[np.where(counts[..., 0], target, 0)], 0).sum()
    return -(share * logs).sum(-1), np.moveaxis(slopes, -1, 1), total if reduction == "mean" else 1.0


@pytest.mark.parametrize("operator", ["cross_entropy", "nll_loss"])
@pytest.mark.parametrize("name", TOLERANCE)
@given(data=st.data())
def test_any_shape_and_strides(operator, name, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows = tuple(data.draw(st.lists(st.sampled_from([1, 2, 3, 17, 40]), min_size=1, max_size=3)))
    classes = data.draw(st.sampled_from([1, 2, 5, 10, 16, 17, 64, 65, 100, 600]))
    reduction = data.draw(st.sampled_from(["none", "mean", "sum"]))
    smoothing = data.draw(st.sampled_from([0.0, 0.3]))
    ignored = data.draw(st.sampled_from([-100, 0]))
    weight = rng.random(classes).astype(name) + 1 if data.draw(st.booleans()) else None
    x = laid_out(rng, (rng.standard_normal((rows[0], classes, *rows[1:])) * 3).astype(name))
    target = laid_out(rng, rng.integers(0, classes, rows))
    losses, slopes, total = expect(operator, x, target, weight, reduction, ignored, smoothing)
    close = {"rtol": TOLERANCE[name], "atol": TOLERANCE[name] * 20}
    output = np.empty(rows if reduction == "none" else (), name)
    got = compute(operator, (x, target, weight), output, reduction, ignored, smoothing)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, losses if reduction == "none" else losses.sum() / total, **close)
        g = np.asarray(rng.standard_normal(rows if reduction == "none" else ())).astype(name)
        g = laid_out(rng, g)
        wanted = slopes * (g[:, None] if reduction == "none" else g / total)
    gradient = laid_out(rng, np.full(x.shape, FILL, name))
    got = compute(f"{operator}_grad", (g, x, target, weight), gradient, reduction, ignored, smoothing)
    np.testing.assert_allclose(got, np.where(np.isfinite(wanted), wanted, 0), **close)


@pytest.mark.parametrize("classes", [10, 100])
def test_levels_and_threads_agree(classes, level):
    """Check each instruction level, and that one thread and three give the same bits."""
    rng = np.random.default_rng(5)
    x, target = rng.standard_normal((20_000, classes)).astype("f4"), rng.integers(0, classes, 20_000)
    losses, slopes, total = expect("cross_entropy", x, target, None, "mean", -100, 0.1)
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        loss = compute("cross_entropy", (x, target, None), np.empty((), "f4"), "mean", smoothing=0.1)
        plain = compute("cross_entropy", (x, target, None), np.empty((), "f4"), "mean")
        g = np.ones((), "f4")
        gradient = compute("cross_entropy_grad", (g, x, target, None), np.empty_like(x), "mean", smoothing=0.1)
        np.testing.assert_allclose(loss, losses.sum() / total, rtol=1e-6)
        np.testing.assert_allclose(gradient, slopes / total, rtol=1e-4, atol=1e-9)
        results.append((loss, plain, gradient))
    set_num_threads(before)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("operator", ["cross_entropy", "nll_loss", "cross_entropy_grad", "nll_loss_grad"])
def test_a_class_out_of_range_writes_nothing(operator):
    x, target = np.zeros((4, 3, 2), "f4"), np.zeros((4, 2), "i8")
    target[0], target[2, 1] = -1, 3
    arrays = (x, target, None)
    if operator.endswith("_grad"):
        arrays = (np.ones((4, 2), "f4"), *arrays)
    output = np.full(x.shape if operator.endswith("_grad") else (4, 2), FILL, "f4")
    with pytest.raises(LaunchError) as caught:
        compute(operator, arrays, output, "none", ignored=-1)
    assert caught.value.args == (5, 3, 5, 3, -1)
    assert (output == FILL).all()
    assert "target 3 at position 5 is out of range for 3 classes" in BACKEND.status_message(*caught.value.args)


def test_special_values():
    x = np.array([[np.nan, 0], [np.inf, 0], [-np.inf, 0], [-np.inf, -np.inf]], "f4")
    losses = compute("cross_entropy", (x, np.zeros(4, "i8"), None), np.empty(4, "f4"), "none")
    assert np.isnan(losses[[0, 1, 3]]).all()
    assert losses[2] == np.inf
    assert compute("cross_entropy", (x[2:3], np.ones(1, "i8"), None), np.empty(1, "f4"), "none")[0] == 0


@pytest.mark.parametrize("name", ["float16", "int32"])
def test_errors_name_unsupported_dtypes(name):
    x = np.zeros((2, 3), name)
    with raises(NotImplementedError, "cross_entropy", name):
        compute("cross_entropy", (x, np.zeros(2, "i8"), None), np.empty((), name), "mean")
    with raises(NotImplementedError, "cross_entropy", "int32", "None"):
        compute("cross_entropy", (x.astype("f4"), np.zeros(2, "i4"), None), np.empty((), "f4"), "mean")
