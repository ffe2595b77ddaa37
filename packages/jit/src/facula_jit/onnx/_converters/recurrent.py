"""Converters of recurrent layers: one node for each layer and direction, with weights in the order of ONNX's gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .table import converter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._nodes import Builder
    from .table import Call

# The index of each of ONNX's gates among those of a layer here: input, output, forget, cell; update, reset, new.
GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
ACTIVATIONS = {"rnn_tanh": "Tanh", "rnn_relu": "Relu"}


@converter("recurrent")
def _recurrent(b: Builder, call: Call) -> list[str | None]:
    kind, reverse = call.parameters[:2]
    if call.operands[7] is not None:
        raise call.refuse("packed sequences have another layout in ONNX", "export a model that takes padded ones")
    hidden = call.layout(4).shape[1]
    gates = GATES[kind]
    weights = [_weights(b, call.name(place), gates) for place in (3, 4)]
    empty = b.constant(np.zeros(len(gates) * hidden, call.dtype.numpy))
    biases = [_gates(b, call.optional(place) or empty, gates) for place in (5, 6)]
    bias = b.add("Unsqueeze", b.add("Concat", *biases, axis=0), b.integers(0))
    states = [_state(b, call.optional(place)) for place in ((1, 2) if kind == "lstm" else (1,))]
    options: dict[str, object] = {"hidden_size": hidden, "direction": "reverse" if reverse else "forward"}
    if kind == "gru":
        options["linear_before_reset"] = 1
    elif kind != "lstm":
        options["activations"] = [ACTIVATIONS[kind]]
    op_type = "LSTM" if kind == "lstm" else "GRU" if kind == "gru" else "RNN"
    results = 3 if kind == "lstm" else 2
    made = b.add_many(op_type, call.name(0), *weights, bias, "", *states, results=results, **options)
    out = b.add("Squeeze", made[0], b.integers(1))
    last = [b.add("Squeeze", name, b.integers(0)) for name in made[1:]]
    return [out, last[0], last[1] if kind == "lstm" else None, None, None]


def _gates(b: Builder, name: str, gates: Sequence[int]) -> str:
    """Return weights with the rows of the gates in ONNX's order."""
    if len(gates) == 1:
        return name
    parts = b.add_many("Split", name, results=len(gates), axis=0, num_outputs=len(gates))
    return b.add("Concat", *[parts[place] for place in gates], axis=0)


def _weights(b: Builder, name: str, gates: Sequence[int]) -> str:
    """Return such weights with a dimension for directions."""
    return b.add("Unsqueeze", _gates(b, name, gates), b.integers(0))


def _state(b: Builder, name: str | None) -> str:
    return b.add("Unsqueeze", name, b.integers(0)) if name else ""
