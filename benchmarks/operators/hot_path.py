"""One operator on 4×4, called repeatedly: the overhead of eager code in addition to arithmetic."""

from __future__ import annotations

from typing import Any

from ..libraries import Rows, filled, parameter
from ..measure import Loop

rows = Rows()


@rows.row("a + b", 0.6)
def add(F: Any) -> Loop:
    a, b = filled(F, 4, 4), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a + b

    return loop


@rows.row("a + b, recorded", 0.55)
def add_recorded(F: Any) -> Loop:
    a, b = filled(F, 4, 4, grad=True), filled(F, 4, 4, grad=True)

    def loop(times):
        for _ in times:
            a + b

    return loop


@rows.row("p + b, p a Parameter", 0.55)
def add_parameter(F: Any) -> Loop:
    p, b = parameter(F, 4, 4), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            p + b

    return loop


@rows.row("a + row, broadcast", 0.8)
def add_broadcast(F: Any) -> Loop:
    a, row = filled(F, 4, 4), filled(F, 4)

    def loop(times):
        for _ in times:
            a + row

    return loop


@rows.row("a * 2", 0.35)
def times_two(F: Any) -> Loop:
    a = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a * 2

    return loop


@rows.row("a.add_(b)", 0.45)
def add_in_place(F: Any) -> Loop:
    a, b = filled(F, 4, 4), F.zeros(4, 4)

    def loop(times):
        for _ in times:
            a.add_(b)

    return loop


@rows.row("relu(a)", 0.75)
def relu(F: Any) -> Loop:
    a, relu = filled(F, 4, 4), F.relu

    def loop(times):
        for _ in times:
            relu(a)

    return loop


@rows.row("a @ b", 0.75)
def product(F: Any) -> Loop:
    a, b = filled(F, 4, 4), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a @ b

    return loop


@rows.row("a.view(2, 8)", 0.5)
def view(F: Any) -> Loop:
    a = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a.view(2, 8)

    return loop


@rows.row("a.t()", 0.5)
def transpose(F: Any) -> Loop:
    a = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a.t()

    return loop


@rows.row("a[1]", 0.5)
def select(F: Any) -> Loop:
    a = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a[1]

    return loop


@rows.row("a[1:3]", 1.0)
def part(F: Any) -> Loop:
    a = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            a[1:3]

    return loop
