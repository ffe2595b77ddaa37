"""Single steps of an LSTM, a GRU and an RNN, as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty
from facula_tensor.extend.modules import recurrent_layer

from .._arguments import check_input
from .._modules.module import Module
from .recurrent_base import check_dtype, check_feature_sizes, draw_evenly

if TYPE_CHECKING:
    from typing import Any

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


@boundary
class RNNCellBase(Module):
    """Base class of cells: weights of `num_chunks` gates.

    Arguments:
        input_size: the number of input features per step.
        hidden_size: the number of features of the hidden state.
        bias: whether to add biases.
        num_chunks: the number of gates.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
    """

    _repr_items = "input_size, hidden_size, bias=True"
    bias_ih: Parameter | None
    bias_hh: Parameter | None
    weight_ih: Parameter
    weight_hh: Parameter

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        check_feature_sizes(type(self).__name__, input_size, hidden_size)
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, device=device, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize all weights and biases uniformly from ±1 / sqrt(hidden_size)."""
        draw_evenly(self, self.hidden_size)

    def _step(
        self, kind: str, input: Tensor, names: tuple[str, ...], states: tuple[Tensor | None, ...]
    ) -> tuple[Tensor, Any]:
        """Return the states after one step from `states`, each of which may be None.

        Arguments:
            kind: the kind of `recurrent_layer`.
            input: (batch, input_size), or without the batch.
            names: the names of the states in errors.
            states: the states, or None for zeros.
        """
        called = type(self).__name__
        check_input(called, input)
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise ArgumentError(
                f"{called}: expected input (batch, {self.input_size}) or ({self.input_size},); "
                f"got shape {tuple(input.shape)}"
            )
        check_dtype(called, input, self.weight_ih)
        expected = (*input.shape[:-1], self.hidden_size)
        for name, state in zip(names, states, strict=True):
            if state is None:
                continue
            if not isinstance(state, Tensor):
                raise InvalidTypeError(f"{called}: expected {name} to be a Tensor; got {type(state).__name__}")
            if tuple(state.shape) != expected:
                raise ArgumentError(
                    f"{called}: expected {name} of shape {expected}, as input {tuple(input.shape)} and hidden_size "
                    f"say; got {tuple(state.shape)}"
                )
            check_dtype(f"{called}: {name}", state, self.weight_ih)
        alone = input.ndim == 1
        if alone:
            states = tuple([None if state is None else state.unsqueeze(0) for state in states])
        step = input.view(1, 1, -1) if alone else input.unsqueeze(0)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        _, h, c = recurrent_layer(kind, step, states[0], states[1] if len(states) > 1 else None, weights, as_input=True)
        if alone:
            return h.squeeze(0), None if c is None else c.squeeze(0)
        return h, c


class _GatedCell(RNNCellBase):
    """Base class of `LSTMCell` and `GRUCell`, whose constructors have the same arguments."""

    chunks: int  # the number of gates

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, self.chunks, device, dtype)


@boundary
class LSTMCell(_GatedCell):
    """A single step of an `LSTM`: input (batch, input_size), optionally states (batch, hidden_size), to new states.

    The batch dimension may be omitted. Called with `input` and optionally (h_0, c_0). Weights: `weight_ih`
    (4 * hidden_size, input_size), `weight_hh`, `bias_ih`, `bias_hh`.

    >>> from facula_tensor import ones
    >>> h, c = LSTMCell(3, 4)(ones(2, 3))
    >>> h.shape
    facula.Size([2, 4])
    """

    chunks = 4

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """Return the states (h_1, c_1)."""
        if hx is None:
            return self._step("lstm", input, ("h_0", "c_0"), (None, None))
        if not isinstance(hx, (tuple, list)) or len(hx) != 2:
            raise InvalidTypeError(
                f"LSTMCell: expected hx to be (h_0, c_0), a pair of tensors; got {type(hx).__name__}"
            )
        return self._step("lstm", input, ("h_0", "c_0"), tuple(hx))


@boundary
class GRUCell(_GatedCell):
    """A single step of a `GRU`: input (batch, input_size), optionally a state (batch, hidden_size), to the next state.

    >>> from facula_tensor import ones
    >>> GRUCell(3, 4)(ones(2, 3)).shape
    facula.Size([2, 4])
    """

    chunks = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state."""
        return self._step("gru", input, ("hx",), (hx,))[0]


@boundary
class RNNCell(RNNCellBase):
    """A single step of an `RNN`, with `nonlinearity` "tanh" or "relu"; otherwise like `GRUCell`.

    Arguments:
        input_size: the number of input features per step.
        hidden_size: the number of features of the hidden state.
        bias: whether to add biases.
        nonlinearity: "tanh" or "relu".
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> RNNCell(3, 4)(ones(2, 3)).shape
    facula.Size([2, 4])
    """

    _repr_items = "input_size, hidden_size, bias=True, nonlinearity='tanh'"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state. RuntimeError if `nonlinearity` is neither "tanh" nor "relu"."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise ArgumentError(f"RNNCell: expected nonlinearity to be 'tanh' or 'relu'; got {self.nonlinearity!r}")
        return self._step(f"rnn_{self.nonlinearity}", input, ("hx",), (hx,))[0]
