"""Runs functions on several ranks: forked processes, which are killed at a limit.

`run` sends functions to ranks that it starts once for each number of ranks, so a test costs no start. After an error
they are started again. `start`, and options of `init_process_group`, start new ranks.
"""

import atexit
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from datetime import timedelta
from multiprocessing import get_context
from multiprocessing.connection import wait

import facula_distributed as dist

TIMEOUT = timedelta(seconds=120)
LIMIT = 300.0
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
ERROR_SECONDS = 2.0  # for other ranks to answer after one has raised


class Failed(AssertionError):
    """A rank that raised."""


def _child(function, rank, size, address, arguments, pipe, options):
    os.setsid()
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    try:
        dist.init_process_group("gloo", address, rank=rank, world_size=size, **{"timeout": TIMEOUT, **options})
        found = function(rank, *arguments)
        if dist.is_initialized():
            dist.destroy_process_group()
        pipe.send(("result", found))
    except BaseException as error:
        text = traceback.format_exc()
        pipe.send(("error", f"{type(error).__name__}: {error}", text))
    finally:
        pipe.close()
        sys.stdout.flush()
        os._exit(0)


def start(size, function, *arguments, address=None, **options):
    """Start a function on each rank, as `function(rank, *arguments)` in a group; return processes and pipes."""
    context = get_context("fork")
    if address is None:
        address = f"file://{tempfile.mkdtemp(prefix='facula-test-')}/group"
    started = []
    for rank in range(size):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=_child, args=(function, rank, size, address, arguments, theirs, options), daemon=True
        )
        process.start()
        theirs.close()
        process.address = address
        started.append((process, ours))
    return started


def finish(started, limit=LIMIT):
    """Return what each rank sent: ("result", value), ("error", message, traceback), or None if it was killed."""
    end = time.monotonic() + limit
    found = [None] * len(started)
    pending = {pipe: rank for rank, (_, pipe) in enumerate(started)}
    while pending and time.monotonic() < end:
        for pipe in wait(list(pending), max(0.0, end - time.monotonic())):
            try:
                found[pending[pipe]] = pipe.recv()
            except EOFError:
                pass
            del pending[pipe]
    for process, _ in started:
        process.join(max(0.1, min(30.0, end - time.monotonic())))
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
    folder = os.path.dirname(started[0][0].address.removeprefix("file://"))
    if "facula-test-" in folder:
        shutil.rmtree(folder)
    assert not pending, f"ranks {sorted(pending.values())} hang"
    return found


def _serve(rank, calls):
    """Run functions that the test sends, and send their results."""
    while (call := calls[rank].recv()) is not None:
        function, arguments = call
        try:
            sent = ("result", function(rank, *arguments))
        except BaseException as error:
            sent = ("error", f"{type(error).__name__}: {error}", traceback.format_exc())
        calls[rank].send(sent)


class _Pool:
    """Ranks that run functions."""

    def __init__(self, size):
        context = get_context("fork")
        ours, theirs = zip(*(context.Pipe() for _ in range(size)), strict=True)
        self.pipes, self.started = ours, start(size, _serve, theirs)

    def call(self, function, arguments, limit):
        for pipe in self.pipes:
            pipe.send((function, arguments))
        end, found = time.monotonic() + limit, [None] * len(self.pipes)
        pending = {pipe: rank for rank, pipe in enumerate(self.pipes)}
        while pending and time.monotonic() < end:
            for pipe in wait(list(pending), max(0.0, end - time.monotonic())):
                rank = pending.pop(pipe)
                found[rank] = pipe.recv()
                if found[rank][0] == "error":  # the others may wait for this one
                    end = min(end, time.monotonic() + ERROR_SECONDS)
        return [one or ("error", "no answer", "no answer") for one in found]

    def kill(self):
        for process, _ in self.started:
            os.killpg(process.pid, signal.SIGKILL)
        finish(self.started)

    def end(self):
        for pipe in self.pipes:
            pipe.send(None)
        finish(self.started)


_pools = {}


@atexit.register
def _end_pools():
    while _pools:
        _pools.popitem()[1].end()


def run(size, function, *arguments, limit=LIMIT, **options):
    """Return the results of a function on each rank; raise if one raised."""
    if options:
        found = finish(start(size, function, *arguments, **options), limit)
    else:
        pool = _pools.pop(size, None) or _Pool(size)
        found = pool.call(function, arguments, limit)
        if any(one[0] == "error" for one in found):
            pool.kill()
        else:
            _pools[size] = pool
    failed = [f"rank {rank}: {one and one[2]}" for rank, one in enumerate(found) if one is None or one[0] == "error"]
    if failed:
        raise Failed("\n".join(failed))
    return [one[1] for one in found]


def errors(size, function, *arguments, limit=LIMIT, **options):
    """Return the messages of the errors of each rank; None where there was none."""
    found = finish(start(size, function, *arguments, **options), limit)
    return [one and (one[1] if one[0] == "error" else None) for one in found]
