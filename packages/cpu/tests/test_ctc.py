"""Connectionist temporal classification against a sum over all paths, and invalid arguments."""

from itertools import groupby, product

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_storage import LaunchError

LONGEST = 4


def log_probabilities(steps, batch, classes, name="float64", seed=0):
    x = np.random.default_rng(seed).standard_normal((steps, batch, classes))
    return (x - np.log(np.exp(x).sum(2, keepdims=True))).astype(name)


def launch(operator, arrays, outputs, blank=0, zero_infinity=0):
    plan = BACKEND.plan(operator, tuple(map(layout, arrays)), tuple(map(layout, outputs)), (LONGEST,))
    scratch = np.zeros(plan.workspace, np.uint8)
    addresses = [one.ctypes.data for one in (*arrays, *outputs, scratch)]
    plan.launch(outputs[0].size, *addresses, blank, zero_infinity)
    return outputs


def forward(x, targets, lengths, **given):
    steps, batch, _ = x.shape
    outputs = np.full(batch, 7.5, x.dtype), np.full((batch, steps, 2 * LONGEST + 1), 7.5, x.dtype)
    return launch("ctc_loss", (x, targets, lengths), outputs, **given)


def all_paths(x, target, steps, blank):
    """Return the loss of one example, and the share of paths with each class at each step."""
    total, shares = 0.0, np.zeros(x.shape)
    for path in product(range(x.shape[1]), repeat=steps):
        if [one for one, _ in groupby(path) if one != blank] == list(target):
            probability = np.exp(sum(x[t, one] for t, one in enumerate(path)))
            total += probability
            for t, one in enumerate(path):
                shares[t, one] += probability
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(total), shares / total


EXAMPLES = [(5, [1, 2]), (5, [1, 1]), (4, []), (3, [2, 2]), (5, [2, 1, 2, 1]), (1, [1]), (0, []), (2, [1, 1]), (0, [2])]
LENGTHS = np.array([(steps, len(target), 4 * at) for at, (steps, target) in enumerate(EXAMPLES)])
TARGETS = np.array([[*target, *[-9] * (4 - len(target))] for _, target in EXAMPLES])


@pytest.mark.parametrize("blank", [0, 3])
@pytest.mark.parametrize(("name", "tolerance"), [("float32", 2e-5), ("float64", 1e-12)])
def test_losses_and_gradients_against_all_paths(name, tolerance, blank):
    x = log_probabilities(5, len(EXAMPLES), 4, name)
    g = np.linspace(0.5, 2, len(EXAMPLES)).astype(name)
    for laid in (x, np.asfortranarray(x)):
        losses, alphas = forward(laid, TARGETS, LENGTHS, blank=blank)
        arrays = (g, laid, TARGETS, LENGTHS, losses, alphas)
        (slopes,) = launch("ctc_loss_grad", arrays, (np.full(x.shape, 7.5, name),), blank)
        (zeros,) = launch("ctc_loss_grad", arrays, (np.full(x.shape, 7.5, name),), blank, 1)
        for n, (steps, target) in enumerate(EXAMPLES):
            wanted, shares = all_paths(x[:, n].astype("f8"), target, steps, blank)
            np.testing.assert_allclose(losses[n], wanted, rtol=tolerance, atol=tolerance)
            wanted = (np.exp(x[:steps, n]) - shares[:steps]) * g[n]
            np.testing.assert_allclose(slopes[:steps, n], wanted, rtol=tolerance, atol=tolerance)
            assert (slopes[steps:, n] == 0).all()
            if losses[n] == np.inf:
                assert np.isnan(slopes[:steps, n]).all() and (zeros[:, n] == 0).all()
            else:
                assert (zeros[:, n] == slopes[:, n]).all()


def test_impossible_classes_have_no_gradient():
    x = log_probabilities(4, 1, 3)
    x[:, :, 2] = -np.inf
    losses, alphas = forward(x, np.array([1]), np.array([[4, 1, 0]]))
    arrays = (np.ones(1), x, np.array([1]), np.array([[4, 1, 0]]), losses, alphas)
    (slopes,) = launch("ctc_loss_grad", arrays, (np.full(x.shape, 7.5),))
    assert np.isfinite(losses).all() and np.isfinite(slopes).all() and (slopes[:, :, 2] == 0).all()


def test_threads_give_the_same_bits():
    x = log_probabilities(60, 9, 30)
    targets = np.random.default_rng(1).integers(1, 30, 9 * 4)
    lengths = np.array([(60, 4, 4 * n) for n in range(9)])
    found, threads = [], get_num_threads()
    try:
        for count in (1, 4):
            set_num_threads(count)
            losses, alphas = forward(x, targets, lengths)
            arrays = (np.ones(9), x, targets, lengths, losses, alphas)
            found.append([losses, *launch("ctc_loss_grad", arrays, (np.empty_like(x),))])
    finally:
        set_num_threads(threads)
    for one, other in zip(*found, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize(
    ("target", "lengths", "details"),
    [
        (3, (4, 1, 0), (3, 0, 3, 0)),
        (-1, (4, 1, 0), (-1, 0, 3, 0)),
        (1, (5, 1, 0), None),
        (1, (-1, 1, 0), None),
        (1, (4, 2, 0), None),
        (1, (4, 5, 0), None),
        (1, (4, 1, 1), None),
        (1, (4, -1, 0), None),
        (1, (4, 1, -1), None),
    ],
)
def test_invalid_arguments_are_refused(target, lengths, details):
    x = log_probabilities(4, 1, 3)
    outputs = np.full(1, 7.5), np.full((1, 4, 2 * LONGEST + 1), 7.5)
    with pytest.raises(LaunchError) as caught:
        launch("ctc_loss", (x, np.array([target]), np.array([lengths])), outputs)
    assert details is None or caught.value.args[1:] == details
    assert all((one == 7.5).all() for one in outputs)
