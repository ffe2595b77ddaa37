"""Optimizer steps: one launch, any device and memory layout; errors change nothing. The package that uses them tests
their numerical results."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from fake_backend import fake, numbers
from slow_path import Watch

import facula_tensor as ft
from facula_errors.testing import raises
from facula_storage import listen
from facula_storage.extend import clear_layout_caches
from facula_tensor.extend import adam_step, asgd_step, overlapping, sgd_step

SGD = (0.5, 0.0, 1.0, 0.5, 1.0, 0.0)
ASGD = (0.5, 0.25, 0.5, 1.0, 0.0, 1.0)
ADAM = (0.5, 0.9, 0.99, 1e-8, 0.0, 1.0, 1.0)
SHAPES = [(3, 4), (5,), (), (0, 2)]


def row(shape, kind, device="cpu", dtype=ft.float64, seed=0):
    """Make a parameter, its gradient, and the state."""
    rng = np.random.default_rng([seed, *shape])
    count = 4 if kind is adam_step else 3
    made = [ft.tensor(np.abs(rng.standard_normal(shape)), dtype=dtype, device=device) for _ in range(count)]
    kept = {sgd_step: [], adam_step: [2.0], asgd_step: [0.5, 0.25, 2.0]}[kind]
    return (*made, *(ft.tensor(value, device=device) for value in kept))


def expected(values, kind):
    """Compute the first step after two by the formulas."""
    p, g, *state = values
    if kind is sgd_step:
        return p - 0.5 * (0.5 * state[0] + g)
    if kind is asgd_step:
        return p * (1 - 0.25 * 0.5) - 0.5 * g
    m, v = 0.9 * state[0] + 0.1 * g, 0.99 * state[1] + 0.01 * g * g
    return p - 0.5 * (m / (1 - 0.9**3)) / (np.sqrt(v / (1 - 0.99**3)) + 1e-8)


def step(kind, rows, given):
    """Run one step. The tensors form one list, row by row."""
    kind([t for tensors in rows for t in tensors], len(rows[0]), given)


kinds = pytest.mark.parametrize(("kind", "given"), [(sgd_step, SGD), (adam_step, ADAM), (asgd_step, ASGD)])


@kinds
def test_contiguous_tensors_never_take_the_slow_path(kind, given):
    clear_layout_caches()
    rows = [row(shape, kind) for shape in SHAPES]
    with Watch() as watch:
        for _ in range(3):
            step(kind, rows, given)
    assert watch.others == []


@kinds
def test_on_any_device(kind, given, device):
    for _ in range(2):  # the second call finds the plan
        rows = [row(shape, kind, device) for shape in SHAPES]
        wanted = [expected([numbers(t) for t in tensors], kind) for tensors in rows]
        versions = [[t._version for t in tensors] for tensors in rows]
        step(kind, rows, given)
        assert [[t._version for t in tensors] for tensors in rows] == [
            [v + (i != 1) for i, v in enumerate(vs)] for vs in versions
        ]
        for tensors, values in zip(rows, wanted, strict=True):
            np.testing.assert_allclose(numbers(tensors[0]), values, rtol=1e-12)


@kinds
def test_without_elements(kind, given):
    rows = [row(shape, kind, "meta") for shape in SHAPES]
    step(kind, rows, given)
    step(kind, rows, given)
    assert rows[0][0].shape == (3, 4)


@kinds
def test_one_launch_for_all(kind, given):
    backend = fake()
    rows = [row((4, 2), kind, "fake", seed=seed) for seed in range(30)]
    step(kind, rows, given)
    backend.run()
    step(kind, rows, given)
    assert [operator for operator, _, _ in backend.queue] == [kind.__name__]
    heard = []
    here = [row((4, 2), kind, seed=seed) for seed in range(30)]
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        step(kind, here, given)
    assert heard == [kind.__name__]


@kinds
@pytest.mark.parametrize("place", [0, 1, 2])
def test_strided_tensors(kind, given, place):
    one = row((3, 4), kind)
    wanted = expected([t.numpy().copy() for t in one], kind)
    one = tuple(t.t().clone().t() if i == place else t for i, t in enumerate(one))
    assert not one[place].is_contiguous()
    step(kind, [one], given)
    np.testing.assert_allclose(one[0].numpy(), wanted, rtol=1e-12)


@kinds
def test_overrides_of_subclasses_are_not_called(kind, given):
    class Loud(ft.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            raise AssertionError("asked")

    one = row((3,), kind)
    wanted = expected([t.numpy().copy() for t in one], kind)
    loud = one[0].as_subclass(Loud)
    step(kind, [(loud, *one[1:])], given)
    np.testing.assert_allclose(one[0].numpy(), wanted, rtol=1e-12)


WRONG = [
    (1, lambda: ft.ones(4), "expected gradient of parameter 1 to be float64 (3,) ... got float32 (4,)"),
    (1, lambda: ft.ones(3, dtype=ft.float32), "got float32"),
    (1, lambda: ft.ones(3, dtype=ft.float64, device="meta"), "on 'meta'"),
    (2, lambda: ft.ones(1, 3, dtype=ft.float64), "parameter 1 ... got float64 (1, 3)"),
    (0, lambda: ft.ones(3, dtype=ft.float16), "expected float32 or float64; parameter 1 is float16"),
    (0, lambda: ft.ones(3, dtype=ft.complex64), "parameter 1 is complex64"),
    (0, lambda: ft.ones(1, dtype=ft.float64).expand(3), "share one place in memory"),
]


@kinds
@pytest.mark.parametrize(("place", "make", "message"), WRONG)
def test_errors_change_nothing(kind, given, place, make, message):
    good, bad = row((2,), kind), row((3,), kind)
    bad = tuple(make() if i == place else t for i, t in enumerate(bad))
    before = [[(t.tolist(), t._version) for t in tensors] for tensors in (good,)]
    with raises((ValueError, TypeError, RuntimeError), kind.__name__, message):
        step(kind, [good, bad], given)
    assert [[(t.tolist(), t._version) for t in tensors] for tensors in (good,)] == before


def test_scalars_of_a_row():
    """They are float32 in any row and change after the step. An error names one of another shape."""
    one = row((3,), asgd_step)
    average = one[2].numpy() + 0.25 * (expected([t.numpy() for t in one], asgd_step) - one[2].numpy())
    step(asgd_step, [one], ASGD)
    np.testing.assert_allclose(one[2].numpy(), average, rtol=1e-12)
    assert [t.item() for t in one[3:]] == pytest.approx([0.5 / (1 + 0.25 * 0.5 * 3) ** 0.5, 0.5, 3.0])
    for place, name in ((3, "eta"), (4, "mu"), (5, "step")):
        bad = tuple(ft.ones(1) if i == place else t for i, t in enumerate(one))
        with raises(ValueError, "asgd_step", f"expected {name} of parameter 0 to be float32 ()", value="float32 (1,)"):
            step(asgd_step, [bad], ASGD)


def test_threads_that_step_the_same_shapes():
    outcomes = []

    def work(seed):
        rows = [row((50, 3), adam_step, seed=seed), row((7,), adam_step, seed=seed)]
        for _ in range(50):
            step(adam_step, rows, ADAM)
        outcomes.append((seed, [tensors[0].tolist() for tensors in rows]))

    threads = [threading.Thread(target=work, args=(seed % 2,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 6
    for seed, values in outcomes:
        assert values == next(other for number, other in outcomes if number == seed)


def test_overlapping():
    whole = ft.zeros(6, 6)
    rows, columns = [whole[i] for i in range(6)], [whole[:, i] for i in range(6)]
    assert overlapping(rows) is None and overlapping(columns) is None
    assert overlapping([whole[::2], whole[1::2], ft.zeros(3)]) is None
    assert overlapping([ft.zeros(3), rows[1], columns[2]]) == (1, 2)
    assert overlapping([whole[0:0], whole, ft.zeros(2), rows[5]]) == (1, 3)
    assert overlapping([ft.zeros(3, device="meta"), ft.zeros(3, device="meta")]) is None
