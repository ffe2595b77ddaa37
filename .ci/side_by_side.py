"""Run nox sessions side by side: `python .ci/side_by_side.py SESSION ...`.

Most sessions keep one core busy, so as many run at once as there are cores, four at most. They begin in the order
given, and the output of each is printed when it ends. The exit status is 1 if any of them failed.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

MOST = 4  # with more, sessions that run tests on all cores slow each other down


def run_session(name: str) -> tuple[int, str]:
    """Run one session in a new process; return its exit status and output."""
    command = [sys.executable, "-m", "nox", "-s", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def run_all(names: Sequence[str], run: Callable[[str], tuple[int, str]] = run_session, lanes: int = 0) -> list[str]:
    """Run every session, each in the first free lane; return the names of failed ones, in the order given."""

    def report(name: str) -> bool:
        print(f"{name}: begun", flush=True)
        begun = time.monotonic()
        status, output = run(name)
        end = "passed" if status == 0 else f"failed with exit status {status}"
        print(f"{output}\n{name}: {end} after {time.monotonic() - begun:.0f} s\n", end="", flush=True)
        return status == 0

    pool = ThreadPoolExecutor(lanes or max(1, min(MOST, os.cpu_count() or 1)))
    try:
        passed = list(pool.map(report, names))
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C, no further session begins
    return [name for name, good in zip(names, passed) if not good]


if __name__ == "__main__":
    if failed := run_all(sys.argv[1:]):
        sys.exit(f"failed: {', '.join(failed)}")
