"""Optimizer steps over many parameters against the formulas in NumPy, for sizes that share chunks of work or not."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises

# Empty, one, shorter and longer than a vector and than a chunk; together more than one thread processes alone.
SIZES = st.lists(st.sampled_from([0, 0, 1, 3, 17, 64, 5000, 5001, 20_011, 60_000]), min_size=1, max_size=9)
SGD = {"rate": 0.3, "decay": 0.01, "sign": -1.0, "keep": 0.9, "take": 0.8, "ahead": 0.9}
ADAM = {"rate": 0.3, "first": 0.9, "second": 0.99, "epsilon": 1e-3, "decay": 0.01, "shrink": 0.98, "sign": 1.0}

RMSPROP = {"rate": 0.3, "share": 0.2, "epsilon": 1e-3, "decay": 0.01, "sign": -1.0, "keep": 0.9}


def step(operator, rows, numbers):
    """Launch one step; `rows` are changed in place."""
    flat = [array for row in rows for array in row]
    plan = BACKEND.plan(operator, tuple(map(layout, flat)), (), (len(rows[0]),))
    plan.launch(len(rows), *numbers.values(), *[array.ctypes.data for array in flat])


def sgd(row, rate, decay, sign, keep, take, ahead):
    """Return the parameter, and the momentum if there is one, after a step."""
    p, g, *buffer = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    if not buffer:
        return [p - rate * change]
    mean = keep * buffer[0] + take * change
    return [p - rate * (change + ahead * mean), mean]


def adam(row, rate, first, second, epsilon, decay, shrink, sign):
    """Return the parameter and its state after a step; the count comes last."""
    p, g, mean, square, *greatest, count = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    mean, square, count = first * mean + (1 - first) * change, second * square + (1 - second) * change**2, count + 1
    state = [mean, square, *(np.maximum(one, square) for one in greatest)]
    spread = np.sqrt(state[-1] / (1 - second**count))  # the maximum of the second moment (amsgrad)
    return [shrink * p - rate * mean / (1 - first**count) / (spread + epsilon), *state, count]


def rmsprop(row, rate, share, epsilon, decay, sign, keep, centred=False):
    p, g, square, *others, count = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    spread = square = share * square + (1 - share) * change**2
    state = [square]
    if centred:
        mean = share * others.pop(0) + (1 - share) * change
        spread = square - mean**2
        state.append(mean)
    quotient = change / (np.sqrt(spread) + epsilon)
    if others:
        quotient = keep * others[0] + quotient
        state.append(quotient)
    return [p - rate * quotient, *state, count + 1]


def adadelta(row, rate, share, epsilon, decay, sign):
    p, g, square, delta, count = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    square = share * square + (1 - share) * change**2
    moved = np.sqrt(delta + epsilon) / np.sqrt(square + epsilon) * change
    return [p - rate * moved, square, share * delta + (1 - share) * moved**2, count + 1]


def adagrad(row, rate, slower, epsilon, decay, sign):
    p, g, total, count = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    total = total + change**2
    return [p - rate / (1 + count * slower) * change / (np.sqrt(total) + epsilon), total, count + 1]


def adamax(row, rate, first, second, epsilon, decay, sign):
    p, g, mean, most, count = (array.astype("f8") for array in row)
    change = sign * g + decay * p
    mean, most, count = (
        first * mean + (1 - first) * change,
        np.maximum(second * most, np.abs(change) + epsilon),
        count + 1,
    )
    return [p - rate / (1 - first**count) * mean / most, mean, most, count]


def nadam(row, rate, first, second, epsilon, decay, shrink, sign, warming):
    p, g, mean, square, product, count = (array.astype("f8") for array in row)
    change, count = sign * g + decay * p, count + 1
    mean, square = first * mean + (1 - first) * change, second * square + (1 - second) * change**2
    now, after = (first * (1 - 0.5 * 0.96 ** (t * warming)) for t in (count, count + 1))
    product = product * now
    ahead = (1 - now) / (1 - product) * change + after / (1 - product * after) * mean
    return [shrink * p - rate * ahead / (np.sqrt(square / (1 - second**count)) + epsilon), mean, square, product, count]


def radam(row, rate, first, second, epsilon, decay, shrink, sign):
    p, g, mean, square, count = (array.astype("f8") for array in row)
    change, count, last = sign * g + decay * p, count + 1, 2 / (1 - second) - 1
    mean, square = first * mean + (1 - first) * change, second * square + (1 - second) * change**2
    fades, moved = second**count, mean / (1 - first**count)
    length = last - 2 * count * fades / (1 - fades)
    if length > 5:
        known = (length - 4) * (length - 2) * last / ((last - 4) * (last - 2) * length)
        moved = moved * np.sqrt(known * (1 - fades)) / (np.sqrt(square) + epsilon)
    return [shrink * p - rate * moved, mean, square, count]


def asgd(row, rate, slower, power, start, decay, sign):
    p, g, average, eta, mu, count = (array.astype("f8") for array in row)
    p, count = p * (1 - slower * eta) - eta * (sign * g + decay * p), count + 1
    average = average + mu * (p - average)
    return [p, average, rate / (1 + slower * rate * count) ** power, 1 / max(1, count - start), count]


def rprop(row, cut, grow, least, most, sign):
    p, g, before, size, count = (array.astype("f8") for array in row)
    agree = np.sign(sign * g * before)
    size = np.clip(size * np.where(agree > 0, grow, np.where(agree < 0, cut, 1)), least, most)
    before = np.where(agree < 0, 0, sign * g)
    return [p - np.sign(before) * size, before, size, count + 1]


KEPT = {"sgd_step": 0, "nadam_step": 2, "asgd_step": 3}  # number of scalars in a row; 1 for other operators


def rows_of(sizes, operands, operator, dtype):
    """Return rows of parameter, gradient and state; scalars, the last of which is the step count, end each row."""
    rng = np.random.default_rng(len(sizes))
    rows = [[np.abs(rng.standard_normal(size)).astype(dtype) for _ in range(operands)] for size in sizes]
    if operator == "rmsprop_centered_step":  # avoids negative variances
        for row in rows:
            row[2] += 25
    kept = [2.0, 0.25, 0.5][: KEPT.get(operator, 1)][::-1]
    return [[*row, *(np.full((), value, "f4") for value in kept)] for row in rows]


cases = pytest.mark.parametrize(
    ("operator", "formula", "numbers", "operands"),
    [
        *(("sgd_step", sgd, SGD, 2), ("sgd_step", sgd, SGD, 3)),
        *(("adam_step", adam, ADAM, 4), ("adam_step", adam, ADAM, 5)),
        *(("rmsprop_step", rmsprop, RMSPROP, 3), ("rmsprop_step", rmsprop, RMSPROP, 4)),
        ("rmsprop_centered_step", partial(rmsprop, centred=True), RMSPROP, 4),
        ("rmsprop_centered_step", partial(rmsprop, centred=True), RMSPROP, 5),
        ("adadelta_step", adadelta, {"rate": 0.3, "share": 0.9, "epsilon": 1e-3, "decay": 0.01, "sign": -1.0}, 4),
        ("adagrad_step", adagrad, {"rate": 0.3, "slower": 0.1, "epsilon": 1e-3, "decay": 0.01, "sign": -1.0}, 3),
        ("adamax_step", adamax, {key: ADAM[key] for key in ADAM if key != "shrink"}, 4),
        ("nadam_step", nadam, {**ADAM, "warming": 0.1}, 4),
        ("radam_step", radam, ADAM, 4),  # at step 3 radam does not use the variance yet; in the next case it does
        ("radam_step", radam, {**ADAM, "second": 0.6, "first": 0.4}, 4),
        ("asgd_step", asgd, {"rate": 0.3, "slower": 0.1, "power": 0.7, "start": 1.0, "decay": 0.01, "sign": -1.0}, 3),
        ("rprop_step", rprop, {"cut": 0.5, "grow": 1.2, "least": 0.1, "most": 1.0, "sign": -1.0}, 4),
    ],
)


@cases
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@given(sizes=SIZES)
def test_steps_follow_the_formulas(operator, formula, numbers, operands, dtype, sizes):
    rows = rows_of(sizes, operands, operator, dtype)
    gradients = [row[1].copy() for row in rows]
    wanted = [formula(row, **numbers) for row in rows]
    step(operator, rows, numbers)
    single = dtype == "f4" or KEPT.get(operator, 1) > 1  # the parameter depends on float32 scalars
    close = {"rtol": 2e-5, "atol": 2e-5} if single else {"rtol": 1e-12, "atol": 1e-12}
    for row, g, expected in zip(rows, gradients, wanted, strict=True):
        np.testing.assert_array_equal(row.pop(1), g)
        for array, right in zip(row, expected, strict=True):
            np.testing.assert_allclose(array, right, **close)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("operands", [4, 5])
@pytest.mark.parametrize("first", [0.0, 0.1, 0.3, 0.5, 0.7, 0.999])
def test_a_small_gradient_after_a_large_one(first, operands, dtype, level):
    """Check that the error is that of one rounding of each term, for terms of different size."""
    large, small = (1e8, 1.0) if dtype == "f4" else (1e17, 1.0)
    state = [np.zeros(37, dtype) for _ in range(operands - 2)]
    rows = [[np.zeros(37, dtype), np.full(37, large, dtype), *state, np.zeros((), "f4")]]
    numbers = {**ADAM, "rate": 0.1, "first": first, "second": 0.0, "decay": 0.0, "shrink": 1.0, "epsilon": 1e-8}
    step("adam_step", rows, numbers)
    rows[0][1][:] = small
    before, wanted = rows[0][2].astype("f8"), adam(rows[0], **numbers)
    step("adam_step", rows, numbers)
    terms = np.maximum(first * before, (1 - first) * small)
    assert (np.abs(rows[0][2] - wanted[1]) <= 4 * np.finfo(dtype).eps * terms).all()
    np.testing.assert_allclose(rows[0][0], wanted[0], rtol=1e-5)


@cases
def test_results_do_not_depend_on_how_work_is_split(operator, formula, numbers, operands, level):
    """Check different chunks, thread counts and other rows."""
    sizes, before, seen = [7, 0, 20_011, 1, 60_000], get_num_threads(), []
    rows = rows_of(sizes, operands, operator, "f4")
    alone = [[array.copy() for array in row] for row in rows]
    for row in alone:
        step(operator, [row], numbers)
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            again = [[array.copy() for array in row] for row in rows]
            step(operator, again, numbers)
            seen.append(again)
    finally:
        set_num_threads(before)
    for made in seen:
        for row, right in zip(made, alone, strict=True):
            assert [array.tobytes() for array in row] == [array.tobytes() for array in right]


def adafactor(row, rate, decay, smallest, least, most, shrink, sign):
    """Return matrices and vectors after a step; vectors have one moment, of their own size."""
    p, g, *moments, count = (array.astype("f8") for array in row)
    count += 1
    share = count**decay
    smallest = np.finfo(row[0].dtype).eps if smallest < 0 else smallest
    size = max(least, np.sqrt((p * p).mean()))
    means = [(g * g).mean(axis, keepdims=True) for axis in (-1, -2)] if len(moments) == 2 else [g * g]
    moments = [before + share * (now - before) for before, now in zip(moments, means, strict=True)]
    moment = moments[0]
    if len(moments) == 2:
        moment = moments[0] * moments[1] / np.maximum(moments[0].mean(-2, keepdims=True), smallest)
    change = g / np.sqrt(np.maximum(moment, smallest**2))
    change *= sign * size * min(rate, count**-0.5) / max(1, np.sqrt((change * change).mean()) / most)
    return [shrink * p - change, *moments, count]


def adafactor_rows(shapes, dtype, matrices=True):
    """Return parameters, gradients, moments after a step or two, and the count."""
    rng = np.random.default_rng(len(shapes))
    kept = [lambda s: (*s[:-1], 1), lambda s: (*s[:-2], 1, s[-1])] if matrices else [lambda s: s]
    return [
        [*(rng.standard_normal(shape).astype(dtype) for _ in range(2)),
         *(rng.random(of(shape)).astype(dtype) for of in kept), np.full((), 2.0, "f4")]
        for shape in shapes
    ]  # fmt: skip


ADAFACTOR = {"rate": 0.3, "decay": -0.8, "smallest": -1.0, "least": 1e-3, "most": 1.0, "shrink": 0.9, "sign": -1.0}
MATRICES = [(1, 1), (3, 5), (16, 16), (17, 129), (300, 40), (2, 3, 4), (3, 1, 2, 33)]
VECTORS = [(1,), (), (15,), (16,), (1000,)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("numbers", [{}, {"rate": 0.9, "smallest": 0.1, "least": 2.0, "most": 1.5, "sign": 1.0}])
@pytest.mark.parametrize(("operator", "shapes"), [("adafactor_step", MATRICES), ("adafactor_vector_step", VECTORS)])
def test_adafactor(operator, shapes, numbers, dtype, level):
    numbers = {**ADAFACTOR, **numbers}
    rows = adafactor_rows(shapes, dtype, operator == "adafactor_step")
    gradients, wanted = [row[1].copy() for row in rows], [adafactor(row, **numbers) for row in rows]
    step(operator, rows, numbers)
    close = {"rtol": 2e-5, "atol": 2e-5} if dtype == "f4" else {"rtol": 1e-12, "atol": 1e-12}
    for row, g, expected in zip(rows, gradients, wanted, strict=True):
        np.testing.assert_array_equal(row.pop(1), g)
        for array, right in zip(row, expected, strict=True):
            np.testing.assert_allclose(array, right, **close)


def test_adafactor_on_several_threads(level):
    """Check the same bits; for empty parameters only the count changes."""
    rows = adafactor_rows([(0, 3), (400, 300), (3, 0), (700, 130)], "f4")
    rows[0][2][:], rows[2][3][:] = 1, 2
    before, seen = get_num_threads(), []
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            again = [[array.copy() for array in row] for row in rows]
            step("adafactor_step", again, ADAFACTOR)
            seen.append([[array.tobytes() for array in row] for row in again])
    finally:
        set_num_threads(before)
    assert seen[0] == seen[1]
    for number in (0, 2):
        *same, count = again[number]
        assert count == 3
        for array, right in zip(same, rows[number], strict=False):
            np.testing.assert_array_equal(array, right)


def test_adafactor_requires_moments_of_rows_and_columns():
    rows = adafactor_rows([(3, 5)], "f4")
    rows[0][2] = np.zeros((3, 2), "f4")
    with raises(NotImplementedError, "adafactor_step"):
        step("adafactor_step", rows, ADAFACTOR)
    with raises(NotImplementedError, "adafactor_step"):
        step("adafactor_step", adafactor_rows([(5,)], "f4", matrices=False), ADAFACTOR)
