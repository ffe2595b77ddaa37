"""A deterministic thread switch: at a chosen point where Python may switch threads, a tensor's memory is replaced.

Python may switch threads when a function begins, after a call, and at a jump back in a loop; never between plain
loads. A trace function counts these points inside the library and acts at one of them. The tests thus try each
position of a single switch, always in the same order.
"""

from __future__ import annotations

import sys
from opcode import opname
from typing import Any

POINTS = {code for code, name in enumerate(opname) if name.startswith(("CALL", "PRECALL", "JUMP_BACKWARD"))}
LIBRARY = ("facula_tensor", "facula_autograd", "facula_storage", "facula_cpu")


def of_library(frame: Any, library: tuple[str, ...] = LIBRARY) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in library


class Switch:
    """Calls `act` at point `number` (from 0) inside the block; `reached` tells if that point exists."""

    def __init__(self, number: int, act: Any, library: tuple[str, ...] = LIBRARY):
        self.left, self.act, self.library, self.reached = number, act, library, False

    def __enter__(self) -> Switch:
        sys.settrace(self._called)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.settrace(None)

    def _point(self) -> None:
        if self.left == 0 and not self.reached:
            self.reached = True
            sys.settrace(None)
            self.act()
        self.left -= 1

    def _called(self, frame: Any, event: str, arg: Any) -> Any:
        if not of_library(frame, self.library):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        code, before = frame.f_code.co_code, [0]

        def step(frame: Any, event: str, arg: Any) -> Any:
            if event == "opcode":
                if before[0] in POINTS:
                    self._point()
                before[0] = code[frame.f_lasti]
            return step

        self._point()
        return step


def in_all_orders(call: Any, act: Any, most: int = 1000, every: int = 1) -> Any:
    """Yield the result or the exception of `call()` for each point at which `act` can run."""
    for number in range(0, most, every):
        with Switch(number, act) as switch:
            try:
                result = call()
            except Exception as error:
                result = error
        yield number, result
        if not switch.reached:
            return
    raise AssertionError(f"more than {most} points")
