"""A loader of this process's share of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._lookup.siblings import needs
from ..utils.data import DataLoader

with needs("facula.distributed"):
    from facula_distributed import broadcast_object_list, get_rank, get_world_size

if TYPE_CHECKING:
    from .._types import AnyValue
    from . import ProcessGroup


@boundary
def loader(dataset: AnyValue, *args: Any, process_group: ProcessGroup | None = None, **kwargs: Any) -> AnyValue:
    """Return a `DataLoader` of this process's share of a dataset. All processes of the group must call this function.

    In each epoch, the processes share one order, and all receive the same number of batches. If no seed is given, that
    of the group's first process is used. `state_dict()` counts the samples of all processes: a state of one of them, at
    the same batch, is that of all, and another number of processes can resume from it.

    Arguments:
        dataset: a dataset with a length.
        args, kwargs: arguments of `DataLoader` except `shard`; `batch_size` is that of each process.
        process_group: the process group; all processes if None.

    Raises:
        ValueError: there is no process group, or this process is not a member; or an error of `DataLoader`.

    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> [batch.tolist() for batch in loader(range(5), batch_size=3)]
    [[0, 1, 2], [3, 4]]
    >>> destroy_process_group()
    """
    rank, size = get_rank(process_group), get_world_size(process_group)
    if rank < 0:
        raise InvalidValueError(f"loader: expected a group that this process is a member of; got {process_group!r}")
    made: Any = DataLoader(dataset, *args, shard=(rank, size), **kwargs)
    if size > 1:
        state = [made.state_dict()]
        broadcast_object_list(state, group=process_group, group_src=0)
        made.load_state_dict(state[0])
    return made
