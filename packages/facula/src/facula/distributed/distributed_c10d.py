"""What processes that work together call, where programs for PyTorch look for it: not there yet."""

from __future__ import annotations

import os

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = [
    "Backend", "FileStore", "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "ReduceOp", "Store",
    "TCPStore", "Work", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all",
    "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "destroy_process_group", "gather", "gather_object", "get_backend", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group",
    "irecv", "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend", "monitored_barrier", "new_group",
    "new_subgroups", "recv", "recv_object_list", "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_tensor",
    "scatter", "scatter_object_list", "send", "send_object_list",
]  # fmt: skip

_missing = Refusals("distributed", "there is one process so far; call it only where distributed.is_available() is true")


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


Backend: Kind = _missing.kind("Backend")
FileStore: Kind = _missing.kind("FileStore")
HashStore: Kind = _missing.kind("HashStore")
P2POp: Kind = _missing.kind("P2POp")
PrefixStore: Kind = _missing.kind("PrefixStore")
ProcessGroup: Kind = _missing.kind("ProcessGroup")
Store: Kind = _missing.kind("Store")
TCPStore: Kind = _missing.kind("TCPStore")
Work: Kind = _missing.kind("Work")
all_gather: Refusal = _missing.function("all_gather")
all_gather_into_tensor: Refusal = _missing.function("all_gather_into_tensor")
all_gather_object: Refusal = _missing.function("all_gather_object")
all_reduce: Refusal = _missing.function("all_reduce")
all_to_all: Refusal = _missing.function("all_to_all")
all_to_all_single: Refusal = _missing.function("all_to_all_single")
barrier: Refusal = _missing.function("barrier")
batch_isend_irecv: Refusal = _missing.function("batch_isend_irecv")
broadcast: Refusal = _missing.function("broadcast")
broadcast_object_list: Refusal = _missing.function("broadcast_object_list")
destroy_process_group: Refusal = _missing.function("destroy_process_group")
gather: Refusal = _missing.function("gather")
gather_object: Refusal = _missing.function("gather_object")
get_backend: Refusal = _missing.function("get_backend")
get_global_rank: Refusal = _missing.function("get_global_rank")
get_group_rank: Refusal = _missing.function("get_group_rank")
get_node_local_rank: Refusal = _missing.function("get_node_local_rank")
get_process_group_ranks: Refusal = _missing.function("get_process_group_ranks")
get_rank: Refusal = _missing.function("get_rank")
get_world_size: Refusal = _missing.function("get_world_size")
init_process_group: Refusal = _missing.function(
    "init_process_group", "there is one process so far; run the program without a launcher, on one device"
)
irecv: Refusal = _missing.function("irecv")
isend: Refusal = _missing.function("isend")
monitored_barrier: Refusal = _missing.function("monitored_barrier")
new_group: Refusal = _missing.function("new_group")
new_subgroups: Refusal = _missing.function("new_subgroups")
recv: Refusal = _missing.function("recv")
recv_object_list: Refusal = _missing.function("recv_object_list")
reduce: Refusal = _missing.function("reduce")
reduce_scatter: Refusal = _missing.function("reduce_scatter")
reduce_scatter_tensor: Refusal = _missing.function("reduce_scatter_tensor")
scatter: Refusal = _missing.function("scatter")
scatter_object_list: Refusal = _missing.function("scatter_object_list")
send: Refusal = _missing.function("send")
send_object_list: Refusal = _missing.function("send_object_list")


class ReduceOp:
    """How values of several processes become one; the names alone, which calls have as defaults."""

    SUM, AVG, PRODUCT, MIN, MAX = "SUM", "AVG", "PRODUCT", "MIN", "MAX"
    BAND, BOR, BXOR, PREMUL_SUM = "BAND", "BOR", "BXOR", "PREMUL_SUM"


class GroupMember:
    """Groups of processes: there are none."""

    WORLD: object = None
    NON_GROUP_MEMBER: object = None


group = GroupMember
reduce_op = ReduceOp

publish(__name__)
