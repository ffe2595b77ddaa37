"""Names of PyTorch's torch.distributed.fsdp.sharded_grad_scaler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

ShardedGradScaler: _Kind
