"""The layers of transformers: attention, followed by two linear layers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._modules.module import Module
from .dropout import Dropout
from .linear import Linear
from .multihead_attention import MultiheadAttention
from .normalization.layer_norm import LayerNorm

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import DeviceAndDType

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


def new_layer_norm(*args: Any, **kwargs: Any) -> LayerNorm:
    """Return a new `LayerNorm` from the package, imported at call time."""
    return import_module("facula_nn").LayerNorm(*args, **kwargs)  # type: ignore[no-any-return]


def activation_of(layer: str, activation: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return the activation with the given name, or the given function."""
    if not isinstance(activation, str):
        return activation
    if activation not in ACTIVATIONS:
        raise InvalidValueError(f"{layer}: expected activation 'relu', 'gelu' or a function; got {activation!r}")
    return ACTIVATIONS[activation]


class _Layer(Module):
    """Base class of encoder and decoder layers: self-attention and two linear layers."""

    linear1: Linear
    dropout: Dropout
    linear2: Linear
    self_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    dropout1: Dropout
    dropout2: Dropout
    activation: Callable[[Tensor], Tensor]

    attentions: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        for name in self.attentions:
            made = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place)
            setattr(self, name, made)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **place)
        self.norm_first = norm_first
        count = len(self.attentions) + 1
        for number in range(count):
            setattr(self, f"norm{number + 1}", new_layer_norm(d_model, eps=layer_norm_eps, bias=bias, **place))
        for number in range(count):
            setattr(self, f"dropout{number + 1}", Dropout(dropout))
        self.activation = activation_of(type(self).__name__, activation)

    def _attend(
        self, name: str, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        attention, drop = (
            (self.self_attn, self.dropout1) if name == "self_attn" else (self.multihead_attn, self.dropout2)
        )
        found, _ = attention(
            x, memory, memory, key_padding_mask=padding, need_weights=False, attn_mask=mask, is_causal=is_causal
        )
        return drop(found)

    def _feed(self, x: Tensor, drop: Dropout) -> Tensor:
        return drop(self.linear2(self.dropout(self.activation(self.linear1(x)))))


@boundary
class TransformerEncoderLayer(_Layer):
    """Self-attention and two linear layers; the result of each part is added to its input and normalised.

    src (length, batch, d_model), the batch first if `batch_first`. Masks are as in `MultiheadAttention`.

    Arguments:
        d_model: the width of the vectors.
        nhead: the number of heads, which divides `d_model`.
        dim_feedforward: the width between the two linear layers.
        dropout: the dropout probability, in training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: the constant added to variances.
        batch_first: whether the batch dimension comes first.
        norm_first: normalise the input of each part of the layer instead of the sum.
        bias: whether to add biases.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
    """

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the encoded source, in the shape of `src`.

        Arguments:
            src: the source, (length, batch, d_model), or the batch first.
            src_mask: the attention mask of the source, as `attn_mask` of `MultiheadAttention`.
            src_key_padding_mask: the padding positions of the source, (batch, length).
            is_causal: whether `src_mask`, which is then required, is the causal mask.
        """
        rest = (src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            normal = self.norm1(src)
            x = src + self._attend("self_attn", normal, normal, *rest)
            return x + self._feed(self.norm2(x), self.dropout2)
        x = self.norm1(src + self._attend("self_attn", src, src, *rest))
        return self.norm2(x + self._feed(x, self.dropout2))


@boundary
class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to `memory`, and two linear layers; otherwise like `TransformerEncoderLayer`.

    Arguments: those of `TransformerEncoderLayer`.
    """

    multihead_attn: MultiheadAttention
    norm3: LayerNorm
    dropout3: Dropout

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoded target, in the shape of `tgt`.

        Arguments:
            tgt: the target, (length, batch, d_model), or the batch first.
            memory: the encoder's output.
            tgt_mask: the attention mask of the target.
            memory_mask: the attention mask of the target over `memory`.
            tgt_key_padding_mask: the padding positions of the target, (batch, length).
            memory_key_padding_mask: the padding positions of `memory`, (batch, length).
            tgt_is_causal: whether `tgt_mask`, which is then required, is the causal mask.
            memory_is_causal: whether `memory_mask`, which is then required, is the causal mask.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        rest = (memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            normal = self.norm1(tgt)
            x = tgt + self._attend("self_attn", normal, normal, *own)
            x = x + self._attend("multihead_attn", self.norm2(x), memory, *rest)
            return x + self._feed(self.norm3(x), self.dropout3)
        x = self.norm1(tgt + self._attend("self_attn", tgt, tgt, *own))
        x = self.norm2(x + self._attend("multihead_attn", x, memory, *rest))
        return self.norm3(x + self._feed(x, self.dropout3))
