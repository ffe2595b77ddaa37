"""Memory of allocators in Chrome traces: a lane of segments, and counters of allocated and reserved bytes."""

import ctypes
import json
import sys
from types import ModuleType, SimpleNamespace

import pytest
from built_traces import US, Builder

from facula_profiler import EventList, Kind, Trace, profile
from facula_profiler._trace.concatenating import concatenate
from facula_profiler._trace.records import RESERVED
from facula_storage import contiguous, float32
from facula_storage.extend.memory import allocate


def counters(exporting, path):
    """Return the values of each counter with their times, and the other events."""
    exporting(path)
    events = json.loads(path.read_text())["traceEvents"]
    found = {}
    for one in events:
        if one["ph"] == "C":
            found.setdefault(one["name"], []).append((one["ts"], one["args"]["bytes"]))
    return found, [one for one in events if one["ph"] != "C"]


@pytest.fixture
def segments(monkeypatch):
    """Return the module that the profiler observes in place of `facula_allocator.extend`."""
    package, extend = ModuleType("facula_allocator"), ModuleType("facula_allocator.extend")
    package.__path__, package.extend, extend.observer = [], extend, (0, 0, 0, 0)

    def observe_regions(*observer):
        former, extend.observer = extend.observer, observer
        return former

    extend.observe_regions, extend.reserved_bytes = observe_regions, lambda: 1000
    monkeypatch.setitem(sys.modules, "facula_allocator", package)
    monkeypatch.setitem(sys.modules, "facula_allocator.extend", extend)
    package.__spec__ = SimpleNamespace(_initializing=False)
    return extend


def test_segments_that_c_code_reports(segments, tmp_path):
    with profile(profile_memory=True) as prof:
        address, lane, taken, returned = segments.observer
        report = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(address)
        now = prof._recording.now
        report(taken, lane, now(), now(), 500)
        report(returned, lane, now(), now(), -300)
    assert segments.observer == (0, 0, 0, 0)
    trace = prof.trace
    assert [trace.names[name] for name in trace.events["name"]] == ["segment_alloc", "segment_free"]
    assert set(trace.events["kind"]) == {Kind.SEGMENT} and trace.events["value"].tolist() == [500, -300]
    assert [lane[:2] for lane in trace.lanes] == [("allocator", "cpu")] and len(prof.events()) == 0
    found, events = counters(prof.export_chrome_trace, tmp_path / "trace.json")
    assert [value for _, value in found["cpu reserved"]] == [1000, 1500, 1200]
    assert [one["name"] for one in events if one.get("cat") == "allocator"] == ["segment_alloc", "segment_free"]
    trace.save(tmp_path / "saved")
    assert Trace.load(tmp_path / "saved").metadata[RESERVED] == {"-1": 1000}
    assert RESERVED not in concatenate([trace, trace]).metadata


def test_without_profile_memory_segments_are_not_observed(segments):
    with profile():
        assert segments.observer == (0, 0, 0, 0)


def test_counters_of_several_devices(tmp_path):
    built = Builder()
    built.add(Kind.RANGE, 0, 100 * US, "work")
    built.add(Kind.SEGMENT, 10 * US, 30 * US, "segment_alloc", ("allocator", "cuda:1"), value=64)
    built.add(Kind.SEGMENT, 40 * US, 40 * US, "segment_free", ("allocator", "cuda:1"), value=-32)
    built.allocate(35 * US, 4096, 16, device=1)
    built.allocate(50 * US, 4096, -16, device=1)
    built.allocate(20 * US, 64, 8)
    trace = built.trace(metadata={RESERVED: {"-1": 7, "1": 100}})
    found, _ = counters(EventList(trace).export_chrome_trace, tmp_path / "trace.json")
    assert found == {
        "cpu allocated": [(20, 8)], "cpu reserved": [(0, 7)], "cuda:1 allocated": [(35, 16), (50, 0)],
        "cuda:1 reserved": [(0, 100), (30, 164), (40, 132)],
    }  # fmt: skip


def test_allocated_bytes(tmp_path):
    with profile(profile_memory=True) as prof:
        first, second = [allocate(contiguous(shape, float32)) for shape in ((7, 3), (11, 13))]
        del first
    found, _ = counters(prof.export_chrome_trace, tmp_path / "trace.json")
    assert [value for _, value in found["cpu allocated"]] == [84, 84 + 572, 572] and second.ptr
    with profile() as prof:
        allocate(contiguous((7, 3), float32))
    assert counters(prof.export_chrome_trace, tmp_path / "trace.json")[0] == {}
