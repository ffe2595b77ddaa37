"""Recurrent layers: LSTM, GRU and RNN.

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

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


class _OneState(RNNBase):
    """Base class of layers with a single state."""

    def forward(self, input: Tensor | PackedSequence, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Return the outputs and the last state."""
        outputs, (h_n,) = self._run(input, hx, 1)
        return outputs, h_n


class _Gated(RNNBase):
    """Base class of `LSTM` and `GRU`, whose constructors have the same arguments."""

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
    """Long short-term memory over sequences (steps, batch, input_size), or (batch, steps, ...) if `batch_first`.

    Gates i, f, o = sigmoid, g = tanh of weight_ih @ x + bias_ih + weight_hh @ h + bias_hh; c = f c + i g and
    h = o tanh(c), which is projected to size `proj_size` if that is not 0. `num_layers` are stacked, with `dropout`
    between them in training; `bidirectional` layers process the sequence in both directions. Weights are `weight_ih_l0`
    (4 * hidden_size, input_size), `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, `weight_hr_l0` and so on, with "_reverse"
    for the backward direction.
    Called with `input` and optionally `(h_0, c_0)`, the layer returns outputs (steps, batch, features) and
    `(h_n, c_n)`, each (num_layers * directions, batch, features). Inputs without the batch dimension and packed
    sequences produce outputs of the same form.

    Arguments:
        input_size: the number of input features per step.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of stacked layers.
        bias: whether to add biases.
        batch_first: whether input and output have the shape (batch, steps, features).
        dropout: the dropout probability between layers, in training.
        bidirectional: whether to also process the sequence backward.
        proj_size: the size of an LSTM's projected state; 0 for no projection.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> outputs, (h_n, c_n) = LSTM(3, 4)(ones(5, 2, 3))
    >>> outputs.shape, h_n.shape
    (facula.Size([5, 2, 4]), facula.Size([1, 2, 4]))
    """

    kind = "LSTM"

    def forward(
        self, input: Tensor | PackedSequence, hx: Sequence[Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        """Return the outputs, and the last states (h_n, c_n)."""
        return self._run(input, hx, 2)  # type: ignore[return-value]


@boundary
class GRU(_OneState, _Gated):
    """Gated recurrent units, like `LSTM` but with a single state: called with `input` and optionally `h_0`.

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
    """h = tanh(weight_ih @ x + bias_ih + weight_hh @ h + bias_hh) over sequences, or relu; otherwise like `GRU`.

    Arguments:
        input_size: the number of input features per step.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of stacked layers.
        nonlinearity: "tanh" or "relu".
        bias: whether to add biases.
        batch_first: whether input and output have the shape (batch, steps, features).
        dropout: the dropout probability between layers, in training.
        bidirectional: whether to also process the sequence backward.
        proj_size: the size of an LSTM's projected state; 0 for no projection.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    Raises:
        ValueError: an unknown `nonlinearity`, or sizes that `LSTM` rejects.

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
