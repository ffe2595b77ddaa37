"""Names of PyTorch's torch.distributed.rpc, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

BackendType: Kind
RRef: Kind
RpcBackendOptions: Kind
TensorPipeRpcBackendOptions: Kind
WorkerInfo: Kind
get_worker_info: Refusal
init_rpc: Refusal
remote: Refusal
rpc_async: Refusal
rpc_sync: Refusal
shutdown: Refusal
