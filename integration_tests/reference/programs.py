"""The losses of the programs in examples/ at each step, in both precisions.

They contain `import torch`, so they run in a separate process in which that is PyTorch or facula. This file is the
program of that process and prints the losses. NumPy draws weights, batches, noise and moves, the same for both.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import subprocess
import sys
from pathlib import Path

PROGRAMS = ("actor_critic", "dcgan", "gcn", "gpt", "lstm", "resnet", "vit")
STEPS = 20
SIZE = 16


def answers(library) -> dict[str, list[float]]:
    """Return the losses of each program in each precision, by the library of this name."""
    run = {"torch": [], "facula": ["-m", "facula", "run"]}[library.__name__]
    done = subprocess.run([sys.executable, *run, __file__], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def losses(name: str, dtype: str) -> list[float]:
    """Return the losses of one program in this process."""
    program = importlib.import_module(name)
    options = argparse.Namespace(steps=STEPS, size=SIZE, dtype=dtype, seed=0)
    with contextlib.redirect_stdout(sys.stderr):
        return program.train(options)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    print(json.dumps({f"{name} {dtype}": losses(name, dtype) for name in PROGRAMS for dtype in ("float32", "float64")}))
