"""A process that trains one model in one way, on commands: `python -m benchmarks.models.worker MODEL COLUMN WEIGHTS`.

It reads a command a line and answers with a line of JSON: `run COUNT` trains, `peak` returns the largest size of the
process, `parts` divides a step into operators, which changes the weights. Between commands it waits for input, asleep.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

from .catalog import MODELS
from .columns import COLUMNS
from .training import load_weights, save_weights


def peak_memory() -> float:
    """Return the largest resident size of this process so far, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


class Worker:
    """A model in training, in this process; the weights are read from a file, or written if it does not exist."""

    def __init__(self, model: str, column: str, weights: Path, threads: int, small: bool):
        chosen = MODELS[model]
        self.F = F = importlib.import_module(COLUMNS[column].library)
        F.set_num_threads(threads)
        F.manual_seed(0)
        self.imported = peak_memory()
        training = chosen.build(F, **(chosen.small if small else {}))
        if weights.exists():
            load_weights(F, training.model, str(weights))
        else:
            save_weights(training.model, str(weights))
        self.step, training = COLUMNS[column].prepare(F, training)
        self.batch = training.batch
        ours = F.__name__ == "facula"
        self.algorithm = F.backends.cpu.convolution if ours and chosen.convolutions else "direct" if ours else None

    def run(self, count: str) -> dict[str, list[float]]:
        """Train for some steps; return the seconds and the loss of each."""
        seconds, losses = [], []
        for _ in range(int(count)):
            start = perf_counter()
            loss = self.step(*self.batch)
            seconds.append(perf_counter() - start)
            losses.append(loss.item())
        return {"seconds": seconds, "losses": losses}

    def peak(self) -> dict[str, float]:
        """Return the largest size of the process so far, and that after the import, in MiB."""
        return {"peak": peak_memory(), "imported": self.imported}

    def parts(self) -> dict[str, Any]:
        """Return the FLOP of a step of facula, and launches, seconds, FLOP and bytes of its operators by name.

        Each launch is timed alone, so the rest of a step's time was spent between launches.
        """
        counter_of = importlib.import_module("facula.utils.flop_counter")
        with counter_of.FlopCounterMode(display=False) as counter:
            self.step(*self.batch)
        again = self.F.capture(self.step, on_break="error")
        for _ in range(3):
            again(*self.batch)
        graph = again.graph()
        sums: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0])
        for call, seconds in zip(graph.calls, graph.times(), strict=True):
            for place, more in enumerate((1, seconds, call.flops, call.bytes_moved)):
                sums[call.operator][place] += more
        return {"flops": counter.get_total_flops(), "operators": sums}


def main() -> None:
    """Answer commands until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("column", choices=COLUMNS)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="the sizes of the tests")
    options = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    worker = None
    for line in sys.stdin:
        command, *arguments = line.split()
        try:
            if command == "start":
                worker = Worker(options.model, options.column, options.weights, options.threads, options.small)
                answer: dict[str, Any] = {"algorithm": worker.algorithm}
            else:
                answer = getattr(worker, command)(*arguments)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
