"""Names of PyTorch's torch.distributed.rpc, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributed.rpc import BackendType as BackendType
from facula_distributed.rpc import RRef as RRef
from facula_distributed.rpc import RpcBackendOptions as RpcBackendOptions
from facula_distributed.rpc import TensorPipeRpcBackendOptions as TensorPipeRpcBackendOptions
from facula_distributed.rpc import WorkerInfo as WorkerInfo
from facula_distributed.rpc import get_worker_info as get_worker_info
from facula_distributed.rpc import init_rpc as init_rpc
from facula_distributed.rpc import remote as remote
from facula_distributed.rpc import rpc_async as rpc_async
from facula_distributed.rpc import rpc_sync as rpc_sync
from facula_distributed.rpc import shutdown as shutdown
