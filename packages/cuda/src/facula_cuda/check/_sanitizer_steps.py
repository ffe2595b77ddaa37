"""The step that runs kernels below NVIDIA's compute-sanitizer."""

from __future__ import annotations

import importlib.util
import shutil
from glob import glob

from ._process import command_of, run_command
from ._report import Report, step

TOOLS, STEPS = ("memcheck", "racecheck"), ("forms", "families")
NAME = "compute-sanitizer"
SECONDS = 80.0


def find_sanitizer() -> str | None:
    """Return the path of compute-sanitizer, which the CUDA toolkit has."""
    return shutil.which(NAME) or next(iter(sorted(glob(f"/usr/local/cuda*/bin/{NAME}"), reverse=True)), None)


@step(SECONDS)
def sanitizer(report: Report) -> None:
    """compute-sanitizer, if it is installed, finds no wrong access of memory and no race in small runs."""
    path = find_sanitizer()
    report.figure("compute_sanitizer", path or "not found")
    steps = [name for name in STEPS if name == "forms" or importlib.util.find_spec("facula")]
    seconds = (5.0 if report.simulated else SECONDS) / (len(TOOLS) * len(steps))
    for tool in TOOLS if path else ():
        for name in steps:
            command = command_of(name, report.simulated, True, seconds)
            options = ["--tool", tool, "--error-exitcode", "86"]
            found = run_command([path or NAME, *options, *command], name, seconds)
            failed = [one for one in found["checks"] if not one["holds"]]
            late = [one for one in failed if "ends within" in one["check"]]
            if late:
                report.figure(f"{tool}_{name}", "it did not end in time")
            else:
                report.check(f"{tool} finds nothing in {name}", not failed, failed)
