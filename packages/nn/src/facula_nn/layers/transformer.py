"""Transformers: encoders and decoders of attention. A. Vaswani et al., Attention is all you need, NeurIPS 2017."""

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

    from facula_tensor.extend import DeviceLike, DTypeLike

    from .._types import Args, DeviceAndDType


@boundary
class TransformerEncoder(Module):
    """`num_layers` copies of a layer, one after the other, and then `norm`, if any.

    `enable_nested_tensor` and `mask_check` are accepted and mean nothing here: there are no nested tensors.

    Arguments:
        encoder_layer: the layer that is copied.
        num_layers: how many copies there are.
        norm: a module for the result, or None.
        enable_nested_tensor: taken, and means nothing.
        mask_check: taken, and means nothing.
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
        """As `src`: what the last layer gave, normalised by `norm`.

        Arguments:
            src: the source, (length, batch, d_model), or the batch first where the layers have it so.
            mask: who may not look where, of the source; as `attn_mask` of `MultiheadAttention`.
            src_key_padding_mask: which places of the source are padding, (batch, length).
            is_causal: whether `mask`, which must then be given, is the causal one; None for no.
        """
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)  # type: ignore[no-any-return]


@boundary
class TransformerDecoder(Module):
    """`num_layers` copies of a layer, one after the other, and then `norm`, if any.

    Arguments:
        decoder_layer: the layer that is copied.
        num_layers: how many copies there are.
        norm: a module for the result, or None.
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
        """As `tgt`: what the last layer gave, normalised by `norm`.

        Arguments:
            tgt: the target, (length, batch, d_model), or the batch first where the layers have it so.
            memory: what the encoder made of the source.
            tgt_mask: who may not look where, of the target; as `attn_mask` of `MultiheadAttention`.
            memory_mask: who of the target may not look where in `memory`.
            tgt_key_padding_mask: which places of the target are padding, (batch, length).
            memory_key_padding_mask: which places of `memory` are padding, (batch, length).
            tgt_is_causal: whether `tgt_mask`, which must then be given, is the causal one; None for no.
            memory_is_causal: whether `memory_mask`, which must then be given, is the causal one.
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
    """An encoder of `src`, and a decoder of `tgt` that attends to what the encoder made.

    src (length, batch, d_model) and tgt (length, batch, d_model), the batch first where `batch_first`; arguments as of
    `TransformerEncoderLayer`. `custom_encoder` and `custom_decoder` take the place of one.

    Arguments:
        d_model: the length of vectors.
        nhead: the number of heads.
        num_encoder_layers: the layers of the encoder.
        num_decoder_layers: the layers of the decoder.
        dim_feedforward: the length between the two linear layers.
        dropout: the probability that a number is dropped, in training.
        activation: "relu", "gelu" or a function.
        custom_encoder: a module in place of the encoder.
        custom_decoder: a module in place of the decoder.
        layer_norm_eps: what is added to variances.
        batch_first: whether the batch comes before the length.
        norm_first: normalise what goes into a layer, rather than what comes out.
        bias: whether there are biases.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
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
        """What the decoder makes of `tgt` and of the encoded `src`, as `tgt`.

        Arguments:
            src: the source, (length, batch, d_model), or the batch first.
            tgt: the target, (length, batch, d_model), or the batch first.
            src_mask: who may not look where, of the source; as `attn_mask` of `MultiheadAttention`.
            tgt_mask: who may not look where, of the target.
            memory_mask: who of the target may not look where in what the encoder made.
            src_key_padding_mask: which places of the source are padding for the encoder, (batch, length).
            tgt_key_padding_mask: which places of the target are padding, (batch, length).
            memory_key_padding_mask: which places of the source are padding for the decoder, (batch, length).
            src_is_causal: whether `src_mask`, which must then be given, is the causal one; None for no.
            tgt_is_causal: whether `tgt_mask`, which must then be given, is the causal one; None for no.
            memory_is_causal: whether `memory_mask`, which must then be given, is the causal one.

        Raises:
            ValueError: batches of unequal sizes, or a width other than `d_model`.
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
        """The causal mask (sz, sz): 0 where a query may look, -inf after it.

        Arguments:
            sz: the length of sequences.
            device: where the mask lies; the default device if None.
            dtype: of the mask; the default dtype if None.

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
