"""Cross entropy and related losses against NumPy in double precision, gradients to order two, and errors."""

import numpy as np
import pytest
from elements import check_slopes, lay, values_of

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad
from facula_errors.testing import raises

SHAPES = [(5, 3), (32, 10), (3, 700), (2, 5, 4, 3), (4,), (1, 1), (6, 17, 2)]
TOLERANCE = {"float32": 3e-5, "float64": 1e-12}


def log_softmax(x):
    dim = 1 if x.ndim > 1 else 0
    shifted = x - x.max(dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))


def reference(logs, target, weight, reduction, ignored, smoothing):
    """Compute the loss by definition, class by class."""
    if logs.ndim == 1:
        loss = reference(logs[None], target[None], weight, reduction, ignored, smoothing)
        return loss[0] if reduction == "none" else loss
    classes = logs.shape[1]
    weight = np.ones(classes) if weight is None else weight
    counts = target != ignored
    own = np.where(counts, target, 0)[:, None]
    of_target = np.where(counts, weight[own[:, 0]], 0)
    losses = -(1 - smoothing) * of_target * np.take_along_axis(logs, own, 1)[:, 0]
    spread = (logs * weight.reshape(-1, *(1,) * (logs.ndim - 2))).sum(1)
    losses = losses - np.where(counts, smoothing / classes * spread, 0)
    if reduction == "none":
        return losses
    return losses.sum() / of_target.sum() if reduction == "mean" else losses.sum()


def drawn(shape, seed=0, weighted=True):
    """Logits, targets and weights."""
    rng = np.random.default_rng(seed)
    classes = shape[1] if len(shape) > 1 else shape[0]
    target = np.asarray(rng.integers(0, classes, (*shape[:1], *shape[2:]) if len(shape) > 1 else ()))
    return rng.standard_normal(shape) * 3, target, rng.random(classes) + 0.1 if weighted else None


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape, dtype, reduction, smoothing):
    for weighted in (False, True):
        for ignored in (-100, 0):
            x, target, weight = drawn(shape, weighted=weighted)
            x = x.astype(dtype).astype(np.float64)
            given = None if weight is None else ft.tensor(weight, dtype=getattr(ft, dtype))
            options = {"reduction": reduction, "ignore_index": ignored}
            target_tensor = ft.tensor(target)
            with np.errstate(invalid="ignore"):
                wanted = reference(log_softmax(x), target, weight, reduction, ignored, smoothing)
            for layout in ("contiguous", "transposed", "sliced", "offset"):
                got = F.cross_entropy(lay(x, dtype, layout), target_tensor, given, label_smoothing=smoothing, **options)
                assert got.dtype.name == dtype
                np.testing.assert_allclose(values_of(got), wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            if not smoothing:
                logs = log_softmax(x)
                got = F.nll_loss(lay(logs, dtype, "transposed"), target_tensor, given, **options)
                np.testing.assert_allclose(values_of(got), wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(3, 4), (4,), (2, 3, 2)], ids=str)
def test_probabilities(shape, reduction):
    x, _, weight = drawn(shape)
    target = np.random.default_rng(1).random(shape)
    dim = 1 if len(shape) > 1 else 0
    by_class = weight.reshape(-1, *(1,) * (len(shape) - 2)) if len(shape) > 1 else weight
    losses = -(log_softmax(x) * (0.8 * target + 0.2 / shape[dim]) * by_class).sum(dim)
    wanted = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / losses.size}[reduction]
    a, b, w = ft.tensor(x, requires_grad=True), ft.tensor(target, requires_grad=True), ft.tensor(weight)

    def loss(a, b):
        return F.cross_entropy(a, b, w, reduction=reduction, label_smoothing=0.2)

    np.testing.assert_allclose(values_of(loss(a, b)), wanted)
    check_slopes(loss, (a, b))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("function", [F.cross_entropy, F.nll_loss], ids=["cross_entropy", "nll_loss"])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 2)], ids=str)
def test_gradients(shape, function, reduction):
    x, target, weight = drawn(shape)
    target.flat[0] = -100
    options = [{}, {"label_smoothing": 0.3}] if function is F.cross_entropy else [{}]
    for given in (None, ft.tensor(weight)):
        for option in options:

            def loss(x, given=given, option=option):
                return function(x, ft.tensor(target), given, reduction=reduction, **option)

            check_slopes(loss, (ft.tensor(x, requires_grad=True),))


def test_the_gradient_of_ignored_rows_is_zero():
    x = ft.tensor([[1.0, np.nan], [2.0, 1.0]], requires_grad=True)
    F.cross_entropy(x, ft.tensor([-100, 0])).backward()
    assert x.grad[0].tolist() == [0, 0]
    assert np.isnan(F.cross_entropy(x, ft.tensor([-100, -100])).item())
    np.testing.assert_allclose(x.grad[1].tolist(), [-1 / (1 + np.e), 1 / (1 + np.e)], rtol=1e-5)


def test_large_numbers_do_not_overflow():
    x = ft.tensor([[1e4, -1e4, 0.0], [-np.inf, 0.0, 0.0]])
    assert F.cross_entropy(x, ft.tensor([0, 1]), reduction="none").tolist()[0] == 0
    assert F.cross_entropy(x, ft.tensor([1, 0]), reduction="none").tolist() == [2e4, np.inf]
    assert F.cross_entropy(x, ft.tensor([1, 1]), reduction="none").tolist()[1] == pytest.approx(np.log(2))


def test_targets_of_any_integer_dtype_and_layout():
    x, target, _ = drawn((4, 3))
    wanted = F.cross_entropy(ft.tensor(x), ft.tensor(target)).item()
    for dtype in ("uint8", "int16", "int32"):
        assert F.cross_entropy(ft.tensor(x), ft.tensor(target, dtype=getattr(ft, dtype))).item() == wanted
    assert F.cross_entropy(ft.tensor(x), lay(target, "int64", "sliced")).item() == wanted


@pytest.mark.parametrize("function", [F.cross_entropy, F.nll_loss], ids=["cross_entropy", "nll_loss"])
def test_targets_out_of_range(function):
    name = function.__name__
    x = ft.zeros(9, 10, requires_grad=True)
    for wrong in (12, -1, 1 << 40):
        target = ft.tensor([1] * 7 + [wrong, 3])
        for _ in range(2):  # on the slow path and on the fast one
            with raises(IndexError, name, f"target[7] = {wrong} is out of range for 10 classes (0 to 9"):
                function(x, target)
    function(x, ft.tensor([1] * 9))
    with raises(IndexError, name, "target[1, 0] = 5 ... 5 classes ... ignore_index is 7"):
        function(ft.zeros(2, 5, 2), ft.tensor([[7, 1], [5, 2]]), ignore_index=7)
    with raises(IndexError, name, "target[0] = 5 is out of range"):
        function(ft.zeros(5), ft.tensor(5))


def test_a_target_changed_before_backward_is_detected():
    x, target = ft.zeros(2, 3, requires_grad=True), ft.tensor([0, 1])
    loss = F.cross_entropy(x, target)
    target[0] = 7
    with raises(RuntimeError, "backward of cross_entropy", "target"):
        loss.backward()
    assert x.grad is None


REFUSED = {
    "shape": (
        lambda F, x: F.cross_entropy(x, ft.zeros(3, dtype=ft.int64)),
        ValueError,
        "cross_entropy: target of shape (2,) ... (3,)",
    ),
    "dtype": (lambda F, x: F.cross_entropy(x.long(), ft.tensor([0, 1])), TypeError, "cross_entropy: float32 and"),
    "target dtype": (lambda F, x: F.cross_entropy(x, ft.tensor([0.0, 1.0])), TypeError, "cross_entropy: int64 ..."),
    "weight": (
        lambda F, x: F.nll_loss(x, ft.tensor([0, 1]), ft.ones(2)),
        ValueError,
        "nll_loss: weight of shape (3,) ... (2,)",
    ),
    "reduction": (
        lambda F, x: F.cross_entropy(x, ft.tensor([0, 1]), reduction="max"),
        ValueError,
        "cross_entropy: 'max'",
    ),
    "smoothing": (
        lambda F, x: F.cross_entropy(x, ft.tensor([0, 1]), label_smoothing=2.0),
        ValueError,
        "cross_entropy: 0 to 1; got 2.0",
    ),
    "number": (lambda F, x: F.cross_entropy(ft.tensor(1.0), ft.tensor(0)), ValueError, "cross_entropy: got a number"),
    "foreign": (lambda F, x: F.cross_entropy(x, [0, 1]), TypeError, "cross_entropy: target ... list"),
    "bce shape": (lambda F, x: F.binary_cross_entropy(x, ft.ones(3)), ValueError, "binary_cross_entropy: 2, 3) ..."),
    "bce range": (lambda F, x: F.binary_cross_entropy(x + 2, x), ValueError, "binary_cross_entropy: 0 to 1"),
    "bce target": (lambda F, x: F.binary_cross_entropy(x, x - 1), ValueError, "binary_cross_entropy: element of"),
    "bce nan": (lambda F, x: F.binary_cross_entropy(x * np.nan, x), ValueError, "binary_cross_entropy: element of"),
    "huber": (lambda F, x: F.huber_loss(x, x, delta=0), ValueError, "huber_loss: delta > 0; got 0"),
    "smooth": (lambda F, x: F.smooth_l1_loss(x, x, beta=-1), ValueError, "smooth_l1_loss: beta >= 0; got -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors(name):
    action, kind, text = REFUSED[name]
    with raises(kind, text):
        action(F, ft.zeros(2, 3))


# ------------------------------------------------------------------------------------------------- distances
def test_weights_and_extremes_of_distances():
    x, y, w = ft.tensor([0.0, 2.0]), ft.tensor([1.0, 0.0]), ft.tensor([1.0, 3.0])
    assert F.mse_loss(x, y, weight=w).item() == (1 + 12) / 4
    assert F.l1_loss(x, y, reduction="none", weight=w).tolist() == [1, 6]
    assert F.binary_cross_entropy(ft.tensor([0.0, 1.0]), ft.tensor([1.0, 1.0]), reduction="none").tolist() == [100, 0]
    far = ft.tensor([-1000.0, 1000.0])
    assert F.binary_cross_entropy_with_logits(far, ft.tensor([0.0, 0.0]), reduction="none").tolist() == [0, 1000]
    both = F.binary_cross_entropy_with_logits(x, y, w, pos_weight=w, reduction="none").tolist()
    assert both == pytest.approx([np.log(2), 3 * np.log1p(np.exp(2.0))])
    zero = ft.tensor([0.0, 1.0])
    assert F.kl_div(zero, zero, reduction="batchmean").item() == -0.5
    with pytest.warns(UserWarning, match="broadcast"):
        F.mse_loss(ft.ones(2, 2), ft.ones(2))
    assert F.smooth_l1_loss(x, y, beta=0).item() == 1.5
    assert F.mse_loss(x, y, size_average=False).item() == 5
    assert F.mse_loss(x, y, reduce=False).tolist() == [1, 4]


# probability, target: first derivatives by both, and the probability's second derivative. From PyTorch 2.13.
ENDS = {
    (0.0, 0.0): (0, np.inf, 0),
    (0.0, 1.0): (-1e12, np.inf, 1e24),
    (0.0, 0.5): (-5e11, np.inf, 5e23),
    (1.0, 1.0): (0, -np.inf, 0),
    (1.0, 0.0): (1e12, -np.inf, 1e24),
    (1.0, 0.25): (7.5e11, -np.inf, 7.5e23),
    (0.5, 0.5): (0, 0, 4),
    (0.25, 1.0): (-4, np.log(3), 16),
    (1e-30, 0.0): (1e-18, None, 0),
}


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_of_probabilities_0_and_1(dtype, weighted):
    for (at, aim), (slope, by_target, bend) in ENDS.items():
        x, y = (ft.tensor([number], dtype=dtype, requires_grad=True) for number in (at, aim))
        loss = F.binary_cross_entropy(x, y, ft.tensor([3.0], dtype=dtype) if weighted else None)
        factor = 3 if weighted else 1
        first, second = grad(loss, (x, y), create_graph=True)
        assert first.item() == pytest.approx(factor * slope, rel=1e-5)
        if by_target is not None:
            assert second.item() == pytest.approx(factor * by_target, rel=1e-5)
        assert grad(first, x)[0].item() == pytest.approx(factor * bend, rel=1e-5, abs=1e-30)


def test_a_saturated_classifier_keeps_learning():
    logits = ft.tensor([20.0, -110.0, 110.0], requires_grad=True)
    F.binary_cross_entropy(ft.sigmoid(logits), ft.tensor([1.0, 0.0, 0.5])).backward()
    assert logits.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("weight", [None, 2.5], ids=str)
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64], ids=str)
def test_confident_logits(dtype, weight):
    """Value and slope are exact if the classifier is right, far from 0 on either side."""
    x, y = ft.tensor([20.0, -20.0, 40.0, -40.0], dtype=dtype, requires_grad=True), ft.tensor([1, 0, 1, 0], dtype=dtype)
    factor = 1 if weight is None else weight
    by_logit = ft.tensor(factor, dtype=dtype)
    loss = F.binary_cross_entropy_with_logits(x, y, reduction="none", pos_weight=None if weight is None else by_logit)
    tails = np.exp([-20.0, -20.0, -40.0, -40.0]) * [factor, 1, factor, 1]
    np.testing.assert_allclose(loss.tolist(), tails, rtol=1e-6)
    (slope,) = grad(loss, x, ft.ones_like(loss), create_graph=True)
    np.testing.assert_allclose(slope.tolist(), tails * [-1, 1, -1, 1], rtol=1e-6)
    np.testing.assert_allclose(grad(slope.sum(), x)[0].tolist(), tails, rtol=1e-6)


def test_gradients_by_weights_of_logits():
    rng = np.random.default_rng(4)
    shapes = (3, 4), (3, 4), (4,)
    x, y, w = (ft.tensor(rng.random(shape) * 2 - 0.5, requires_grad=True) for shape in shapes)
    check_slopes(lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, w, pos_weight=w), (x, y, w))


def test_divergence_of_invalid_probabilities():
    losses = F.kl_div(ft.tensor([-1.0, -1.0]), ft.tensor([0.0, -1.0]), reduction="none")
    assert losses[0].item() == 0.0
    assert losses[1].isnan().item()
    with raises(TypeError, "huber_loss", "expected delta to be a real number", value="complex 1j"):
        F.huber_loss(ft.ones(2), ft.ones(2), delta=1j)


def test_missing_classes():
    with raises(IndexError, "cross_entropy", "target[0] = 0 is out of range for 0 classes (there is none"):
        F.cross_entropy(ft.ones(2, 0), ft.zeros(2, dtype=ft.int64))
    with raises(RuntimeError, "cross_entropy", "expected no ignore_index, since target has probabilities", value=1):
        F.cross_entropy(ft.ones(2, 3), ft.ones(2, 3), ignore_index=1)
    assert F.cross_entropy(ft.ones(1, 2), ft.ones(1, 2) / 2, ignore_index=-1).item() == pytest.approx(np.log(2))
