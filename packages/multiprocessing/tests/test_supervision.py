"""Processes that detect each other's end."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from facula_multiprocessing._processes.supervision import end_with
from facula_multiprocessing.extend import Stacks, keep_from_children, no_longer_kept

FAMILY = r"""
import multiprocessing, os, sys, time
from facula_multiprocessing._processes.supervision import end_with
from facula_multiprocessing.extend import keep_from_children

def child(life):
    end_with(life)
    os.write(1, b"%d\n" % os.getpid())  # whole, though two write
    time.sleep(1000)

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    for _ in range(2):
        theirs, ours = context.Pipe(duplex=False)
        process = context.Process(target=child, args=(theirs,))
        keep_from_children(ours)
        process.start()
        theirs.close()
        globals().setdefault("held", []).append((ours, process))
    time.sleep(1000)
"""


def gone(pid, within=600.0):
    """Return whether a process ends in time, even if its parent does not join it."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_children_end_with_a_parent_that_is_killed(method, tmp_path):
    program = tmp_path / "family.py"
    program.write_text(FAMILY)
    parent = subprocess.Popen([sys.executable, program, method], stdout=subprocess.PIPE, text=True)
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert all(gone(pid) for pid in children)


def _stuck(stacks, ready):
    stacks.answer()
    ready.send(None)
    time.sleep(1000)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_hanging_process_reports_its_stack(method):
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    stacks = Stacks()
    process = context.Process(target=_stuck, args=(stacks, theirs))
    process.start()
    ours.recv()
    for _ in range(2):  # the second answer is not longer than the first
        stacks.ask(process.pid)
        end = time.monotonic() + 600
        while not stacks.is_complete(process.pid) and time.monotonic() < end:
            time.sleep(0.01)
        assert stacks.read().count("in _stuck") == 1 and "\0" not in stacks.read()
    stranger = Stacks.over(os.dup(stacks.fileno()))
    assert stranger.read() == stacks.read()
    stranger.close()
    process.kill()
    process.join()
    stacks.ask(process.pid)
    assert stacks.read() == ""
    stacks.close()
    stacks.close()


def _answer_in_parts(stacks, link):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])  # as during the handler
    link.recv()
    os.write(stacks._fd, b"a part")
    link.send(None)
    link.recv()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
    link.send(None)
    time.sleep(1000)


def test_an_answer_is_complete_when_the_handler_ends(fork):
    ours, theirs = fork.Pipe()
    stacks = Stacks()
    process = fork.Process(target=_answer_in_parts, args=(stacks, theirs))
    process.start()
    assert not stacks.is_complete(process.pid)  # there is no answer yet
    for whole in (False, True):
        ours.send(None)
        ours.recv()
        assert stacks.read() == "a part" and stacks.is_complete(process.pid) == whole
    process.kill()
    process.join()
    assert not stacks.is_complete(process.pid)
    stacks.close()


def test_ends_are_closed_only_in_a_forked_child():
    read, write = os.pipe()
    end = open(write, "wb")
    keep_from_children(end)
    pid = os.fork()
    if not pid:
        os._exit(0 if end.closed else 1)
    assert os.waitpid(pid, 0)[1] == 0 and not end.closed
    no_longer_kept(end)
    end.close()
    assert os.read(read, 1) == b""
    os.close(read)


def test_a_process_ends_when_the_other_end_is_closed():
    theirs, ours = multiprocessing.Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        ours.close()
        end_with(theirs)
        signal.pause()
        os._exit(0)
    ours.close()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    theirs.close()
