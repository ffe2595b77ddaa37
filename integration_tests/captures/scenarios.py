"""The table of changed state: kinds of state, ways to read them, and the programs that combine both.

A scenario is a separate program: a module whose function `f` reads some state, and lines that change that state
between calls. `twins` runs it eagerly and captured. The kinds are in the modules `state_*` and in the texts of
`programs`; a row contains

* the name, the lines that create the state, the lines that change it, the expressions that read it, and
* the behaviour of a capture: a replay FOLLOWS the change, the function RECAPTURES, or the state BREAKS the capture.

The lines that change the state run twice: with V = 3 and, after more calls, with V = 2, the initial value.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

FOLLOWS, RECAPTURES, BREAKS = "follows", "recaptures", "breaks"

PRELUDE = """\
import abc, array, asyncio, bisect, builtins, collections, contextlib, contextvars, copy, ctypes, dataclasses
import datetime, decimal, enum, fractions, functools, gc, heapq, importlib, inspect, io, itertools, json, logging
import math, operator, os, pickle, queue, random, re, secrets, statistics, string, struct, sys, tempfile, threading
import time, types, uuid, weakref
from typing import NamedTuple

import numpy as np

import facula
import facula.nn as nn
import facula.nn.functional as F

V = 2


class Box:
    def __init__(self, k=2):
        self.k = k

    def get(self):
        return self.k


X = facula.tensor([0.5, 1.0, 2.0])
"""

# How the program reaches the state: {read} is replaced by the expression that reads it.
WAYS = {
    "direct": """
def f(x):
    return x * ({read})
""",
    "helper": """
def helper():
    return {read}
def f(x):
    return x * helper()
""",
    "comprehension": """
def f(x):
    return x * [({read}) for _ in range(2)][1]
""",
    "generator": """
def f(x):
    return sum(x * ({read}) for _ in range(2))
""",
    "nested": """
def f(x):
    def inner():
        return {read}
    return x * inner()
""",
    "method": """
class Reader:
    def read(self):
        return {read}
READER = Reader()
def f(x):
    return x * READER.read()
""",
    "property": """
class Reader:
    @property
    def factor(self):
        return {read}
READER = Reader()
def f(x):
    return x * READER.factor
""",
    "map": """
def f(x):
    return x * list(map(lambda _: {read}, [0]))[0]
""",
    "reduce": """
def f(x):
    return x * functools.reduce(lambda total, _: total * ({read}), [1, 2], 1)
""",
    "forward": """
class Reading(nn.Module):
    def forward(self, x):
        return x * ({read})
f = Reading()
""",
    "keyword": """
def scaled(x, *, factor):
    return x * factor
def f(x):
    return scaled(x, factor={read})
""",
    "loop": """
def f(x):
    for number in range(2):
        try:
            x = x * ({read})
        finally:
            x = x + number
    return x
""",
    "manager": """
class Scaled:
    def __enter__(self):
        return {read}
    def __exit__(self, *error):
        return False
def f(x):
    with Scaled() as factor:
        return x * factor
""",
    "decorator": """
def wrapped(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) * ({read})
    return wrapper
@wrapped
def f(x):
    return x + 1
""",
    "training": """
WEIGHT = facula.ones(3, requires_grad=True)
def f(x):
    WEIGHT.grad = None
    (WEIGHT * x * ({read})).sum().backward()
    return WEIGHT.grad.clone()
""",
    "gradient": """
def f(x):
    return facula.func.grad(lambda y: (y * y * ({read})).sum())(x)
""",
    "operator": """
class Scale(facula.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * ({read})
    @staticmethod
    def backward(ctx, gradient):
        return gradient
def f(x):
    return Scale.apply(x)
""",
    "context": """
@contextlib.contextmanager
def scaled():
    yield {read}
def f(x):
    with scaled() as factor:
        return x * factor
""",
    "bound": """
class Owner:
    def f(self, x):
        return x * ({read})
f = Owner().f
""",
    "callable": """
class Owner:
    def __call__(self, x):
        return x * ({read})
f = Owner()
""",
    "matched": """
def f(x):
    match {read}:
        case factor if factor is not None:
            return x * factor
""",
    "delegated": """
def inner():
    yield {read}
def outer():
    yield from inner()
def f(x):
    return x * next(outer())
""",
    "recursion": """
def power(number):
    return 1 if number == 0 else power(number - 1) * ({read})
def f(x):
    return x * power(2)
""",
    # Ways for plain numbers only: Python reads no elements of tensors, and classes wait for the garbage collector.
    "class": """
def f(x):
    class Local:
        factor = {read}
    return x * Local.factor
""",
    "branch": """
def f(x):
    if ({read}) > 2.5:
        return x * 7
    return x - 1
""",
    "sorted": """
def f(x):
    return x * sorted(range(12), key=lambda value: abs(value - ({read})))[0]
""",
    "choice": """
TABLE = [lambda x: x + 1, lambda x: x * 2, lambda x: x - 3]
def f(x):
    return TABLE[int({read}) % 3](x) * ({read})
""",
    "shape": """
def f(x):
    return facula.ones(int({read}), 3) * x
""",
    "text": """
def f(x):
    return x * float(f"{{{read}}}")
""",
}
NUMBERS_ALONE = ("class", "branch", "sorted", "choice", "shape", "text")
# Ways in which requires_grad of the state appears in the result.
RECORDED = ("direct", "helper", "comprehension", "nested", "method", "map", "forward", "keyword", "manager")


class Kind(NamedTuple):
    """A kind of state: how it is created, changed and read, and how a capture reacts to a change.

    Attributes:
        setup: lines of the module; V is 2.
        change: lines that run in the module between calls, with V = 3, later with V = 2.
        reads: expressions that read the state, of numbers near V or of tensors; () if `setup` defines `f`.
        behaviour: FOLLOWS, RECAPTURES or BREAKS.
        ways: how the expressions are reached: "numbers" for all ways, "tensors" for those of tensors, or names.
        observe: an expression of state that the function changes; its value is compared after each call.
        args: an expression of the arguments of a call.
        undo: lines that restore process-wide state.
        files: modules next to the program, which it imports.
        varies: results differ between calls without a change, because the function advances the state itself.
        compares: False if the two runs cannot agree (clocks): the test then only checks that results vary.
    """

    name: str
    setup: str
    change: str
    reads: tuple[str, ...]
    behaviour: str
    ways: str | tuple[str, ...] = "numbers"
    observe: str = "None"
    args: str = "(facula.tensor([1.0, 2.0, 3.0]),)"
    undo: str = ""
    files: dict[str, str] = {}  # noqa: RUF012  # never changed
    varies: bool = False
    compares: bool = True


class Scenario(NamedTuple):
    """One program of the table: a kind, one of its reads, and a way."""

    kind: Kind
    read: str
    way: str

    @property
    def name(self) -> str:
        return f"{self.kind.name}, {self.way}" + (f": {self.read}" if len(self.kind.reads) > 1 else "")

    @property
    def source(self) -> str:
        """Return the module's source; only the lines that use `f` differ between ways."""
        body = "" if self.way == "own" else WAYS[self.way].format(read=self.read)
        return f"{PRELUDE}\n{self.kind.setup.strip()}\n{body}"


def ways_of(kind: Kind, at: int, count: int) -> list[str]:
    """Return `count` ways that a kind allows; the choice depends only on its name and the read's index."""
    if isinstance(kind.ways, tuple):
        allowed = list(kind.ways)
    else:
        allowed = [way for way in WAYS if kind.ways == "numbers" or way not in NUMBERS_ALONE]
    begin = crc32(kind.name.encode()) + 7 * at
    return [allowed[(begin + 5 * number) % len(allowed)] for number in range(min(count, len(allowed)))]


def scenarios_of(kind: Kind) -> list[Scenario]:
    """Return the scenarios of a kind: the first read directly and in further ways, each other read in one way."""
    if not kind.reads:
        return [Scenario(kind, "", "own")]
    first = dict.fromkeys(["direct"] * (not isinstance(kind.ways, tuple)) + ways_of(kind, 0, 3))
    found = [Scenario(kind, kind.reads[0], way) for way in first]
    return found + [Scenario(kind, read, ways_of(kind, at, 1)[0]) for at, read in enumerate(kind.reads) if at]


def table() -> list[Scenario]:
    """Return all scenarios."""
    import programs
    import state_names
    import state_objects
    import state_outside
    import state_process
    import state_tensors
    import state_training

    kinds: list[Kind] = []
    for module in (state_names, state_objects, state_outside, state_process, state_tensors, state_training):
        kinds += [one if isinstance(one, Kind) else Kind(*one) for one in module.KINDS]
    kinds += programs.kinds()
    return [scenario for kind in kinds for scenario in scenarios_of(kind)]
