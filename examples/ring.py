"""Ring: processes add their tensors by messages to their neighbours, as the libraries for clusters of GPUs do.

    python examples/ring.py                              four processes, with PyTorch
    python -m facula run examples/ring.py                four processes, with facula
    python -m facula run --nproc 3 examples/ring.py      processes of the launcher

P. Patarasuk and X. Yuan (2009): with N processes, a tensor is divided into N parts. Each process sends one part to the
next process and receives another from the process before it, which it adds to its own. After N - 1 such steps each
process has the sum of one part; N - 1 further steps bring all sums to all. So a process sends less than twice the
tensor, however many processes there are. The program compares the sums with those of `all_reduce`.
"""

from __future__ import annotations

import argparse
import os
import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def exchange(sent: torch.Tensor, received: torch.Tensor) -> None:
    """Send a tensor to the next process, and receive one from the process before."""
    rank, size = dist.get_rank(), dist.get_world_size()
    messages = [
        dist.P2POp(dist.isend, sent, (rank + 1) % size),
        dist.P2POp(dist.irecv, received, (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(messages):
        work.wait()


def ring_sum(tensor: torch.Tensor) -> None:
    """Add the tensors of all processes, in place."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    parts = tensor.view(-1).tensor_split(size)
    for step in range(size - 1):
        sent, own = parts[(rank - step) % size], parts[(rank - step - 1) % size]
        received = torch.empty_like(own)
        exchange(sent, received)
        own += received
    for step in range(size - 1):
        exchange(parts[(rank - step + 1) % size], parts[(rank - step) % size])


def work(elements: int, seed: int) -> None:
    """Compare both sums in one of the processes."""
    rank, size = dist.get_rank(), dist.get_world_size()
    draws = np.random.default_rng([seed, rank])
    tensor = torch.from_numpy(draws.random(elements, "float32"))
    reduced = tensor.clone()
    ring_sum(tensor)
    dist.all_reduce(reduced)
    difference = (tensor - reduced).abs().max()
    dist.all_reduce(difference, op=dist.ReduceOp.MAX)
    if rank == 0:
        print(f"{size} processes: mean {tensor.mean().item() / size:.4f}, largest difference {difference.item():.2g}")


def start(rank: int, size: int, address: str, elements: int, seed: int) -> None:
    """Join the group of processes, and work."""
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size)
    work(elements, seed)
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=4, help="without a launcher")
    parser.add_argument("--elements", type=int, default=1_000_000, help="of each tensor")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if min(options.elements, options.processes) < 1 or options.seed < 0:
        parser.error("expected --elements and --processes of at least 1, and --seed of at least 0")
    if "RANK" in os.environ:  # started by a launcher
        start(-1, -1, "env://", options.elements, options.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments = (options.processes, f"file://{folder}/group", options.elements, options.seed)
        mp.spawn(start, arguments, nprocs=options.processes)


if __name__ == "__main__":
    main()
