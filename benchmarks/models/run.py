"""The runner: for each model a process for each column, which take turns; then table, JSON and picture.

Method: all processes of a model train from the same weights on the same batch. After some steps of warming up, they
take turns, a few steps in each round, while the others sleep. Ratios compare steps of the same round, so a machine that
slows down for a while does not change them.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..report import circumstances, write_json
from . import report
from .catalog import MODELS
from .columns import COLUMNS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WARM_UP = 5  # steps: until a capture is replayed, and the compiler has compiled
LIMIT = 400  # seconds for one answer: a compiler that takes longer has failed


class WorkerError(Exception):
    """A process could not do what it should; the message is the reason."""


class Process:
    """A worker process: methods send it a command and return its answer."""

    def __init__(self, model: str, column: str, weights: Path, threads: int, small: bool):
        command = [sys.executable, "-m", f"{__package__}.worker", model, column, str(weights), f"--threads={threads}"]
        counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        environment = {**os.environ, **counts, **COLUMNS[column].environment}
        self.process = subprocess.Popen(
            [*command, *(["--small"] if small else [])], cwd=ROOT, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def tell(self, *words: object) -> dict[str, Any]:
        """Send a command and wait for the answer; raise WorkerError if it contains an error."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(" ".join(map(str, words)).encode() + b"\n")
        stdin.flush()
        if not select.select([stdout], [], [], LIMIT)[0]:
            raise WorkerError(f"no answer to {words[0]} in {LIMIT} s")
        line = stdout.readline()
        if not line:
            raise WorkerError(f"the process ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def measure(name: str, columns: list[str], rounds: int, threads: int, small: bool = False) -> dict[str, Any]:
    """Train a model in all columns, in turns; return seconds, losses, memory and parts, or the error, of each."""
    model, processes = MODELS[name], {}
    found: dict[str, dict[str, Any]] = {}

    def on(key: str, *words: object) -> dict[str, Any]:
        if key not in processes:
            return {}
        try:
            return processes[key].tell(*words)
        except WorkerError as error:
            processes.pop(key).close()
            found[key]["error"] = str(error)
            progress(f"{model.title}: {COLUMNS[key].title} failed: {error}")
            return {}

    def train(key: str, count: int) -> list[float]:
        answer = on(key, "run", count) if count > 0 else {}
        if answer:
            found[key]["losses"] += answer["losses"]
        return answer.get("seconds", [])

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        weights = Path(folder, "weights.npz")
        for key in columns:
            if COLUMNS[key].convolutions and not model.convolutions:
                continue
            progress(f"{model.title}: {COLUMNS[key].title} starts")
            processes[key] = Process(name, key, weights, threads, small)
            stack.callback(processes[key].close)
            found[key] = {"rounds": [], "losses": []}
            found[key].update(on(key, "start"))
            train(key, WARM_UP)
        progress(f"{model.title}: {rounds} rounds of {model.steps * len(processes)} steps")
        for number in range(rounds):
            order = list(processes)
            first = number % max(1, len(order))
            for key in order[first:] + order[:first]:
                if seconds := train(key, model.steps):
                    found[key]["rounds"].append(seconds)
        for key in list(processes):
            found[key].update(on(key, "peak"))
            train(key, report.STEPS - len(found[key]["losses"]))  # for the comparison of losses
        parts = on("facula", "parts")
    batch = f"small: {model.small}" if small else model.batch
    heading = {"model": name, "title": model.title, "batch": batch, "target": model.target}
    return {**heading, "columns": found, "parts": parts}


def progress(text: str) -> None:
    """Show what is being measured."""
    print(text, file=sys.stderr, flush=True)


def bounds(threads: int) -> Mapping[str, float]:
    """Measure the machine with machine.c: GFLOP/s and GB/s of all threads; empty without gcc."""
    if shutil.which("gcc") is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "machine"))
        flags = ["-O3", "-march=native", "-ffp-contract=fast", "-pthread"]
        subprocess.run(["gcc", *flags, str(HERE / "machine.c"), "-o", program], check=True)
        printed = subprocess.run([program, str(threads)], check=True, capture_output=True, text=True).stdout
    return dict(zip(("gflops", "gbytes"), map(float, printed.split())))


def positive(text: str) -> int:
    """Return a number from the command line."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1; got {text!r}")
    return int(text)


def main() -> int:
    """Measure the selected models and columns; return 1 if a loss differs or a column of facula failed, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.models",
        description="Train nine models with facula and with PyTorch, and compare step times, memory and losses.",
        epilog="columns: " + "; ".join(f"{key}: {column.title}" for key, column in COLUMNS.items()),
    )
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="models whose name has TEXT in it")
    parser.add_argument("--columns", default=",".join(COLUMNS), help="a list, separated by commas (default: all)")
    parser.add_argument("--rounds", type=positive, default=15, help="rounds of measured steps (default: %(default)s)")
    parser.add_argument("--threads", type=positive, default=2, help="threads of each process (default: %(default)s)")
    parser.add_argument("--small", action="store_true", help="tiny sizes: checks that everything works")
    parser.add_argument("--list", action="store_true", help="list the models, measure nothing")
    parser.add_argument("--out", type=Path, default=ROOT / "results", help="folder for models.json, .txt and .png")
    options = parser.parse_args()
    columns = options.columns.split(",")
    if unknown := set(columns) - set(COLUMNS):
        parser.error(f"unknown column {', '.join(sorted(unknown))}; known are {', '.join(COLUMNS)}")
    texts = [text.lower() for text in options.only] or [""]
    names = [key for key, model in MODELS.items() if any(text in f"{key} {model.title.lower()}" for text in texts)]
    if not names:
        parser.error("no model has such a name; --list shows them all")
    if options.list:
        print("\n".join(f"{name:10s} {MODELS[name].title:26s} {MODELS[name].batch}" for name in names))
        return 0
    machine = bounds(options.threads)
    where = circumstances("wall") | {"threads": options.threads, "machine": machine}
    results, texts = [], [report.heading(machine)]
    print(texts[0])
    for name in names:
        result = measure(name, columns, options.rounds, options.threads, options.small)
        report.summarize(result, machine)
        results.append(result)
        texts.append(report.text_of(result))
        print(texts[-1], flush=True)
    texts.append(report.conclusion(results))
    print(texts[-1])
    options.out.mkdir(parents=True, exist_ok=True)
    write_json(options.out / "models.json", results, where)
    (options.out / "models.txt").write_text("\n".join(texts) + "\n")
    drawn = report.draw(options.out / "models.png", results)
    print(f"written: {options.out / 'models.json'}, models.txt" + (", models.png" if drawn else ""))
    return int(any(not line.get("agrees", True) for result in results for line in result["columns"].values()))
