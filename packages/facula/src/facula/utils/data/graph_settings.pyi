"""Names of PyTorch's torch.utils.data.graph_settings, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

apply_random_seed: _Refusal
apply_shuffle_settings: _Refusal
