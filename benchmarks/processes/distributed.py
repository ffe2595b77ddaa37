"""Collective operations of several processes, in shared memory and over MPI, beside PyTorch's gloo."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import torch.distributed

import facula.distributed  # which facula loads late

from ..libraries import Rows
from ..measure import Loop

rows = Rows()
KIB, MIB = 1 << 10, 1 << 20
Step = Callable[[], object]


class Ranks:
    """Forked processes that all repeat a step as often as they are told. They end when this object is deleted.

    `make(F, rank, size)` returns the step, and is called after the group is initialized. facula's ranks use the backend
    `backend`, and pretend to be on so many `machines`.
    """

    def __init__(
        self, F: Any, size: int, make: Callable[[Any, int, int], Step], backend: str = "gloo", machines: int = 1
    ) -> None:
        context, self.pipes = get_context("fork"), []
        self.folder = tempfile.TemporaryDirectory()
        for rank in range(size):
            ours, theirs = context.Pipe()
            address = f"file://{self.folder.name}/group"
            engine = ("gloo", 1) if F is torch else (backend, machines)
            arguments = (F, rank, size, address, make, theirs, [*self.pipes, ours], *engine)
            context.Process(target=serve, args=arguments, daemon=True).start()
            theirs.close()
            self.pipes.append(ours)

    def loop(self, turns: Any) -> float:
        """Run the step in all processes, and return rank 0's microseconds."""
        count = sum(1 for _ in turns)
        for pipe in self.pipes:
            pipe.send(count)
        first, *_ = [pipe.recv() for pipe in self.pipes]
        return first


def serve(
    F: Any,
    rank: int,
    size: int,
    address: str,
    make: Callable[[Any, int, int], Step],
    pipe: Connection,
    others: list[Connection],
    backend: str,
    machines: int,
) -> None:
    """Run the step of one rank until the pipe is closed."""
    for one in others:
        one.close()
    os.environ |= {"FACULA_NNODES": str(machines), "GROUP_RANK": str(rank * machines // size)}
    F.distributed.init_process_group(backend, init_method=address, rank=rank, world_size=size)
    step = make(F, rank, size)
    while True:
        try:
            count = pipe.recv()
        except EOFError:
            os._exit(0)
        F.distributed.barrier()
        begun = perf_counter()
        for _ in range(count):
            step()
        pipe.send((perf_counter() - begun) * 1e6)


def tensor_of(F: Any, nbytes: int, is_shared: bool = False) -> Any:
    """Return a tensor of float32; for facula in shared memory, if wanted."""
    made = F.zeros(nbytes // 4)
    return made.share_memory_() if is_shared and F is not torch else made


def all_reduce(nbytes: int, is_shared: bool, F: Any, rank: int, size: int) -> Step:
    return partial(F.distributed.all_reduce, tensor_of(F, nbytes, is_shared))


def broadcast(nbytes: int, F: Any, rank: int, size: int) -> Step:
    return partial(F.distributed.broadcast, tensor_of(F, nbytes), 0)


def all_gather(nbytes: int, F: Any, rank: int, size: int) -> Step:
    parts = [tensor_of(F, nbytes // size) for _ in range(size)]
    return partial(F.distributed.all_gather, parts, tensor_of(F, nbytes // size))


def there_and_back(nbytes: int, F: Any, rank: int, size: int) -> Step:
    tensor, first, second = tensor_of(F, nbytes), F.distributed.send, F.distributed.recv
    if rank:
        first, second = second, first

    def step() -> None:
        first(tensor, 1 - rank)
        second(tensor, 1 - rank)

    return step


def barrier(F: Any, rank: int, size: int) -> Step:
    return F.distributed.barrier


def training(is_captured: bool, F: Any, rank: int, size: int) -> Step:
    """Return a step of a small network whose gradients are averaged; of facula captured, if wanted."""
    F.manual_seed(0)
    network = F.nn.Sequential(F.nn.Linear(64, 64), F.nn.ReLU(), F.nn.Linear(64, 64), F.nn.ReLU(), F.nn.Linear(64, 10))
    model = F.nn.parallel.DistributedDataParallel(network)
    optimizer = F.optim.SGD(model.parameters(), lr=0.01)

    def step(inputs: Any, targets: Any) -> Any:
        optimizer.zero_grad()
        loss = F.nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss.detach()

    wrapped = F.capture(step, on_break="error") if is_captured and F is not torch else step
    return partial(wrapped, F.randn(32, 64), F.randint(0, 10, (32,)))


def add(
    name: str, make: Callable[[Any, int, int], Step], size: int, target: float | None = None, **engine: Any
) -> None:
    """Add a row of a step on some ranks."""

    def setup(F: Any) -> Loop:
        ranks = Ranks(F, size, make, **engine)
        return ranks.loop

    rows.row(f"{name}, {size} ranks", target)(setup)


for ranks in (2, 4):
    for title, nbytes in (("1 KiB", KIB), ("64 KiB", 64 * KIB), ("4 MiB", 4 * MIB), ("64 MiB", 64 * MIB)):
        target = 0.1 if ranks == 2 and nbytes == 4 * MIB else None
        add(f"all_reduce of {title}", partial(all_reduce, nbytes, False), ranks, target)
        if nbytes >= 4 * MIB:
            add(f"all_reduce of {title} in shared memory", partial(all_reduce, nbytes, True), ranks, target)
    add("broadcast of 4 MiB", partial(broadcast, 4 * MIB), ranks)
    add("all_gather of 4 MiB", partial(all_gather, 4 * MIB), ranks)
    add("barrier", barrier, ranks)
add("4 MiB to another process and back", partial(there_and_back, 4 * MIB), 2)
add("1 KiB to another process and back", partial(there_and_back, KIB), 2)
for title, is_captured in (("", False), (", captured", True)):
    add(f"training step of 64-64-64-10, batch 32{title}", partial(training, is_captured), 2)
if facula.distributed.is_mpi_available():
    for title, nbytes in (("1 KiB", KIB), ("4 MiB", 4 * MIB)):
        add(f"all_reduce of {title} over MPI", partial(all_reduce, nbytes, False), 2, 1.0, backend="mpi")
        add(f"all_reduce of {title} of 2 machines", partial(all_reduce, nbytes, False), 4, 1.0, machines=2)
        add(
            f"all_reduce of {title} of 2 machines, in shared memory",
            partial(all_reduce, nbytes, True),
            4,
            1.0,
            machines=2,
        )
    add("4 MiB over MPI to another process and back", partial(there_and_back, 4 * MIB), 2, backend="mpi")
