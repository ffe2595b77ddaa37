"""Parameters of which each rank updates a part.

Note [Shards]
~~~~~~~~~~~~~
Each rank keeps the optimizer's state of some rows of the parameters, the shard. Parameters are cut between rows, so
that shards are views of any layout of memory, and a checkpoint of them has one box in each file. The rows of successive
parameters are divided evenly by their elements. Optimizers that need whole matrices get whole parameters, the largest
first, each to the rank with the fewest elements so far.

All ranks compute the same layout. A buffer of all shards contains those of rank 0, then of rank 1, and so on. Ranks
send it to reduce gradients, of which each receives its own shard, and receive it to collect updated parameters.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from facula_tensor import empty, no_grad

from .._collectives.transfers import memory_of, parts_of, perform
from .buckets import assign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup

OPERATION = "ZeroRedundancyOptimizer"


class Part(NamedTuple):
    """Rows of a parameter.

    Fields:
        place: the parameter's index.
        begin, end: the rows; 0 and 1 of a parameter without dimensions.
        at: the index of the first element in the shard.
        length: the number of elements.
    """

    place: int
    begin: int
    end: int
    at: int
    length: int

    def of(self, tensor: Tensor) -> Tensor:
        """Return these rows of a tensor, a view."""
        if not tensor.ndim or (self.begin == 0 and self.end == tensor.shape[0]):
            return tensor
        return tensor[self.begin : self.end]

    def within(self, vector: Tensor, like: Tensor, start: int = 0) -> Tensor:
        """Return these rows of a parameter `like` in a vector in which the shard begins at `start`."""
        shape = (self.end - self.begin, *like.shape[1:]) if like.ndim else ()
        return vector[start + self.at : start + self.at + self.length].view(shape)


class Layout:
    """The parts of parameters on each rank.

    Attributes:
        parts: the parts of each rank, in the order of its shard.
        sizes: the elements of each rank's shard.
    """

    def __init__(self, size: int) -> None:
        self.parts: list[list[Part]] = [[] for _ in range(size)]
        self.sizes = [0] * size

    @property
    def starts(self) -> list[int]:
        """The index of each rank's shard in a buffer of all."""
        return [0, *accumulate(self.sizes)][:-1]

    @property
    def total(self) -> int:
        """The elements of a buffer of all shards."""
        return sum(self.sizes)

    def add(self, parameters: Sequence[tuple[int, Tensor]], is_whole: bool, loads: list[int]) -> None:
        """Divide parameters among the ranks.

        Arguments:
            parameters: pairs of the index and the parameter.
            is_whole: do not cut parameters.
            loads: the elements of each rank so far, in all layouts; increased.
        """
        ranks = range(len(self.sizes))
        if is_whole:
            for place, parameter in sorted(parameters, key=lambda one: -one[1].numel()):
                rank = min(ranks, key=loads.__getitem__)
                self._append(rank, place, parameter, 0, len(parameter) if parameter.ndim else 1)
                loads[rank] += parameter.numel()
            return
        total, first = sum([parameter.numel() for _, parameter in parameters]), 0
        for place, parameter in parameters:
            count = parameter.numel()
            rows = parameter.shape[0] if parameter.ndim else 1
            width = max(1, count // max(1, rows))
            cuts = [min(rows, max(0, (total * rank // len(ranks) - first + width // 2) // width)) for rank in ranks]
            for rank, begin, end in zip(ranks, [0, *cuts[1:]], [*cuts[1:], rows], strict=True):
                if end > begin or (rows == rank == 0):
                    self._append(rank, place, parameter, begin, end)
                    loads[rank] += (end - begin) * width
            first += count

    def _append(self, rank: int, place: int, parameter: Tensor, begin: int, end: int) -> None:
        rows = parameter.shape[0] if parameter.ndim else 1
        count = parameter.numel() // max(1, rows) * (end - begin)
        self.parts[rank].append(Part(place, begin, end, self.sizes[rank], count))
        self.sizes[rank] += count


class Own(NamedTuple):
    """A part of a parameter that this rank updates; `value` are its rows, a view."""

    parameter: Tensor
    part: Part
    value: Tensor


class Shards:
    """Parameters of one dtype, of which each rank updates its shard.

    Arguments:
        group: the process group.
        parameters: the parameters, by the indices of the layout.
        layout: the parts.

    Attributes:
        own: this rank's parts.
    """

    def __init__(self, group: ProcessGroup, parameters: Sequence[Tensor], layout: Layout) -> None:
        self._group, self._parameters, self._layout = group, list(parameters), layout
        self.dtype = next((parameters[part.place].dtype for parts in layout.parts for part in parts), None)
        self.own = [
            Own(parameters[part.place], part, part.of(parameters[part.place].detach()))
            for part in layout.parts[group.rank()]
        ]

    def gradient(self, one: Own) -> Tensor | None:
        """Return the gradient of a part of this rank, a view."""
        grad: Tensor | None = one.parameter.grad
        return None if grad is None else one.part.of(grad.detach())

    def collect(self) -> None:
        """Copy the parts that each rank has updated to all others."""
        size, own, layout = self._group.size(), self._group.rank(), self._layout
        if size == 1 or not layout.total:
            return
        packed = empty(layout.sizes[own], dtype=self.dtype)
        with no_grad():
            for rows, gathered in self._pairs(own, packed, 0):
                gathered.copy_(rows)
            buffer = empty(layout.total, dtype=self.dtype)
            perform(
                self._group, OPERATION, like=buffer, send=[memory_of(OPERATION, packed)],
                receive=parts_of(OPERATION, buffer, layout.sizes, is_written=True),
            )  # fmt: skip
            for rank in range(size):
                if rank != own:
                    for rows, gathered in self._pairs(rank, buffer, layout.starts[rank]):
                        rows.copy_(gathered)

    def _pairs(self, rank: int, vector: Tensor, start: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield a rank's rows of parameters, and the same rows in a vector in which its shard begins at `start`."""
        for part in self._layout.parts[rank]:
            parameter = self._parameters[part.place].detach()
            yield part.of(parameter), part.within(vector, parameter, start)


def divide(group: ProcessGroup, parameters: Sequence[Tensor], limit: float, is_whole: bool) -> list[Shards]:
    """Divide parameters among the ranks of a group.

    Arguments:
        group: the process group.
        parameters: the parameters.
        limit: the bytes of the parameters of a dtype that one collective copies.
        is_whole: do not cut parameters.
    """
    loads, found = [0] * group.size(), []
    for places in assign(parameters, limit):
        layout = Layout(group.size())
        layout.add([(place, parameters[place]) for place in places], is_whole, loads)
        found.append(Shards(group, parameters, layout))
    return found
