"""Equal models on all ranks: comparison, and copies of parameters and buffers of one rank."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError
from facula_tensor import empty, no_grad, uint8
from facula_tensor.extend import current_recorder

from .._captures import follow_state
from .._collectives.exchanges import broadcast
from .._collectives.launches import is_captured
from .._collectives.objects import all_gather_object
from .._collectives.transfers import NO_MEMORY, after_writing, memory_of, prepare, run_launch
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

    Attributes:
        is_due: whether the next forward pass copies.
    """

    def __init__(self, operation: str, group: ProcessGroup) -> None:
        self._operation, self._group = operation, group
        self._room = empty(0, dtype=uint8)
        self.is_due = True

    def expect(self, is_due: bool) -> None:
        """Set whether the next forward pass copies; replays of a capture set it, too."""
        recorder = current_recorder()
        action = partial(setattr, self, "is_due", is_due)
        action() if recorder is None else recorder.act(None, action)

    def _state(self) -> bool:
        return self.is_due

    def copy(self, buffers: Sequence[Tensor], root: int = 0) -> None:
        """Copy the buffers of the rank `root` in the group to those of all, if this is due."""
        follow_state(self._state, f"whether {self._operation} copies buffers")
        if not self.is_due or not buffers:
            return
        is_root = self._group.rank() == root
        memories = [memory_of(self._operation, buffer, is_written=not is_root) for buffer in buffers]
        lengths = [memory.nbytes for memory in memories]
        if self._room.numel() != sum(lengths):
            self._room = empty(sum(lengths), dtype=uint8)
        room, size = memory_of(self._operation, self._room), self._group.size()
        receive = [NO_MEMORY] * size
        if not is_root:
            receive[root] = room
        launch = prepare(
            self._group, "broadcast", like=self._room, root=root, send=[room if is_root else NO_MEMORY],
            receive=receive, is_repeated=True,
        ).launch  # fmt: skip

        def copy_all(n: int, *addresses: int) -> None:
            at = room.address
            for address, nbytes in zip(addresses if is_root else (), lengths, strict=False):
                _copy(at, address, nbytes)
                at += nbytes
            launch(0, room.address)  # type: ignore[misc]  # not None
            for address, nbytes in zip(() if is_root else addresses, lengths, strict=False):
                _copy(address, at, nbytes)
                at += nbytes

        if is_captured(self._group, self._operation, ()):
            run_launch(self._operation, copy_all, memories if is_root else [], [] if is_root else memories)
        else:
            copy_all(0, *[memory.address for memory in memories])
            after_writing([] if is_root else memories)


def _copy(target: int, source: int, nbytes: int) -> None:
    ffi.memmove(ffi.cast("char *", target), ffi.cast("char *", source), nbytes)
