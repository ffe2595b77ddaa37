"""Runs the command of a step with a time limit, and collects what it prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from ._report import Report


def command_of(name: str, simulated: bool, small: bool, seconds: float) -> list[str]:
    """Return the command that runs one step in this Python."""
    options = [*["--simulate"] * simulated, *["--small"] * small]
    return [sys.executable, "-m", "facula_cuda.check", "--step", name, "--seconds", f"{seconds:.1f}", *options]


def run_command(command: Sequence[str], name: str, seconds: float) -> dict[str, Any]:
    """Run the command of a step, and return its results, also those of a step that was ended after `seconds`."""
    begin, status = time.monotonic(), None
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the processes that it has started
            process.wait()
        out.seek(0)
        err.seek(0)
        lines, shown = out.read().splitlines(), err.read()
    report = Report(False)
    for line in lines:
        try:
            report.add(json.loads(line))
        except (ValueError, KeyError, TypeError):  # what else the process prints, or a line that was cut
            shown += f"{line}\n"
    shown = shown[-1900:]
    if status is None:
        report.check(f"the step ends within {seconds:.0f} s", False, shown)
    elif status:
        report.check("the step's process ends normally", False, f"exit status {status}: {shown}")
    return {"step": name, "seconds": round(time.monotonic() - begin, 3), **report.as_dict()}
