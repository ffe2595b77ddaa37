"""Gradients of whole parameters, which are reduced to those of the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from facula_tensor import Tensor, empty, no_grad, uint8
from facula_tensor.extend import empty_shared, set_gradient_home, tensors_at

from .._collectives.transfers import memory_of, prepare
from .._groups.work import RedOpType, Work, completed
from .parameters import Layout
from .transfers import NAME, prepare_reduction, reduction_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_tensor import dtype

    from .._groups.groups import ProcessGroup
    from .parameters import ShardedParameter

BACKGROUND = 4 << 20  # bytes: smaller transfers take less time than the change of threads


class Reduction(NamedTuple):
    """A reduction in progress.

    Fields:
        work: the operation.
        parameters: the parameters.
        grads: the gradients of this rank's parts, when the operation has ended.
    """

    work: Work
    parameters: Sequence[ShardedParameter]
    grads: Sequence[Tensor]

    def finish(self) -> None:
        """Wait, and add the gradients to those of the parts."""
        self.work.wait()
        with no_grad():
            for one, grad in zip(self.parameters, self.grads, strict=True):
                one.add_gradient(grad)


class Gradients:
    """The gradients of the parameters of a unit. During a backward pass, they are in a block of shared memory.

    Arguments:
        group: the ranks that have the parts.
        replicas: the ranks that have equal parts, or None.
        number: the number of the unit, the same on all ranks.
        kind: the dtype of the reduction; that of the gradients if None.
    """

    def __init__(self, group: ProcessGroup, replicas: ProcessGroup | None, number: int, kind: dtype | None) -> None:
        self._group, self._replicas, self._number, self._kind = group, replicas, number, kind
        self._block: Tensor | None = None
        self._homed: list[ShardedParameter] = []
        self._layouts: dict[tuple[object, ...], tuple[Layout, Layout, object]] = {}

    def _layouts_of(self, ones: Sequence[ShardedParameter], kind: dtype) -> tuple[Layout, Layout, object]:
        """Return the layouts of whole gradients and of parts, and the Pieces that reduce one to the other."""
        key = (kind, *[one.name for one in ones])
        found = self._layouts.get(key)
        if found is None:
            wholes, parts = (Layout(ones, [kind] * len(ones), is_whole=is_whole) for is_whole in (True, False))
            found = self._layouts[key] = wholes, parts, reduction_pieces(self._group, wholes, parts)
        return found

    def prepare(
        self, trained: Sequence[ShardedParameter], arrived: Callable[[ShardedParameter, Tensor], object]
    ) -> None:
        """Let a backward pass store gradients in one block.

        Arguments:
            trained: the parameters that require gradients, which have one dtype.
            arrived: called with a parameter and the whole one when its gradient is complete.
        """
        if self._homed or not trained:
            return
        kind = trained[0].whole.dtype
        if any(one.whole.dtype is not kind for one in trained):
            return
        wholes, _, _ = self._layouts_of(trained, kind)
        self._block = empty_shared(wholes.nbytes)
        self._homed = list(trained)
        for one, home in zip(trained, tensors_at(self._block, wholes.places), strict=True):
            one.home = home
            set_gradient_home(one.whole, home, _Hook(one, arrived))

    def forget(self) -> None:
        """End the use of the block."""
        for one in self._homed:
            if one.whole.requires_grad:
                set_gradient_home(one.whole, None)
            del one.home
        self._homed, self._block = [], None

    def reduce(
        self, present: Sequence[ShardedParameter], divisor: float | None, reduces_replicas: bool
    ) -> list[Reduction]:
        """Begin to reduce gradients, one operation for each dtype.

        Arguments:
            present: the parameters with gradients, the same on all ranks.
            divisor: divide sums by this number; None: by the number of ranks.
            reduces_replicas: whether gradients are also reduced over replicas.
        """
        kinds: dict[dtype, list[ShardedParameter]] = {}
        for one in present:
            kinds.setdefault(self._kind or one.whole.dtype, []).append(one)
        found = [self._reduce(kind, ones, divisor, reduces_replicas) for kind, ones in kinds.items()]
        self.forget()
        return found

    def _reduce(
        self, kind: dtype, ones: list[ShardedParameter], divisor: float | None, reduces_replicas: bool
    ) -> Reduction:
        wholes, parts, pieces = self._layouts_of(ones, kind)
        block = self._block if ones == self._homed and ones[0].whole.dtype is kind else None
        with no_grad():
            grads = [one.whole._grad.detach() for one in ones]  # type: ignore[union-attr]
            if block is None:
                block = empty_shared(wholes.nbytes)
                homes = tensors_at(block, wholes.places)
            else:
                homes = [one.home for one in ones]
            for one, grad, home in zip(ones, grads, homes, strict=True):
                if grad.data_ptr() != home.data_ptr():
                    home.copy_(grad)
                one.whole._grad = None
        out = empty(parts.nbytes, dtype=uint8)
        if divisor is None and self._replicas is not None:
            divisor = float(self._group.size() * self._replicas.size())
        names = self._number << 32 | crc32(repr([one.name for one in ones]).encode())
        is_async = wholes.nbytes >= BACKGROUND
        flat, reduction = out.view(kind), RedOpType.AVG if divisor is None else RedOpType.SUM
        prepared = prepare_reduction(self._group, names, block.view(kind), flat, pieces, reduction, is_async)
        replicas, second = self._replicas, None
        if replicas is not None and reduces_replicas:
            second = prepare(
                replicas, NAME, like=flat, send=[memory_of(NAME, flat, is_written=True)], reduction=RedOpType.SUM,
                is_all_reduce=True, async_op=is_async, detail=names,
            )  # fmt: skip

        def run() -> None:
            prepared.run()
            if second is not None:
                replicas._worker.submit(second.run, False, ())  # type: ignore[union-attr]
            if divisor is not None:
                with no_grad():
                    flat.div_(divisor)

        work = self._group._worker.submit(run, is_async, (), prepared.costs, prepared.exchange)
        return Reduction(work or completed(), ones, tensors_at(out, parts.places))


class _Hook:
    """The function to call when the gradient of a whole parameter is complete."""

    __slots__ = ("arrived", "one")

    def __init__(self, one: ShardedParameter, arrived: Callable[[ShardedParameter, Tensor], object]) -> None:
        self.one, self.arrived = one, arrived

    def __call__(self, whole: Tensor) -> None:
        self.arrived(self.one, whole)
