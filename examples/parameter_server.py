"""Parameter server: one process keeps the parameters, and others train them, each at its own pace.

    python examples/parameter_server.py                              four processes, with PyTorch
    python -m facula run examples/parameter_server.py                four processes, with facula
    python -m facula run --nproc 3 examples/parameter_server.py      processes of the launcher

M. Li and others (2014): a worker pulls the parameters, computes the gradient of a batch, and pushes it to the server,
which updates the parameters at once. Workers do not wait for each other, so a gradient may belong to parameters that
others have updated since. The program trains a classifier of points in a plane, on a spiral for each class.
"""

from __future__ import annotations

import argparse
import os
import socket
import threading

import numpy as np
import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn

CLASSES = 3


def spirals(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return points of the spirals, with a little noise, and their classes."""
    draws = np.random.default_rng(seed)
    kinds = draws.integers(0, CLASSES, count)
    radius = draws.uniform(0.1, 1.0, count)
    angle = 4 * radius + 2 * np.pi / CLASSES * kinds + draws.normal(0, 0.1, count)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return torch.from_numpy(points.astype("float32")), torch.from_numpy(kinds)


def make_network() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, CLASSES))


class Server:
    """Parameters, which workers pull and update by their gradients."""

    def __init__(self, rate: float) -> None:
        self.network = make_network()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=rate)
        self.lock = threading.Lock()  # calls of several workers run in threads
        self.updates = 0

    def pull(self) -> list[torch.Tensor]:
        """Return a copy of the parameters."""
        with self.lock:
            return [parameter.detach().clone() for parameter in self.network.parameters()]

    def push(self, gradients: list[torch.Tensor]) -> int:
        """Update the parameters; return the number of updates so far."""
        with self.lock:
            for parameter, gradient in zip(self.network.parameters(), gradients, strict=True):
                parameter.grad = gradient
            self.optimizer.step()
            self.updates += 1
            return self.updates


def train(server: rpc.RRef, steps: int, seed: int) -> int:
    """Train on points of this worker's own; return the number of all workers' updates at its last step."""
    network, updates = make_network(), 0
    points, kinds = spirals(512, seed)
    draws = np.random.default_rng(seed)
    for _ in range(steps):
        with torch.no_grad():
            for parameter, value in zip(network.parameters(), server.rpc_sync().pull(), strict=True):
                parameter.copy_(value)
        chosen = torch.from_numpy(draws.integers(0, len(points), 64))
        network.zero_grad()
        F.cross_entropy(network(points[chosen]), kinds[chosen]).backward()
        updates = server.rpc_sync().push([parameter.grad for parameter in network.parameters()])
    return updates


def work(rank: int, size: int, steps: int, seed: int) -> None:
    """Serve in process 0, and train in the others when it asks for it."""
    torch.manual_seed(seed)
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size)
    if rank == 0:
        server = rpc.RRef(Server(0.02))
        calls = [
            rpc.rpc_async(f"worker{other}", train, (server, steps, seed + other), timeout=0) for other in range(1, size)
        ]
        updates = max(call.wait() for call in calls)
        points, kinds = spirals(1000, seed)
        found = server.local_value().network(points).argmax(1)
        accuracy = (found == kinds).float().mean().item()
        print(f"{size - 1} workers, {updates} updates: accuracy {accuracy:.3f}")
    rpc.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=4, help="without a launcher")
    parser.add_argument("--steps", type=int, default=150, help="of each worker")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.steps < 1 or options.processes < 2 or options.seed < 0:
        parser.error("expected --steps of at least 1, --processes of at least 2, and --seed of at least 0")
    if "RANK" in os.environ:  # started by a launcher
        work(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), options.steps, options.seed)
        return
    with socket.socket() as free:
        free.bind(("localhost", 0))
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", str(free.getsockname()[1])
    mp.spawn(work, (options.processes, options.steps, options.seed), nprocs=options.processes)


if __name__ == "__main__":
    main()
