"""Calls of other processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = [
    "BackendType", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo", "get_worker_info",
    "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip

_missing = Refusals("distributed.rpc", "there is one process so far; call the function itself")
BackendType: Kind = _missing.kind("BackendType")
RRef: Kind = _missing.kind("RRef")
RpcBackendOptions: Kind = _missing.kind("RpcBackendOptions")
TensorPipeRpcBackendOptions: Kind = _missing.kind("TensorPipeRpcBackendOptions")
WorkerInfo: Kind = _missing.kind("WorkerInfo")
get_worker_info: Refusal = _missing.function("get_worker_info")
init_rpc: Refusal = _missing.function("init_rpc")
remote: Refusal = _missing.function("remote")
rpc_async: Refusal = _missing.function("rpc_async")
rpc_sync: Refusal = _missing.function("rpc_sync")
shutdown: Refusal = _missing.function("shutdown")

publish(__name__)
