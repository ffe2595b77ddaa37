"""An operator in parallel to a thread that runs Python code: the cost of releasing the GIL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from threading import Thread
from time import perf_counter
from typing import Any

from ..libraries import Rows, facula, filled
from ..measure import Loop, own_code

rows = Rows()


def adding(F: Any) -> Loop:
    a, b = filled(F, 4, 4), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a + b

    return own_code(loop)


def waited(loop: Loop, times: Iterable) -> float:
    """Return microseconds of wall time, which includes waiting for the GIL."""
    start = perf_counter()
    loop(times)
    return (perf_counter() - start) * 1e6


def alone(F: Any) -> Loop:
    return partial(waited, adding(F))


def beside(F: Any) -> Loop:
    loop = adding(F)

    def spinning(times):
        stop = []

        def spin():
            while not stop:
                pass

        thread = Thread(target=spin, daemon=True)
        thread.start()
        try:
            return waited(loop, times)
        finally:
            stop.append(None)
            thread.join()

    return spinning


# Long rounds: the GIL changes hands every 5 ms.
ours = partial(alone, facula)
rows.row("a + b beside a spinning thread, other: alone", 3.0, against=ours, reference="facula alone", seconds=0.2)(
    beside
)
rows.row("a + b beside a spinning thread", seconds=0.2)(beside)
