"""Names of PyTorch's torch.distributed.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

_sync_module_states: Refusal
_verify_param_shape_across_processes: Refusal
