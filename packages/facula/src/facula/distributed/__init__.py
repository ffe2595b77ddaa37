"""facula.distributed: processes that work together: a group of one so far, in which collective operations give back
what they get.

More than one process is refused by name. May import: siblings. Where next: `_groups.py` for groups, `_collectives.py`
for what they do together, `_store.py` for keys and values; `fsdp.py`, `tensor.py` and others are PyTorch's places for
what is not there yet.
"""

# ruff: noqa: F403, F405  the lists of the modules below
from __future__ import annotations

from typing import TYPE_CHECKING

from .._names import publish
from ._store import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from .device_mesh import DeviceMesh, init_device_mesh
from .distributed_c10d import *

if TYPE_CHECKING:
    from . import algorithms as algorithms
    from . import checkpoint as checkpoint
    from . import device_mesh as device_mesh
    from . import distributed_c10d as distributed_c10d
    from . import fsdp as fsdp
    from . import optim as optim
    from . import rpc as rpc
    from . import tensor as tensor

__all__ = [
    "Backend", "DeviceMesh", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "FileStore",
    "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "QueueEmptyError", "ReduceOp", "TCPStore",
    "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_reduce",
    "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "default_pg_timeout", "destroy_process_group", "device_mesh", "distributed_c10d", "fsdp",
    "gather", "gather_object", "get_backend", "get_backend_config", "get_default_backend_for_device",
    "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank",
    "get_world_size", "group", "init_device_mesh", "init_process_group", "irecv", "is_available",
    "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend", "monitored_barrier", "new_group",
    "new_subgroups", "new_subgroups_by_enumeration", "optim", "recv", "recv_object_list", "reduce", "reduce_op",
    "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send", "send_object_list",
    "supports_complex", "tensor",
]  # fmt: skip


def is_available() -> bool:
    """Whether there are groups of processes: True, of one.

    >>> is_available()
    True
    """
    return True


publish(__name__, later=("tensor",))
