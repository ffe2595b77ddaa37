"""L-BFGS: known minima, line search, state, and invalid options."""

import numpy as np
import pytest
from optim_toys import leaves, values

import facula_tensor as ft
from facula_errors.testing import raises
from facula_optim import LBFGS

SEARCHES = pytest.mark.parametrize("search", [None, "strong_wolfe"])


def closure_of(optimizer, loss):
    """The closure of a step; `calls` counts its calls."""

    def closure():
        closure.calls += 1
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    closure.calls = 0
    return closure


@SEARCHES
def test_a_quadratic_in_one_step(search):
    """The minimum of |A x - b|^2 equals NumPy's solution."""
    a, b = values(0, [(9, 4), (9,)])
    (x,) = leaves([np.zeros(4)])
    left, right = ft.tensor(a), ft.tensor(b)
    optimizer = LBFGS([x], max_iter=99, tolerance_change=1e-15, line_search_fn=search, lr=1 if search else 0.5)
    closure = closure_of(optimizer, lambda: ((left @ x - right) ** 2).sum())
    assert optimizer.step(closure).item() == pytest.approx((b * b).sum())
    np.testing.assert_allclose(x.detach().numpy(), np.linalg.lstsq(a, b)[0], atol=1e-6)


def test_line_search_minimizes_rosenbrock():
    """Two parameters, one without dimensions, from the usual start; far fewer calls than gradient descent needs."""
    x, y = leaves([np.array([-1.2]), np.array(1.0)])
    optimizer = LBFGS([x, y], max_iter=100, tolerance_change=1e-15, line_search_fn="strong_wolfe")
    closure = closure_of(optimizer, lambda: ((1 - x) ** 2 + 100 * (y - x * x) ** 2).sum())
    optimizer.step(closure)
    assert x.item() == pytest.approx(1, abs=1e-5) and y.item() == pytest.approx(1, abs=1e-5)
    assert closure.calls == optimizer.state[x]["func_evals"] < 60


def test_the_first_move_is_short():
    """Its 1-norm equals the rate."""
    (x,) = leaves([np.array([3.0, -4.0])])
    optimizer = LBFGS([x], lr=0.25, max_iter=1)
    optimizer.step(closure_of(optimizer, lambda: (x * x).sum() / 2))
    np.testing.assert_allclose(x.detach().numpy(), np.array([3.0, -4.0]) * (1 - 0.25 / 7), rtol=1e-12)


@SEARCHES
def test_limits_of_calls_and_history(search):
    (x,) = leaves([np.linspace(-2, 2, 6)])
    optimizer = LBFGS([x], lr=0.1, max_iter=7, max_eval=5, history_size=3, line_search_fn=search)
    closure = closure_of(optimizer, lambda: ((x * x - 1) ** 2).sum())
    optimizer.step(closure)
    if search is None:
        assert closure.calls == 5
    for _ in range(5):
        optimizer.step(closure)
    state = optimizer.state[x]
    assert len(state["old_dirs"]) == len(state["old_stps"]) == len(state["ro"]) <= 3 == len(state["al"])
    assert state["func_evals"] == closure.calls


def test_no_move_at_a_minimum():
    (x,) = leaves([np.zeros(3)])
    optimizer = LBFGS([x])
    closure = closure_of(optimizer, lambda: (x * x).sum())
    assert optimizer.step(closure).item() == 0 and closure.calls == 1 and x.tolist() == [0, 0, 0]


@SEARCHES
def test_resuming_from_a_state_dict(search):
    """Parameters of several shapes, one without a gradient."""
    outcomes = []
    for resumed in (False, True):
        a, b, unused = leaves(values(3, [(2, 3), (), (4,)]))

        def loss(a=a, b=b):
            return ((a * a - 1) ** 2).sum() + (b - 2) ** 4

        optimizer = LBFGS([a, b, unused], lr=0.1, max_iter=4, line_search_fn=search)
        for step in range(4):
            if resumed and step == 2:
                saved = optimizer.state_dict()
                optimizer = LBFGS([a, b, unused])
                optimizer.load_state_dict(saved)
                assert optimizer.state[a]["old_dirs"][0] is not saved["state"][0]["old_dirs"][0]
            optimizer.step(closure_of(optimizer, loss))
        assert unused.tolist() == values(3, [(2, 3), (), (4,)])[2].tolist()
        outcomes.append([*a.reshape(-1).tolist(), b.item()])
    assert outcomes[0] == outcomes[1]


def test_invalid_options_are_rejected():
    (x,) = leaves([np.ones(2)])
    for make, error, message in (
        (lambda: LBFGS([x]).step(), TypeError, "LBFGS.step: expected a closure that computes the loss; got none"),
        (
            lambda: LBFGS([{"params": [x]}, {"params": leaves([np.ones(2)])}]),
            ValueError,
            "LBFGS: expected a single parameter group",
        ),
        (lambda: LBFGS([x], lr=-1), ValueError, "LBFGS: expected lr of 0 or more; got -1"),
        (lambda: LBFGS([x], max_iter="a"), TypeError, "LBFGS: expected max_iter to be a number; got 'a'"),
        (lambda: LBFGS([x], line_search_fn="wolfe"), ValueError, "LBFGS: None or 'strong_wolfe'; got 'wolfe'"),
    ):
        with raises(error, message):
            make()
