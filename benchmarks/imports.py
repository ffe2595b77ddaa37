"""`import facula` against `import torch`: fresh processes, bytecode cached, without the interpreter's own start."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import partial

from .measure import Loop, Row

FACE = "facula" if importlib.util.find_spec("facula") else "facula_tensor"
PROGRAM = "import sys, time; start = time.perf_counter(); __import__(sys.argv[1]); print(time.perf_counter() - start)"


def importing(module: str) -> Loop:
    """Each turn is a process, which reports its own time."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def loop(times):
        seconds = 0.0
        for _ in times:
            command = [sys.executable, "-P", "-c", PROGRAM, module]
            seconds += float(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
        return seconds * 1e6

    return loop


ours = partial(importing, FACE)
rows = [
    Row(f"import {FACE}", ours, partial(importing, "torch"), 0.12, count=1, rounds=9),
    Row(
        f"import {FACE}, other: NumPy",
        ours,
        partial(importing, "numpy"),
        None,
        "import numpy",
        count=1,
        rounds=9,
    ),
]
