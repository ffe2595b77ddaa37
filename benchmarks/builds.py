"""Comparison of two builds of facula: the rows' own loops, in alternating processes, one for each build.

    python -m benchmarks.builds FOLDER [--group NAME] [--only TEXT] [--clock cpu]

FOLDER has the packages of the other build, as `pip install --target` writes them; `nox -s bench -- --against COMMIT`
creates it. The ratio of a row is the median of its rounds' ratios. Rows above LIMIT are measured twice more: a row
above it in two of three runs is slower, and makes the exit status 1, as does a geometric mean above 1.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

from .measure import CLOCKS, enough, own_code, timed
from .run import GROUPS, HERE, ONE_THREAD

LIMIT, ROUNDS, SECONDS = 1.05, 15, 0.01
# Rows of these time processes, bytes or other libraries instead of facula's code.
WITHOUT = {
    "memory", "allocator", "peaks", "files", "imports", "loading", "queues", "distributed", "threads", "functions",
}  # fmt: skip


class Build:
    """A process that runs rows of one build: `make` a row's loop, then `time` it."""

    def __init__(self, folder: str, clock: str) -> None:
        environment = {**os.environ, **ONE_THREAD}
        if folder:
            environment["PYTHONPATH"] = os.pathsep.join([folder, environment.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "benchmarks.builds", "--serve", clock]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, cwd=HERE.parent, env=environment, **pipes)

    def ask(self, question: str) -> str:
        """Return the process's answer; empty if it has none."""
        self.process.stdin.write(f"{question}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


def serve(clock: str) -> None:
    """Answer `make MODULE PLACE` with the turns of a round, and `time COUNT` with microseconds a turn."""
    answers, sys.stdout = sys.stdout, sys.stderr  # keep the rows' output out of the answers
    now, loop, per = CLOCKS[clock], None, 1
    for line in sys.stdin:
        what, *given = line.split()
        answer: object = ""
        if what == "make":
            row = importlib.import_module(f"benchmarks.{given[0]}").rows[int(given[1])]
            try:
                loop, per = own_code(row.ours()), row.per
                answer = row.count or enough(loop, SECONDS, now)
            except Exception as error:  # names that this build lacks
                print(f"{row.name}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            answer = timed(loop, int(given[0]), now) / per
        print(answer, file=answers, flush=True)


def ratio(builds: tuple[Build, Build], module: str, place: int) -> float | None:
    """Return the time in this build relative to the other one, or None if either cannot run the row."""
    counts = [build.ask(f"make {module} {place}") for build in builds]
    if not all(counts):
        return None
    count = min(map(int, counts))
    ratios = []
    for number in range(ROUNDS):
        order = (0, 1) if number % 2 else (1, 0)
        times = {which: float(builds[which].ask(f"time {count}")) for which in order}
        ratios.append(times[0] / times[1])
    return statistics.median(ratios)


def compare(folder: str, groups: list[str], only: list[str], clock: str) -> int:
    """Print each row's ratio, the geometric mean and slower rows; return 1 if there are any."""
    builds = (Build("", clock), Build(folder, clock))
    known, slower = [], []
    for name, module in {group.name: group.module for group in GROUPS if group.name not in WITHOUT}.items():
        if groups and name not in groups:
            continue
        for place, row in enumerate(importlib.import_module(f"benchmarks.{module}").rows):
            if only and not any(text.lower() in row.name.lower() for text in only):
                continue
            found = ratio(builds, module, place)
            if found is None:
                print(f"{name:12s} {row.name:48s} not in both", flush=True)
                continue
            runs = [found]
            while runs[0] > LIMIT and len(runs) < 3:
                runs.append(ratio(builds, module, place) or math.nan)
            if sum(one > LIMIT for one in runs) > 1:
                slower.append(row.name)
            known.append(statistics.median(runs))
            shown = " ".join(f"{one:.3f}" for one in runs)
            print(f"{name:12s} {row.name:48s} {shown}{'  slower' * (row.name in slower)}", flush=True)
    if not known:
        print("no row has such a name; python -m benchmarks --list shows them all")
        return 1
    mean = statistics.geometric_mean(known)
    print(f"\n{len(known)} rows: geometric mean {mean:.3f}; above {LIMIT} in two of three runs: {slower or 'none'}")
    return int(bool(slower) or mean > 1)


def main() -> int:
    """Compare, or serve."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds", description="Compare two builds of facula.")
    parser.add_argument("folder", nargs="?", type=Path, help="the packages of the other build")
    parser.add_argument("--group", action="append", default=[], metavar="NAME", help="groups by their module's name")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows whose name has TEXT in it")
    parser.add_argument("--clock", choices=CLOCKS, default="cpu", help="wall: on a quiet machine; see README.md")
    parser.add_argument("--serve", choices=CLOCKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    if options.folder is None or not (options.folder / "facula").is_dir():
        parser.error("folder: expected a folder with the packages of another build")
    return compare(str(options.folder.resolve()), options.group, options.only, options.clock)


if __name__ == "__main__":
    sys.exit(main())
