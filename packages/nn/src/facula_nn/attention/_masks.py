"""Masks defined by functions of positions: evaluation at one position or at all of them, and block masks."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from inspect import Parameter, signature
from math import inf, prod
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, int32, ones, where, zeros
from facula_tensor import bool as bool_
from facula_tensor.functional import pad

if TYPE_CHECKING:
    from typing import Self

    from facula_tensor.extend.arguments import DeviceLike

ScoreMod: TypeAlias = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
MaskMod: TypeAlias = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]

BLOCK_SIZE = 128  # positions of a block, by default
# For each nested `vmap`, innermost first: the mapped one of the indices (batch, head, query, key).
_LEVELS = ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None))


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Return True for every position.

    Arguments:
        batch: the index in the batch.
        head: the head.
        token_q: the query.
        token_kv: the key.
    """
    return batch.new_ones((), dtype=bool_)


@boundary
def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the mask function that is true where all given functions are true.

    >>> both = and_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: q - k < 2)
    >>> create_mask(both, None, None, 3, 3).int()[0, 0]
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=facula.int32)
    """
    return _joined("and_masks", and_, mask_mods)


@boundary
def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the mask function that is true where at least one of the given functions is true."""
    return _joined("or_masks", or_, mask_mods)


def _joined(name: str, join: Callable[[Any, Any], Any], mask_mods: tuple[MaskMod, ...]) -> MaskMod:
    if not mask_mods or not all(map(callable, mask_mods)):
        raise InvalidTypeError(f"{name}: expected one or more functions of (batch, head, query, key); got {mask_mods}")

    def mask_mod(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return reduce(join, [mod(b, h, q_idx, kv_idx) for mod in mask_mods])  # type: ignore[no-any-return]

    return mask_mod


def over_all(function: Callable[..., Tensor], scores: Tensor | None, sizes: tuple[int, ...], device: Any) -> Tensor:
    """Evaluate a function of a score and its position, or of a position only, at all positions at once."""
    from facula_tensor.func import vmap

    for level in _LEVELS:
        function = vmap(function, in_dims=level if scores is None else (0, *level))
    positions = [arange(size, device=device) for size in sizes]
    return function(*positions) if scores is None else function(scores, *positions)


def _mask_of(name: str, mask_mod: MaskMod, sizes: tuple[int, ...], device: Any) -> Tensor:
    mask = over_all(mask_mod, None, sizes, device)
    if mask.dtype is not bool_:
        raise InvalidTypeError(
            f"{name}: expected mask_mod to return a bool; got {mask.dtype}; compare, as with q_idx >= kv_idx"
        )
    return mask


def _takes_score(name: str, function: object) -> bool:
    """Return whether a function takes a score before the position."""
    if not callable(function):
        raise InvalidTypeError(f"{name}: expected a function of (batch, head, query, key); got {function!r:.60}")
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    taken = [
        parameter
        for parameter in signature(function).parameters.values()
        if parameter.kind in kinds and parameter.default is parameter.empty
    ]
    if len(taken) not in (4, 5):
        raise InvalidValueError(
            f"{name}: expected a function of (batch, head, query, key), or of (score, batch, head, query, key); "
            f"got one of {len(taken)} arguments"
        )
    return len(taken) == 5


@boundary
def create_mask(
    mod_fn: MaskMod | ScoreMod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return the mask of a mask function: bool (B, H, Q_LEN, KV_LEN), True where attention is allowed.

    Arguments:
        mod_fn: a mask function, or a score function, which masks the positions where it returns -inf.
        B: the batch size; 1 if None, for a function that does not depend on it.
        H: the number of heads; 1 if None.
        Q_LEN: the number of queries.
        KV_LEN: the number of keys.
        device: the device of the positions; the default device if None.

    >>> create_mask(lambda b, h, q, k: q >= k, None, None, 2, 3).shape
    facula.Size([1, 1, 2, 3])
    """
    sizes = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if not _takes_score("create_mask", mod_fn):
        return _mask_of("create_mask", mod_fn, sizes, device)  # type: ignore[arg-type]  # a mask function
    scores = over_all(mod_fn, zeros(sizes, device=device), sizes, device)
    return scores != -inf


class BlockMask:
    """A mask function, and for each block of queries the blocks of keys that are not fully masked.

    `create_block_mask` creates one. Indexing selects batches, heads and rows of blocks.

    Arguments:
        seq_lengths: the numbers of queries and keys.
        kv_num_blocks: the number of partly masked blocks in each row: int32 (B, H, rows).
        kv_indices: their indices: int32 (B, H, rows, columns), of which the first `kv_num_blocks` are valid.
        full_kv_num_blocks, full_kv_indices: the same for unmasked blocks, or None.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same for columns, or None.
        BLOCK_SIZE: the numbers of queries and keys in a block.
        mask_mod: the mask function, applied in partly masked blocks.
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (BLOCK_SIZE, BLOCK_SIZE),
        mask_mod: MaskMod = noop_mask,
    ) -> None:
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = (*seq_lengths,), BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices

    @classmethod
    @boundary
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = BLOCK_SIZE,
        mask_mod: MaskMod | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> Self:
        """Create a mask from the blocks of keys in each row.

        Arguments:
            kv_num_blocks: the number of partly masked blocks in each row: int32 (B, H, rows).
            kv_indices: their indices: int32 (B, H, rows, columns), of which the first `kv_num_blocks` are valid.
            full_kv_num_blocks: as `kv_num_blocks`, for unmasked blocks, or None.
            full_kv_indices: as `kv_indices`, for unmasked blocks, or None.
            BLOCK_SIZE: the numbers of queries and keys in a block.
            mask_mod: the mask function for partly masked blocks; if None, these blocks are not masked either.
            seq_lengths: the numbers of queries and keys; those of all blocks if None.
            compute_q_blocks: whether to compute the blocks in each column, too.
        """
        if (full_kv_num_blocks is None) is not (full_kv_indices is None):
            raise InvalidValueError(
                "BlockMask: expected both of full_kv_num_blocks and full_kv_indices, or neither; got one"
            )
        if kv_indices.ndim < 2 or kv_indices.shape[:-1] != kv_num_blocks.shape:
            raise InvalidValueError(
                "BlockMask: expected kv_num_blocks (B, H, rows) and kv_indices (B, H, rows, columns); got "
                f"{tuple(kv_num_blocks.shape)} and {tuple(kv_indices.shape)}"
            )
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        columns: Any = [None] * 4
        if compute_q_blocks:
            columns[:2] = _ordered(_dense(kv_num_blocks, kv_indices).mT)
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                columns[2:] = _ordered(_dense(full_kv_num_blocks, full_kv_indices).mT)
        rows = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *rows, *columns, size, mask_mod or noop_mask)  # type: ignore[call-arg]

    def as_tuple(self) -> tuple[Any, ...]:
        """Return the arguments from which the class creates an equal mask."""
        return (self.seq_lengths, *self._tensors(), self.BLOCK_SIZE, self.mask_mod)

    def _tensors(self) -> tuple[Tensor | None, ...]:
        rows = (self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices)
        return (*rows, self.q_num_blocks, self.q_indices, self.full_q_num_blocks, self.full_q_indices)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of scores."""
        return prod(self.shape)

    def to_dense(self) -> Tensor:
        """Return 1 for each block that is not fully masked, else 0: int32 (B, H, rows, columns)."""
        found = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            found = found | _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return found.to(int32)

    def sparsity(self) -> float:
        """Return the percentage of scores in fully masked blocks; blocks may extend beyond the sequences."""
        computed = int(self.to_dense().sum()) * prod(self.BLOCK_SIZE)
        return 100 * (1 - computed / self.numel())

    def to(self, device: DeviceLike) -> BlockMask:
        """Return the same mask with its tensors on a device."""
        moved: Any = [tensor if tensor is None else tensor.to(device) for tensor in self._tensors()]
        return BlockMask(self.seq_lengths, *moved, self.BLOCK_SIZE, self.mask_mod)  # type: ignore[call-arg]

    def __getitem__(self, index: Any) -> BlockMask:
        """Select batches, heads and rows of blocks; integers keep their dimension, and `seq_lengths` is unchanged."""
        parts = index if isinstance(index, tuple) else (index,)
        index = tuple(
            [slice(part, None if part == -1 else part + 1) if isinstance(part, int) else part for part in parts]
        )
        rows: Any = [tensor if tensor is None else tensor[index] for tensor in self._tensors()[:4]]
        return BlockMask.from_kv_blocks(*rows, self.BLOCK_SIZE, self.mask_mod, self.seq_lengths)  # type: ignore[call-arg]

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, BLOCK_SIZE={self.BLOCK_SIZE})"

    def mask(self) -> Tensor:
        """Return the mask of each score, from the function and the blocks: bool (B, H, queries, keys)."""
        queries, keys = self.BLOCK_SIZE
        seen = self.to_dense().bool().repeat_interleave(queries, -2).repeat_interleave(keys, -1)
        if seen.shape[-2] < self.seq_lengths[0] or seen.shape[-1] < self.seq_lengths[1]:
            raise InvalidValueError(
                f"BlockMask: expected blocks for {self.seq_lengths[0]} queries and {self.seq_lengths[1]} keys; got "
                f"some for {seen.shape[-2]} and {seen.shape[-1]}; set seq_lengths"
            )
        seen = seen[..., : self.seq_lengths[0], : self.seq_lengths[1]]
        return seen & _mask_of("flex_attention", self.mask_mod, self.shape, seen.device)


def _dense(counts: Tensor, indices: Tensor) -> Tensor:
    """Return True for each block listed among the valid indices: bool, in the shape of the indices."""
    count = indices.shape[-1]
    named = arange(count, device=indices.device) < counts.unsqueeze(-1)
    found = zeros((*indices.shape[:-1], count + 1), dtype=bool_, device=indices.device)
    places = where(named, indices.long(), count)
    return found.scatter(-1, places, ones((), dtype=bool_, device=indices.device).expand(places.shape))[..., :count]


def _ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """Invert `_dense`: return the counts, and all indices with the valid ones first."""
    return dense.sum(-1).to(int32), dense.int().argsort(-1, descending=True, stable=True).to(int32)


@boundary
def create_block_mask(
    mask_mod: MaskMod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: DeviceLike | None = None,
    BLOCK_SIZE: int | tuple[int, int] = BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """Create the `BlockMask` of a mask function.

    Arguments:
        mask_mod: the function.
        B: the batch size; 1 if None, for a function that does not depend on it.
        H: the number of heads; 1 if None.
        Q_LEN: the number of queries.
        KV_LEN: the number of keys.
        device: the device of the positions; the default device if None.
        BLOCK_SIZE: the numbers of queries and keys in a block.
        _compile: accepted for compatibility; ignored.
        separate_full_blocks: whether unmasked blocks are listed separately.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256)
    BlockMask(shape=(1, 1, 256, 256), sparsity=25.00%, BLOCK_SIZE=(128, 128))
    """
    if _takes_score("create_block_mask", mask_mod):
        raise InvalidValueError("create_block_mask: expected a function of (batch, head, query, key); got 5 arguments")
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    padded = pad(mask.to(int32), (0, -KV_LEN % size[1], 0, -Q_LEN % size[0]))
    rows, columns = padded.shape[-2] // size[0], padded.shape[-1] // size[1]
    counts = padded.reshape(*mask.shape[:2], rows, size[0], columns, size[1]).sum((3, 5))
    full = counts == prod(size)
    partial = (counts > 0) & ~full if separate_full_blocks else counts > 0
    blocks: Any = (*_ordered(partial), *(_ordered(full) if separate_full_blocks else (None, None)))
    return BlockMask.from_kv_blocks(*blocks, size, mask_mod, (Q_LEN, KV_LEN))  # type: ignore[call-arg]
