"""The base class of recurrent layers: their parameters, checks, and the loop over layers and directions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from warnings import warn

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, cat, empty, stack, zeros
from facula_tensor.extend.modules import recurrent_layer
from facula_tensor.extend.overriding import autocast_state

from .. import functional as F
from .. import init
from .._arguments import check_input
from .._modules.module import Module
from ..utils.rnn import PackedSequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import Args, DeviceAndDType

KINDS = {"LSTM": ("lstm", 4), "GRU": ("gru", 3), "RNN_TANH": ("rnn_tanh", 1), "RNN_RELU": ("rnn_relu", 1)}


def draw_evenly(module: Module, hidden_size: int) -> None:
    """Initialize all parameters of a module uniformly from ±1 / sqrt(hidden_size)."""
    bound = 1 / math.sqrt(hidden_size)
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


def check_feature_sizes(layer: str, input_size: object, hidden_size: object) -> None:
    """Raise TypeError or ValueError unless the sizes are positive integers.

    Arguments:
        layer: the layer's class name, with which errors begin.
        input_size: the value to check; an int of at least 1.
        hidden_size: the value to check; an int of at least 1.
    """
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if type(size) is not int:
            raise InvalidTypeError(f"{layer}: expected {name} to be an int; got {type(size).__name__} {size!r:.60}")
        if size < 1:
            raise InvalidValueError(f"{layer}: expected {name} of at least 1; got {size}")


def check_dtype(layer: str, input: Tensor, weight: Tensor) -> None:
    """Raise ValueError if input and weights have different dtypes, except for mixed precision."""
    if input.dtype is not weight.dtype and autocast_state() is None:
        raise InvalidValueError(
            f"{layer}: expected input of the weights' dtype, {weight.dtype}; got {input.dtype}; convert the input with "
            f".to({weight.dtype}), or the layer with .to({input.dtype})"
        )


@boundary
class RNNBase(Module):
    """Base class of `LSTM`, `GRU` and `RNN`: their parameters and common methods.

    Arguments:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
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
    """

    _repr_items = (
        "input_size, hidden_size, proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0, "
        "bidirectional=False"
    )
    dropout: float

    def __init__(
        self,
        mode: str,
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
        super().__init__()
        name = type(self).__name__
        if mode not in KINDS:
            raise InvalidValueError(f"{name}: expected mode to be one of {', '.join(KINDS)}; got {mode!r}")
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise InvalidValueError(f"{name}: expected dropout to be a probability from 0 to 1; got {dropout}")
        check_feature_sizes(name, input_size, hidden_size)
        for said, flag in (("bias", bias), ("batch_first", batch_first), ("bidirectional", bidirectional)):
            if not isinstance(flag, bool):
                raise InvalidTypeError(f"{name}: expected {said} to be True or False; got {flag!r:.60}")
        if num_layers < 1:
            raise InvalidValueError(f"{name}: expected num_layers of at least 1; got {num_layers}")
        if proj_size and mode != "LSTM":
            raise InvalidValueError(f"{name}: expected no proj_size, which an LSTM alone has; got {proj_size}")
        if not 0 <= proj_size < hidden_size:
            raise InvalidValueError(
                f"{name}: expected proj_size from 0 to hidden_size - 1 = {hidden_size - 1}; got {proj_size}"
            )
        if dropout > 0 and num_layers == 1:
            warn(
                f"{name}: dropout comes after all layers but the last, so it does nothing in one layer; "
                f"got dropout={dropout} and num_layers=1",
                stacklevel=4,
            )
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        rows, state = KINDS[mode][1] * hidden_size, proj_size or hidden_size
        directions = ("", "_reverse") if bidirectional else ("",)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            features = input_size if layer == 0 else state * len(directions)
            for direction in directions:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, features), "weight_hh": (rows, state)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = {f"{part}_l{layer}{direction}": shape for part, shape in shapes.items()}
                for called, shape in names.items():
                    self.register_parameter(called, Parameter(empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(list(names))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize all weights and biases uniformly from ±1 / sqrt(hidden_size)."""
        draw_evenly(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Do nothing: weights are packed on use. Provided for compatibility with PyTorch."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, one list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [weight for weights in self.all_weights for weight in weights]

    def _run(self, input: Tensor | PackedSequence, hx: object, states: int) -> tuple[Any, tuple[Tensor, ...]]:
        """Return the outputs and the last states, given the first states: a tuple of `states` tensors, or None."""
        called, dropout = type(self).__name__, self.dropout if self.training else 0.0
        packed = input if isinstance(input, PackedSequence) else None
        sizes: Tensor | None = None
        unbatched, dim = False, 0 if self.batch_first else 1
        if isinstance(input, PackedSequence):
            x = input.data
            sizes = input.batch_sizes.to(x.device)
            batch = self._check_packed(input)
        else:
            check_input(called, input)
            x = input
            if x.ndim not in (2, 3):
                order = "batch, steps" if self.batch_first else "steps, batch"
                raise ArgumentError(
                    f"{called}: expected input ({order}, {self.input_size}) or (steps, {self.input_size}); "
                    f"got shape {tuple(x.shape)}"
                )
        if x.shape[-1] != self.input_size:
            raise ArgumentError(
                f"{called}: expected input of {self.input_size} features, as input_size says, in its last dimension; "
                f"got shape {tuple(x.shape)}"
            )
        if packed is None:
            unbatched = x.ndim == 2
            if unbatched:
                x = x.unsqueeze(1)
            elif dim == 0:
                x = x.transpose(0, 1)
            batch = x.shape[1]
            if not x.shape[0]:
                raise ArgumentError(f"{called}: expected at least one step; got an input of none")
        weights = self.all_weights
        check_dtype(called, x, weights[0][0])
        first = self._first_states(hx, states, batch, unbatched)
        if packed is not None and first is None:
            width = self.proj_size or self.hidden_size
            place: DeviceAndDType = {"dtype": x.dtype, "device": x.device}
            count = len(weights)
            first = (zeros(count, batch, width, **place), zeros(count, batch, self.hidden_size, **place))[:states]
        elif packed is not None and packed.sorted_indices is not None:
            first = tuple([state[:, packed.sorted_indices] for state in first])  # type: ignore[union-attr]

        made: list[Args] = []
        directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            if layer and dropout:
                x = F.dropout(x, dropout, True)
            outputs = []
            for reverse in range(directions):
                k = layer * directions + reverse
                own: tuple[Tensor | None, Tensor | None] = None, None
                if first is not None:
                    own = first[0][k], first[1][k] if states == 2 else None
                given = weights[k] if self.bias else (*weights[k][:2], None, None, *weights[k][2:])
                out, *last = recurrent_layer(KINDS[self.mode][0], x, *own, tuple(given), bool(reverse), sizes)
                outputs.append(out)
                made.append(tuple(last))
            x = outputs[0] if directions == 1 else cat(outputs, -1)
        join: Callable[[list[Tensor], int], Tensor] = (
            stack if len(made) > 1 else lambda layers, dim: layers[0].unsqueeze(dim)
        )
        last_states = tuple([join([last[k] for last in made], 0) for k in range(states)])
        if packed is not None:
            if packed.unsorted_indices is not None:
                last_states = tuple([state[:, packed.unsorted_indices] for state in last_states])
            return PackedSequence(x, *packed[1:]), last_states
        if unbatched:
            return x.squeeze(1), tuple([state.squeeze(1) for state in last_states])
        return x.transpose(0, 1) if dim == 0 else x, last_states

    def _check_packed(self, packed: PackedSequence) -> int:
        """Return the number of packed sequences. ValueError unless the sizes match."""
        sizes = packed.batch_sizes.tolist()
        if packed.data.ndim != 2 or not sizes or sizes != sorted(sizes, reverse=True) or sizes[-1] < 1 or (
            sum(sizes) != packed.data.shape[0]
        ):  # fmt: skip
            raise ArgumentError(
                f"{type(self).__name__}: expected packed data (rows, {self.input_size}) and batch_sizes in decreasing "
                f"order whose sum is the rows; got data {tuple(packed.data.shape)} and batch_sizes {sizes!r:.80}; use "
                "pack_padded_sequence() to make them"
            )
        return sizes[0]

    def _first_states(self, hx: Any, states: int, batch: int, unbatched: bool) -> tuple[Tensor, ...] | None:
        """Return the first states, each (layers * directions, batch, width); None for zeros."""
        if hx is None:
            return None
        called, names = type(self).__name__, ("h_0", "c_0") if states == 2 else ("hx",)
        if states == 2 and (not isinstance(hx, (tuple, list)) or len(hx) != 2):
            raise InvalidTypeError(f"{called}: expected hx to be (h_0, c_0), a pair of tensors; got {_state_text(hx)}")
        given = tuple(hx) if states == 2 else (hx,)
        count = self.num_layers * (2 if self.bidirectional else 1)
        for name, tensor, width in zip(names, given, (self.proj_size or self.hidden_size, self.hidden_size)):
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(f"{called}: expected {name} to be a Tensor; got {_state_text(tensor)}")
            expected = (count, width) if unbatched else (count, batch, width)
            if tuple(tensor.shape) != expected:
                said = "(layers * directions, features)" if unbatched else "(layers * directions, batch, features)"
                raise ArgumentError(f"{called}: expected {name} of shape {expected}, {said}; got {tuple(tensor.shape)}")
            check_dtype(f"{called}: {name}", tensor, next(self.parameters()))
        return tuple([state.unsqueeze(1) for state in given]) if unbatched else given


def _state_text(value: object) -> str:
    if isinstance(value, Tensor):
        return f"Tensor {tuple(value.shape)}"
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, (tuple, list)) else type(value).__name__
