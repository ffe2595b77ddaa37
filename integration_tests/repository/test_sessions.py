"""Parallel sessions: all of them run, in order, several at once in free lanes, and failed ones are named."""

import re
import threading

import pytest


@pytest.fixture(scope="module")
def program(root, load_script):
    return load_script(root / ".ci" / "side_by_side.py")


def test_two_lanes_run_at_once(program):
    """Each of the first two waits until the other has started: with one lane they would never end."""
    both = threading.Barrier(2, timeout=600)

    def run(name):
        if name in "ab":
            both.wait()
        return 0, ""

    assert program.run_all("abc", run, lanes=2) == []


def test_one_lane_keeps_the_order(program):
    begun = []
    program.run_all("cab", lambda name: (begun.append(name) or 0, ""), lanes=1)
    assert begun == ["c", "a", "b"]


def test_failed_sessions_are_named_and_the_others_run(program, capsys):
    answers = {"a": (0, "fine"), "b": (3, "said why"), "c": (0, "fine, too"), "d": (1, "")}
    assert program.run_all(answers, answers.__getitem__, lanes=2) == ["b", "d"]
    printed = capsys.readouterr().out
    assert re.search(r"said why\nb: failed with exit status 3 after \d+ s\n", printed)
    assert re.search(r"fine, too\nc: passed after", printed)


def test_an_interrupt_begins_nothing_new(program, monkeypatch):
    """Check that the lane stops after the running session or the next one."""
    begun, cancelled = [], threading.Event()
    shutdown = program.ThreadPoolExecutor.shutdown

    def cancel(pool, **how):
        shutdown(pool, wait=False, **how)
        cancelled.set()
        shutdown(pool)

    monkeypatch.setattr(program.ThreadPoolExecutor, "shutdown", cancel)

    def run(name):
        begun.append(name)
        if name == "a":
            raise KeyboardInterrupt
        cancelled.wait()
        return 0, ""

    with pytest.raises(KeyboardInterrupt):
        program.run_all("abcdefgh", run, lanes=1)
    assert begun in (["a"], ["a", "b"])
