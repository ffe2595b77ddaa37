"""Whole parameters: gathered from the parts of all ranks, and freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import OperationError
from facula_tensor import Parameter, Tensor, empty, no_grad, uint8
from facula_tensor.extend import disable_overrides, empty_shared, free_memory, layout_of_tensor, take_memory, tensors_at

from .parameters import Layout
from .transfers import NAME, prepare_gathering

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_tensor import dtype

    from .._groups.groups import ProcessGroup
    from .._groups.work import Work
    from .parameters import ShardedParameter


class Gathering:
    """The memory of several parameters: of this rank's parts, and while they are used, of the whole ones.

    Parts are in a block of shared memory, which other ranks read. Parts in other memory, or of another dtype than the
    whole parameters, are copied to a block first.

    Arguments:
        group: the ranks that have the parts.
        number: the number of the unit, the same on all ranks.
        parameters: the parameters.
        originals: the parameters that they replace, with equal elements on all ranks.
        kind: the dtype of whole floating-point parameters; their own if None.
        wrap: makes the program's parameter: a function of this rank's elements, of the original and of the dimension.
    """

    def __init__(
        self, group: ProcessGroup, number: int, parameters: Sequence[ShardedParameter], originals: Sequence[Tensor],
        kind: dtype | None, wrap: Callable[[Tensor, Tensor, int], Tensor],
    ) -> None:  # fmt: skip
        self._group, self._number, self._parameters, self._kind = group, number, list(parameters), kind
        self._block: Tensor | None = None  # of the parts
        self._kinds: list[dtype] = []
        self._place([one.dtype for one in originals])
        views = self._views()
        for one, original, view in zip(parameters, originals, views, strict=True):
            with no_grad():
                local = original.detach().narrow(one.dim, one.start, one.length)
                if original.device.type == "meta":
                    local = local.clone()
                else:
                    view.copy_(local)
                    local = view
            one.part = wrap(local, original, one.dim)

    def _place(self, kinds: list[dtype]) -> None:
        """Choose the places of parts with these dtypes, and of the whole parameters."""
        self._kinds = kinds
        targets = [kind if self._kind is None or not kind.is_floating_point else self._kind for kind in kinds]
        self._is_cast = targets != kinds
        self.parts = Layout(self._parameters, targets, is_whole=False)
        wholes = Layout(self._parameters, targets, is_whole=True)
        self._pieces = self.parts.gathering(wholes)
        self._wholes = empty(wholes.nbytes, dtype=uint8)
        for one, whole in zip(self._parameters, tensors_at(self._wholes, wholes.places), strict=True):
            one.whole = Parameter(whole, requires_grad=False)
        # Without memory, they are on the meta device: a program that uses one, then, gets an error.
        self._used = [one.whole._layout for one in self._parameters]
        self._freed = [empty(one.shape, dtype=one.whole.dtype, device="meta")._layout for one in self._parameters]
        self.free()
        self._block = None
        self.nbytes = wholes.nbytes

    def _views(self) -> list[Tensor]:
        """Return the places of the parts in shared memory, each with a version of its own."""
        if self._is_cast:
            return [empty(one.local_shape, dtype=kind) for one, kind in zip(self._parameters, self._kinds, strict=True)]
        self._block = empty_shared(self.parts.nbytes)
        return [view.data for view in tensors_at(self._block, self.parts.places)]

    def _version(self) -> int:
        """Return a number that changes with the parts."""
        return sum([one.part._storage.version or 0 for one in self._parameters if one.length])

    def is_current(self) -> bool:
        """Return whether whole parameters, which are gathered, have the elements that the parts have now."""
        return self._wholes._storage.version == self._version()

    def begin(self, is_async: bool) -> Work | None:
        """Gather the parameters, in the background or at once.

        Raises:
            OperationError: a parameter has no memory.
        """
        kinds = [layout_of_tensor(one.part).dtype for one in self._parameters]
        if kinds != self._kinds:
            self._place(kinds)
        take_memory(self._wholes, self._version())
        for one, layout in zip(self._parameters, self._used, strict=True):
            one.whole._layout = layout
            trains = one.part.node is not None  # without the overrides that `requires_grad` calls
            if (one.whole.node is not None) is not trains:
                one.whole.requires_grad_(trains)
        block = self._filled()
        detail = self._number << 32
        prepared = prepare_gathering(self._group, detail, block, self._wholes, self._pieces, is_async)
        return self._group._worker.submit(prepared.run, is_async, (), prepared.costs, prepared.exchange)

    def _filled(self) -> Tensor:
        """Return a block of shared memory with this rank's parts."""
        if self._block is not None:
            base = self._block._storage.ptr
            if all([
                one.part._storage.ptr + one.part._offset == base + start
                for one, (start, _, _) in zip(self._parameters, self.parts.places, strict=True)
            ]):  # fmt: skip
                return self._block
        for one in self._parameters:
            if one.part.device.type == "meta":
                raise OperationError(
                    f"{NAME}: expected parameters with memory; {one.name} is on the meta device; call "
                    "to_empty(device='cpu') and initialize them, or load a state dict"
                )
        locals_ = [one.local() for one in self._parameters]
        with no_grad(), disable_overrides():
            if self._is_cast:
                block = empty_shared(self.parts.nbytes)
                for view, local in zip(tensors_at(block, self.parts.places), locals_, strict=True):
                    view.copy_(local)
                return block
            for one, view, local in zip(self._parameters, self._views(), locals_, strict=True):
                view.copy_(local)
                one.part.data = view  # Note [Parts and wholes]: the version continues
        take_memory(self._wholes, self._version())
        assert self._block is not None
        return self._block

    def free(self) -> None:
        """Free the memory of the whole parameters."""
        free_memory(self._wholes)
        for one, layout in zip(self._parameters, self._freed, strict=True):
            one.whole._layout = layout

    def write_back(self) -> None:
        """Copy this rank's elements of the whole parameters to the parts."""
        with no_grad():
            for one in self._parameters:
                one.local().copy_(one.whole.detach().narrow(one.dim, one.start, one.length))
