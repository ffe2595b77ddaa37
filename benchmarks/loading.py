"""Loaders with and without workers: passes over data in memory, and the time until the first batch is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch.utils.data  # noqa: F401  which torch loads late

import facula.utils.data  # noqa: F401  which facula loads late

from .libraries import Rows
from .measure import Loop

rows = Rows()
KEPT = 64  # samples in memory; a dataset gives them again and again


class Images:
    """Images of 3×224×224 float32, copied from memory."""

    def __init__(self, F: Any, count: int) -> None:
        self.tensor, self.count = F.from_numpy, count
        self.values = np.ones((KEPT, 3, 224, 224), np.float32)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        return self.tensor(self.values[index % KEPT])


class Vectors:
    """A vector of 16 numbers and a label."""

    def __init__(self, F: Any, count: int) -> None:
        self.tensor, self.count = F.from_numpy, count
        self.values = np.ones((KEPT, 16), np.float32)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.tensor(self.values[index % KEPT]), index


def passes(F: Any, dataset: Any, batch_size: int, **how: Any) -> Loop:
    """A loop of passes with workers that stay, the first of which is not timed; microseconds a pass."""
    loader = F.utils.data.DataLoader(dataset, batch_size, persistent_workers=bool(how.get("num_workers")), **how)
    for _ in loader:
        pass

    def loop(turns):
        begun = perf_counter()
        for _ in turns:
            for _ in loader:
                pass
        return (perf_counter() - begun) * 1e6

    return loop


@rows.row("32×3×224×224, 2 processes: a pass of 1,280", 0.2, count=1, rounds=5)
def _(F):
    return passes(F, Images(F, 1280), 32, num_workers=2, multiprocessing_context="fork")


@rows.row("a vector and a label, batches of 256, inline: a pass of 25,600", 0.625, count=1, rounds=5)
def _(F):
    return passes(F, Vectors(F, 25600), 256)


@rows.row("a vector and a label, batches of 256, 2 processes: a pass of 51,200", 0.25, count=1, rounds=5)
def _(F):
    return passes(F, Vectors(F, 51200), 256, num_workers=2, multiprocessing_context="fork")


def first(context: str) -> Any:
    """The time until the first of the batches of 2 new workers is there, in a new program each time."""

    def setup(F: Any) -> Loop:
        command = [sys.executable, str(Path(__file__).with_name("first_batch.py")), F.__name__, context]

        def loop(turns):
            said = (subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in turns)
            return sum(map(float, said)) * 1e6

        return loop

    return setup


rows.row("first batch of 2 processes, fork", 0.5, count=1, rounds=7)(first("fork"))
rows.row("first batch of 2 processes, forkserver", 0.2, count=1, rounds=5)(first("forkserver"))
