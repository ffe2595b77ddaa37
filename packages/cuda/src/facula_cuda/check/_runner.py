"""Runs steps, each in a process of its own with a time limit, and writes what they find."""

from __future__ import annotations

import importlib.util
import json
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from ..testing import simulate
from ._process import command_of, run_command
from ._report import STEPS, Report
from ._summary import holds, line_of, summary_of

#: The modules of the steps, in order: each adds its own to STEPS.
MODULES = ("device", "form", "speed", "family", "library", "order", "error", "training", "sanitizer")
for module in MODULES:
    import_module(f"{__package__}._{module}_steps")

SIMULATED_BYTES = 256 << 20
SIMULATED_AT_ONCE = 2  # steps on simulated devices, which do not disturb each other
EARLIER = 0.85  # of the limit of a step: it begins no more work afterwards


def run_step(
    name: str, simulated: bool, small: bool = False, seconds: float = 60, write: Callable[[str], object] | None = None
) -> dict[str, Any]:
    """Run a step in this process, and return its results; an error of the step is one of them.

    Arguments:
        name: the step.
        simulated, small, seconds, write: see `Report`.
    """
    report = Report(simulated, small, seconds * EARLIER, write)
    begin = time.perf_counter()
    try:
        if simulated:
            simulate(devices=1, memory=SIMULATED_BYTES)
        STEPS[name].run(report)
    except Exception:
        report.check("the step ends without an error", False, traceback.format_exc()[-2000:])
    return {"step": name, "seconds": round(time.perf_counter() - begin, 3), **report.as_dict()}


def run_all(folder: Path, minutes: float, simulated: bool, names: Sequence[str]) -> bool:
    """Run steps one after the other, and return whether all checks hold.

    Arguments:
        folder: where results are written, as each step ends.
        minutes: the time for all steps; those that do not begin in time are listed as left out.
        simulated: whether to simulate a device.
        names: the steps, all by default.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    results: list[dict[str, Any]] = []

    def run(name: str) -> dict[str, Any]:
        found = _in_process(name, simulated, begin + 60 * minutes - time.monotonic())
        (folder / f"{name}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        return found

    with ThreadPoolExecutor(SIMULATED_AT_ONCE if simulated else 1) as threads:
        for found in threads.map(run, names or STEPS):
            results.append(found)
            (folder / "summary.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
            print(line_of(found), flush=True)
    text = summary_of(results, time.monotonic() - begin)
    (folder / "summary.txt").write_text(text, encoding="utf-8")
    print(text, end="", flush=True)
    return all(holds(result) for result in results)


def _in_process(name: str, simulated: bool, left: float) -> dict[str, Any]:
    """Run a step in a new process, which a lost device or an endless kernel cannot outlive."""
    missing = [module for module in STEPS[name].needs if importlib.util.find_spec(module) is None]
    if missing:
        return {"step": name, "left_out": f"{', '.join(missing)} is not installed"}
    seconds = min(left, STEPS[name].seconds)
    if seconds <= 0:
        return {"step": name, "left_out": "no time is left"}
    return run_command(command_of(name, simulated, False, seconds), name, seconds)
