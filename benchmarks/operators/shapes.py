"""Shapes that never repeat: the cost of a new signature, without growth of the caches.

The rows share a process on purpose: all but the first find the tables of layouts and plans full, as in a program that
has seen many shapes.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from ..libraries import Rows, filled
from ..measure import Loop, own_code
from ..steps.perceptron import plain_step

if TYPE_CHECKING:
    from collections.abc import Callable

rows = Rows()
TARGET = 1.5
WIDTHS = (16, 16, 16, 10)
BATCHES = 1200


def shuffled(items: list) -> list:
    """Return the items in an order that is the same for both libraries."""
    random.Random(0).shuffle(items)
    return items


def small_shapes() -> list[tuple[int, ...]]:
    """Return some 150,000 different shapes of four dimensions, 2,048 elements at most: kernels stay short."""
    most = 2048
    return shuffled(
        [
            (i, j, k, m)
            for i in range(1, most + 1)
            for j in range(1, most // i + 1)
            for k in range(1, most // (i * j) + 1)
            for m in range(1, most // (i * j * k) + 1)
        ]
    )


@rows.row("empty(s) + empty(s), a new shape s", TARGET, count=3000)
def add(F: Any) -> Loop:
    shapes, empty = iter(small_shapes()), F.empty

    def loop(times):
        for _, shape in zip(times, shapes, strict=False):
            empty(shape) + empty(shape)

    return loop


@rows.row("x[:k] + y[:k], a new k", TARGET, count=2000)
def add_parts(F: Any) -> Loop:
    lengths = shuffled(list(range(1, 40_000)))
    x, y, lengths = filled(F, 40_000), filled(F, 40_000), iter(lengths)

    def loop(times):
        for _, k in zip(times, lengths, strict=False):
            x[:k] + y[:k]

    return loop


@rows.row("x[:k] + row, broadcast, a new k", TARGET, count=150)
def add_broadcast(F: Any) -> Loop:
    lengths = shuffled(list(range(1, 2500)))
    x, row, lengths = filled(F, 2500, 16), filled(F, 16), iter(lengths)

    def loop(times):
        for _, k in zip(times, lengths, strict=False):
            x[:k] + row

    return loop


@rows.row("zeros(1, k) + x[:k], a new k", TARGET, count=2000)
def add_row(F: Any) -> Loop:
    lengths = shuffled(list(range(2, 40_000)))
    x, zeros, lengths = filled(F, 40_000), F.zeros, iter(lengths)

    def loop(times):
        for _, k in zip(times, lengths, strict=False):
            zeros(1, k) + x[:k]

    return loop


@rows.row("zeros(1, k) + zeros(8, k), a new k", TARGET, count=1000)
def add_rows(F: Any) -> Loop:
    lengths = shuffled(list(range(2, 20_000)))
    zeros, lengths = F.zeros, iter(lengths)

    def loop(times):
        for _, k in zip(times, lengths, strict=False):
            zeros(1, k) + zeros(8, k)

    return loop


def of_rows(title: str, function: Callable[[Any, Any], Any]) -> None:
    """Add a row: a function of a matrix that has another number of rows in each call."""

    @rows.row(f"{title}, a new k", TARGET, count=400)
    def measure(F: Any) -> Loop:
        lengths = shuffled(list(range(2, 6000)))
        x, lengths = filled(F, 6000, 16), iter(lengths)

        def loop(times):
            for _, k in zip(times, lengths, strict=False):
                function(F, x[:k])

        return loop


of_rows("x[:k].sum(1)", lambda F, x: x.sum(1))
of_rows("x[:k].sum(0)", lambda F, x: x.sum(0))
of_rows("x[:k].max(1)", lambda F, x: x.max(1))
of_rows("x[:k].softmax(1)", lambda F, x: x.softmax(1))
of_rows("x[:k].log_softmax(0)", lambda F, x: x.log_softmax(0))
of_rows("x[:k].flip(0)", lambda F, x: x.flip(0))
of_rows("x[:k] @ x[:2].T", lambda F, x: x @ x[:2].T)
of_rows("x[:k].roll(1, 0)", lambda F, x: x.roll(1, 0))
of_rows("x[:k].repeat(2, 1)", lambda F, x: x.repeat(2, 1))
of_rows("x[:k].topk(2)", lambda F, x: x.topk(2))
of_rows("pad(x[:k], (1, 1))", lambda F, x: F.nn.functional.pad(x, (1, 1)))
of_rows("layer_norm(x[:k])", lambda F, x: F.nn.functional.layer_norm(x, (16,)))
of_rows("max_pool1d(x[:k], 2)", lambda F, x: F.nn.functional.max_pool1d(x, 2))


@rows.row("x = cat((x, one)), longer each time", TARGET, count=1000)
def cat_grows(F: Any) -> Loop:
    cat, one = F.cat, F.ones(1)
    x = one

    def loop(times):
        nonlocal x
        for _ in times:
            x = cat((x, one))

    return loop


@rows.row("x[i], i from 0 to 99,999", TARGET, per=100_000, count=1, rounds=7)
def rows_of_a_matrix(F: Any) -> Loop:
    x = filled(F, 100_000, 4)

    def loop(times):
        for _ in times:
            for i in range(100_000):
                x[i]

    return loop


@rows.row("MLP 16-16-16-10, a new batch size each step", TARGET, count=60)
def perceptron(F: Any) -> Loop:
    pixels, targets = filled(F, BATCHES, WIDTHS[0]), F.zeros(BATCHES, WIDTHS[-1])
    targets[:, 3] = 1
    step = own_code(plain_step(F, WIDTHS))
    sizes = iter(shuffled(list(range(1, BATCHES))))

    def loop(times):
        for _, batch in zip(times, sizes, strict=False):
            step(pixels[:batch], targets[:batch])

    return loop
