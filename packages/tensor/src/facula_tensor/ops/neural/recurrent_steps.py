"""A recurrent layer computed step by step by differentiable operators: for projections and second derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.filled import zeros
from .linear import linear

if TYPE_CHECKING:
    from ..._dispatch.namespaces import Namespace


def all_steps(
    F: Namespace,
    kind: str,
    reverse: bool,
    input: Tensor,
    h0: Tensor | None,
    c0: Tensor | None,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor | None,
    bias_hh: Tensor | None,
    weight_hr: Tensor | None,
    sizes: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return (outputs, h_n, c_n) as `recurrent_layer` does, with one product of the input for all steps.

    Arguments:
        F: the namespace of operators, recording or not.
        kind: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        reverse: whether to process the sequences backward.
        input: (steps, batch, inputs), or packed rows (rows, inputs).
        h0: the initial state, (batch, hidden); zeros if None.
        c0: an LSTM's initial cell state, (batch, hidden); zeros if None.
        weight_ih: (gates * hidden, inputs).
        weight_hh: (gates * hidden, hidden).
        bias_ih: (gates * hidden,), or None.
        bias_hh: (gates * hidden,), or None.
        weight_hr: (projected, hidden), which projects an LSTM's outputs, or None.
        sizes: the number of rows in each step of packed sequences, (steps,), int64; None for others.
    """
    layout, gates = layout_of_tensor(input), layout_of_tensor(weight_hh)
    hidden = gates.shape[0] // {"lstm": 4, "gru": 3}.get(kind, 1)
    counts = sizes.tolist() if sizes is not None else [layout.shape[1]] * layout.shape[0]
    batch = counts[0] if counts else 0
    if h0 is None:
        h0 = zeros(batch, gates.shape[1], dtype=layout.dtype, device=layout.device)
    if c0 is None and kind == "lstm":
        c0 = zeros(batch, hidden, dtype=layout.dtype, device=layout.device)
    rows = F.reshape(linear(input, weight_ih, bias_ih), (-1, gates.shape[0]))
    starts = [sum(counts[:t]) for t in range(len(counts))]
    first = (h0, c0)
    state: tuple[Any, ...] = tuple(
        [None if start is None else row_range(F, start, 0, counts[-1] if reverse else batch) for start in first]
    )
    outputs: list[Tensor] = []
    ended: list[tuple[Any, ...]] = []  # states of finished sequences, the shortest first
    for t in reversed(range(len(counts))) if reverse else range(len(counts)):
        count, known = counts[t], layout_of_tensor(state[0]).shape[0]
        if count < known:
            ended.append(tuple([None if part is None else row_range(F, part, count, known) for part in state]))
            state = tuple([None if part is None else row_range(F, part, 0, count) for part in state])
        elif count > known:
            more = [None if start is None else row_range(F, start, known, count) for start in first]
            state = tuple([None if a is None else F.cat((a, b), (0,)) for a, b in zip(state, more, strict=True)])
        x, (h, c) = row_range(F, rows, starts[t], starts[t] + count), state
        state = step(F, kind, x, h, c, weight_hh, bias_hh, weight_hr)
        outputs.append(state[0])
    if reverse:
        outputs.reverse()
    if ended:
        ended.append(state)
        state = tuple(
            [None if last is None else F.cat(tuple([part[k] for part in reversed(ended)]), (0,))
             for k, last in enumerate(state)]
        )  # fmt: skip
    out = F.stack(tuple(outputs), (0,)) if sizes is None else F.cat(tuple(outputs), (0,))
    return out, state[0], state[1]


def row_range(F: Namespace, input: Tensor, first: int, last: int) -> Tensor:
    """Return rows [first, last)."""
    if first == 0 and last == layout_of_tensor(input).shape[0]:
        return input
    return F.slice(input, 0, first, last, 1)


def step(
    F: Namespace,
    kind: str,
    x: Tensor,
    h: Tensor,
    c: Tensor | None,
    weight_hh: Tensor,
    bias_hh: Tensor | None,
    weight_hr: Tensor | None,
) -> tuple[Tensor, Tensor | None]:
    """Return the states after one step; x is the contribution of the input."""
    state = linear(h, weight_hh, bias_hh)
    if kind == "rnn_tanh":
        return F.tanh(F.add(x, state)), None
    if kind == "rnn_relu":
        return F.relu(F.add(x, state)), None
    if kind == "gru":
        (r, z, n), (hr, hz, hn) = gates_of(F, x, 3), gates_of(F, state, 3)
        r, z = F.sigmoid(F.add(r, hr)), F.sigmoid(F.add(z, hz))
        n = F.tanh(F.add(n, F.mul(r, hn)))
        return F.add(F.mul(F.sub(1, z), n), F.mul(z, h)), None
    i, f, g, o = gates_of(F, F.add(x, state), 4)
    c = F.add(F.mul(F.sigmoid(f), c), F.mul(F.sigmoid(i), F.tanh(g)))
    h = F.mul(F.sigmoid(o), F.tanh(c))
    return h if weight_hr is None else linear(h, weight_hr, None), c


def gates_of(F: Namespace, gates: Tensor, count: int) -> list[Tensor]:
    """Split a matrix into the columns of `count` gates."""
    width = layout_of_tensor(gates).shape[1] // count
    return [F.slice(gates, 1, k * width, (k + 1) * width, 1) for k in range(count)]
