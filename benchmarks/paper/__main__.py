"""`python -m benchmarks.paper`: draws figures 1 and 2 of the paper from runs of facula.

1. The operators of the first part of a training step of ResNet-50, on the host and on the threads that compute. Where
   facula-cuda is installed, a second drawing shows a CUDA device; without FACULA_CUDA_DRIVER, a simulated one.
2. The driver calls of the caching allocator in the first and in later iterations, and their times.

The drawings are SVG files in a folder. The traces are written next to them: `python -m facula_profiler render TRACE -o
page.html` shows all of their events.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from . import figures, runs

SIMULATED = "simulated CUDA device"  # its kernels run on the CPU while the host waits: their times mean nothing


def main() -> int:
    """Run the programs, and draw the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("results"), help="default: results")
    parser.add_argument("--batch", metavar="N", type=int, default=8, help="images per batch (default: 8)")
    parser.add_argument("--size", metavar="N", type=int, default=224, help="height and width of images (default: 224)")
    parser.add_argument("--device", choices=("cpu", "cuda"), help=argparse.SUPPRESS)  # one part, in its own process
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    if given.device is not None:
        draw(given.output, given.device, given.batch, given.size)
        return 0
    options = [f"--output={given.output}", f"--batch={given.batch}", f"--size={given.size}"]
    parts = [["--device=cpu", *options]]
    if find_spec("facula_cuda") is not None:
        parts.append(["--device=cuda", f"--output={given.output}", "--batch=1", "--size=32"])
    for arguments in parts:
        environment = os.environ | {"FACULA_CUDA_DRIVER": os.environ.get("FACULA_CUDA_DRIVER", "simulated")}
        done = subprocess.run([sys.executable, "-m", __package__, *arguments], env=environment)
        if done.returncode:
            return done.returncode
    return 0


def draw(folder: Path, device: str, batch: int, size: int) -> None:
    """Draw the figures of one device."""
    simulated = device == "cuda" and "simulated" in os.environ.get("FACULA_CUDA_DRIVER", "")
    where = SIMULATED if simulated else device.upper()
    what = f"ResNet-50, {batch} image{'s' * (batch > 1)} of {size}x{size}; {where}"
    trace = runs.first_operators(device, batch, size)
    trace.save(folder / f"paper-figure-1-{device}.trace")
    write(folder / f"paper-figure-1-{device}.svg", figures.operators(trace, what, in_order=simulated))
    if simulated:
        return  # a model that it can train in seconds fits into the memory that its weights have left
    iterations = runs.iterations(device, batch, size)
    write(folder / f"paper-figure-2-{device}.svg", figures.driver_calls(iterations, what))
    for number, iteration in enumerate(iterations, 1):
        print(f"{device} iteration {number}: {iteration.driver_calls} driver calls, {iteration.seconds:.3f} s")


def write(path: Path, text: str) -> None:
    """Write a drawing."""
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    sys.exit(main())
