"""Recorded graphs: a chain forward and backward, and a long one that is built, run and freed."""

from __future__ import annotations

from typing import Any

from ..libraries import Rows, filled
from ..measure import Loop

rows = Rows()
LENGTH, LONG = 100, 100_000


@rows.row("chain of 100 products, forward + backward, an op", 0.5, per=LENGTH)
def chain(F: Any) -> Loop:
    a, b = filled(F, 4, 4, grad=True), filled(F, 4, 4, grad=True)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(LENGTH):
                x = x * b
            x.sum().backward()
            a.grad = b.grad = None

    return loop


@rows.row("the same, forward only, an op", per=LENGTH)
def chain_forward(F: Any) -> Loop:
    a, b = filled(F, 4, 4, grad=True), filled(F, 4, 4, grad=True)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(LENGTH):
                x = x * b

    return loop


@rows.row("100,000 nodes built, backward, freed, an op", 0.5, per=LONG, count=1, rounds=7)
def long_chain(F: Any) -> Loop:
    a = filled(F, 1, grad=True)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(LONG):
                x = x * 1.0001
            x.sum().backward()
            a.grad = None

    return loop


@rows.row("a chain of 1,000 sums whose gradients arrive expanded, an op", 0.5, per=1000)
def expanded_sums(F: Any) -> Loop:
    a, b = filled(F, 4, 4, grad=True), filled(F, 4, 4, grad=True)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(1000):
                x = x + b
            x.sum().backward()
            a.grad = b.grad = None

    return loop


@rows.row("the same with a row of the matrix, broadcast, an op", 0.5, per=1000)
def expanded_rows(F: Any) -> Loop:
    a, row = filled(F, 4, 4, grad=True), filled(F, 4, grad=True)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(1000):
                x = x + row
            x.sum().backward()
            a.grad = row.grad = None

    return loop


@rows.row("the same with transposed gradients, an op", 0.5, per=1000)
def transposed_sums(F: Any) -> Loop:
    a, b = filled(F, 4, 4, grad=True), filled(F, 4, 4, grad=True)
    weights = filled(F, 4, 4)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(1000):
                x = x + b.t()
            (x * weights).sum().backward()
            a.grad = b.grad = None

    return loop
