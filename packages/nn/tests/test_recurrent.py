"""Recurrent layers: names, shapes, packed sequences, and invalid arguments."""

import copy
import pickle

import numpy as np
import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.utils import rnn

KINDS = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
CELLS = {"LSTM": nn.LSTMCell, "GRU": nn.GRUCell, "RNN": nn.RNNCell}


def close(got, wanted):
    np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), atol=1e-12)


def as_tuple(states):
    return states if isinstance(states, tuple) else (states,)


@pytest.mark.parametrize(
    ("module", "shown"),
    [
        (nn.LSTM(3, 4), "LSTM(3, 4)"),
        (
            nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2),
            "LSTM(3, 4, proj_size=2, num_layers=2, bidirectional=True)",
        ),
        (nn.LSTM(3, 4, proj_size=2), "LSTM(3, 4, proj_size=2)"),
        (nn.GRU(3, 4, 2, False, True, 0.5), "GRU(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.5)"),
        (nn.RNN(3, 4, 1, "relu"), "RNN(3, 4)"),
        (nn.LSTMCell(3, 4), "LSTMCell(3, 4)"),
        (nn.RNNCell(3, 4, bias=False, nonlinearity="relu"), "RNNCell(3, 4, bias=False, nonlinearity=relu)"),
        (nn.RNNBase("GRU", 3, 4), "RNNBase(3, 4)"),
    ],
    ids=repr,
)
def test_repr(module, shown):
    assert repr(module) == shown


def test_parameters():
    layer = nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2)
    shapes = {name: tuple(one.shape) for name, one in layer.state_dict().items()}
    parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
    assert list(shapes) == [f"{part}_l{k}{way}" for k in (0, 1) for way in ("", "_reverse") for part in parts]
    assert [shapes[f"{part}_l1"] for part in parts] == [(16, 4), (16, 2), (16,), (16,), (2, 4)]
    assert shapes["weight_ih_l0_reverse"] == (16, 3)
    assert layer.all_weights[1][4] is layer.weight_hr_l0_reverse
    assert layer._flat_weights_names == list(shapes)
    assert all(a is b for a, b in zip(layer._flat_weights, layer.parameters(), strict=True))
    assert all(float(one.abs().max()) <= 0.5 for one in layer.parameters())
    assert layer.flatten_parameters() is None
    assert layer.mode == "LSTM" and nn.RNN(1, 1, nonlinearity="relu").mode == "RNN_RELU"
    other = copy.deepcopy(layer)
    x = ft.rand(5, 2, 3)
    close(other(x)[0], layer(x)[0])
    close(pickle.loads(pickle.dumps(layer))(x)[0], layer(x)[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_stacked_layers(kind, batch_first, bidirectional):
    """Layers are applied in sequence, the backward direction to the reversed sequence; a layer applies its cell."""
    both = KINDS[kind](3, 4, 2, batch_first=batch_first, bidirectional=bidirectional, dtype=ft.float64)
    x = ft.rand(5, 2, 3, dtype=ft.float64)
    ways = ("", "_reverse") if bidirectional else ("",)
    outputs, last = x, []
    for k in range(2):
        made = []
        for way in ways:
            cell = CELLS[kind](outputs.shape[-1], 4, dtype=ft.float64)
            parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            cell.load_state_dict({part: getattr(both, f"{part}_l{k}{way}") for part in parts})
            state, rows = None, []
            for row in list(outputs)[::-1] if way else outputs:
                state = cell(row, state)
                rows.append(as_tuple(state)[0])
            made.append(ft.stack(rows[::-1] if way else rows))
            last.append(as_tuple(state))
        outputs = ft.cat(made, -1)
    got, states = both(x.transpose(0, 1) if batch_first else x)
    close(got.transpose(0, 1) if batch_first else got, outputs)
    for place, one in enumerate(as_tuple(states)):
        close(one, ft.stack([state[place] for state in last]))
    again, _ = both(x.transpose(0, 1) if batch_first else x, states)
    assert again.shape == got.shape and not (again == got).all()


@pytest.mark.parametrize("kind", KINDS)
def test_without_batch(kind):
    layer = KINDS[kind](3, 4, 2, bidirectional=True)
    x, states = ft.rand(5, 3), (ft.rand(4, 4), ft.rand(4, 4))
    given = states if kind == "LSTM" else states[0]
    wide = tuple(one.unsqueeze(1) for one in states) if kind == "LSTM" else states[0].unsqueeze(1)
    out, last = layer(x, given)
    wanted, wanted_last = layer(x.unsqueeze(1), wide)
    close(out, wanted.squeeze(1))
    for one, other in zip(as_tuple(last), as_tuple(wanted_last), strict=True):
        close(one, other.squeeze(1))
    cell = CELLS[kind](3, 4)
    close(as_tuple(cell(x[0]))[0], as_tuple(cell(x[:1]))[0][0])


def test_dropout_between_layers():
    layer = nn.GRU(3, 4, 2, dropout=1.0)
    x = ft.rand(5, 2, 3)
    assert (layer(x)[0] == layer(-x)[0]).all(), "the second layer sees zeros alone"
    assert not (layer.eval()(x)[0] == layer(-x)[0]).all()
    with pytest.warns(UserWarning, match=r"LSTM: dropout comes after all layers but the last.*dropout=0.5"):
        nn.LSTM(3, 4, dropout=0.5)


@pytest.mark.parametrize("lengths", [[5, 3, 1], [2, 5, 3]], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences(kind, lengths):
    """Each sequence is processed independently, in its original order."""
    layer = KINDS[kind](2, 3, 2, bidirectional=True, dtype=ft.float64)
    sequences = [ft.rand(length, 2, dtype=ft.float64) for length in lengths]
    states = tuple(ft.rand(4, 3, 3, dtype=ft.float64) for _ in range(2))
    given = states if kind == "LSTM" else states[0]
    for first in (None, given):
        packed, last = layer(rnn.pack_sequence(sequences, enforce_sorted=False), first)
        assert isinstance(packed, rnn.PackedSequence)
        for place, (sequence, outputs) in enumerate(zip(sequences, rnn.unpack_sequence(packed), strict=True)):
            own = None
            if first is not None:
                own = tuple(one[:, place] for one in states) if kind == "LSTM" else states[0][:, place]
            alone, alone_last = layer(sequence, own)
            close(outputs, alone)
            for one, other in zip(as_tuple(last), as_tuple(alone_last), strict=True):
                close(one[:, place], other)


def test_packing():
    x = ft.arange(24.0).reshape(4, 3, 2).requires_grad_()
    packed = rnn.pack_padded_sequence(x, [2, 4, 1], enforce_sorted=False)
    rows = [(0, 1), (0, 0), (0, 2), (1, 1), (1, 0), (2, 1), (3, 1)]
    assert packed.data.tolist() == [x[t, b].tolist() for t, b in rows]
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1]
    assert packed.sorted_indices.tolist() == [1, 0, 2] == packed.unsorted_indices.tolist()
    first = rnn.pack_padded_sequence(x.transpose(0, 1), ft.tensor([2, 4, 1]), True, False)
    assert (first.data == packed.data).all()
    padded, lengths = rnn.pad_packed_sequence(packed, padding_value=-1.0, total_length=5)
    assert lengths.tolist() == [2, 4, 1]
    wanted = np.full((5, 3, 2), -1.0)
    for t, b in rows:
        wanted[t, b] = x.detach().numpy()[t, b]
    assert padded.tolist() == wanted.tolist()
    assert rnn.pad_packed_sequence(packed, True, -1.0, 5)[0].tolist() == wanted.swapaxes(0, 1).tolist()
    padded.sum().backward()
    assert x.grad.sum().item() == 14
    assert rnn.pack_padded_sequence(x, [3, 2, 2]).sorted_indices is None
    one = rnn.pack_padded_sequence(ft.tensor([[1, 2], [3, 0]]), [2, 1])
    assert one.data.tolist() == [1, 2, 3] and one.double().data.dtype is ft.float64 and one.to("cpu") is one
    kinds = {"short": ft.int16, "char": ft.int8, "byte": ft.uint8}
    assert {kind: getattr(one, kind)().data.dtype for kind in kinds} == kinds and not one.is_pinned()
    with raises(RuntimeError, "cuda"):
        one.cuda()
    assert pickle.loads(pickle.dumps(one)).data.tolist() == [1, 2, 3]
    assert rnn.PackedSequence((one.data, one.batch_sizes)).batch_sizes is one.batch_sizes
    assert rnn.invert_permutation(None) is None


def test_padding():
    sequences = [ft.ones(2, 3), ft.ones(4, 3) * 2]
    padded = rnn.pad_sequence(sequences, padding_value=7)
    assert padded.shape == (4, 2, 3) and padded[:, 0, 0].tolist() == [1, 1, 7, 7]
    left = rnn.pad_sequence(sequences, batch_first=True, padding_side="left")
    assert left[0, :, 0].tolist() == [0, 0, 1, 1] and left[1, :, 0].tolist() == [2] * 4
    assert [one.tolist() for one in rnn.unpad_sequence(padded, ft.tensor([2, 4]))] == [
        one.tolist() for one in sequences
    ]
    assert rnn.pad_sequence([ft.ones(2), ft.zeros(2)]).tolist() == [[1, 0], [1, 0]]
    assert rnn.pad_sequence([ft.ones(0), ft.ones(1)]).tolist() == [[0, 1]]


x, h = ft.ones, ft.zeros


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: nn.LSTM(3, 4)(x(5, 2, 2)), "LSTM: expected input of 3 features, ... got shape (5, 2, 2)"),
        (lambda: nn.GRU(3, 4)(x(5)), "GRU: expected input (steps, batch, 3) or (steps, 3); got shape (5,)"),
        (lambda: nn.GRU(3, 4)([1]), "GRU: expected input to be a Tensor; got list"),
        (lambda: nn.LSTM(3, 4)(x(5, 2, 3), h(1, 2, 4)), "LSTM: expected hx to be (h_0, c_0), a pair of tensors; got"),
        (
            lambda: nn.LSTM(3, 4)(x(5, 2, 3), (h(1, 2, 4), h(1, 3, 4))),
            "LSTM: expected c_0 of shape (1, 2, 4), ... got (1, 3, 4)",
        ),
        (lambda: nn.RNN(3, 4)(x(5, 3), h(1, 1, 4)), "RNN: expected hx of shape (1, 4), ... got (1, 1, 4)"),
        (
            lambda: nn.RNN(3, 4)(x(5, 2, 3).double()),
            "RNN: expected input of the weights' dtype, ... float32; got ... float64",
        ),
        (lambda: nn.RNN(3, 4)(x(0, 2, 3)), "RNN: expected at least one step"),
        (lambda: nn.RNN(3, 0), "RNN: expected hidden_size of at least 1; got 0"),
        (lambda: nn.RNN(3, 2.5), "RNN: expected hidden_size to be an int ... 2.5"),
        (lambda: nn.RNN(3, 4, 0), "RNN: expected num_layers of at least 1; got 0"),
        (lambda: nn.RNN(3, 4, nonlinearity="x"), "RNN: expected nonlinearity to be 'tanh' or 'relu'; got 'x'"),
        (lambda: nn.GRU(3, 4, dropout=2), "GRU: expected dropout to be a probability from 0 to 1; got 2"),
        (lambda: nn.GRU(3, 4, proj_size=2), "GRU: expected no proj_size, which an LSTM alone has; got 2"),
        (lambda: nn.LSTM(3, 4, proj_size=4), "LSTM: expected proj_size from 0 to hidden_size - 1 = 3; got 4"),
        (lambda: nn.LSTM(3, 4, bias=0), "LSTM: expected bias to be True or False; got 0"),
        (lambda: nn.RNNBase("x", 3, 4), "RNNBase: expected mode to be one of LSTM, GRU, RNN_TANH, RNN_RELU; got 'x'"),
        (lambda: nn.LSTMCell(3, 4)(x(2, 2)), "LSTMCell: expected input (batch, 3) or (3,); got shape (2, 2)"),
        (lambda: nn.GRUCell(3, 4)(x(2, 3), h(3, 4)), "GRUCell: expected hx of shape (2, 4), ... got (3, 4)"),
        (lambda: nn.LSTMCell(3, 4)(x(2, 3), h(2, 4)), "LSTMCell: expected hx to be (h_0, c_0)"),
        (lambda: nn.RNNCell(3, 4, nonlinearity="x")(x(2, 3)), "RNNCell: expected nonlinearity ... got 'x'"),
        (
            lambda: rnn.pack_padded_sequence(x(4, 3), [1, 2, 1]),
            "pack_padded_sequence: in decreasing order; got [1, 2, 1]; ... enforce_sorted=False",
        ),
        (
            lambda: rnn.pack_padded_sequence(x(4, 3), [2, 1, 0]),
            "pack_padded_sequence: expected lengths from 1 to 4, ... got [2, 1, 0]",
        ),
        (
            lambda: rnn.pack_padded_sequence(x(4, 3), [5, 1, 1]),
            "pack_padded_sequence: expected lengths from 1 to 4, ... got [5, 1, 1]",
        ),
        (lambda: rnn.pack_padded_sequence(x(4, 3), [2, 1]), "pack_padded_sequence: expected 3 lengths, ... got 2"),
        (
            lambda: rnn.pack_padded_sequence(x(4), [2]),
            "pack_padded_sequence: expected input (steps, batch, ...) ... got shape (4,)",
        ),
        (lambda: rnn.pack_sequence([]), "pack_sequence: expected at least one sequence; got none"),
        (
            lambda: rnn.pad_sequence([x(2, 3), x(2, 2)]),
            "pad_sequence: expected sequences of shape (length, 3); got sequences[1]",
        ),
        (
            lambda: rnn.pad_sequence([x(2)], padding_side="x"),
            "pad_sequence: padding_side to be 'left' or 'right'; got 'x'",
        ),
        (
            lambda: rnn.pad_packed_sequence(rnn.pack_sequence([x(3)]), total_length=2),
            "pad_packed_sequence: total_length of at least 3, ... got 2",
        ),
        (
            lambda: rnn.PackedSequence(x(3)),
            "PackedSequence: expected data and batch_sizes, or a pair of them; got Tensor",
        ),
        (lambda: nn.GRU(2, 4)(rnn.PackedSequence(x(3, 2), ft.tensor([1, 2]))), "GRU: expected packed data ... [1, 2]"),
        (lambda: nn.GRU(2, 4)(rnn.pack_sequence([x(3, 2)]), h(1, 2, 4)), "GRU: expected hx of shape (1, 1, 4)"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_errors(call, said):
    with raises((ValueError, TypeError), said):
        call()
