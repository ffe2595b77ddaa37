"""Multi-head attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from .. import functional as F
from .. import init
from .._arguments import check_input, check_lengths
from .._modules.module import Module
from .linear import NonDynamicallyQuantizableLinear

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import DeviceAndDType


@boundary
class MultiheadAttention(Module):
    """Multi-head attention: each head attends with its own projections; the concatenated results are projected.

    query (length, batch, embed_dim), key (keys, batch, kdim), value (keys, batch, vdim); with `batch_first` the batch
    comes first; it may also be omitted. `add_bias_kv` appends a trainable key and value, `add_zero_attn` one of zeros.
    State: `in_proj_weight` (or `q_proj_weight`, `k_proj_weight`, `v_proj_weight` if the widths differ), `in_proj_bias`,
    `out_proj.weight`, `out_proj.bias`, `bias_k`, `bias_v`. ValueError unless `num_heads` divides `embed_dim`.
    A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    Arguments:
        embed_dim: the length of queries and outputs.
        num_heads: the number of heads, which divides `embed_dim`.
        dropout: the dropout probability of the attention weights, in training.
        bias: whether the projections have biases.
        add_bias_kv: append a trainable key and value.
        add_zero_attn: append a key and a value of zeros.
        kdim: the length of keys; `embed_dim` if None.
        vdim: the length of values; `embed_dim` if None.
        batch_first: whether the batch dimension comes first.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> x = ones(5, 2, 8)
    >>> out, weights = MultiheadAttention(8, 2)(x, x, x)
    >>> out.shape, weights.shape
    (facula.Size([5, 2, 8]), facula.Size([2, 5, 5]))
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None
    kdim: int
    vdim: int
    _qkv_same_embed_dim: bool
    head_dim: int
    out_proj: NonDynamicallyQuantizableLinear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        check_lengths("MultiheadAttention", 1, embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim % num_heads:
            raise InvalidValueError(
                f"MultiheadAttention: expected num_heads to divide embed_dim; got {num_heads} and {embed_dim}"
            )
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.head_dim, self.add_zero_attn = embed_dim // num_heads, add_zero_attn

        def parameter(wanted: bool, *shape: int) -> Parameter | None:
            return Parameter(empty(*shape, **place)) if wanted else None

        packed = self._qkv_same_embed_dim
        self.register_parameter("in_proj_weight", parameter(packed, 3 * embed_dim, embed_dim))
        self.register_parameter("q_proj_weight", parameter(not packed, embed_dim, embed_dim))
        self.register_parameter("k_proj_weight", parameter(not packed, embed_dim, self.kdim))
        self.register_parameter("v_proj_weight", parameter(not packed, embed_dim, self.vdim))
        self.register_parameter("in_proj_bias", parameter(bias, 3 * embed_dim))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **place)
        self.bias_k, self.bias_v = (parameter(add_bias_kv, 1, 1, embed_dim) for _ in range(2))
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the outputs, in the shape of `query`, and if `need_weights` the weights (batch, length, keys).

        The weights are averaged over the heads or returned by head.
        `key_padding_mask` (batch, keys) and `attn_mask` (length, keys) or (batch · num_heads, length, keys) are masks:
        bool, True where attention is not allowed, or numbers that are added to the scores. Without `need_weights`,
        memory is linear in the lengths.

        Arguments:
            query: the queries.
            key: the keys.
            value: the values.
            key_padding_mask: the padding positions among the keys, (batch, keys).
            need_weights: also return the weights.
            attn_mask: the mask of queries and keys.
            average_attn_weights: average the weights over the heads instead of returning those of each head.
            is_causal: whether `attn_mask` is the causal mask.

        Returns:
            The outputs, and the weights or None.
        """
        for operand in (query, key, value):
            check_input("MultiheadAttention", operand)
        turned = self.batch_first and query.ndim == 3
        if turned:
            same_key, same_value = key is query, value is key  # saves matrix products
            query = query.transpose(0, 1)
            key = query if same_key else key.transpose(0, 1)
            value = key if same_value else value.transpose(0, 1)
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (out.transpose(0, 1) if turned else out), weights
