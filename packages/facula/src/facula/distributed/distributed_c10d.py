"""PyTorch's module of process groups and collective operations."""

from __future__ import annotations

import os

from .._lookup.names import publish
from .._lookup.siblings import needs

with needs("facula.distributed"):
    from facula_data.extend import process_groups
    from facula_distributed import (
        Backend,
        FileStore,
        GradBucket,
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
        all_gather_coalesced,
        all_gather_into_tensor,
        all_gather_object,
        all_reduce,
        all_reduce_coalesced,
        all_to_all,
        all_to_all_single,
        barrier,
        batch_isend_irecv,
        broadcast,
        broadcast_object_list,
        default_pg_timeout,
        destroy_process_group,
        gather,
        gather_object,
        get_backend,
        get_backend_config,
        get_default_backend_for_device,
        get_global_rank,
        get_group_rank,
        get_node_local_rank,
        get_pg_count,
        get_process_group_ranks,
        get_rank,
        get_world_size,
        group,
        init_process_group,
        irecv,
        is_initialized,
        is_mpi_available,
        isend,
        monitored_barrier,
        new_group,
        new_subgroups,
        new_subgroups_by_enumeration,
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
        supports_complex,
    )
    from facula_distributed.extend import default_group, mirror_places

__all__ = [
    "Backend", "FileStore", "GradBucket", "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup",
    "ReduceOp", "TCPStore", "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object",
    "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv",
    "broadcast", "broadcast_object_list", "default_pg_timeout", "destroy_process_group", "gather", "gather_object",
    "get_backend", "get_backend_config", "get_default_backend_for_device", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size", "group",
    "init_process_group", "irecv", "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend",
    "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv", "recv_object_list",
    "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
    "send_object_list", "supports_complex",
]  # fmt: skip

mirror_places(process_groups)  # samplers ask for the rank and the size


def is_backend_available(backend: str) -> bool:
    """Return whether a backend is available, as its own function reports: "gloo", "shm", "mpi" if it is installed."""
    name = str(backend).lower()
    return is_mpi_available() if name == "mpi" else name in ("gloo", "shm")


def is_gloo_available() -> bool:
    """Return whether the backend "gloo" is available: True."""
    return True


def is_nccl_available() -> bool:
    """Return whether NCCL is available: False."""
    return False


def is_ucc_available() -> bool:
    """Return whether UCC is available: False."""
    return False


def is_xccl_available() -> bool:
    """Return whether XCCL is available: False."""
    return False


def is_torchelastic_launched() -> bool:
    """Return whether `torchrun` started this process, according to the environment."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def _get_default_group() -> ProcessGroup:
    """Return the group of all processes. ValueError before `init_process_group`."""
    return default_group()


def _get_default_store() -> Store:
    """Return the default group's keys and values. ValueError before `init_process_group`."""
    return default_group().get_group_store()


def _rank_not_in_group(group: object) -> bool:
    """Return whether this process is outside a group."""
    return group is not None and group == GroupMember.NON_GROUP_MEMBER


publish(__name__)
