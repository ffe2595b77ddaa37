"""Attributes that are computed after the whole file has been read, and absent attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor import Tensor

ABSENT = object()  # returned by a function in the tables: there is no such attribute


class Later:
    """An attribute computed from a tensor's elements, which are available after the whole file has been read.

    Arguments:
        given: the tensor. Repeated elements are computed once, so that the file's size bounds memory.
        work: computes each element independently.
    """

    __slots__ = ("given", "work")

    def __init__(self, given: Tensor, work: Callable[[Tensor], Tensor]) -> None:
        self.given, self.work = given, work
        stored = given.untyped_storage().nbytes() // given.itemsize if given.device.type != "meta" else given.numel()
        if self._once().numel() > stored:
            refuse(f"its pickle has a tensor of shape {tuple(given.shape)} over {stored} elements: a bomb")

    def _once(self) -> Tensor:
        once = self.given
        for dim, stride in enumerate(once.stride()):
            if stride == 0 and once.shape[dim] > 1:
                once = once.narrow(dim, 0, 1)
        return once

    def set(self, instance: Any, name: str) -> None:
        """Set the attribute."""
        vars(instance)[name] = self.work(self._once()).expand(self.given.shape)
