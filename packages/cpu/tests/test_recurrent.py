"""A recurrent layer and its gradients against NumPy in double precision."""

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_storage import LaunchError

TOLERANCE = {"float32": 3e-5, "float64": 1e-12}


def compute(operator, arrays, shapes, name, parameters):
    """Launch an operator with a guard after each output; None marks an omitted array."""
    outputs = [np.full(int(np.prod(shape)) + 8, 7, name) for shape in shapes]
    made = [whole[:-8].reshape(shape) for whole, shape in zip(outputs, shapes, strict=True)]
    layouts = tuple(None if one is None else layout(one) for one in arrays)
    plan = BACKEND.plan(operator, layouts, tuple(map(layout, made)), parameters)
    workspace = np.full(plan.workspace + 64, 9, np.uint8)
    addresses = [0 if one is None else one.ctypes.data for one in (*arrays, *made)]
    plan.launch(made[0].size, *addresses, workspace.ctypes.data)
    assert all((whole[-8:] == 7).all() for whole in outputs)
    assert (workspace[plan.workspace :] == 9).all()
    return made


def operands(name, steps, batch, inputs, hidden):
    rng = np.random.default_rng(steps + batch)
    shapes = [(steps, batch, inputs), (batch, hidden), (hidden, inputs), (hidden, hidden), (hidden,), (hidden,)]
    x, h, *weights = [rng.standard_normal(shape).astype(name) / max(1, shape[-1]) ** 0.5 for shape in shapes]
    return x, h, *weights


def definition(x, h, w, u, b, c, reverse):
    """Return the outputs of an RNN with tanh, by definition."""
    outputs = np.empty((*x.shape[:2], len(u)))
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        h = outputs[t] = np.tanh(x[t] @ w.T + b + h @ u.T + c)
    return outputs


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", TOLERANCE)
@pytest.mark.parametrize("sizes", [(3, 2, 5, 7), (2, 13, 3, 33), (2, 40, 1, 16), (2, 1, 2, 350), (3, 0, 2, 2)], ids=str)
def test_an_rnn(sizes, name, reverse):
    steps, batch, _, hidden = sizes
    x, h, w, u, b, c = operands(name, *sizes)
    parameters = ("rnn_tanh", reverse)
    shapes = [(steps, batch, hidden), (batch, hidden), (0,), (steps, batch, hidden), (0,)]
    out, last, _, saved, cells = compute("recurrent", (x, h, None, w, u, b, c, None), shapes, name, parameters)
    close = {"rtol": TOLERANCE[name], "atol": TOLERANCE[name]}
    wanted = definition(*[one.astype("f8") for one in (x, h, w, u, b, c)], reverse)
    np.testing.assert_allclose(out, wanted, **close)
    assert np.array_equal(last, out[0 if reverse else -1])

    g = np.random.default_rng(1).standard_normal(out.shape).astype(name)
    shapes = [w.shape, u.shape, b.shape, c.shape, x.shape, h.shape, (0,)]
    given = (x, h, None, w, u, out, saved, cells, None, g, None, None)
    made = compute("recurrent_grad", given, shapes, name, (*parameters, True, True, True, True))
    former, d, slope = h.astype("f8"), np.zeros((batch, hidden)), {}
    for t in range(steps) if reverse else reversed(range(steps)):
        slope[t] = (g[t] + d) * (1 - wanted[t] ** 2)
        d = slope[t] @ u
    before = {t: wanted[t + 1 if reverse else t - 1] if t != (steps - 1 if reverse else 0) else former for t in slope}
    expected = [
        sum(slope[t].T @ x[t] for t in slope), sum(slope[t].T @ before[t] for t in slope),
        *[sum(slope[t].sum(0) for t in slope)] * 2, np.array([slope[t] @ w for t in range(steps)]), d,
    ]  # fmt: skip
    scale = 20 * max(1, hidden) ** 0.5
    for got, one in zip(made, expected, strict=False):
        np.testing.assert_allclose(got, one, rtol=scale * TOLERANCE[name], atol=scale * TOLERANCE[name])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("sizes", [None, [40, 33, 33, 7, 2]], ids=["dense", "packed"])
def test_thread_counts_give_the_same_bits(kind, reverse, sizes):
    """Compare groups of sequences on one thread with steps that are divided between several."""
    batch, hidden, features, name = 40, 170, 600, "float32"
    gates, cells = {"lstm": (4, 4), "gru": (3, 4)}.get(kind, (1, 1))
    rng = np.random.default_rng(hidden)

    def numbers(*shape):
        return (rng.standard_normal(shape) / shape[-1] ** 0.5).astype(name)

    rows, given = (sum(sizes),) if sizes else (3, batch), None if sizes is None else np.array(sizes)
    x, h, c = numbers(*rows, features), numbers(batch, hidden), numbers(batch, hidden) if kind == "lstm" else None
    w, u, b = numbers(gates * hidden, features), numbers(gates * hidden, hidden), numbers(gates * hidden)
    state, of_cells = (batch, hidden), ((batch, hidden), (*rows, hidden)) if kind == "lstm" else ((0,), (0,))
    shapes = [(*rows, hidden), state, of_cells[0], (*rows, cells * hidden), of_cells[1]]
    g = numbers(*rows, hidden)
    before, results = get_num_threads(), []
    for threads in (1, 2, 3):
        set_num_threads(threads)
        made = compute("recurrent", (x, h, c, w, u, b, b, given), shapes, name, (kind, reverse))
        operands = (x, h, c, w, u, made[0], made[3], made[4], given, g, h, c)
        gradients = [w.shape, u.shape, b.shape, b.shape, x.shape, h.shape, state if kind == "lstm" else (0,)]
        made += compute("recurrent_grad", operands, gradients, name, (kind, reverse, True, True, True, True))
        results.append(made)
    set_num_threads(before)
    for other in results[1:]:
        for one, wanted in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(one, wanted)


def test_omitted_gradients_are_not_computed():
    x, h, w, u, _, _ = operands("float32", 3, 2, 4, 5)
    shapes = [(3, 2, 5), (2, 5), (2, 5), (3, 2, 20), (6, 5)]
    w, u = np.tile(w, (4, 1)), np.tile(u, (4, 1))
    out, _, _, saved, cells = compute(
        "recurrent", (x, h, h, w, u, None, None, None), shapes, "float32", ("lstm", False)
    )
    given = (x, h, h, w, u, out, saved, cells, None, out, None, None)
    made = compute("recurrent_grad", given, [(0,)] * 5 + [(2, 5)] * 2, "float32",
                   ("lstm", False, False, True, False, False))  # fmt: skip
    assert all(np.isfinite(one).all() for one in made)


@pytest.mark.parametrize("sizes", [[3, 1], [1, 3], [2, 2, 2], [2, 1, 1], [2, -1], [2, 1 << 62]])
def test_sizes_are_checked_before_the_outputs_are_written(sizes):
    x, h, w, u, _, _ = operands("float32", 3, 2, 4, 5)
    rows, sizes = np.ascontiguousarray(x[:, 0]), np.array(sizes)
    out = [np.full(shape, 7, "f4") for shape in ((3, 5), (2, 5), (0,), (3, 5), (0,))]
    given = (rows, h, None, w, u, None, None, sizes)
    layouts = tuple(None if one is None else layout(one) for one in given)
    plan = BACKEND.plan("recurrent", layouts, tuple(map(layout, out)), ("rnn_relu", False))
    workspace = np.zeros(plan.workspace, np.uint8)
    addresses = [0 if one is None else one.ctypes.data for one in (*given, *out)]
    with pytest.raises(LaunchError):
        plan.launch(15, *addresses, workspace.ctypes.data)
    assert all((one == 7).all() for one in out)
