"""Samples for each of several processes, where programs for PyTorch look for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from facula_data import Sampler
from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Generator, randperm

from ..._names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

__all__ = ["DistributedSampler"]

S_co = TypeVar("S_co", covariant=True)


@boundary
class DistributedSampler(Sampler[int]):
    """The indices that process `rank` of `num_replicas` takes in a pass: each `num_replicas`-th, from `rank` on.

    All get as many.

    Arguments:
        dataset: only its length is used.
        num_replicas: the number of processes.
        rank: which of them this is, counted from 0.
        shuffle: take the indices in an order that follows from `seed` and the number given to `set_epoch`.
        seed: the same in all processes.
        drop_last: leave the last indices out where they are not enough for all; else some are taken twice.

    Raises:
        RuntimeError: `num_replicas` or `rank` is left out, since there is one process so far.
        ValueError: `rank` is not below `num_replicas`.

    >>> sampler = DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False)
    >>> list(sampler), len(sampler)
    ([1, 3, 0], 3)
    """

    dataset: Sized
    num_replicas: int
    rank: int
    epoch: int
    shuffle: bool
    seed: int
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
        if num_replicas is None or rank is None:
            raise OperationError(
                "DistributedSampler: expected num_replicas and rank, since facula has one process so far; got "
                f"num_replicas={num_replicas}, rank={rank}; give both, as num_replicas=1, rank=0"
            )
        if not 0 <= rank < num_replicas:
            raise InvalidValueError(
                f"DistributedSampler: expected rank to be one of 0 ... {num_replicas - 1}; got {rank}"
            )
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        whole, rest = divmod(len(dataset), num_replicas)
        self.num_samples = whole + (rest > 0 and not drop_last)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            order = randperm(count, generator=generator).tolist()
        else:
            order = list(range(count))
        while 0 < len(order) < self.total_size:
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Let the next pass be in another order, the same in all processes that set the same number."""
        self.epoch = epoch


publish(__name__)
