"""Training whose results do not depend on the number of ranks.

Note [Virtual ranks]
~~~~~~~~~~~~~~~~~~~~
A batch consists of M micro-batches, one of each virtual rank. Each of N ranks computes the gradients of M / N of them,
one after the other. Sums are made along one binary tree over all M, so they have the same bits for each N. As M and N
are powers of two, each rank adds a subtree; `_TreeSum` adds its leaves as a binary counter does, with at most log2(M)
gradients in memory. The tree's top is added by `_add_top`: rank k receives slice k of all sums, adds them in pairs, and
sends its slice of the total to all. Random numbers come from a generator of each virtual rank and step, whose seed
depends on the state of the default generator: this is the same on all ranks, and advances by one number in each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_tensor import cat, default_generator, empty, no_grad, tensor, zeros, zeros_like
from facula_tensor.extend.sampling import state_pair

from .._collectives.exchanges import all_gather_into_tensor, all_to_all_single

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup

_MASK = (1 << 64) - 1


class VirtualRanks:
    """The virtual ranks of this process.

    Arguments:
        parameters: the parameters whose gradients are averaged, in the same order on all ranks.
        count: the number of virtual ranks of all processes: a power of two, and a multiple of the number of ranks.
        group: the ranks; None for this process alone.

    Raises:
        ValueError: the numbers do not fit.

    Attributes:
        own: the numbers of the virtual ranks of this process.
        is_active: whether a loop over micro-batches runs.
    """

    def __init__(self, parameters: Sequence[Tensor], count: int, group: ProcessGroup | None) -> None:
        rank, size = (0, 1) if group is None else (group.rank(), group.size())
        if isinstance(count, bool) or not isinstance(count, int):
            raise InvalidTypeError(f"virtual_ranks: expected an int; got {count!r:.100}")
        if count < 1 or count & (count - 1) or size & (size - 1) or count % size:
            raise InvalidValueError(
                f"virtual_ranks: expected a power of two, from the number of ranks on, which is a power of two, too; "
                f"got virtual_ranks={count} for {size} ranks"
            )
        self._parameters, self._count, self._group, self._size = list(parameters), count, group, size
        each = count // size
        self.own, self.is_active = range(rank * each, (rank + 1) * each), False

    def micro_batches(self, *batch: Any) -> Iterator[Any]:
        """Yield the micro-batches of this rank; after the last one, store the average of all gradients.

        The caller computes the mean loss of each micro-batch, and calls `backward`. Gradients that parameters had
        before are added to the average.

        Arguments:
            batch: tensors with the samples of this rank, along their first dimension.

        Yields:
            A part of the tensor, or a tuple of those of several tensors.

        Raises:
            ValueError: the number of samples is no multiple of the number of virtual ranks of this process.
        """
        parts = [self._divided(one) for one in batch]
        former = [parameter.grad for parameter in self._parameters]
        state, total = state_pair(default_generator), _TreeSum()
        self.is_active = True
        try:
            for place, virtual in enumerate(self.own):
                for parameter in self._parameters:
                    parameter.grad = None
                default_generator.manual_seed(_mixed(*state, virtual))
                own = tuple(one[place] for one in parts)
                yield own[0] if len(own) == 1 else own
                total.add(self._flat())
        finally:
            self.is_active = False
            default_generator.set_state((state[0], state[1] + 1))
            for parameter, gradient in zip(self._parameters, former, strict=True):
                parameter.grad = gradient
        sums = total.sums
        if self._group is not None and self._size > 1:
            sums = [_add_top(one, self._group, self._size) for one in sums]
        self._store(sums)

    def _divided(self, one: Any) -> list[Any]:
        samples, each = len(one), len(self.own)
        if samples % each:
            raise InvalidValueError(
                f"micro_batches: expected a multiple of {each} samples, for {each} virtual ranks of this process; got "
                f"{samples}; use drop_last=True, or a batch of another size"
            )
        part = samples // each
        return [one[place * part : (place + 1) * part] for place in range(each)]

    def _by_dtype(self) -> list[list[Tensor]]:
        groups: dict[Any, list[Tensor]] = {}
        for parameter in self._parameters:
            groups.setdefault(parameter.dtype, []).append(parameter)
        return list(groups.values())

    def _flat(self) -> list[Tensor]:
        """Return the gradients, as a vector of each dtype, and whether there are gradients, as numbers."""
        with no_grad():
            vectors = []
            for group in self._by_dtype():
                gradients = [zeros_like(one) if one.grad is None else one.grad.detach() for one in group]
                vectors.append(cat([gradient.flatten() for gradient in gradients]))
            return [*vectors, tensor([float(one.grad is not None) for one in self._parameters])]

    def _store(self, sums: list[Tensor]) -> None:
        has_gradient = dict(zip(map(id, self._parameters), sums[-1].tolist(), strict=True))
        with no_grad():
            for group, vector in zip(self._by_dtype(), sums, strict=False):
                mean, begin = vector / self._count, 0
                for one in group:
                    end = begin + one.numel()
                    if has_gradient[id(one)]:
                        gradient = mean[begin:end].reshape(one.shape).clone()
                        one.grad = gradient if one.grad is None else one.grad + gradient
                    begin = end


class _TreeSum:
    """A sum of 2^k terms along a binary tree, of which the terms come from left to right."""

    def __init__(self) -> None:
        self._partial: list[tuple[int, list[Tensor]]] = []  # sums of subtrees, with their heights

    def add(self, term: list[Tensor]) -> None:
        height = 0
        while self._partial and self._partial[-1][0] == height:
            _, left = self._partial.pop()
            term, height = [one + other for one, other in zip(left, term, strict=True)], height + 1
        self._partial.append((height, term))

    @property
    def sums(self) -> list[Tensor]:
        if len(self._partial) != 1:
            raise OperationError(
                "micro_batches: expected all micro-batches of this rank to be used; do not leave the loop"
            )
        return self._partial[0][1]


def _add_top(vector: Tensor, group: ProcessGroup, size: int) -> Tensor:
    """Return the sum of vectors of all ranks, along a binary tree over ranks."""
    length = vector.numel()
    slice_length = -(-length // size)
    padded = cat([vector, zeros(size * slice_length - length, dtype=vector.dtype)])
    received = empty(size * slice_length, dtype=vector.dtype)
    all_to_all_single(received, padded, group=group)
    terms = [received[rank * slice_length : (rank + 1) * slice_length] for rank in range(size)]
    while len(terms) > 1:
        terms = [left + right for left, right in zip(terms[::2], terms[1::2], strict=True)]
    all_gather_into_tensor(padded, terms[0], group=group)
    return padded[:length]


def _mixed(seed: int, offset: int, virtual: int) -> int:
    """Return a seed for a virtual rank, from the state of the default generator (SplitMix64)."""
    found = 0
    for number in (seed, offset, virtual):
        found = (found + number + 0x9E3779B97F4A7C15) & _MASK
        found = ((found ^ found >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        found = ((found ^ found >> 27) * 0x94D049BB133111EB) & _MASK
        found ^= found >> 31
    return found
