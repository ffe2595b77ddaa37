"""The runner: a separate process for each group of rows, one after the other; then table, JSON and chart."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from . import report
from .measure import CLOCKS

HERE = Path(__file__).resolve().parent
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Settings of a C library that keep freed memory: memory.py also compares with these.
TUNED_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 36)}


class Group(NamedTuple):
    """A module with `rows`, and environment variables for its process."""

    module: str
    title: str
    environment: Mapping[str, str] = MappingProxyType({})

    @property
    def name(self) -> str:
        """The module's name without its folder."""
        return self.module.rpartition(".")[2]


# Row modules of packages that depend on the previous ones.
GROUPS = (
    Group("operators.hot_path", "One operator, 4×4"),
    Group("operators.small_calls", "Small calls of other families"),
    Group("operators.views", "Parts and views, 4×4"),
    Group("operators.creation", "New tensors, and numbers out of them"),
    Group("operators.shapes", "Shapes that never repeat"),
    Group("operators.graphs", "Graphs"),
    Group("operators.functions", "Derivatives of NumPy functions"),
    Group("steps.training", "Training"),
    Group("steps.networks", "Modules, optimizers, loaders"),
    Group("steps.captures", "Captured steps"),
    Group("processes.loading", "Loaders with workers"),
    Group("processes.queues", "Tensors to other processes"),
    Group("processes.distributed", "Collective operations of several processes"),
    Group("operators.kernels", "Kernels of the CPU"),
    Group("limit", "Distances to the machine's limit, in units of x + 1"),
    Group("operators.expressions", "Operators declared as expressions"),
    Group("allocation.memory", "Large results"),
    Group("allocation.memory", "Large results, PyTorch on a tuned malloc", TUNED_MALLOC),
    Group("profiling", "Profiles"),
    Group("allocation.allocator", "Blocks of memory"),
    Group("allocation.peaks", "Memory reserved, MiB"),
    Group("processes.threads", "Threads"),
    Group("files", "Files"),
    Group("imports", "Import"),
)


def results_of(group: Group, arguments: list[str]) -> Iterator[report.Line]:
    """Yield the results of a group as they arrive; a group whose process dies is one failed row."""
    command = [sys.executable, "-m", f"{__package__}.group", group.module, *arguments]
    environment = {**os.environ, **ONE_THREAD, **group.environment}
    with subprocess.Popen(command, cwd=HERE.parent, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        name = f"{group.module}: the process ended with status {process.returncode}"
        yield {"name": name, "target": None, "hit": False, "error": "see above"}


def main() -> int:
    """Measure the selected rows; return 1 if a row failed, 0 otherwise: a missed target is a finding, not an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compare facula with PyTorch.")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows whose name has TEXT in it")
    parser.add_argument("--group", action="append", default=[], metavar="NAME", help="groups by their module's name")
    parser.add_argument("--effort", type=float, default=1.0, help="factor for rounds and times (default: 1)")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a busy machine; see README.md")
    parser.add_argument("--list", action="store_true", help="list rows and targets, measure nothing")
    parser.add_argument("--out", type=Path, help="folder for bench.json and bench.png; default: results/, of all rows")
    options = parser.parse_args()

    known = {group.name for group in GROUPS}
    if unknown := set(options.group) - known:
        parser.error(f"unknown group {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    arguments = [f"--effort={options.effort}", f"--clock={options.clock}", *(f"--only={text}" for text in options.only)]
    if options.list:
        arguments.append("--list")
    where = report.circumstances(options.clock)
    if not options.list:
        print(report.HEADING)
    lines: list[report.Line] = []
    for group in GROUPS:
        if options.group and group.name not in options.group:
            continue
        headed = False
        for line in results_of(group, arguments):
            if not headed:
                print(f"\n{group.title}", flush=True)
                headed = True
            if options.list:
                print(f"  {line['name']:60s} {line['target'] or ''}", flush=True)
            else:
                print(report.text_of(line), flush=True)
                lines.append(line | {"group": group.title})
    if options.list:
        return 0
    if not lines:
        parser.error("no row has such a name; --list shows them all")
    print(f"\n{report.summary(lines)}\n{report.farthest(lines)}".rstrip())
    if options.out is None and (options.only or options.group):
        print("a part of the rows: nothing written without --out")
    else:
        folder = options.out or HERE.parent / "results"
        report.write_json(folder / "bench.json", lines, where)
        drawn = report.draw_chart(folder / "bench.png", lines)
        print(f"written: {folder / 'bench.json'}" + (", bench.png" if drawn else "; no chart without matplotlib"))
    return int(any("error" in line for line in lines))
