"""The time that a captured step spends outside of its launches: `python -m benchmarks.outside_launches`.

Launches are timed twice: each alone (`graph.times()`), with its operands in the cache, and all of a replay in
sequence, as a profiler measures the one call into C. The remaining time is Python's, in the eager step as in the
captured one. The targets are a tenth of it; for small steps the launches alone, 2 µs, and 0.1 µs for each parameter
(`own` counts the program's tensors: these, an optimizer's state, accumulated gradients); and 10 eager steps for
capturing.
"""

from __future__ import annotations

import argparse
import gc
from cProfile import Profile
from statistics import median
from typing import Any

from .libraries import facula
from .measure import CLOCKS, Clock, Loop, enough, own_code, timed
from .steps.captures import RUNS, STEPS

ROUNDS, SECONDS, PROFILED = 11, 0.05, 200


def account(begin: Any, clock: str) -> tuple[float, ...]:
    """Return the times of a step in microseconds, and the number of the program's tensors.

    The times are those of an eager step, a captured one, its launches in sequence and alone, and the cost of
    capturing.
    """
    step, *batch = begin(facula)
    other, *others = begin(facula)
    captured = facula.capture(other, on_break="error")
    for _ in range(RUNS):
        step(*batch)
        captured(*others)

    def capturing(times):
        for _ in times:
            facula.capture(step, on_break="error")(*batch)

    now = CLOCKS[clock]
    loops: list[Loop] = [own_code(calls(step, *batch)), own_code(calls(captured, *others)), capturing]
    counts = [enough(loop, SECONDS, now) for loop in loops]
    times: list[list[float]] = [[], [], [], [], []]
    for _ in range(ROUNDS):
        gc.collect()
        for loop, count, found in zip(loops, counts, times, strict=False):
            found.append(timed(loop, count, now))
        times[3].append(in_turn(loops[1], now))
        times[4].append(sum(captured.graph().times()) * 1e6)
    eager, replayed, capture, turn, alone = map(median, times)
    own = sum(value.kind == "own" for value in captured.graph().values)
    return eager, replayed, turn, alone, capture - eager, own


def calls(function: Any, *arguments: Any) -> Loop:
    """Return a loop of calls."""

    def loop(times):
        for _ in times:
            function(*arguments)

    return loop


def in_turn(loop: Loop, now: Clock) -> float:
    """Return the microseconds of the call into C that replays all launches."""
    profile = Profile(now)
    profile.enable()
    loop(range(PROFILED))
    profile.disable()
    return sum(one.inlinetime for one in profile.getstats() if "Sequence" in str(one.code)) / PROFILED * 1e6


def main() -> None:
    """Measure all captured steps and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outside_launches", description=__doc__.split("\n")[0])
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    clock = parser.parse_args().clock
    facula.set_num_threads(1)
    heads = ("eager", "captured", "in turn", "gone", "alone", "own", "over alone", "capturing")
    print(f"{'us a step':46s}", *[f"{head:>10s}" for head in heads])
    for name, _, begin in STEPS:
        eager, captured, turn, alone, capture, own = account(begin, clock)
        gone = 1 - (captured - turn) / (eager - turn)
        figures = f"{eager:10.1f} {captured:10.1f} {turn:10.1f} {gone:10.0%} {alone:10.1f} {own:10.0f}"
        print(f"{name:46s} {figures} {captured - alone:10.1f} {capture / eager:4.1f} eager", flush=True)


if __name__ == "__main__":
    main()
