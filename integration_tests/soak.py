"""Resident memory over many steps of random batch and length: it stays constant, and no block remains.

A step passes a batch of random size and a sequence of random length through a small network with the operators of a
model: products, activations, joins, slices, an index by an array, log-softmax, backward, an update. After 1,000 steps
every cache has reached its bound; 9,000 more may add at most 2 MB, and after the tensors are freed no additional
block is live.

    python soak.py [--warm 1000] [--steps 9000] [--batch 64] [--length 48] [--limit 2.0]
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys

import numpy as np

import facula


def resident() -> int:
    """Return the bytes of this process in resident memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def live_blocks() -> int:
    """Return the number of blocks that the allocator has allocated and not freed."""
    from facula_allocator import default_host_allocator

    return default_host_allocator().statistics()["allocated_blocks"]


class Model:
    """Two layers over sequences; most steps have new shapes."""

    def __init__(self, width: int = 24, classes: int = 7) -> None:
        self.classes = classes
        self.first = (facula.randn(8, width) * 0.3).requires_grad_()
        self.second = (facula.randn(width, classes) * 0.3).requires_grad_()
        self.bias = facula.zeros(classes, requires_grad=True)

    def step(self, batch: int, length: int) -> float:
        """Run one forward, backward and update; return the loss."""
        inputs = facula.from_numpy(np.random.standard_normal((batch, length, 8)).astype(np.float32))
        targets = facula.from_numpy(np.random.randint(0, self.classes, batch))
        hidden = (inputs @ self.first).tanh()
        pooled = facula.cat([hidden.mean(1), hidden[:, 0]], 0)[:batch]
        scores = pooled.relu() @ self.second + self.bias
        logarithms = scores.log_softmax(1)
        chosen = logarithms.reshape(-1)[facula.arange(batch) * self.classes + targets]
        loss = -chosen.sum() / batch
        loss.backward()
        with facula.no_grad():
            for parameter in (self.first, self.second, self.bias):
                parameter.add_(parameter.grad, alpha=-0.05)
                parameter.grad = None
        return loss.item()


def run(options: argparse.Namespace) -> tuple[int, int]:
    """Return the bytes that `steps` steps added to those of `warm`, and the blocks that remain without the model."""
    before = live_blocks()
    model = Model()
    for _ in range(options.warm):
        model.step(random.randint(1, options.batch), random.randint(1, options.length))
    start = resident()
    for _ in range(options.steps):
        model.step(random.randint(1, options.batch), random.randint(1, options.length))
    added = resident() - start
    del model
    return added, live_blocks() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warm", type=int, default=1000, help="steps before memory is measured")
    parser.add_argument("--steps", type=int, default=9000, help="steps that may add at most --limit")
    parser.add_argument("--batch", type=int, default=64, help="largest batch")
    parser.add_argument("--length", type=int, default=48, help="largest length of a sequence")
    parser.add_argument("--limit", type=float, default=2.0, help="MB (2**20 bytes)")
    options = parser.parse_args()
    random.seed(0)
    np.random.seed(0)
    facula.manual_seed(0)
    gc.disable()  # memory that only the cyclic collector would free counts as a leak
    added, left = run(options)
    print(f"{options.steps} steps after {options.warm} added {added / 2**20:.2f} MB; {left} blocks left")
    return 0 if added <= options.limit * 2**20 and left == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
