"""facula.distributed: processes that work together: not there yet, and programs that ask are told so.

`is_available()` and `is_initialized()` are False, and what programs do where they are True refuses by name.
May import: siblings. Where next: `fsdp.py`, `tensor.py` and others are PyTorch's places for more of it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._names import publish
from .._refusals import Refusals

if TYPE_CHECKING:
    from . import device_mesh as device_mesh
    from . import fsdp as fsdp
    from . import optim as optim
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

_missing = Refusals("distributed", "there is one process so far; call it only where distributed.is_available() is true")


def is_available() -> bool:
    """Whether processes can work together: False.

    >>> is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Whether this process works together with others: False."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether processes can talk to each other in this way: False."""
    return False


def is_gloo_available() -> bool:
    """Whether processes can talk to each other by Gloo: False."""
    return False


def is_mpi_available() -> bool:
    """Whether processes can talk to each other by MPI: False."""
    return False


def is_nccl_available() -> bool:
    """Whether processes can talk to each other by NCCL: False."""
    return False


def is_ucc_available() -> bool:
    """Whether processes can talk to each other by UCC: False."""
    return False


def is_xccl_available() -> bool:
    """Whether processes can talk to each other by XCCL: False."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether `torchrun` started this process: as the environment says."""
    return "TORCHELASTIC_RUN_ID" in os.environ


Backend = _missing.kind("Backend")
DeviceMesh = _missing.kind("DeviceMesh")
FileStore = _missing.kind("FileStore")
HashStore = _missing.kind("HashStore")
P2POp = _missing.kind("P2POp")
PrefixStore = _missing.kind("PrefixStore")
ProcessGroup = _missing.kind("ProcessGroup")
Store = _missing.kind("Store")
TCPStore = _missing.kind("TCPStore")
Work = _missing.kind("Work")
all_gather = _missing.function("all_gather")
all_gather_into_tensor = _missing.function("all_gather_into_tensor")
all_gather_object = _missing.function("all_gather_object")
all_reduce = _missing.function("all_reduce")
all_to_all = _missing.function("all_to_all")
all_to_all_single = _missing.function("all_to_all_single")
barrier = _missing.function("barrier")
batch_isend_irecv = _missing.function("batch_isend_irecv")
broadcast = _missing.function("broadcast")
broadcast_object_list = _missing.function("broadcast_object_list")
destroy_process_group = _missing.function("destroy_process_group")
gather = _missing.function("gather")
gather_object = _missing.function("gather_object")
get_backend = _missing.function("get_backend")
get_global_rank = _missing.function("get_global_rank")
get_group_rank = _missing.function("get_group_rank")
get_node_local_rank = _missing.function("get_node_local_rank")
get_process_group_ranks = _missing.function("get_process_group_ranks")
get_rank = _missing.function("get_rank")
get_world_size = _missing.function("get_world_size")
init_device_mesh = _missing.function("init_device_mesh")
init_process_group = _missing.function(
    "init_process_group", "there is one process so far; run the program without a launcher, on one device"
)
irecv = _missing.function("irecv")
isend = _missing.function("isend")
monitored_barrier = _missing.function("monitored_barrier")
new_group = _missing.function("new_group")
new_subgroups = _missing.function("new_subgroups")
recv = _missing.function("recv")
recv_object_list = _missing.function("recv_object_list")
reduce = _missing.function("reduce")
reduce_scatter = _missing.function("reduce_scatter")
reduce_scatter_tensor = _missing.function("reduce_scatter_tensor")
scatter = _missing.function("scatter")
scatter_object_list = _missing.function("scatter_object_list")
send = _missing.function("send")
send_object_list = _missing.function("send_object_list")


class ReduceOp:
    """How values of several processes become one; the names alone, which calls have as defaults."""

    SUM, AVG, PRODUCT, MIN, MAX = "SUM", "AVG", "PRODUCT", "MIN", "MAX"
    BAND, BOR, BXOR, PREMUL_SUM = "BAND", "BOR", "BXOR", "PREMUL_SUM"


class GroupMember:
    """Groups of processes: there are none."""

    WORLD: Any = None
    NON_GROUP_MEMBER: Any = None


group = GroupMember
reduce_op = ReduceOp

publish(__name__, later=("device_mesh", "fsdp", "optim", "tensor"))
