"""Runs a function on several ranks: forked processes of a test, which are killed at a limit."""

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


class Failed(AssertionError):
    """A rank that raised."""


def _child(function, rank, size, address, arguments, pipe, options):
    os.setsid()
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


def run(size, function, *arguments, limit=LIMIT, **options):
    """Return the results of a function on each rank; raise if one raised."""
    found = finish(start(size, function, *arguments, **options), limit)
    for rank, one in enumerate(found):
        if one is None or one[0] == "error":
            raise Failed(f"rank {rank}: {one and one[2]}")
    return [one[1] for one in found]


def errors(size, function, *arguments, limit=LIMIT, **options):
    """Return the messages of the errors of each rank; None where there was none."""
    found = finish(start(size, function, *arguments, **options), limit)
    return [one and (one[1] if one[0] == "error" else None) for one in found]
