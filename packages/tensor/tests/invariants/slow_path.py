"""Counts of work that a repeated call must avoid: slow-path entries, new plans, and computed windows of views."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import facula_tensor as ft
from facula_storage import Layout
from facula_tensor._dispatch.slow_path.inplace import slow_inplace
from facula_tensor._dispatch.slow_path.planning import find_plan, make_plan
from facula_tensor._dispatch.slow_path.slow_call import slow_call
from facula_tensor.extend import operators
from facula_tensor.ops.shape import slicing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IN_PLACE = slow_inplace.__code__
SLOW = {slow_call.__code__, IN_PLACE, find_plan.__code__}
OF_NO_OPERATOR = {"slow_setitem": "setitem", "_step.<locals>.slow_call": "optimizer step"}  # by qualified names
PLANNING = make_plan.__code__
UNKEPT = {"as_strided", "index", "select", "slice"}  # views whose windows are cheap and computed in each call
WINDOWS = {
    **{op.window.__code__: name for name, op in operators.items() if op.window is not None and name not in UNKEPT},
    **{
        find.__code__: find.__name__
        for find in (slicing._unbind_windows, slicing._split_windows, slicing._chunk_windows)
    },
}


@contextmanager
def calls(seen: Callable[[Any], object]) -> Iterator[None]:
    """Call `seen(frame)` at the beginning of each Python function inside the block."""
    sys.setprofile(lambda frame, event, arg: seen(frame) if event == "call" else None)
    try:
        yield
    finally:
        sys.setprofile(None)


class Entry(NamedTuple):
    """An operator that entered the slow path or requested a plan from it, and its operands or their layouts."""

    operator: Any
    operands: tuple
    inplace: bool

    @property
    def layouts(self) -> list[Layout]:
        """The layouts of the tensor operands."""
        tensors = [operand._layout if isinstance(operand, ft.Tensor) else operand for operand in self.operands]
        return [tensor for tensor in tensors if isinstance(tensor, Layout)]

    @property
    def numbers(self) -> list[type]:
        """The types of the other operands."""
        others = [operand if isinstance(operand, type) else type(operand) for operand in self.operands]
        return [kind for kind in others if kind in (bool, int, float, complex)]

    def __str__(self) -> str:
        return self.operator.name + ("_" if self.inplace else "")


class Watch:
    """Records slow-path entries inside the block, and in `planned` the operators for which a plan is made.

    `others`: entries of slow paths without an operator. `windows`: views whose windows are computed.

    It compares code objects, so it recognizes a function in any closure or table.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.planned: list[str] = []
        self.others: list[str] = []
        self.windows: list[str] = []

    def __enter__(self) -> Watch:
        sys.setprofile(self._called)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.setprofile(None)

    def _called(self, frame: Any, event: str, arg: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code in SLOW:
            op, operands = (frame.f_locals[name] for name in code.co_varnames[:2])
            self.entries.append(Entry(op, operands, code is IN_PLACE))
        elif code.co_qualname in OF_NO_OPERATOR:
            self.others.append(OF_NO_OPERATOR[code.co_qualname])
        elif code in WINDOWS:
            self.windows.append(WINDOWS[code])
        elif code is PLANNING:
            self.planned.append(frame.f_locals[code.co_varnames[0]].name)


def slow_calls(function: Callable[[], object]) -> list[str]:
    """Return the operators that enter the slow path in a call."""
    with Watch() as watch:
        function()
    return [str(entry) for entry in watch.entries]
