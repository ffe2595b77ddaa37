"""The public functions of `ops/neural/attention.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real
from ...._core.tensor import Tensor
from ...._dispatch.arguments import flag_value
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

bodies = bodies_of("ops.neural.attention")


@overridable
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    try:
        if not isinstance(query, Tensor):
            query = as_tensor("scaled_dot_product_attention", query)
        if not isinstance(key, Tensor):
            key = as_tensor("scaled_dot_product_attention", key)
        if not isinstance(value, Tensor):
            value = as_tensor("scaled_dot_product_attention", value)
        if type(dropout_p) is not float:
            dropout_p = float(as_real(dropout_p, "scaled_dot_product_attention", "dropout_p"))
        if is_causal is not False and is_causal is not True:
            is_causal = flag_value("scaled_dot_product_attention", "is_causal", is_causal)
        if not 0 <= dropout_p <= 1:
            raise ArgumentError(
                f"scaled_dot_product_attention: expected a share dropout_p from 0 to 1; got {dropout_p}"
            )
        return bodies.scaled_dot_product_attention(
            ops, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
