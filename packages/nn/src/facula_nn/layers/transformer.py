"""Transformers: attention-based encoders and decoders. A. Vaswani et al., Attention is all you need, NeurIPS 2017."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, where, zeros

from .. import functional as F
from .. import init
from .._modules.containers import ModuleList
from .._modules.module import Module
from .transformer_layers import TransformerDecoderLayer, TransformerEncoderLayer, new_layer_norm

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import Args, DeviceAndDType


@boundary
class TransformerEncoder(Module):
    """A stack of `num_layers` copies of a layer, optionally followed by `norm`.

    `enable_nested_tensor` and `mask_check` are accepted and ignored: there are no nested tensors.

    Arguments:
        encoder_layer: the layer to copy.
        num_layers: the number of copies.
        norm: a module applied to the result, or None.
        enable_nested_tensor: accepted for compatibility; ignored.
        mask_check: accepted for compatibility; ignored.
    """

    layers: ModuleList[Module]

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Return the result of the last layer, normalised by `norm`, in the shape of `src`.

        Arguments:
            src: the source, (length, batch, d_model), or the batch first if the layers are `batch_first`.
            mask: the attention mask of the source, as `attn_mask` of `MultiheadAttention`.
            src_key_padding_mask: the padding positions of the source, (batch, length).
            is_causal: whether `mask`, which is then required, is the causal mask; None means False.
        """
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)  # type: ignore[no-any-return]


@boundary
class TransformerDecoder(Module):
    """A stack of `num_layers` copies of a layer, optionally followed by `norm`.

    Arguments:
        decoder_layer: the layer to copy.
        num_layers: the number of copies.
        norm: a module applied to the result, or None.
    """

    layers: ModuleList[Module]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the result of the last layer, normalised by `norm`, in the shape of `tgt`.

        Arguments:
            tgt: the target, (length, batch, d_model), or the batch first if the layers are `batch_first`.
            memory: the encoder's output.
            tgt_mask: the attention mask of the target, as `attn_mask` of `MultiheadAttention`.
            memory_mask: the attention mask of the target over `memory`.
            tgt_key_padding_mask: the padding positions of the target, (batch, length).
            memory_key_padding_mask: the padding positions of `memory`, (batch, length).
            tgt_is_causal: whether `tgt_mask`, which is then required, is the causal mask; None means False.
            memory_is_causal: whether `memory_mask`, which is then required, is the causal mask.
        """
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)  # type: ignore[no-any-return]


@boundary
class Transformer(Module):
    """An encoder of `src`, and a decoder of `tgt` that attends to the encoder's output.

    src and tgt (length, batch, d_model), the batch first if `batch_first`. `custom_encoder` and `custom_decoder`
    replace the encoder and the decoder. The other arguments are those of `TransformerEncoderLayer`.

    Arguments:
        d_model: the width of the vectors.
        nhead: the number of heads.
        num_encoder_layers: the number of layers of the encoder.
        num_decoder_layers: the number of layers of the decoder.
        dim_feedforward: the width between the two linear layers.
        dropout: the dropout probability, in training.
        activation: "relu", "gelu" or a function.
        custom_encoder: a module that replaces the encoder.
        custom_decoder: a module that replaces the decoder.
        layer_norm_eps: the constant added to variances.
        batch_first: whether the batch dimension comes first.
        norm_first: normalise the inputs of the parts of each layer instead of their outputs.
        bias: whether to add biases.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
    """

    encoder: Module
    decoder: Module

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        options: Args = (
            *(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias),
            *(device, dtype),
        )
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            norm = new_layer_norm(d_model, eps=layer_norm_eps, bias=bias, **place)
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*options), num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            norm = new_layer_norm(d_model, eps=layer_norm_eps, bias=bias, **place)
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's result for `tgt` and the encoded `src`, in the shape of `tgt`.

        Arguments:
            src: the source, (length, batch, d_model), or the batch first.
            tgt: the target, (length, batch, d_model), or the batch first.
            src_mask: the attention mask of the source, as `attn_mask` of `MultiheadAttention`.
            tgt_mask: the attention mask of the target.
            memory_mask: the attention mask of the target over the encoder's output.
            src_key_padding_mask: the padding positions of the source in the encoder, (batch, length).
            tgt_key_padding_mask: the padding positions of the target, (batch, length).
            memory_key_padding_mask: the padding positions of the source in the decoder, (batch, length).
            src_is_causal: whether `src_mask`, which is then required, is the causal mask; None means False.
            tgt_is_causal: whether `tgt_mask`, which is then required, is the causal mask; None means False.
            memory_is_causal: whether `memory_mask`, which is then required, is the causal mask.

        Raises:
            ValueError: the batch sizes differ, or a width is not `d_model`.
        """
        batch = 0 if self.batch_first else 1
        if src.ndim != tgt.ndim or (src.ndim == 3 and src.shape[batch] != tgt.shape[batch]):
            raise InvalidValueError(
                f"Transformer: expected src and tgt of one batch; got {tuple(src.shape)} and {tuple(tgt.shape)}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise InvalidValueError(
                f"Transformer: expected src and tgt of width d_model={self.d_model}; got {tuple(src.shape)} and "
                f"{tuple(tgt.shape)}"
            )
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(  # type: ignore[no-any-return]
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: DeviceLike | None = None, dtype: DTypeLike | None = None
    ) -> Tensor:
        """Return the causal mask (sz, sz): 0 where a query may attend, -inf at later positions.

        Arguments:
            sz: the length of the sequences.
            device: the mask's device; the default device if None.
            dtype: the mask's dtype; the default dtype if None.

        >>> Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        place = arange(sz, device=device)
        return where(place > place.unsqueeze(1), -float("inf"), zeros(sz, sz, device=device, dtype=dtype))

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
