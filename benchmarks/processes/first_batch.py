"""A program that prints the seconds until 2 new workers returned their first batch: LIBRARY START_METHOD.

Forked workers are those of a second loader: PyTorch imports the workers' modules when it is imported, facula on first
use, and with `fork` that would be most of the time.
"""

from __future__ import annotations

import importlib
import sys
from time import perf_counter

import numpy as np

LIBRARY, METHOD = sys.argv[1:]
loading = importlib.import_module(f"{LIBRARY}.utils.data")


class Plain:
    """Rows of NumPy arrays."""

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> np.ndarray:
        return np.full((3, 64, 64), index, np.float32)


def first_batch() -> float:
    """Return the seconds since the creation of a loader."""
    begun = perf_counter()
    batches = iter(loading.DataLoader(Plain(), 32, num_workers=2, multiprocessing_context=METHOD))
    next(batches)
    return perf_counter() - begun


if __name__ == "__main__":
    if METHOD == "fork":
        first_batch()
    print(first_batch())
