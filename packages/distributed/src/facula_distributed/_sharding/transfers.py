"""Copies of parts to whole parameters, and reductions of whole gradients to parts, on any engine.

Ranks that read memory of others do so, without further copies. Others exchange vectors of parts, from which parts are
copied to whole parameters, and to which those of whole gradients are copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_tensor import empty, uint8

from .._collectives.transfers import Pieces, memory_of, parts_of, prepare
from .._shm import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from facula_tensor import Tensor

    from .._collectives.transfers import Prepared
    from .._groups.groups import ProcessGroup
    from .._groups.work import RedOpType
    from .parameters import Layout

NAME = "fully_shard"


def _copy(pieces: Any, blocks: Sequence[int], targets: Sequence[int]) -> None:
    addresses = [ffi.new("uintptr_t[]", list(ones)) for ones in (blocks, targets)]
    lib.copy_pieces(pieces, len(pieces), *[ffi.cast("char **", ones) for ones in addresses])


def _vectors(whole: Tensor, size: int) -> list[int]:
    step = whole.nbytes // size
    return [whole.data_ptr() + rank * step for rank in range(size)]


def prepare_gathering(
    group: ProcessGroup, detail: int, block: Tensor, wholes: Tensor, pieces: Any, is_async: bool
) -> Prepared:
    """Return a collective that copies the parts of all ranks.

    Arguments:
        group: the ranks.
        detail: a number that must be the same on all ranks.
        block: this rank's parts, in shared memory.
        wholes: the block of whole parameters.
        pieces: those of `Layout.gathering`.
        is_async: whether it will run in another thread.
    """
    if group._member.reads_blocks:
        return prepare(
            group, NAME, like=block, async_op=is_async, detail=detail,
            pieces=Pieces(pieces, [wholes.data_ptr()], block),
        )  # fmt: skip
    size, nbytes = group.size(), block.numel()
    flat = empty(size * nbytes, dtype=uint8)
    prepared = prepare(
        group, NAME, like=block, send=[memory_of(NAME, block)],
        receive=parts_of(NAME, flat, [nbytes] * size, is_written=True), async_op=is_async, detail=detail,
    )  # fmt: skip

    def run() -> None:
        prepared.run()
        _copy(pieces, _vectors(flat, size), [wholes.data_ptr()])

    return prepared._replace(run=run)


def reduction_pieces(group: ProcessGroup, wholes: Layout, parts: Layout) -> Any:
    """Return the Pieces of `prepare_reduction`.

    Arguments:
        group: the ranks.
        wholes: the layout of whole gradients.
        parts: the layout of gradients of parts.
    """
    own = range(group.rank(), group.rank() + 1)
    return wholes.reducing(parts, own if group._member.reads_blocks else range(group.size()))


def prepare_reduction(
    group: ProcessGroup, detail: int, block: Tensor, out: Tensor, pieces: Any, reduction: RedOpType, is_async: bool
) -> Prepared:
    """Return a collective that reduces whole gradients to this rank's parts.

    Arguments:
        group: the ranks.
        detail: a number that must be the same on all ranks.
        block: whole gradients of one dtype, in shared memory.
        out: the block of gradients of parts, of the same dtype.
        pieces: those of `reduction_pieces`.
        reduction: the reduction.
        is_async: whether it will run in another thread.
    """
    if group._member.reads_blocks:
        return prepare(
            group, NAME, like=block, reduction=reduction, async_op=is_async, detail=detail,
            pieces=Pieces(pieces, [out.data_ptr()] * group.size(), block),
        )  # fmt: skip
    size, count = group.size(), out.numel()
    flat = empty(size * count, dtype=out.dtype)
    prepared = prepare(
        group, NAME, like=out, send=parts_of(NAME, flat, [count] * size),
        receive=[memory_of(NAME, out, is_written=True)], reduction=reduction, async_op=is_async, detail=detail,
    )  # fmt: skip

    def run() -> None:
        _copy(pieces, [block.data_ptr()], _vectors(flat, size))
        prepared.run()

    return prepared._replace(run=run)
