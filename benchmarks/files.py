"""A checkpoint of 500 MB that PyTorch wrote: the time until all of its elements are summed, in fresh processes.

The file is in the page cache, as it was just written and is read once before. The libraries are imported before the
clock starts; what `load` itself imports is counted. Both use as many threads as they choose.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import torch

from .measure import Loop, Row
from .run import ONE_THREAD

LAYERS, WIDTH = 10, 1020  # a transformer's, of 500 MB
PROGRAM = """
import importlib, sys, time
library = importlib.import_module(sys.argv[1])
start = time.perf_counter()
state = library.load(sys.argv[2], mmap=sys.argv[3] == "mmap", weights_only=True)
total = sum([tensor.sum().item() for tensor in state.values()])
print(time.perf_counter() - start, total)
"""


@cache
def checkpoint() -> str:
    """Return the path of the file, which is removed at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    state = {}
    for layer in range(LAYERS):
        for name, shape in (
            ("attention.weight", (3 * WIDTH, WIDTH)), ("attention.bias", (3 * WIDTH,)), ("out.weight", (WIDTH, WIDTH)),
            ("out.bias", (WIDTH,)), ("up.weight", (4 * WIDTH, WIDTH)), ("up.bias", (4 * WIDTH,)),
            ("down.weight", (WIDTH, 4 * WIDTH)), ("down.bias", (WIDTH,)), ("norm.weight", (WIDTH,)),
        ):  # fmt: skip
            state[f"layers.{layer}.{name}"] = torch.rand(shape)
    path = Path(folder.name) / "model.pt"
    torch.save(state, path)
    path.read_bytes()
    return str(path)


def summed(library: str, way: str) -> Loop:
    """Each turn is a process, which reports its own time."""
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    path = checkpoint()

    def loop(times):
        seconds = 0.0
        for _ in times:
            command = [sys.executable, "-P", "-c", PROGRAM, library, path, way]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            seconds += float(done.stdout.split()[0])
        return seconds * 1e6

    return loop


rows = [
    Row(f"load 500 MB and sum, {way}", partial(summed, "facula", way), partial(summed, "torch", way), 0.8, count=1,
        rounds=7)
    for way in ("read", "mmap")
]  # fmt: skip
