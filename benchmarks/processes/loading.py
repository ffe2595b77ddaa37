"""Loaders with and without workers: passes over data in memory, and the time until the first batch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch.utils.data  # torch imports it lazily
from PIL import Image

import facula.utils.data  # facula imports it lazily

from ..libraries import Rows
from ..measure import Loop, Row

rows = Rows()
KEPT = 64  # samples in memory, which a dataset returns repeatedly


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
    """A vector of 16 numbers and a label: `row(i)` of `values`."""

    def __init__(self, count: int, values: Any, row: Callable[[Any], Any] | None = None) -> None:
        self.count, self.values, self.row = count, values, row

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[Any, int]:
        row = self.values[index % KEPT]
        return (row if self.row is None else self.row(row)), index


ONES = np.ones((KEPT, 16), np.float32)


class Pictures:
    """JPEG files of 256×256 in memory, decoded by Pillow."""

    def __init__(self, F: Any, count: int) -> None:
        self.tensor, self.count = F.from_numpy, count
        self.files = [jpeg(seed) for seed in range(8)]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        with Image.open(BytesIO(self.files[index % len(self.files)])) as picture:
            return self.tensor(np.array(picture))


def jpeg(seed: int) -> bytes:
    """Return a picture of soft noise, of about 20 KB."""
    noise = np.random.default_rng(seed).integers(0, 256, (32, 32, 3), np.uint8)
    file = BytesIO()
    Image.fromarray(noise).resize((256, 256), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


def passes(F: Any, dataset: Any, batch_size: int, clock: Callable[[], float] = perf_counter, **how: Any) -> Loop:
    """Return a loop of passes with persistent workers, after an untimed one; microseconds of `clock` a pass."""
    loader = F.utils.data.DataLoader(dataset, batch_size, persistent_workers=bool(how.get("num_workers")), **how)
    for _ in loader:
        pass

    def loop(turns):
        begun = clock()
        for _ in turns:
            for _ in loader:
                pass
        return (clock() - begun) * 1e6

    return loop


PROCESSES = {"num_workers": 2, "multiprocessing_context": "fork"}


@rows.row("32×3×224×224, 2 processes: a pass of 1,280", 0.2, count=1, rounds=5)
def _(F):
    return passes(F, Images(F, 1280), 32, **PROCESSES)


@rows.row("32×3×224×224, 2 processes: processor time of the program itself", 0.1, count=1, rounds=5)
def _(F):
    return passes(F, Images(F, 1280), 32, clock=process_time, **PROCESSES)


for kind, samples in (
    ("NumPy's rows", lambda F: (ONES,)),
    ("a tensor's rows", lambda F: (F.ones(KEPT, 16),)),
    ("from_numpy of rows", lambda F: (ONES, F.from_numpy)),
):

    @rows.row(f"{kind} and a label, batches of 256, inline: a pass of 25,600", 0.625, count=1, rounds=5)
    def _(F, samples=samples):
        return passes(F, Vectors(25600, *samples(F)), 256)

    @rows.row(f"{kind} and a label, batches of 256, 2 processes: a pass of 51,200", 0.25, count=1, rounds=5)
    def _(F, samples=samples):
        return passes(F, Vectors(51200, *samples(F)), 256, **PROCESSES)


@rows.row("NumPy's rows and a label, 2 new processes: an epoch of 12,800", 0.25, count=1, rounds=5)
def short_epoch(F):
    dataset = Vectors(12800, ONES)

    def loop(times):
        for _ in times:
            for _ in F.utils.data.DataLoader(dataset, 256, num_workers=2):
                pass

    return loop


def in_threads() -> Loop:
    """Return a loop of passes over JPEG files decoded by facula's threads."""
    return passes(facula, Pictures(facula, 512), 32, num_workers=2, worker_method="thread")


@rows.row("JPEG 256×256, 2 processes: a pass of 512", count=1, rounds=5)
def _(F):
    return passes(F, Pictures(F, 512), 32, **PROCESSES)


rows.append(
    Row("JPEG 256×256, 2 threads: a pass of 512, other: 2 processes", in_threads,
        partial(passes, torch, Pictures(torch, 512), 32, **PROCESSES), count=1, rounds=5)
)  # fmt: skip


def first(context: str) -> Any:
    """Return a loop of new programs that time the first batch of 2 new workers."""

    def setup(F: Any) -> Loop:
        command = [sys.executable, str(Path(__file__).with_name("first_batch.py")), F.__name__, context]

        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def loop(turns):
            said = (
                subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
                for _ in turns
            )
            return sum(map(float, said)) * 1e6

        return loop

    return setup


rows.row("first batch of 2 processes, fork", 0.5, count=1, rounds=7)(first("fork"))
rows.row("first batch of 2 processes, forkserver", 0.2, count=1, rounds=5)(first("forkserver"))
