"""Hogwild: several processes train one network, whose parameters they share and change without waiting for each other.

    python examples/hogwild.py                      with PyTorch
    python -m facula run examples/hogwild.py        with facula

F. Niu, B. Recht, C. Ré and S. Wright (2011): with small steps, lost or late ones do little harm. The network
classifies scikit-learn's handwritten digits. Each process draws separate batches; together they make as many steps as
one alone, which is trained first, to compare.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F


def digits() -> tuple[torch.Tensor, ...]:
    """Images and labels: 1,437 to learn from, 360 to be asked about."""
    from sklearn.datasets import load_digits  # pip install scikit-learn

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    x, y = torch.from_numpy((images[order] / 16).astype("float32")), torch.from_numpy(labels[order].astype("int64"))
    return x[:1437].clone(), y[:1437].clone(), x[1437:].clone(), y[1437:].clone()


def network() -> nn.Module:
    """The network, with the same weights each time."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def learn(model: nn.Module, optimizer: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor) -> None:
    """A step of training."""
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


def train(rank: int, model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int, seed: int) -> None:
    """Train in one process: it shares the parameters with all others, but not the gradients."""
    torch.set_num_threads(1)
    draws = np.random.default_rng([seed, rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        batch = torch.from_numpy(draws.integers(0, len(x), 32))
        learn(model, optimizer, x[batch], y[batch])


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """The share of images that are read correctly."""
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2000, help="steps of all processes together")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--start-method", choices=mp.get_all_start_methods(), help="Python's default if omitted")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if min(options.steps, options.processes) < 1 or options.seed < 0:
        parser.error("expected --steps and --processes of at least 1, and --seed of at least 0")
    x, y, other_x, other_y = digits()

    alone = network()
    train(0, alone, x, y, options.steps, options.seed)
    print(f"one process: accuracy {accuracy(alone, other_x, other_y):.4f}", flush=True)

    shared = network().share_memory()
    for tensor in (x, y):
        tensor.share_memory_()
    method = options.start_method or mp.get_start_method()
    steps = options.steps // options.processes
    arguments = (shared, x, y, steps, options.seed)
    mp.start_processes(train, arguments, nprocs=options.processes, start_method=method)
    print(f"{options.processes} processes: accuracy {accuracy(shared, other_x, other_y):.4f}")


if __name__ == "__main__":
    main()
