"""Calls of functions on other processes, under the names of torch.distributed.rpc."""

from ._rpc.agent import WorkerInfo
from ._rpc.calls import (
    RpcBackendOptions,
    TensorPipeRpcBackendOptions,
    get_worker_info,
    init_rpc,
    remote,
    rpc_async,
    rpc_sync,
    shutdown,
)
from ._rpc.rref import RRef

__all__ = [
    "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo", "get_worker_info",
    "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip
