"""The worker's side of worker processes: a process makes batches until its parent ends or stops it.

Note [Two threads]: one thread receives messages, the other makes batches. The parent's messages therefore never wait
for a slow sample, and the worker detects the parent's end at once: the pipe closes, and the process exits.
"""

from __future__ import annotations

import os
import signal
import traceback
from queue import SimpleQueue
from threading import Thread
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_multiprocessing.extend import Writer

from .._batches.current_sample import mark_in
from .._memory import make_with
from .jobs import BEGIN

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from facula_multiprocessing.extend import Arena, Stacks

    from .jobs import Job, Make

    Task = tuple[int, Any, list[int]]  # a ticket, its unit, and the blocks that were freed


class Failure(NamedTuple):
    """An error in a worker: the exception if it can be pickled, its type's name, and its traceback as text."""

    error: BaseException | None
    name: str
    text: str


def work(number: int, job: Job, link: Connection, arena: Arena, stacks: Stacks) -> None:
    """Make batches of the units received through `link`, in order, and reply with their location in memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends its workers
    stacks.answer()
    tasks: SimpleQueue[Task | None] = SimpleQueue()
    Thread(target=_receive, args=(link, tasks), daemon=True, name="facula: tasks").start()
    writer = Writer(arena)
    make_with(writer.empty)
    mark_in(arena.bytes_at(0, 8).data.cast("q"))
    make: Make | None = None
    failure: Failure | None = None
    first = True
    while (task := tasks.get()) is not None:
        ticket, unit, gone = task
        for offset in gone:
            arena.give(offset)
        if ticket == BEGIN:
            try:
                make, failure = job.begin(number, *unit, first=first, own_process=True), None
            except BaseException as error:
                make, failure = None, _failure(error)
            first = False
            continue
        result: object = failure
        begun = perf_counter_ns()
        if make is not None:
            try:
                result = make(unit)
            except BaseException as error:
                result = _failure(error)
        try:
            data, blocks = writer.encode(result)
        except BaseException as error:
            error.add_note(
                "DataLoader: a batch must be picklable to be sent from a worker to the program; raised sending one"
            )
            data, blocks = writer.encode(_failure(error))
        del result
        times = begun, perf_counter_ns(), getattr(make, "collating", 0.0)
        try:
            link.send((ticket, blocks, writer.overflowed, times, data))
        except OSError:  # the parent has ended or closed the link
            os._exit(1)


def _receive(link: Connection, tasks: SimpleQueue[Task | None]) -> None:
    try:
        while True:
            task = link.recv()
            tasks.put(task)
            if task is None:
                return
    except BaseException:  # the parent has ended
        os._exit(1)


def _failure(error: BaseException) -> Failure:
    import pickle

    text = "".join(traceback.format_exception(error))
    name = type(error).__qualname__
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return Failure(None, name, text)
    return Failure(error, name, text)
