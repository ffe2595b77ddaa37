"""Parameters of which each rank has a part, and the layouts of blocks that contain several of them.

Note [Parts and wholes]
~~~~~~~~~~~~~~~~~~~~~~~
A program sees `part`, a DTensor of this rank's elements. Modules compute with `whole`, whose memory exists only while
it is used: the tensor remains the same, so graphs that saved it can use it after it has been gathered again. The wholes
of a unit are in one storage, whose version is computed from those of the parts: a backward pass after a change of the
parameters raises MutationError.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from facula_tensor.extend import layout_of_tensor

from .._shm import ffi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from facula_tensor import Tensor, dtype

    Places = list[tuple[dict[str, Any], str]]

LINE = 64  # bytes: the alignment of each parameter in a block


def cut(length: int, size: int) -> list[tuple[int, int]]:
    """Return the start and the length of each rank's part of a dimension; the last parts may be short or empty."""
    step = -(-length // size)
    starts = [min(rank * step, length) for rank in range(size + 1)]
    return [(start, end - start) for start, end in pairwise(starts)]


class ShardedParameter:
    """A parameter of which each rank has a part.

    Arguments:
        name: its name, for errors.
        original: the parameter, whose elements are equal on all ranks.
        places: the dicts and the names under which modules have it.
        dim: the dimension that is divided.
        rank: this rank in the group.
        size: the number of ranks.

    Attributes:
        part: the parameter that programs see, of this rank's elements.
        whole: the parameter that modules compute with.
        home: the memory of the whole gradient.
    """

    part: Tensor
    whole: Tensor
    home: Tensor

    def __init__(self, name: str, original: Tensor, places: Places, dim: int, rank: int, size: int) -> None:
        self.name, self.places, self.dim = name, places, dim
        self.shape = tuple(original.shape)
        self.cuts = cut(self.shape[dim], size)
        self.start, self.length = self.cuts[rank]
        self.local_shape = (*self.shape[:dim], self.length, *self.shape[dim + 1 :])

    def show(self, parameter: Tensor) -> None:
        """Let modules have a parameter, the part or the whole."""
        for table, name in self.places:
            table[name] = parameter

    def local(self) -> Tensor:
        """Return this rank's elements."""
        part: Any = self.part
        return part._local_tensor  # type: ignore[no-any-return]

    def add_gradient(self, grad: Tensor) -> None:
        """Add the reduced gradient of this rank's elements to that of the part."""
        kind = layout_of_tensor(self.part).dtype
        grad = grad if grad.dtype is kind else grad.to(kind)
        former = self.part._grad  # of this rank's elements, as the part is a DTensor
        if former is None:
            self.part._grad = grad
        else:
            former.add_(grad)

    def runs(self, rank: int, itemsize: int) -> Iterator[tuple[int, int, int]]:
        """Yield the contiguous runs of a rank's part: the positions in the whole and in the part, and the bytes."""
        (start, length), row = self.cuts[rank], math.prod(self.shape[self.dim + 1 :]) * itemsize
        for index in range(math.prod(self.shape[: self.dim]) if length * row else 0):
            yield (index * self.shape[self.dim] + start) * row, index * length * row, length * row


class Layout:
    """The places of parameters in a block of bytes: of this rank's parts, or of whole parameters.

    Arguments:
        parameters: the parameters, in order.
        kinds: the dtype of each.
        is_whole: whether the block contains whole parameters.

    Attributes:
        places: the start, the dtype and the shape of each.
        nbytes: the size of the block, the same on all ranks.
    """

    def __init__(self, parameters: Sequence[ShardedParameter], kinds: Sequence[dtype], is_whole: bool) -> None:
        self.parameters, self.kinds = list(parameters), list(kinds)
        self.places: list[tuple[int, dtype, tuple[int, ...]]] = []
        end = 0
        for one, kind in zip(parameters, kinds, strict=True):
            self.places.append((end, kind, one.shape if is_whole else one.local_shape))
            rows = one.shape[one.dim] if is_whole else one.cuts[0][1]  # the longest part
            count = math.prod(one.shape[: one.dim]) * rows * math.prod(one.shape[one.dim + 1 :])
            end += -(-count * kind.itemsize // LINE) * LINE
        self.nbytes = max(end, LINE)

    def gathering(self, wholes: Layout) -> Any:
        """Return the Pieces that copy the parts of all ranks to a block of whole parameters."""
        return _pieces(
            (rank, 0, start + small, into + large, nbytes)
            for one, (start, kind, _), (into, _, _) in zip(self.parameters, self.places, wholes.places, strict=True)
            for rank in range(len(one.cuts))
            for large, small, nbytes in one.runs(rank, kind.itemsize)
        )

    def reducing(self, parts: Layout, ranks: Sequence[int]) -> Any:
        """Return the Pieces that copy or reduce ranks' parts of whole parameters to a block of parts of each."""
        return _pieces(
            (0, rank, start + large, into + small, nbytes)
            for rank in ranks
            for one, (start, kind, _), (into, _, _) in zip(self.parameters, self.places, parts.places, strict=True)
            for large, small, nbytes in one.runs(rank, kind.itemsize)
        )


def _pieces(found: Iterator[tuple[int, ...]]) -> Any:
    return ffi.new("Piece[]", list(found) or 1)  # one of no bytes, as there must be one
