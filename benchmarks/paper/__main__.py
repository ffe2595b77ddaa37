"""`python -m benchmarks.paper`: draws figures 1 and 2 of the paper from runs of facula.

1. The first operators of a training step of ResNet-50, on the host and on the threads or the device that compute.
2. The first training steps, with the calls of the caching allocator to its driver: later steps need none.

Both are drawn for the CPU and, where facula-cuda is installed, for a CUDA device. The device is simulated unless
FACULA_CUDA_DRIVER names a driver. A simulated device runs kernels on the CPU while the host waits, so figure 1 shows
them for a small image and without times, and figure 2 counts them without running them.

The drawings are SVG files in a folder. The traces are written next to them: `python -m facula_profiler render TRACE -o
page.html` shows all of their events.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import facula

from ..models.images import resnet50
from . import figures, runs

SIMULATED = "simulated device"


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
    environment = os.environ | {"FACULA_CUDA_DRIVER": os.environ.get("FACULA_CUDA_DRIVER", "simulated")}
    for device in ("cpu", "cuda") if find_spec("facula_cuda") is not None else ("cpu",):
        done = subprocess.run([sys.executable, "-m", __package__, f"--device={device}", *options], env=environment)
        if done.returncode:
            return done.returncode
    return 0


def draw(folder: Path, device: str, batch: int, size: int) -> None:
    """Draw the figures of one device."""
    simulated = device == "cuda" and "simulated" in os.environ.get("FACULA_CUDA_DRIVER", "")
    where = SIMULATED if simulated else device.upper()
    first_batch, first_size = (1, 32) if simulated else (batch, size)
    trace = runs.first_operators(device, first_batch, first_size)
    trace.save(folder / f"paper-figure-1-{device}.trace")
    what = described(first_batch, first_size, where)
    write(folder / f"paper-figure-1-{device}.svg", figures.operators(trace, what, in_order=simulated))

    with runs.without_kernels() if simulated else nullcontext():
        iterations = runs.iterations(device, lambda: resnet50(facula, batch=batch, size=size))
    what = described(batch, size, where)
    write(folder / f"paper-figure-2-{device}.svg", figures.driver_calls(iterations, what, counted=simulated))
    for number, iteration in enumerate(iterations, 1):
        print(f"{where}, iteration {number}: {iteration.driver_calls} driver calls, {iteration.seconds:.3f} s")


def described(batch: int, size: int, where: str) -> str:
    """Return the subtitle of a drawing."""
    return f"ResNet-50, {batch} image{'s' * (batch > 1)} of {size}x{size}; {where}"


def write(path: Path, text: str) -> None:
    """Write a drawing."""
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    sys.exit(main())
