"""facula.distributed: processes that work together: not there yet, and programs that ask are told so.

`is_available()` and `is_initialized()` are False, and what programs do where they are True refuses by name.
May import: siblings. Where next: `fsdp.py`, `tensor.py` and others are PyTorch's places for more of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._names import publish
from .device_mesh import DeviceMesh, init_device_mesh
from .distributed_c10d import (
    Backend,
    FileStore,
    GroupMember,
    HashStore,
    P2POp,
    PrefixStore,
    ProcessGroup,
    ReduceOp,
    Store,
    TCPStore,
    Work,
    all_gather,
    all_gather_into_tensor,
    all_gather_object,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    destroy_process_group,
    gather,
    gather_object,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    irecv,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    isend,
    monitored_barrier,
    new_group,
    new_subgroups,
    recv,
    recv_object_list,
    reduce,
    reduce_op,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
    scatter_object_list,
    send,
    send_object_list,
)

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
    "Backend", "DeviceMesh", "FileStore", "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup",
    "ReduceOp", "Store", "TCPStore", "Work", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce",
    "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "destroy_process_group", "device_mesh", "fsdp", "gather", "gather_object", "get_backend", "get_global_rank",
    "get_group_rank", "get_node_local_rank", "get_process_group_ranks", "get_rank", "get_world_size", "group",
    "init_device_mesh", "init_process_group", "irecv", "is_available", "is_backend_available", "is_gloo_available",
    "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available",
    "is_xccl_available", "isend", "monitored_barrier", "new_group", "new_subgroups", "optim", "recv",
    "recv_object_list", "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_tensor", "scatter",
    "scatter_object_list", "send", "send_object_list", "tensor",
]  # fmt: skip


def is_available() -> bool:
    """Whether processes can work together: False.

    >>> is_available()
    False
    """
    return False


publish(__name__, later=("algorithms", "checkpoint", "fsdp", "optim", "rpc", "tensor"))
