"""Calls of functions on other processes, under the names of torch.distributed.rpc."""

from facula_errors.extend import published as _published

from ._rpc.agent import WorkerInfo
from ._rpc.calls import (
    BackendType,
    RpcBackendOptions,
    TensorPipeRpcBackendOptions,
    async_execution,
    get_worker_info,
    init_rpc,
    remote,
    rpc_async,
    rpc_sync,
    shutdown,
)
from ._rpc.rref import RRef

__all__ = [
    "BackendType", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo", "async_execution",
    "get_worker_info", "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip

__dir__ = _published(__name__)
