"""Names of PyTorch's torch.distributed.rpc, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

BackendType: _Kind
RRef: _Kind
RpcBackendOptions: _Kind
TensorPipeRpcBackendOptions: _Kind
WorkerInfo: _Kind
get_worker_info: _Refusal
init_rpc: _Refusal
remote: _Refusal
rpc_async: _Refusal
rpc_sync: _Refusal
shutdown: _Refusal
