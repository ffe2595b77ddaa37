"""`python -m benchmarks.scaling`: what DistributedDataParallel costs in a training step of two processes.

The ideal is the same step, with one thread, in both processes side by side without communication. Both kinds of steps
alternate in the same processes, which are pinned to a core each. Ratios are of medians.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import facula
import facula.distributed as dist
from facula_distributed.testing import run

from .models.images import resnet50
from .models.training import Training, step_of
from .models.transformers import gpt

RANKS, ROUNDS = 2, 15
MODELS: dict[str, Callable[[Any], Training]] = {
    "GPT, 2 layers": partial(gpt, batch=4, length=128, tokens=1024, width=256, layers=2, heads=4),
    "ResNet-50, 64x64": partial(resnet50, batch=8, size=64, width=0.5),
}


def wrapped(training: Training) -> Callable[..., Any]:
    """Return the step of a model whose gradients are averaged over all processes."""
    model = facula.nn.parallel.DistributedDataParallel(training.model)

    def loss(inputs: Any, targets: Any) -> Any:
        return facula.nn.functional.cross_entropy(model(inputs).flatten(0, -2), targets.flatten())

    return step_of(facula, training._replace(model=model, loss=loss))


def measure(rank: int, name: str, cores: list[int]) -> list[tuple[float, float]]:
    """Return seconds of a step without and with averages, for each round, on the rank's core."""
    os.sched_setaffinity(0, {cores[rank]})
    facula.set_num_threads(1)
    make = MODELS[name]
    alone, batch = make(facula), make(facula).batch
    steps = step_of(facula, alone), wrapped(make(facula))
    times = []
    for _ in range(ROUNDS):
        row = []
        for step in steps:
            dist.barrier()
            begun = perf_counter()
            step(*batch)
            dist.barrier()  # a step takes as long as that of the slower process
            row.append(perf_counter() - begun)
        times.append((row[0], row[1]))
    return times[2:]


def main() -> None:
    """Print a row per model."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < RANKS:
        sys.exit(f"benchmarks.scaling: expected a core for each of {RANKS} processes")
    print(f"{'model':20} {'ideal':>10} {'DDP':>10} {'of ideal':>9}")
    for name in MODELS:
        times = run(RANKS, measure, name, cores)[0]
        ideal, averaged = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:20} {ideal * 1e3:7.1f} ms {averaged * 1e3:7.1f} ms {ideal / averaged:9.3f}")


if __name__ == "__main__":
    main()
