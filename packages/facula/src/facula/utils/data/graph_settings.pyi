"""Names of PyTorch's torch.utils.data.graph_settings, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

apply_random_seed: Refusal
apply_shuffle_settings: Refusal
