"""Captures detect changed state under other users of the interpreter's events: tools, threads, a Ctrl-C."""

import random
import signal
import sys
import threading
import time

import pytest

import facula

MONITORING = getattr(sys, "monitoring", None)


def tools():
    return [] if MONITORING is None else [MONITORING.get_tool(number) for number in range(6)]


@pytest.fixture
def all_taken():
    taken = [number for number, name in enumerate(tools()) if name is None]
    for number in taken:
        MONITORING.use_tool_id(number, "another tool")
    yield
    for number in taken:
        MONITORING.free_tool_id(number)


def results_of_changes(check=0):
    """Return the results of a function whose state changes twice: 4, 6, 15 if every change is detected."""
    box = {"v": 2.0}

    class Scale:
        k = 2.0

    captured = facula.capture(lambda x: x * box["v"] * Scale.k, check=check)
    found = [captured(facula.ones(1)).item() for _ in range(3)]
    box["v"] = 3.0
    found.append(captured(facula.ones(1)).item())
    Scale.k = 5.0
    found.append(captured(facula.ones(1)).item())
    return found


def test_state_is_compared_where_other_tools_have_taken_all_places(all_taken):
    assert results_of_changes() == [4.0, 4.0, 4.0, 6.0, 15.0]


def test_state_is_compared_under_a_tracer_of_the_program():
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        found = results_of_changes()
    finally:
        sys.settrace(before)
    assert found == [4.0, 4.0, 4.0, 6.0, 15.0]


def test_threads_capture_at_once():
    found, interval = [], sys.getswitchinterval()

    def work():
        for _ in range(5):
            try:
                found.append(results_of_changes())
            except BaseException as error:
                found.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    sys.setswitchinterval(1e-5)
    try:
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [[4.0, 4.0, 4.0, 6.0, 15.0]] * 40
    assert not any(one == "facula_jit" for one in tools())


def test_a_thread_that_waits_in_vain_captures_later(monkeypatch):
    if MONITORING is None:
        pytest.skip("tracers of Python 3.11 are those of one thread")
    monkeypatch.setattr("facula_jit._guards.events.MAX_WAIT", 0.01)
    began, end = threading.Event(), threading.Event()

    @facula.jit.allow
    def pause():
        began.set()
        end.wait(30)

    def slow(x):
        pause()
        return x * 2

    other = threading.Thread(target=lambda: facula.capture(slow)(facula.ones(1)))
    other.start()
    assert began.wait(30)
    captured = facula.capture(lambda x: x * 3, check=0)
    found = [captured(facula.ones(1)).item() for _ in range(2)]
    assert "another thread is capturing" in captured.report()
    end.set()
    other.join()
    found += [captured(facula.ones(1)).item() for _ in range(3)]
    assert found == [3.0] * 5
    assert "replayed" in captured.report()


def test_an_interrupt_leaves_no_tool_behind():
    before, draw = tools(), random.Random(0)

    def interrupt(*_):
        raise KeyboardInterrupt

    started = time.perf_counter()
    results_of_changes()
    duration, hits = time.perf_counter() - started, 0
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(150):
            try:
                signal.setitimer(signal.ITIMER_REAL, max(1e-6, draw.random() * duration))
                results_of_changes()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                hits += 1
            assert tools() == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert hits > 30
    assert results_of_changes() == [4.0, 4.0, 4.0, 6.0, 15.0]
