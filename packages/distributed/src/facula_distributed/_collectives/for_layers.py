"""A group's operations for packages that do not import this one, such as the layers of facula_nn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_tensor import Tensor, empty

from .._groups.groups import group_of, is_initialized
from .exchanges import all_gather_into_tensor
from .reductions import all_reduce

if TYPE_CHECKING:
    from .._groups.groups import ProcessGroup


class GroupExchange:
    """The protocol `Exchange` of facula_tensor.extend.processes.

    Arguments:
        group: the process group.
    """

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group

    def all_gather(self, tensor: Tensor) -> Tensor:
        """Return the tensors of all processes, stacked in rank order."""
        output = empty((self._group.size(), *tensor.shape), dtype=tensor.dtype)
        all_gather_into_tensor(output, tensor, self._group)
        return output

    def all_reduce(self, tensor: Tensor) -> None:
        """Add the tensors of all processes, in place."""
        all_reduce(tensor, group=self._group)


def exchange_of(group: Any) -> GroupExchange | None:
    """Return the operations of a group, of the default one if None; None if it has no other processes."""
    if group is None and not is_initialized():
        return None
    found = group_of("process_group", group)
    return None if found is None or found.size() == 1 else GroupExchange(found)
