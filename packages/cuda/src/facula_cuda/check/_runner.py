"""Runs steps, each in a process of its own with a time limit, and writes what they find."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from ..testing import simulate
from . import _device_steps as _device_steps  # each module adds its steps, in this order
from . import _error_steps as _error_steps
from . import _order_steps as _order_steps
from . import _tensor_steps as _tensor_steps
from ._report import STEPS, Report

SIMULATED_BYTES = 256 << 20


def run_step(name: str, simulated: bool) -> dict[str, Any]:
    """Run a step in this process, and return its results; an error of the step is one of them."""
    report = Report(simulated)
    begin = time.perf_counter()
    try:
        if simulated:
            simulate(devices=1, memory=SIMULATED_BYTES)
        STEPS[name].run(report)
    except Exception:
        report.check("the step ends without an error", False, traceback.format_exc()[-2000:])
    return {"step": name, "seconds": round(time.perf_counter() - begin, 3), **report.as_dict()}


def run_all(folder: Path, minutes: float, simulated: bool, names: list[str]) -> bool:
    """Run steps one after the other, and return whether all checks hold.

    Arguments:
        folder: where results are written, as each step ends.
        minutes: the time for all steps; those that do not begin in time are listed as left out.
        simulated: whether to simulate a device.
        names: the steps, all by default.
    """
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * minutes
    results: list[dict[str, Any]] = []
    for name in names or list(STEPS):
        results.append(_in_process(name, simulated, end - time.monotonic()))
        (folder / f"{name}.json").write_text(json.dumps(results[-1], indent=1), encoding="utf-8")
        (folder / "summary.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        print(_line(results[-1]), flush=True)
    return all(_holds(result) for result in results)


def _in_process(name: str, simulated: bool, left: float) -> dict[str, Any]:
    """Run a step in a new process, which a lost device or an endless kernel cannot outlive."""
    missing = [module for module in STEPS[name].needs if importlib.util.find_spec(module) is None]
    if missing:
        return {"step": name, "left_out": f"{', '.join(missing)} is not installed"}
    seconds = min(left, STEPS[name].seconds)
    if seconds <= 0:
        return {"step": name, "left_out": "no time is left"}
    command = [sys.executable, "-m", "facula_cuda.check", "--step", name, *["--simulate"] * simulated]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as expired:
        text = expired.stderr or b""
        shown = text if isinstance(text, str) else text.decode(errors="replace")
        return _failed(name, f"the step ends within {seconds:.0f} s", shown)
    try:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError):
        return _failed(name, "the step's process ends normally", f"exit status {done.returncode}: {done.stderr}")


def _failed(name: str, check: str, detail: str) -> dict[str, Any]:
    return {"step": name, "checks": [{"check": check, "holds": False, "detail": detail[-2000:]}], "figures": {}}


def _holds(result: dict[str, Any]) -> bool:
    return all(one["holds"] for one in result.get("checks", []))


def _line(result: dict[str, Any]) -> str:
    """Return the line of a step: what fails, or the number of its checks."""
    if "left_out" in result:
        return f"{result['step']}: left out, since {result['left_out']}"
    failed = [one for one in result["checks"] if not one["holds"]]
    if failed:
        texts = "".join(f"\n  not true: {one['check']}; {one['detail']}" for one in failed)
        return f"{result['step']}: FAILED{texts}"
    return f"{result['step']}: {len(result['checks'])} checks hold, {result['seconds']} s"
