"""Sharding of an order among several programs that train together: their shares are disjoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from .. import _checks
from .samplers import Sampler, order_of
from .seeds import Seeded, bits, permutation

if TYPE_CHECKING:
    from .._types import Source


process_groups: list[tuple[int, int]] = []  # the rank and size of the default process group, once it is initialized


@boundary
class DistributedSampler(Sampler[int], Seeded):
    """The share of one of several programs: every `num_replicas`-th index of one common order.

    Arguments:
        dataset: the dataset; only its length is used.
        num_replicas: the number of programs; None uses the size of the process group.
        rank: the number of this program, from 0; None uses its rank in the process group.
        shuffle: whether the common order is random, and different in each epoch.
        seed: the seed of the order; must be the same in all programs.
        drop_last: leave out the last indices if they are too few for all programs; otherwise repeat the first ones.

    Raises:
        RuntimeError: `num_replicas` or `rank` is omitted, and there is no process group.
        ValueError: `rank` is not below `num_replicas`.

    A loader uses the order of its own epoch. After `set_epoch(epoch)` it uses the order of that epoch until the next
    call.

    >>> [list(DistributedSampler("abcde", num_replicas=2, rank=rank, shuffle=False)) for rank in (0, 1)]
    [[0, 2, 4], [1, 3, 0]]

    Source: torch.utils.data.distributed.DistributedSampler.
    """

    rank: int
    num_replicas: int
    shuffle: bool
    drop_last: bool
    num_samples: int
    total_size: int

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if (num_replicas is None or rank is None) and not process_groups:
            raise OperationError(
                "DistributedSampler: expected num_replicas and rank, since there is no process group; got "
                f"num_replicas={num_replicas}, rank={rank}; pass both, for example num_replicas=1, rank=0, or call "
                "distributed.init_process_group"
            )
        rank = process_groups[-1][0] if rank is None else rank
        num_replicas = process_groups[-1][1] if num_replicas is None else num_replicas
        Seeded.__init__(self, seed)
        self.dataset = dataset
        self.rank, self.num_replicas = checked_shard("DistributedSampler", (rank, num_replicas))
        self.shuffle = _checks.truth("DistributedSampler", "shuffle", shuffle)
        self.drop_last = _checks.truth("DistributedSampler", "drop_last", drop_last)
        self.epoch: int | None = None
        whole, rest = divmod(len(dataset), self.num_replicas)
        self.num_samples = whole + (rest > 0 and not self.drop_last)
        self.total_size = self.num_samples * self.num_replicas

    def set_epoch(self, epoch: int) -> None:
        """Use the order of this epoch from now on."""
        self.epoch = _checks.whole_number("set_epoch", "epoch", epoch, 0)

    def order(self, epoch: int) -> np.ndarray:
        """Return this program's indices of one epoch, int64 (len(self),)."""
        count = len(self.dataset)
        whole = permutation(bits(self.seed, self.epoch if self.epoch is not None else epoch), count)
        if not self.shuffle:
            whole = np.arange(count)
        places = np.arange(self.rank, self.total_size, self.num_replicas)
        return whole[places % count] if count else whole

    def __iter__(self) -> Iterator[int]:
        return iter(self.order(0).tolist())

    def __len__(self) -> int:
        return self.num_samples


class Shard:
    """A batch sampler of one of `world` programs, which splits an order common to all.

    Positions count the samples of all programs, so a pass can resume with any number of programs. With `drop_last`,
    samples that do not fill a batch in every program are left out; otherwise they are shared, and the first samples are
    repeated.
    """

    def __init__(self, sampler: Source, batch_size: int, drop_last: bool, rank: int, world: int) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last
        self.rank, self.world = rank, world

    def batches(self, epoch: int, start: int = 0) -> Iterator[Sequence[int] | np.ndarray]:
        """Iterate over the groups of one epoch, from the common position `start`."""
        order = order_of(self.sampler, epoch)
        if order is None:
            raise InvalidTypeError(
                f"DataLoader: shard needs a sampler with an order, as those of facula_data have; got "
                f"{type(self.sampler).__name__}; define a method order(epoch)"
            )
        count, step = len(order), self.batch_size * self.world
        for first in range(start, count, step):
            left = min(step, count - first)
            if left < step and self.drop_last:
                return
            own = -(-left // self.world)
            places = (first + self.rank + self.world * np.arange(own)) % count
            if isinstance(order, np.ndarray):
                yield order[places]
            else:
                yield np.asarray([order[place] for place in places.tolist()])

    def __iter__(self) -> Iterator[Sequence[int] | np.ndarray]:
        return self.batches(0)

    def __len__(self) -> int:
        count, step = len(self.sampler), self.batch_size * self.world
        return count // step if self.drop_last else -(-count // step)


def checked_shard(operation: str, shard: object) -> tuple[int, int]:
    """Return (rank, world) after checking that rank is from 0 to world - 1."""
    if not (isinstance(shard, (tuple, list)) and len(shard) == 2):
        raise InvalidValueError(f"{operation}: expected shard to be (rank, world); got {shard!r}")
    world = _checks.whole_number(operation, "the number of programs", shard[1], 1)
    rank = _checks.whole_number(operation, "rank", shard[0], 0)
    if rank >= world:
        raise InvalidValueError(f"{operation}: expected rank from 0 to {world - 1}; got rank={rank}")
    return rank, world
