"""Runs of programs under the launcher, which end with their ranks, or are killed at a limit."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from itertools import count

from facula_distributed.testing import Program

LIMIT = 120.0
_numbers = count(7 * os.getpid())  # tests of other processes begin elsewhere


def free_port():
    """Return a port that no program uses, below those that the kernel itself gives to connections."""
    while True:
        port = 10_000 + next(_numbers) % 10_000
        with suppress(OSError), socket.socket() as found:
            found.bind(("127.0.0.1", port))
            return port


def begin_program(folder, text, options, arguments, *, is_warm=True, **more):
    """Start the launcher in a folder: in a process that has imported the library, or in a new Python."""
    program = folder / "program.py"
    if not program.exists():  # another run of the test may be reading it
        program.write_text(text)
    command = ["facula_distributed", *options, str(program), *arguments]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder, **more}
    if is_warm:
        return Program(command, **more)
    return subprocess.Popen([sys.executable, "-m", *command], start_new_session=True, **more)


def end(process, limit=LIMIT, given=None):
    """Return the exit code, the output, and the errors; kill all ranks at a limit."""
    ranks = children_of(process.pid)
    try:
        output, errors = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired:
        for pid in [process.pid, *children_of(process.pid)]:  # each leads a session
            os.killpg(pid, signal.SIGKILL)
        raise
    assert not any(map(is_running, ranks))
    return process.returncode, output, errors


def run_program(folder, text, options, arguments, limit=LIMIT, **more):
    """Run a program to its end; return what `end` returns."""
    return end(begin_program(folder, text, options, arguments, **more), limit)


def children_of(pid):
    """Return the running processes that a process started, directly."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [child for child in map(int, file.read().split()) if is_running(child)]
    except OSError:
        return []


def is_running(pid):
    """Return whether a process exists and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
