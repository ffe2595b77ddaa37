"""Reports of the results: a line for each row, JSON, and a chart."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

Line = dict  # a Result in JSON, with `hit`; or name, target and error
HEADING = f"{'':58s} {'facula µs':>11s} {'other µs':>11s} {'ratio':>6s} {'spread':>11s} {'target':>6s}"


def text_of(line: Line) -> str:
    """Format one row of the table.

    >>> text_of({"name": "a + b", "target": 0.6, "hit": False, "error": "ValueError: no"})
    'a + b                                                      failed: ValueError: no'
    """
    name = line["name"]
    if "error" in line:
        return f"{name:58s} failed: {line['error']}"
    verdict = {None: "", True: "hit", False: "MISS"}[line["hit"]]
    target = "" if line["target"] is None else f"{line['target']:.2f}"
    spread = f"{line['ratio_least']:.2f}-{line['ratio_most']:.2f}"
    text = f"{name:58s} {line['ours']:11,.3f} {line['theirs']:11,.3f} {line['ratio']:6.2f} {spread:>11s} {target:>6s}"
    other = "" if line["reference"] == "PyTorch" else f"  (other: {line['reference']})"
    units = "" if line.get("units") is None else f"{line['units']:6.1f} units "
    return f"{text} {units}{verdict}{other}".rstrip()


def summary(lines: Sequence[Line]) -> str:
    """Return the number of rows that reach their target, and the names of the others."""
    aimed = [line for line in lines if line["hit"] is not None]
    missed = [line for line in aimed if not line["hit"]]
    head = f"{len(aimed) - len(missed)} of {len(aimed)} rows reach their target"
    reasons = [
        f"  missed: {line['name']}: "
        + ("failed" if "error" in line else f"{line.get('units') or line['ratio']:.2f}, target {line['target']:.2f}")
        for line in missed
    ]
    return "\n".join([head, *reasons])


def farthest(lines: Sequence[Line], count: int = 10) -> str:
    """Return the rows with the largest ratios of their units to their bounds; empty if no row has units.

    >>> line = {"name": "sort", "units": 60.0, "target": 40.0, "ours": 4e3, "theirs": 3e4}
    >>> print(farthest([line]))
    farthest from their bounds (units, bound):
      1.5   sort                                                        60.0   40.0
    """
    found = [line for line in lines if line.get("units") is not None and line["target"]]
    found.sort(key=lambda line: line["target"] / line["units"])
    rows = [
        f"  {line['units'] / line['target']:<5.1f} {line['name']:58s} {line['units']:5.1f}  {line['target']:5.1f}"
        for line in found[:count]
    ]
    return "\n".join(["farthest from their bounds (units, bound):", *rows]) if rows else ""


def circumstances(clock: str) -> dict:
    """Return the machine, the versions, the date and the commit of the measurement."""
    ours = ("facula", "torch", "numpy")
    packages = {found.name: found.version for found in distributions() if found.name.startswith(ours)}
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = (
        subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() if shutil.which("git") else ""
    )
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit,
        "python": platform.python_version(),
        "packages": dict(sorted(packages.items())),
        "processor": processor,
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "threads": 1,
        "clock": clock,
    }


def write_json(path: Path, lines: Sequence[Line], where: dict) -> None:
    """Write all figures, in microseconds, and the circumstances."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"circumstances": where, "rows": list(lines)}, indent=1) + "\n")


def draw_chart(path: Path, lines: Sequence[Line]) -> bool:
    """Draw a bar for each row's ratio, with its target; return False if matplotlib is not installed."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [line for line in lines if "error" not in line and line["reference"] == "PyTorch"][::-1]
    figure, axes = pyplot.subplots(figsize=(9, 0.8 + 0.3 * len(shown)), layout="constrained")
    colours = {True: "#3a7d44", None: "#7a8ca0", False: "#c0504d"}
    ratios = [line["ratio"] for line in shown]
    places, widest = range(len(shown)), min(2.5, max([1.0, *ratios]))  # longer bars are cut, with the number
    axes.barh(
        places, [min(ratio, widest) for ratio in ratios], height=0.62, color=[colours[line["hit"]] for line in shown]
    )
    for place, line in enumerate(shown):
        end = min(widest, max(line["ratio"], line["target"] or 0))
        axes.text(end + 0.02, place, f"{line['ratio']:.2f}", va="center", fontsize=8)
        if line["target"] is not None:
            axes.plot([line["target"]] * 2, [place - 0.4, place + 0.4], color="black", linewidth=1.6)
    axes.axvline(1, color="#888888", linewidth=1, linestyle="--")
    axes.set_yticks(places, [line["name"] for line in shown], fontsize=8)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlim(0, widest + 0.2)
    axes.set_xlabel("time of facula / time of PyTorch (less is better; black: target; dashed: PyTorch)")
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return True
