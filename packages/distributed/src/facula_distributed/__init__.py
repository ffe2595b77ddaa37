"""facula_distributed: processes that work together, under the names of torch.distributed.

Groups of processes exchange tensors in shared memory, and between machines with MPI; the launcher names the process
that failed or is late. May import: checkpoint, errors, multiprocessing, tensor. In order of the data's way: `_parallel`
(one model in several processes), `_sharding` and `_dtensor` (divided parameters and tensors), `_collectives` (PyTorch's
functions), `_groups`, `_stores` (how processes meet), `_engines` (shared memory, MPI, or both), `_board` (memory that
ranks share), `csrc` (start at Note [The board] in csrc/shm.h). Beside it: `_launch` (the launcher), `_report` (costs of
steps), `_resumable` (restarts), `checkpoint`, `_rpc` (remote calls), `_turns` (ranks as threads), `testing`, whose
programs `_warm` starts.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register
from facula_tensor.extend.processes import provide_exchanges as _provide_exchanges

from ._collectives.exchanges import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    scatter,
)
from ._collectives.for_layers import exchange_of as _exchange_of
from ._collectives.messages import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    recv_object_list,
    send,
    send_object_list,
)
from ._collectives.objects import all_gather_object, broadcast_object_list, gather_object, scatter_object_list
from ._collectives.reductions import (
    all_reduce,
    all_reduce_coalesced,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    supports_complex,
)
from ._engines.start import is_mpi_available
from ._errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    DistTimeoutError,
    MismatchError,
    QueueEmptyError,
    RankError,
)
from ._groups.backends import Backend
from ._groups.groups import (
    GroupMember,
    ProcessGroup,
    default_pg_timeout,
    destroy_process_group,
    init_process_group,
    is_initialized,
    new_group,
)
from ._groups.queries import (
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
    is_available,
)
from ._groups.seeds import seed
from ._groups.slow import expect_slow
from ._groups.subgroups import new_subgroups, new_subgroups_by_enumeration
from ._groups.work import ReduceOp, Work
from ._parallel.buckets import GradBucket
from ._report.report import Report, report
from ._resumable import Resumable, resumable
from ._stores.store import Store
from ._stores.stores import FileStore, HashStore, PrefixStore, TCPStore

__version__ = "0.1.0"

_register("facula_distributed")
_provide_exchanges(_exchange_of)  # layers such as SyncBatchNorm

group = GroupMember
reduce_op = ReduceOp

__all__ = [
    "Backend", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "DistTimeoutError", "FileStore",
    "GradBucket", "GroupMember", "HashStore", "MismatchError", "P2POp", "PrefixStore", "ProcessGroup",
    "QueueEmptyError", "RankError", "ReduceOp", "Report", "Resumable", "Store", "TCPStore", "Work", "all_gather",
    "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_reduce_coalesced",
    "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "default_pg_timeout", "destroy_process_group", "expect_slow", "gather", "gather_object", "get_backend",
    "get_backend_config", "get_default_backend_for_device", "get_global_rank", "get_group_rank", "get_node_local_rank",
    "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "irecv",
    "is_available", "is_initialized", "is_mpi_available", "isend", "monitored_barrier", "new_group", "new_subgroups",
    "new_subgroups_by_enumeration", "recv", "recv_object_list", "reduce", "reduce_op", "reduce_scatter",
    "reduce_scatter_tensor", "report", "resumable", "scatter", "scatter_object_list", "seed", "send",
    "send_object_list", "supports_complex",
]  # fmt: skip

__dir__ = _published(__name__)
