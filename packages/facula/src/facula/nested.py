"""Tensors of several lengths: not there yet."""

from ._names import publish
from ._refusals import Refusal, Refusals

__all__ = [
    "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor",
]  # fmt: skip

_missing = Refusals("nested", "use nn.utils.rnn.pad_sequence or pack_sequence, or a list")
as_nested_tensor: Refusal = _missing.function("as_nested_tensor")
masked_select: Refusal = _missing.function("masked_select")
narrow: Refusal = _missing.function("narrow")
nested_tensor: Refusal = _missing.function("nested_tensor")
nested_tensor_from_jagged: Refusal = _missing.function("nested_tensor_from_jagged")
to_padded_tensor: Refusal = _missing.function("to_padded_tensor")

publish(__name__)
