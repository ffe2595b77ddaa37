"""Helpers for tests that send arrays."""

import gc
import multiprocessing
import os
import signal
import time

import numpy as np

from facula_multiprocessing._transfer import sharing as _sharing
from facula_multiprocessing._transfer.reductions import INLINE

METHODS = multiprocessing.get_all_start_methods()
LARGE = INLINE // 8 + 1  # numbers of an array that goes through shared memory


def taken():
    """Return the bytes of this process's arena that have holders."""
    gc.collect()
    return _sharing.arena_usage()[0]


def figures(*others):
    """Return the figures that must not grow: reserved bytes of this process's arena, and descriptors of all processes.

    Less is no surprise: idle pages of earlier tests go after a while.
    """
    gc.collect()  # allocated by earlier tests
    places = ["/proc/self/fd", *(f"/proc/{process.pid}/fd" for process in others)]
    return _sharing._current.own().ledger.arena.reserved, *(len(os.listdir(place)) for place in places)


def grown(before, now):
    return any(one > other for one, other in zip(now, before, strict=True))


def eventually(condition, within=600.0):
    end = time.monotonic() + within
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def answer(inbox, outbox):
    """Send back each message with its sum, until None comes."""
    while (message := inbox.get()) is not None:
        outbox.put((message, float(message.sum())))


def hold(inbox, ready):
    held = inbox.get()
    ready.put(len(held))
    signal.pause()


def leave(outbox, wait):
    outbox.put(np.zeros(LARGE))
    if wait:
        wait.get()
