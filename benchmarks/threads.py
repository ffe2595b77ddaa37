"""An operator beside a thread that spins in Python code: what giving the interpreter away costs."""

from __future__ import annotations

from functools import partial
from threading import Thread
from time import perf_counter
from typing import Any

from .libraries import Rows, facula, filled
from .measure import Loop, own_code

rows = Rows()


def alone(F: Any) -> Loop:
    a, b = filled(F, 4, 4), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a + b

    return own_code(loop)


def beside(F: Any) -> Loop:
    adding = alone(F)

    def loop(times):
        stop = []

        def spin():
            while not stop:
                pass

        thread = Thread(target=spin, daemon=True)
        thread.start()
        try:
            start = perf_counter()
            adding(times)
            return (perf_counter() - start) * 1e6
        finally:
            stop.append(None)
            thread.join()

    return loop


# Long rounds: the interpreter changes hands every 5 ms.
rows.row("a + b beside a spinning thread, against alone", 3.0, against=partial(alone, facula), reference="facula alone",
         seconds=0.2)(beside)  # fmt: skip
rows.row("a + b beside a spinning thread", seconds=0.2)(beside)
