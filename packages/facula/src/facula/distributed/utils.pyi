"""Names of PyTorch's torch.distributed.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

_sync_module_states: _Refusal
_verify_param_shape_across_processes: _Refusal
