"""Names of PyTorch's torch.nested, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

as_nested_tensor: _Refusal
masked_select: _Refusal
narrow: _Refusal
nested_tensor: _Refusal
nested_tensor_from_jagged: _Refusal
to_padded_tensor: _Refusal
