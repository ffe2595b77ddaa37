"""Names of PyTorch's torch.nested, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

as_nested_tensor: Refusal
masked_select: Refusal
narrow: Refusal
nested_tensor: Refusal
nested_tensor_from_jagged: Refusal
to_padded_tensor: Refusal
