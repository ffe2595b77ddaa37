"""Connectionist temporal classification against an enumeration of all paths; forms of its arguments; errors."""

from itertools import groupby, product

import numpy as np
import pytest
from elements import check_slopes, values_of

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad
from facula_errors.testing import raises

STEPS, COUNTS = (4, 3, 3), (2, 0, 3)
TARGETS = np.array([[1, 2, 0], [0, 0, 0], [2, 2, 1]])
LOGITS = np.random.default_rng(4).standard_normal((4, 3, 3))


def by_paths(logits, blank=0):
    """Compute the losses of the three examples."""
    probabilities = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    losses = []
    for n, (steps, count) in enumerate(zip(STEPS, COUNTS, strict=True)):
        fitting = [
            np.prod([probabilities[t, n, label] for t, label in enumerate(path)])
            for path in product(range(3), repeat=steps)
            if [label for label, _ in groupby(path) if label != blank] == list(TARGETS[n, :count])
        ]
        losses.append(-np.log(sum(fitting)) if fitting else np.inf)
    return np.array(losses)


FINITE = by_paths(LOGITS)[:2]


def loss(x, **options):
    return F.ctc_loss(x.log_softmax(-1), ft.tensor(TARGETS), STEPS, COUNTS, **options)


def test_values():
    x, losses = ft.tensor(LOGITS), by_paths(LOGITS)
    assert losses[2] == np.inf  # 2 2 1 needs four steps
    np.testing.assert_allclose(values_of(loss(x, reduction="none")), losses)
    np.testing.assert_allclose(values_of(loss(x, reduction="none", zero_infinity=True)), [*FINITE, 0])
    assert loss(x, zero_infinity=True).item() == pytest.approx((FINITE[0] / 2 + FINITE[1]) / 3)
    assert loss(x, reduction="sum", zero_infinity=True).item() == pytest.approx(FINITE.sum())
    assert loss(x.float(), reduction="none").dtype is ft.float32


def test_forms_of_arguments():
    x = ft.tensor(LOGITS).log_softmax(-1)
    wanted = F.ctc_loss(x, ft.tensor(TARGETS), STEPS, COUNTS, reduction="none").tolist()
    joined = ft.tensor([1, 2, 2, 2, 1])
    for targets in (ft.tensor(TARGETS), ft.tensor(TARGETS.T.copy()).t(), ft.tensor(TARGETS).int(), joined):
        for lengths in ((STEPS, COUNTS), (ft.tensor(STEPS), ft.tensor(COUNTS).int()), ([*STEPS], ft.tensor(COUNTS))):
            assert F.ctc_loss(x, targets, *lengths, reduction="none").tolist() == wanted
    assert F.ctc_loss(
        x.transpose(0, 1).contiguous().transpose(0, 1), joined, STEPS, COUNTS, reduction="none"
    ).tolist() == (wanted)
    alone = F.ctc_loss(x[:, 0], joined[:2], 4, 2, reduction="none")
    assert alone.shape == () and alone.item() == wanted[0]
    assert F.ctc_loss(x[:, 0], joined[:2], ft.tensor(4), ft.tensor([2])).item() == pytest.approx(wanted[0] / 2)
    assert F.ctc_loss(x[:, 1:2], ft.zeros(0, dtype=ft.int64), (0,), (0,)).item() == 0


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_gradients(reduction):
    x = ft.tensor(LOGITS, requires_grad=True)

    def total(x):
        return loss(x, reduction=reduction, zero_infinity=True)

    check_slopes(total, (x,))


def test_gradients_equal_those_of_logits_and_are_zero_or_nan_without_a_path():
    x = ft.tensor(LOGITS, requires_grad=True)
    logs = x.log_softmax(-1).detach().requires_grad_()
    for zero_infinity in (True, False):
        losses = F.ctc_loss(logs, ft.tensor(TARGETS), STEPS, COUNTS, reduction="sum", zero_infinity=zero_infinity)
        for create_graph in (False, True):
            (slopes,) = grad(losses, logs, retain_graph=True, create_graph=create_graph)
            slopes = slopes.detach()
            np.testing.assert_allclose(slopes[:, :2].sum(-1).tolist(), np.zeros((4, 2)), atol=1e-12)
            assert slopes[3, 1].tolist() == [0, 0, 0]  # beyond the end of the sequence
            assert (slopes[:3, 2] == 0).all() if zero_infinity else slopes[:3, 2].isnan().all()
    (through,) = grad(loss(x, reduction="sum", zero_infinity=True), x)
    (direct,) = grad(F.ctc_loss(logs, ft.tensor(TARGETS), STEPS, COUNTS, reduction="sum", zero_infinity=True), logs)
    np.testing.assert_allclose(through.tolist(), direct.tolist(), atol=1e-12)


X = ft.zeros(4, 3, 3)
T = ft.tensor(TARGETS)
REFUSED = {
    "dtype": (lambda: F.ctc_loss(X.half(), T, STEPS, COUNTS), TypeError, "defined for float32 ... float16"),
    "target dtype": (lambda: F.ctc_loss(X, T.float(), STEPS, COUNTS), TypeError, "int64; got float32"),
    "shape": (lambda: F.ctc_loss(X[0, 0], T, STEPS, COUNTS), ValueError, "(T, N, C) ... (3,)"),
    "blank": (lambda: F.ctc_loss(X, T, STEPS, COUNTS, 3), ValueError, "blank to be one of 3 classes; got 3"),
    "steps": (lambda: F.ctc_loss(X, T, (4, 5, 4), COUNTS), ValueError, "input_lengths from 0 to 4 ... got 5 at 1"),
    "count": (lambda: F.ctc_loss(X, T, STEPS, (2, -1, 3)), ValueError, "target_lengths at least 0; got -1 at 1"),
    "batch": (lambda: F.ctc_loss(X, T, (4, 4), COUNTS), ValueError, "input_lengths of 3 examples ... got 2"),
    "float": (lambda: F.ctc_loss(X, T, ft.ones(3), COUNTS), TypeError, "input_lengths to be integers; got float32"),
    "padded": (lambda: F.ctc_loss(X, T[:2], STEPS, COUNTS), ValueError, "(3, 3 or more) ... (2, 3)"),
    "short": (lambda: F.ctc_loss(X, T, STEPS, (2, 0, 4)), ValueError, "(3, 4 or more) ... (3, 3)"),
    "joined": (lambda: F.ctc_loss(X, T[0], STEPS, COUNTS), ValueError, "5 targets one after another ... (3,)"),
    "class": (
        lambda: F.ctc_loss(X, T + 1, STEPS, COUNTS),
        IndexError,
        "target[0, 1] = 3 is out of range for 3 classes (0 to 2; blank is 0)",
    ),
    "reduction": (lambda: F.ctc_loss(X, T, STEPS, COUNTS, reduction="max"), ValueError, "'max'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors(name):
    action, kind, text = REFUSED[name]
    with raises(kind, "ctc_loss", text):
        action()
