"""Random numbers: a separate stream for each rank."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_tensor.extend import restart_default_generators

from .groups import default_group

_STREAM_BITS = 40  # a stream has 2**40 numbers


@boundary
def seed(value: int) -> None:
    """Restart the default generators of all devices from one seed, with other numbers in each process.

    Each process continues the stream of the seed after `rank * 2**40` numbers. So dropout masks, for example, differ
    between processes, and a run with the same number of processes can be repeated. After `manual_seed` with the same
    seed in all processes, their masks are equal: call `manual_seed` before the parameters are created, which must be
    equal, and this function before training.

    Arguments:
        value: the seed, any 64-bit integer, the same in all processes.

    Raises:
        ValueError: there is no process group, or the seed has more than 64 bits.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula_tensor import manual_seed, rand
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> seed(0)
    >>> of_rank_0 = rand(2)
    >>> _ = manual_seed(0)
    >>> (rand(2) == of_rank_0).all().item()
    True
    >>> destroy_process_group()
    """
    restart_default_generators(value, default_group().rank() << _STREAM_BITS)
