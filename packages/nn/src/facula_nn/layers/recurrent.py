"""Layers over sequences: LSTM, GRU and RNN.

S. Hochreiter, J. Schmidhuber: Long short-term memory, Neural Computation 9, 1997. K. Cho et al.: Learning phrase
representations using RNN encoder-decoder, 2014. J. L. Elman: Finding structure in time, Cognitive Science 14, 1990.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ..utils.rnn import PackedSequence
from .recurrent_base import RNNBase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor.extend import DeviceLike, DTypeLike


class _OneState(RNNBase):
    """Layers with one state."""

    def forward(self, input: Tensor | PackedSequence, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Outputs, and the last state."""
        outputs, (h_n,) = self._run(input, hx, 1)
        return outputs, h_n


class _Gated(RNNBase):
    """Layers that are made of sizes alone."""

    kind: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(self.kind, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)  # fmt: skip


@boundary
class LSTM(_Gated):
    """Long short-term memory over sequences (steps, batch, input_size), or (batch, steps, ...) where `batch_first`.

    Gates i, f, o = sigmoid, g = tanh of weight_ih @ x + bias_ih + weight_hh @ h + bias_hh; c = f c + i g and
    h = o tanh(c), which `proj_size` maps to so many numbers. `num_layers` follow each other, with `dropout` between
    them in training; `bidirectional` ones read the sequence both ways. Weights are `weight_ih_l0` (4 * hidden_size,
    input_size), `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, `weight_hr_l0` and so on, with "_reverse" for the way back.
    Called with `input` and perhaps `(h_0, c_0)`, it gives outputs (steps, batch, features) and `(h_n, c_n)`, each
    (num_layers * directions, batch, features). Without batch dimensions, or with packed sequences, in the same form.

    Arguments:
        input_size: the number of features at a step.
        hidden_size: the number of features of the state.
        num_layers: how many layers follow each other.
        bias: whether there are biases.
        batch_first: whether input and output are (batch, steps, features).
        dropout: the probability of dropout between layers, in training.
        bidirectional: whether the sequence is read backward, too.
        proj_size: the length that states are mapped to, for an LSTM; 0 for no map.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

    >>> from facula_tensor import ones
    >>> outputs, (h_n, c_n) = LSTM(3, 4)(ones(5, 2, 3))
    >>> outputs.shape, h_n.shape
    (facula.Size([5, 2, 4]), facula.Size([1, 2, 4]))
    """

    kind = "LSTM"

    def forward(
        self, input: Tensor | PackedSequence, hx: Sequence[Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        """Outputs, and the last states (h_n, c_n)."""
        return self._run(input, hx, 2)  # type: ignore[return-value]


@boundary
class GRU(_OneState, _Gated):
    """Gated recurrent units over sequences, else as `LSTM`, with one state: called with `input` and perhaps `h_0`.

    r, z = sigmoid of weight_ih @ x + bias_ih + weight_hh @ h + bias_hh; n = tanh(weight_ih @ x + bias_ih +
    r (weight_hh @ h + bias_hh)); h = (1 - z) n + z h. Arguments: those of `LSTM`.

    >>> from facula_tensor import ones
    >>> outputs, h_n = GRU(3, 4)(ones(5, 2, 3))
    >>> outputs.shape, h_n.shape
    (facula.Size([5, 2, 4]), facula.Size([1, 2, 4]))
    """

    kind = "GRU"


@boundary
class RNN(_OneState):
    """h = tanh(weight_ih @ x + bias_ih + weight_hh @ h + bias_hh) over sequences, or relu; else as `GRU`.

    Arguments:
        input_size: the number of features at a step.
        hidden_size: the number of features of the state.
        num_layers: how many layers follow each other.
        nonlinearity: "tanh" or "relu".
        bias: whether there are biases.
        batch_first: whether input and output are (batch, steps, features).
        dropout: the probability of dropout between layers, in training.
        bidirectional: whether the sequence is read backward, too.
        proj_size: the length that states are mapped to, for an LSTM; 0 for no map.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

    Raises:
        ValueError: another `nonlinearity`, or sizes that `LSTM` refuses, too.

    >>> from facula_tensor import ones
    >>> outputs, h_n = RNN(3, 4, nonlinearity="relu")(ones(5, 2, 3))
    >>> outputs.shape, h_n.shape
    (facula.Size([5, 2, 4]), facula.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise InvalidValueError(f"RNN: expected nonlinearity to be 'tanh' or 'relu'; got {nonlinearity!r}")
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, proj_size, device, dtype)  # fmt: skip
        self.nonlinearity = nonlinearity
