"""Sources of recordings: their events, starts that fail or are interrupted, the contents of memory."""

import ctypes
import sys
import threading
from typing import ClassVar

import pytest
from launch_testing import Operators, names, plan_of

from facula_profiler import Kind, profile
from facula_profiler._recording import sources as registry
from facula_profiler._recording.recording import Recording, running
from facula_profiler._sources.loaded import loaded
from facula_profiler._trace.records import SIZES


@pytest.fixture
def source():
    """Return a class of sources that counts calls, registered for the test."""

    class Counting:
        calls: ClassVar = []

        def start(self, recorder):
            self.calls.append("start")
            type(self).recorder = recorder

        def stop(self):
            self.calls.append("stop")

    Counting.calls.clear()
    registry.sources.append(Counting)
    yield Counting
    registry.sources.remove(Counting)


def test_sources_report_events(source):
    """Check Python sources, the function for C, lanes, names and links."""
    report = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(Recording.address)
    report(Kind.TASK, 0, 1, 2, 3)  # without a recording: ignored
    operators = Operators(add=plan_of("add", lambda *args: report(Kind.TASK, 1, now(), now(), 7)))
    with profile(with_modules=True) as prof:
        recorder = source.recorder
        now = recorder.now
        assert recorder.options["with_modules"] and recorder.options["activities"] >= {"CPU"}
        lane = recorder.lane("device", "stream 3")
        cause = recorder.event(Kind.REPLAY, "step", now(), now())
        recorder.event(Kind.KERNEL, "matmul", now(), now(), lane=lane, link=cause, value=12)
        report(Kind.COPY | (recorder.name("to host") + 1) << 8, -1, now(), now(), 400)
        operators.call("add")
        token = recorder.begin(Kind.MODULE, "Net.fc")
        recorder.end(token)
        recorder.end(token)
        recorder.categorize({64: ("parameter", 8, -1)})
    trace = prof.trace
    assert source.calls == ["start", "stop"]
    assert [lane.label for lane in trace.lanes] == ["MainThread", "worker 1", "stream 3"]
    assert names(trace) == ["step", "to host", "aten::add", "Net.fc", "aten::add", "matmul"]
    task, kernel = trace.of_kind(Kind.TASK)[0], trace.of_kind(Kind.KERNEL)[0]
    assert (trace.events["link"][task], trace.events["value"][task]) == (2, 7)
    assert (trace.events["link"][kernel], trace.events["value"][kernel]) == (0, 12)
    assert [contents for _, contents in trace.categories] == [{64: "parameter"}]
    assert trace.metadata[SIZES] == {64: (8, -1)}
    assert [event.name for event in prof.events()] == ["step", "to host", "aten::add", "Net.fc", "matmul"]
    assert recorder.event(Kind.RANGE, "late", 0, 1) == -1


def test_threads_without_the_gil_report_events(source):
    """Several threads of C call at the same time as profiles stop: ctypes releases the GIL around calls."""
    report = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(Recording.address)
    done = threading.Event()

    def work():
        while not done.is_set():
            report(Kind.TASK, 2, 5, 6, 7)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            with profile(capacity=32) as prof:
                pass
            assert set(prof.trace.events["value"].tolist()) <= {7}
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_a_source_that_fails_is_named(source):
    class Failing:
        def start(self, recorder):
            raise KeyError("pool")

        def stop(self):
            pass

    registry.sources.insert(0, Failing)
    try:
        with pytest.warns(UserWarning, match=r"profile: .*Failing cannot observe: KeyError: 'pool'"), profile():
            pass
    finally:
        registry.sources.remove(Failing)
    assert source.calls == ["start", "stop"]


@pytest.mark.parametrize("place", ["recording.add_observer", "memory.observe_blocks", "start of a source"])
def test_an_interrupted_start_leaves_no_observer(source, place, monkeypatch):
    """A Ctrl-C arrives after an observer was added, and before the call returns."""

    def interrupted(act):
        def call(*arguments):
            act(*arguments)
            raise KeyboardInterrupt

        return call

    if place == "start of a source":
        monkeypatch.setattr(source, "start", interrupted(source.start))
    else:
        module, _, name = place.partition(".")
        module = sys.modules[f"facula_profiler._recording.{module}"]
        monkeypatch.setattr(module, name, interrupted(getattr(module, name)))
    operators = Operators(add=plan_of())
    before = operators.tables["add"].by_key["key"]
    with pytest.raises(KeyboardInterrupt):
        profile(profile_memory=True).start()
    assert source.calls in ([], ["start", "stop"])
    assert running() is None
    assert operators.tables["add"].by_key["key"] is before
    monkeypatch.undo()
    with profile(profile_memory=True) as prof:
        operators.call("add")
    assert names(prof.trace) == ["aten::add"]


def test_contents_are_bounded():
    with profile(profile_memory=True, capacity=64) as prof:
        for step in range(100):
            running().categorize({step * 1000 + place: ("parameter", 8, -1) for place in range(20)})
    trace = prof.trace
    assert len(trace.categories) == 3 and sorted(trace.categories[-1][1]) == list(range(99_000, 99_020))
    assert len(trace.metadata[SIZES]) == 60


def test_a_package_whose_import_has_not_ended_is_not_loaded(tmp_path, monkeypatch):
    (tmp_path / "half_imported").mkdir()
    (tmp_path / "half_imported" / "__init__.py").write_text(
        "from facula_profiler._sources.loaded import loaded\nfound = loaded('half_imported.extend')\nlate = 1\n"
    )
    (tmp_path / "half_imported" / "extend.py").write_text("from . import late\n")
    monkeypatch.syspath_prepend(tmp_path)
    import half_imported

    assert half_imported.found is None
    assert loaded("half_imported.extend").late == 1


def test_everything_is_undone_when_a_source_cannot_stop(source):
    operators = Operators(add=plan_of())
    before = operators.tables["add"].by_key["key"]
    source.stop = lambda self: 1 // 0
    with pytest.raises(ZeroDivisionError), profile() as prof:
        operators.call("add")
    assert operators.tables["add"].by_key["key"] is before and running() is None
    assert names(prof.trace, Kind.LAUNCH) == ["aten::add"]
