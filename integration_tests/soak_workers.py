"""Loaders whose workers are killed at random moments, and loaders over many epochs: no hangs and no leaks.

A run is a pass with random settings, during which random workers get SIGKILL. It ends in a WorkerError or, if the
policy replaces workers, with every batch except those for which two workers died. Delivered batches are correct, and
stay so while they are referenced. After each run every worker is gone; after all runs /dev/shm is as before, and
descriptors and resident memory are as after the first tenth. The epochs are those of a small loader, with persistent
and with new workers. A run that hangs ends the program and prints the stacks of all threads.

    python soak_workers.py [--runs 500] [--epochs 1000] [--seed 0] [--limit 8.0]
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from facula_data import DataLoader, WorkerError

PATIENCE = 600  # time limit of a run, in seconds
SHARED = Path("/dev/shm")
COUNT, SIZE, WIDTH = 160, 8, 512
SLOW = ("forkserver", "spawn")  # whose workers take half a second to start


class Rows:
    """Rows that contain their index, returned after a short delay."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[int, np.ndarray]:
        time.sleep(0.0003)
        return index, np.full(WIDTH, index * 7919 % 1009, np.float32)


class Problem(Exception):
    """A violated condition."""


def check(condition: object, problem: str) -> None:
    """Raise Problem unless the condition holds."""
    if not condition:
        raise Problem(problem)


def check_batch(indices: np.ndarray, rows: np.ndarray) -> None:
    """Raise Problem unless each row is that of its index."""
    check((rows == (indices * 7919 % 1009)[:, None]).all(), f"a batch of {indices.tolist()} has other samples' rows")


def workers() -> list[int]:
    """Return the live processes of loaders."""
    return [one.pid for one in multiprocessing.active_children() if one.name.startswith("facula worker")]


def is_alive(pid: int) -> bool:
    """Return whether a process runs; an ended one that was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def held_by_others() -> set[str]:
    """Return the files of /dev/shm that other processes map or have open."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            found.update(
                line.split()[-1] for line in (process / "maps").read_text().splitlines() if "/dev/shm/" in line
            )
            found.update(os.readlink(link) for link in (process / "fd").iterdir())
        except OSError:  # it has ended, or belongs to another user
            continue
    return found


def left_in_shared_memory(before: set[str]) -> set[str]:
    """Return new files of /dev/shm that no other program uses."""
    new = {str(path) for path in SHARED.iterdir()} - before
    for _ in range(3):
        new = {path for path in new - held_by_others() if os.path.exists(path)} if new else new
        if not new:
            break
        time.sleep(1.0)
    return new


def descriptors() -> int:
    """Return the number of descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


def resident() -> int:
    """Return the bytes of this process in resident memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Killer:
    """Sends SIGKILL to random workers, each after a random batch of the pass and a random time."""

    def __init__(self, chance: random.Random, kills: int, start: float) -> None:
        self._chance = chance
        self._after = sorted(chance.randrange(COUNT // SIZE) for _ in range(kills))
        self._start = start
        self._timers: list[threading.Timer] = []
        self.killed: list[int] = []

    def delivered(self, batches: int, pids: list[int]) -> None:
        """Kill the workers that are due after this number of batches."""
        while self._after and self._after[0] <= batches:
            delay = self._chance.uniform(0, self._start if self._after.pop(0) == 0 else 0.005)
            if pids:
                pid = self._chance.choice(pids)
                timer = threading.Timer(delay, self._kill, [pid, os.pidfd_open(pid)])
                timer.start()
                self._timers.append(timer)

    def _kill(self, pid: int, descriptor: int) -> None:
        with suppress(ProcessLookupError):
            if is_alive(pid):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)  # never another process that reuses the id
                self.killed.append(pid)
        os.close(descriptor)

    def join(self) -> None:
        """Wait for all kills that are due at a time."""
        for timer in self._timers:
            timer.join()


def kill_run(chance: random.Random, method: str) -> str:
    """Run one pass with random settings whose workers are killed, and describe how it ended."""
    policy = chance.choice(["raise", "skip"])
    loader = DataLoader(
        Rows(), SIZE, shuffle=True, seed=chance.randrange(1 << 32), num_workers=chance.randint(1, 3),
        multiprocessing_context=method, on_error=policy, persistent_workers=chance.random() < 0.5,
        prefetch_factor=chance.randint(1, 4), timeout=chance.choice([0, 30]),
    )  # fmt: skip
    order = loader.sampler.order(0).tolist()
    expected = [order[first : first + SIZE] for first in range(0, COUNT, SIZE)]
    killer = Killer(chance, chance.randint(1, 3), 1.0 if method in SLOW else 0.03)
    seen: set[int] = set()
    held: list[tuple[np.ndarray, np.ndarray]] = []
    delivered: list[list[int]] = []
    failure: WorkerError | None = None
    batches = iter(loader)
    while True:
        pids = workers()
        seen.update(pids)
        killer.delivered(len(delivered), pids)
        try:
            indices, rows = next(batches)
        except StopIteration:
            break
        except WorkerError as error:
            failure = error
            break
        check_batch(indices, rows)
        delivered.append(indices.tolist())
        if chance.random() < 0.2:
            held.append((rows, indices.copy()))
        del indices, rows
    killer.join()
    while held:
        rows, indices = held.pop()
        check_batch(indices, rows)
        del rows
    if failure is not None:
        check(policy == "raise", f"workers were to be replaced; got {failure}")
        check(failure.pid in killer.killed, f"process {failure.pid} ended by itself: {failure}")
        check(
            "SIGKILL" in str(failure) and "memory" in str(failure), f"expected the signal and its cause; got {failure}"
        )
        check(delivered == expected[: len(delivered)], "batches before the error are others, or in another order")
        check(loader.state_dict()["position"] == SIZE * len(delivered), "the state counts other samples than came")
    else:
        missing = [batch for batch in expected if batch not in delivered]
        check(
            delivered == [batch for batch in expected if batch in delivered], "batches are others, or in another order"
        )
        check(2 * len(missing) <= len(killer.killed), f"{len(killer.killed)} kills lost the batches {missing}")
        check(policy == "skip" or not missing, f"lost without a word: {missing}")
    raised, failure = failure is not None, None
    del batches, loader
    seen.update(workers())
    gc.collect()
    until = time.monotonic() + 60
    while any(map(is_alive, seen)) and time.monotonic() < until:
        time.sleep(0.01)
    check(not any(map(is_alive, seen)), f"workers are left: {[pid for pid in seen if is_alive(pid)]}")
    if raised:
        return "error"
    lost = len(expected) - len(delivered)
    return f"{lost} batches lost" if lost else "all batches" if killer.killed else "no kill"


def killing(options: argparse.Namespace) -> Iterator[Callable[[], str]]:
    """Run the passes with kills, some of them with a start method whose workers start slowly."""
    chance = random.Random(options.seed)
    for number in range(options.runs):
        method = SLOW[number % 20] if number % 20 < len(SLOW) else "fork"
        yield lambda method=method: kill_run(chance, method)


def epochs(options: argparse.Namespace, keep: bool) -> Iterator[Callable[[], str]]:
    """Run the epochs of a small loader."""
    loader = DataLoader(
        np.arange(32, dtype=np.float32), 8, shuffle=True, seed=0, num_workers=2, persistent_workers=keep,
        multiprocessing_context="fork",
    )  # fmt: skip

    def epoch() -> str:
        values = np.concatenate(list(loader))
        check(sorted(values.tolist()) == list(range(32)), "an epoch has other samples")
        return "whole"

    for _ in range(options.epochs):
        yield epoch


def soak(name: str, runs: Iterator[Callable[[], str]], count: int, limit: float) -> bool:
    """Do the runs under a watchdog, and compare leaks with those after the first tenth."""
    ends: Counter[str] = Counter()
    shared = {str(path) for path in SHARED.iterdir()}
    begun = time.monotonic()
    measured: list[tuple[int, int]] = []
    for number, run in enumerate(runs):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            ends[run()] += 1
        except Problem as problem:
            print(f"{name}: run {number}: {problem}")
            return False
        if number in (max(2, count // 10), count - 1):
            gc.collect()
            measured.append((descriptors(), resident()))
    faulthandler.cancel_dump_traceback_later()
    del run, runs
    gc.collect()
    start, end = measured[0], measured[-1]
    left = left_in_shared_memory(shared)
    added = (end[1] - start[1]) / 2**20
    print(
        f"{name}: {count} in {time.monotonic() - begun:.0f} s, {dict(sorted(ends.items()))}; descriptors {start[0]} to "
        f"{end[0]}, memory {added:+.2f} MB, left in {SHARED}: {sorted(left) or 'nothing'}, processes: {workers()}"
    )
    return end[0] <= start[0] and added <= limit and not left and not workers()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500, help="passes with kills")
    parser.add_argument("--epochs", type=int, default=1000, help="epochs of each small loader")
    parser.add_argument("--seed", type=int, default=0, help="of settings, moments and victims")
    parser.add_argument("--limit", type=float, default=8.0, help="MB (2**20 bytes) that may be added")
    options = parser.parse_args()
    good = soak("kills", killing(options), options.runs, options.limit)
    good &= soak("epochs, workers stay", epochs(options, True), options.epochs, options.limit)
    good &= soak("epochs, new workers", epochs(options, False), options.epochs, options.limit)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
