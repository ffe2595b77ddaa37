"""Recurrent layers against their definitions, step by step in NumPy, and their gradients to order two."""

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.extend import recorded_ops as F
from facula_tensor.extend import recurrent_layer

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr=None):
    """Compute the states after one step of one sequence, by definition."""
    a, b = w_ih @ x + b_ih, w_hh @ h + b_hh
    if kind.startswith("rnn"):
        return (np.tanh(a + b) if kind == "rnn_tanh" else np.maximum(a + b, 0)), c
    a, b = a.reshape(GATES[kind], -1), b.reshape(GATES[kind], -1)
    if kind == "gru":
        r, z = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        return (1 - z) * np.tanh(a[2] + r * b[2]) + z * h, c
    i, f, g, o = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1]), np.tanh(a[2] + b[2]), sigmoid(a[3] + b[3])
    c = f * c + i * g
    h = o * np.tanh(c)
    return (h if w_hr is None else w_hr @ h), c


def by_definition(kind, sequences, h0, c0, weights, reverse):
    """Return the outputs of each sequence and the last states."""
    outputs, last = [], []
    for place, sequence in enumerate(sequences):
        h, c = h0[place], c0[place]
        made = []
        for x in sequence[::-1] if reverse else sequence:
            h, c = step(kind, x, h, c, *weights)
            made.append(h)
        outputs.append(np.array(made[::-1] if reverse else made))
        last.append((h, c))
    return outputs, np.array([h for h, _ in last]), np.array([c for _, c in last])


def make(kind, batch, inputs, hidden, projected=0, seed=0):
    rng = np.random.default_rng(seed)
    rows, state = GATES[kind] * hidden, projected or hidden
    shapes = [(rows, inputs), (rows, state), (rows,), (rows,)] + ([(projected, hidden)] if projected else [])
    weights = [rng.standard_normal(shape) / hidden**0.5 for shape in shapes]
    return rng, rng.standard_normal((batch, state)), rng.standard_normal((batch, hidden)), weights


def tensors(arrays, dtype=ft.float64):
    return tuple(None if array is None else ft.tensor(array, dtype=dtype, requires_grad=True) for array in arrays)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (4, 3, 2, 5), (3, 13, 5, 33), (2, 70, 1, 3), (3, 0, 2, 2)], ids=str)
@pytest.mark.parametrize(("dtype", "close"), [(ft.float64, 1e-12), (ft.float32, 3e-5), (ft.bfloat16, 0.1)])
def test_values(dtype, close, sizes, kind, reverse):
    steps, batch, inputs, hidden = sizes
    rng, h0, c0, weights = make(kind, batch, inputs, hidden)
    x = rng.standard_normal((batch, steps, inputs))
    outputs, h_n, c_n = by_definition(kind, x, h0, c0, weights, reverse)
    states = tensors([h0, c0 if kind == "lstm" else None], dtype)
    given = ft.tensor(x, dtype=dtype).transpose(0, 1)
    got = recurrent_layer(kind, given, *states, tensors(weights, dtype), reverse)
    wanted = (np.array(outputs).reshape(batch, steps, hidden).swapaxes(0, 1), h_n, c_n if kind == "lstm" else None)
    for result, value in zip(got, wanted, strict=True):
        assert (result is None) == (value is None)
        if result is not None:
            assert result.dtype is dtype
            value = value.reshape(tuple(result.shape))
            np.testing.assert_allclose(result.detach().double().numpy(), value, rtol=close, atol=close)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "projected"), [*((kind, 0) for kind in GATES), ("lstm", 2)])
def test_packed_sequences(kind, projected, reverse):
    lengths = [5] * 3 + [4] * 30 + [2, 1]
    rng, h0, c0, weights = make(kind, len(lengths), 3, 4, projected)
    sequences = [rng.standard_normal((length, 3)) for length in lengths]
    outputs, h_n, c_n = by_definition(kind, sequences, h0, c0, weights, reverse)

    def packed(sequences):
        return np.concatenate([[steps[t] for steps in sequences if len(steps) > t] for t in range(5)])

    sizes = ft.tensor([sum(length > t for length in lengths) for t in range(5)])
    states = tensors([h0, c0 if kind == "lstm" else None])
    x = ft.tensor(packed(sequences), requires_grad=True)
    weights = tensors(weights)
    got = recurrent_layer(kind, x, *states, (*weights[:4], *weights[4:]), reverse, sizes)
    for result, value in zip(got, (packed(outputs), h_n, c_n), strict=True):
        if result is not None:
            np.testing.assert_allclose(result.detach().numpy(), value, atol=1e-12)

    # The gradients equal those of separate sequences.
    factors = [ft.tensor(rng.standard_normal(tuple(result.shape))) for result in got if result is not None]
    sum((result * factor).sum() for result, factor in zip(got, factors)).backward()
    places = packed([np.array([[place, t] for t in range(n)]) for place, n in enumerate(lengths)])
    for place, sequence in enumerate(sequences[::7]):
        place *= 7
        own = [None if state is None else state.detach()[place : place + 1].requires_grad_() for state in states]
        inputs = ft.tensor(sequence[:, None], requires_grad=True)
        results = recurrent_layer(kind, inputs, *own, tuple(weight.detach() for weight in weights), reverse)
        rows = [int(np.flatnonzero((places == [place, t]).all(1))[0]) for t in range(len(sequence))]
        of = [factors[0][ft.tensor(rows)][:, None], *(factor[place : place + 1] for factor in factors[1:])]
        sum((result * factor).sum() for result, factor in zip(results, of)).backward()
        np.testing.assert_allclose(x.grad[ft.tensor(rows)].numpy(), inputs.grad[:, 0].numpy(), atol=1e-11)
        for whole, tensor in zip(states, own):
            if tensor is not None:
                np.testing.assert_allclose(whole.grad[place].numpy(), tensor.grad[0].numpy(), atol=1e-11)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", GATES)
def test_gradients(kind, reverse):
    rng, h0, c0, weights = make(kind, 1, 2, 2, seed=3)
    x = rng.standard_normal((2, 1, 2))
    states = [h0, c0] if kind == "lstm" else [h0]

    def layer(x, *rest):
        first = (rest[0], rest[1] if kind == "lstm" else None)
        return tuple(
            result for result in recurrent_layer(kind, x, *first, rest[len(states) :], reverse) if result is not None
        )

    given = tensors([x, *states, *weights])
    check_slopes(layer, given)


@pytest.mark.parametrize("kind", GATES)
def test_gradients_of_a_tensor_passed_twice(kind):
    _, h0, _, weights = make(kind, 2, 2, 2)
    w = tensors(weights)

    def layer(x, h):
        return recurrent_layer(kind, x, h, h if kind == "lstm" else None, (*w[:2], w[2], w[2]))[0]

    given = tensors([np.ones((2, 2, 2)), h0])
    check_slopes(layer, given)


@pytest.mark.parametrize("kind", GATES)
def test_without_initial_states_and_biases(kind):
    """They default to zeros; unused gradients are not computed."""
    rng, _, _, weights = make(kind, 3, 2, 4)
    x = tensors([rng.standard_normal((4, 3, 2))])[0]
    zeros = ft.zeros(3, 4, dtype=ft.float64), ft.zeros(3, 4, dtype=ft.float64) if kind == "lstm" else None
    w = tensors(weights[:2])
    nothing = ft.zeros(len(weights[2]), dtype=ft.float64)
    left_out = recurrent_layer(kind, x, None, None, (*w, None, None))
    given = recurrent_layer(kind, x, *zeros, (*w, nothing, nothing))
    for tensor, other in zip(left_out, given):
        assert tensor is None or (tensor == other).all()
    left_out[0].square().sum().backward()
    first = [operand.grad.clone() for operand in (x, *w)]
    for operand in (x, *w):
        operand.grad = None
    given[0].square().sum().backward()
    for leaf, other in zip((x, *w), first):
        np.testing.assert_allclose(leaf.grad.numpy(), other.numpy(), atol=1e-14)
    still = recurrent_layer(kind, x.detach(), None, None, (w[0].detach(), w[1], None, None))
    w[1].grad = None
    still[0].square().sum().backward()
    np.testing.assert_allclose(w[1].grad.numpy(), first[2].numpy(), atol=1e-14)


@pytest.mark.parametrize("kind", GATES)
def test_results_do_not_depend_on_threads(kind):
    from facula_cpu import get_num_threads, set_num_threads

    rng, _, _, weights = make(kind, 70, 40, 48)
    x = rng.standard_normal((6, 70, 40))
    results = []
    before = get_num_threads()
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            given, w = tensors([x], ft.float32)[0], tensors(weights, ft.float32)
            out, h_n, _ = recurrent_layer(kind, given, None, None, w)
            (out.sum() + h_n.square().sum()).backward()
            results.append([out, given.grad, *(weight.grad for weight in w)])
    finally:
        set_num_threads(before)
    assert all((result == other).all() for result, other in zip(*results))


@pytest.mark.parametrize(
    ("operands", "parameters", "said"),
    [
        ({"input": ft.ones(3, 2)}, ("gru", False), "expected input (steps, batch, inputs); got (3, 2)"),
        ({"input": ft.ones(3, 2, 5)}, ("gru", False), "expected weight_ih of shape (12, 5); got (12, 2)"),
        ({"h0": ft.ones(2, 3)}, ("gru", False), "expected h0 of shape (2, 4); got (2, 3)"),
        ({"c0": ft.ones(2, 4)}, ("gru", False), "expected no c0, which an lstm has; got one for gru"),
        ({"bias_hh": ft.ones(4)}, ("gru", False), "expected bias_hh of shape (12,); got (4,)"),
        ({"weight_hh": ft.ones(12)}, ("gru", False), "expected weight_hh of shape"),
        ({"weight_hh": ft.ones(12, 4).double()}, ("gru", False), "got input float32, weight_hh float64"),
        ({"input": ft.ones(3, 2, 2).long()}, ("gru", False), "defined for float32 and float64; got int64"),
        ({}, ("lru", False), "expected kind to be one of lstm, gru, rnn_tanh, rnn_relu; got 'lru'"),
        ({"input": ft.ones(3, 2), "sizes": ft.ones(2)}, ("gru", False), "expected sizes to be int64"),
        ({"input": ft.ones(3, 2), "sizes": ft.tensor([2, 1])}, ("gru", False), "expected h0 (batch, hidden)"),
    ],
)
def test_errors(operands, parameters, said):
    usual = dict.fromkeys(["input", "h0", "c0", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "sizes"])
    usual |= {"input": ft.ones(3, 2, 2), "weight_ih": ft.ones(12, 2), "weight_hh": ft.ones(12, 4)}
    with raises((ValueError, TypeError), "recurrent", said):
        F.recurrent(*(usual | operands).values(), parameters)


@pytest.mark.parametrize("sizes", [[3, 1], [1, 2], [2, 2], [2, 0], [2, -1, 2], [2, 1 << 62]])
def test_invalid_batch_sizes_of_packed_sequences(sizes):
    """They are rejected before any memory is read or written."""
    weights = (ft.ones(12, 2), ft.ones(12, 4), None, None)
    with raises(ValueError, "recurrent", "expected sizes in decreasing order, 2 first, 3 together"):
        recurrent_layer("gru", ft.ones(3, 2), ft.ones(2, 4), None, weights, False, ft.tensor(sizes))
