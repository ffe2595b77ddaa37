"""Tensors through queues between two processes, the second of which is a fork."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import torch.multiprocessing

import facula.multiprocessing  # noqa: F401  which facula loads late

from ..libraries import Rows
from ..measure import Loop

rows = Rows()
LARGE = 16 << 20  # number of elements: 64 MB
MANY = 10_000
SMALL = 10  # number of elements


class Echo:
    """A process that answers each series of messages with an element of the last tensor."""

    def __init__(self, F: Any, messages: int = 1) -> None:
        context = F.multiprocessing.get_context("fork")
        self.there, self.back = context.Queue(), context.SimpleQueue()
        self.process = context.Process(target=answer, args=(self.there, self.back, messages), daemon=True)
        self.process.start()


def answer(inbox: Any, outbox: Any, messages: int) -> None:
    """Receive a number of messages, send the last element of the last one, and repeat."""
    while True:
        for _ in range(messages):
            got = inbox.get()
        last = got[-1]
        while last.ndim:
            last = last[-1]
        outbox.put(float(last))
        del got, last


def turns_of(echo: Echo, make: Any) -> Loop:
    """Return a loop that sends tensors of `make`, of which only the sending is timed, until the answer arrives."""

    def loop(turns):
        taken = 0.0
        for _ in turns:
            messages = make()
            begun = perf_counter()
            for message in messages:
                echo.there.put(message)
            message = None
            assert echo.back.get() == 1.0
            taken += perf_counter() - begun
            del messages
        return taken * 1e6

    return loop


@rows.row("a new tensor of 64 MB, to a process and its answer", 0.5, count=3, rounds=9)
def _(F):
    return turns_of(Echo(F), lambda: [F.ones(LARGE)])


@rows.row("a shared tensor of 64 MB, to a process and its answer", 1 / 3, count=200, rounds=9)
def _(F):
    tensor = F.ones(LARGE).share_memory_()
    return turns_of(Echo(F), lambda: [tensor])


@rows.row("10,000 small tensors, one a message", 1 / 3, count=1, rounds=5)
def _(F):
    return turns_of(Echo(F, MANY), lambda: (F.ones(SMALL) for _ in range(MANY)))


def by_files() -> Loop:
    """Share PyTorch's memory by files, since descriptors run out here. The setting is never reset: the last row."""
    torch.multiprocessing.set_sharing_strategy("file_system")
    return in_one(torch)


def in_one(F: Any) -> Loop:
    """Return a loop that sends a list of tensors in one message."""
    return turns_of(Echo(F), lambda: [[F.ones(SMALL) for _ in range(MANY)]])


rows.row("10,000 small tensors in one message (PyTorch: files)", against=by_files, count=1, rounds=5)(in_one)
