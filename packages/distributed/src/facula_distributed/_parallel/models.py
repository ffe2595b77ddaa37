"""Equal models on all ranks: comparison, and copies of parameters and buffers of one rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import OperationError
from facula_tensor import empty, no_grad, uint8

from .._collectives.exchanges import broadcast
from .._collectives.objects import all_gather_object
from .._collectives.transfers import NO_MEMORY, after_writing, memory_of, perform
from .._shm import ffi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup


def check_equal_models(operation: str, group: ProcessGroup, named: Sequence[tuple[str, Tensor]]) -> None:
    """Raise RuntimeError on all ranks if names, shapes, dtypes or required gradients differ between them.

    Arguments:
        operation: the beginning of the error.
        group: the process group.
        named: the names, and the parameters and buffers.
    """
    own = [
        (name, f"{str(tensor.dtype).rpartition('.')[2]}, shape {tuple(tensor.shape)}"
         + (", requires a gradient" if tensor.requires_grad else ""))
        for name, tensor in named
    ]  # fmt: skip
    found: list[Any] = [None] * group.size()
    all_gather_object(found, own, group)
    for place, other in enumerate(found):
        if other == found[0]:
            continue
        first, second = dict(found[0]), dict(other)
        name = next(
            (name for name in {**first, **second} if first.get(name) != second.get(name)), other[0][0] if other else ""
        )
        ranks = group._member.ranks
        raise OperationError(
            f"{operation}: expected the same model on all ranks; {name} is {first.get(name, 'missing')} on rank "
            f"{ranks[0]}, {second.get(name, 'missing')} on rank {ranks[place]}; create the model in the same way"
        )


def copy_model(group: ProcessGroup, tensors: Sequence[Tensor], root: int = 0) -> None:
    """Copy one rank's tensors to those of all.

    Arguments:
        group: the process group.
        tensors: parameters and buffers, which are equal in number, shape and dtype on all ranks.
        root: the rank in the group.
    """
    with no_grad():
        for tensor in tensors:
            broadcast(tensor.detach(), group=group, group_src=root)


class BufferCopies:
    """Copies of one rank's buffers, by one collective for all.

    Arguments:
        operation: the function's name for errors.
        group: the process group.
    """

    def __init__(self, operation: str, group: ProcessGroup) -> None:
        self._operation, self._group = operation, group
        self._room = empty(0, dtype=uint8)

    def copy(self, buffers: Sequence[Tensor], root: int = 0) -> None:
        """Copy the buffers of the rank `root` in the group to those of all."""
        is_root = self._group.rank() == root
        memories = [memory_of(self._operation, buffer, is_written=not is_root) for buffer in buffers]
        total = sum([memory.nbytes for memory in memories])
        if self._room.numel() != total:
            self._room = empty(total, dtype=uint8)
        room, size = memory_of(self._operation, self._room), self._group.size()
        if is_root:
            at = room.address
            for memory in memories:
                _copy(at, memory.address, memory.nbytes)
                at += memory.nbytes
        receive = [NO_MEMORY] * size
        if not is_root:
            receive[root] = room
        perform(
            self._group, "broadcast", like=self._room, root=root, send=[room if is_root else NO_MEMORY], receive=receive
        )
        if not is_root:
            at = room.address
            for memory in memories:
                _copy(memory.address, at, memory.nbytes)
                at += memory.nbytes
            after_writing(memories)


def _copy(target: int, source: int, nbytes: int) -> None:
    ffi.memmove(ffi.cast("char *", target), ffi.cast("char *", source), nbytes)
