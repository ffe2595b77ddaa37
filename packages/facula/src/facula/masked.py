"""Tensors with masks: not there yet."""

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]

_missing = Refusals("masked", "use where(mask, x, y), masked_fill(mask, value) or x[mask]")
MaskedTensor: Kind = _missing.kind("MaskedTensor")
as_masked_tensor: Refusal = _missing.function("as_masked_tensor")
is_masked_tensor: Refusal = _missing.function("is_masked_tensor")
masked_tensor: Refusal = _missing.function("masked_tensor")

publish(__name__)
