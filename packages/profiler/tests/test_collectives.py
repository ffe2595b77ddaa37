"""Collectives in profiles: an observer of exchanges with the interface of facula_distributed, which is not needed."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest
from built_traces import US, Builder

from facula_profiler import Kind, Peaks, Summary, profile, recover


@pytest.fixture
def exchanges(monkeypatch):
    """Return the module that the profiler observes in place of `facula_distributed.extend`."""
    package, extend = ModuleType("facula_distributed"), ModuleType("facula_distributed.extend")
    package.__path__, package.extend, extend.observer = [], extend, None

    def observe_exchanges(observer):
        former, extend.observer = extend.observer, observer
        return former

    extend.observe_exchanges = observe_exchanges
    monkeypatch.setitem(sys.modules, "facula_distributed", package)
    monkeypatch.setitem(sys.modules, "facula_distributed.extend", extend)
    package.__spec__ = SimpleNamespace(_initializing=False)
    return extend


def exchange(operation, shapes=((2, 3),), dtype="float32", nbytes=24, reduction="", group=0):
    return SimpleNamespace(operation=operation, backend="gloo", group=group, size=2, shapes=shapes, dtype=dtype,
                           nbytes=nbytes, reduction=reduction, peer=-1, site=(test_events.__code__, 0))  # fmt: skip


def run(extend, recorder_now):
    """Report a collective of the program, one in the background, and the program's wait for it."""
    observer, now = extend.observer, recorder_now
    start = now()
    observer.exchanged(exchange("all_reduce", reduction="SUM"), start, start + 5000, 3000, False)
    later = exchange("all_gather_into_tensor", group=1)
    observer.exchanged(later, start + 5000, start + 9000, 0, True)
    observer.awaited(later, start + 6000, start + 9000)
    observer.exchanged(exchange("barrier", (), "", 0), start + 9000, start + 9500, 500, False)


def now_of():
    from facula_profiler import _recorder

    return _recorder.now


def test_events(exchanges, tmp_path):
    with profile(record_shapes=True, with_stack=True, path=tmp_path / "events") as prof:
        run(exchanges, now_of())
    assert exchanges.observer is None
    trace = prof.trace
    assert [lane.label for lane in trace.lanes] == ["MainThread", "group 1 in the background"]
    events = trace.events
    assert [(trace.names[name], lane) for name, lane in zip(events["name"], events["lane"], strict=True)] == [
        ("gloo:all_reduce", 0), ("gloo:all_gather wait", 0), ("gloo:barrier", 0), ("gloo:all_gather", 1),
    ]  # fmt: skip
    assert set(events["kind"]) == {Kind.COLLECTIVE} and events["value"].tolist() == [3000, -1, 500, 0]
    assert trace.signatures[events["signature"][0]].parameters == ("all_reduce", "SUM", "2 ranks")
    (frame,) = trace.stacks[events["stack"][3]]
    assert (frame.function, frame.is_library) == ("test_events", False)
    averages = {one.key: one for one in prof.key_averages(group_by_input_shape=True)}
    assert averages["gloo:all_reduce"].input_shapes == [[2, 3]] and averages["gloo:barrier"].input_shapes == []
    recovered = recover(tmp_path / "events")
    assert (recovered.names, recovered.signatures) == (trace.names, trace.signatures)

    prof.export_chrome_trace(tmp_path / "trace.json")
    shown = {
        one["name"]: one
        for one in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        if one.get("cat") == "collective"
    }
    assert shown["gloo:all_reduce"]["args"]["Input Dims"] == [[2, 3]]
    assert shown["gloo:all_reduce"]["args"]["waited"] == 3.0 and "waited" not in shown["gloo:all_gather wait"]["args"]
    assert shown["gloo:all_gather"]["tid"] != shown["gloo:all_reduce"]["tid"]
    prof.export_html(tmp_path / "page.html")
    assert "gloo:all_reduce" in (tmp_path / "page.html").read_text()


def test_without_stacks_there_are_no_lines(exchanges):
    with profile() as prof:
        run(exchanges, now_of())
    assert (prof.trace.events["stack"] == -1).all() and len(prof.trace.events) == 4


def test_signatures_are_bounded(exchanges, monkeypatch):
    monkeypatch.setattr("facula_profiler._sources.collectives.MAX_SIGNATURES", 3)
    with profile(record_shapes=True) as prof:
        now = now_of()
        for size in [1, 2, 3, 4, 1]:
            exchanges.observer.exchanged(exchange("all_reduce", ((size,),)), now(), now(), 0, False)
    assert [event.input_shapes for event in prof.events()] == [[[1]], [[2]], [[3]], [], [[1]]]


PEAKS = Peaks(100e9, 10e9)


def test_the_summary_names_collectives():
    built = Builder()
    built.add(Kind.RANGE, 0, 1000 * US, "train")
    built.add(Kind.COLLECTIVE, 100 * US, 500 * US, "gloo:all_reduce", value=350 * US,
              shapes=((512, 512),), nbytes=1 << 20, stack=[("train.py", 7, "step")])  # fmt: skip
    built.add(Kind.COLLECTIVE, 600 * US, 800 * US, "gloo:broadcast wait", value=-1)
    built.add(Kind.COLLECTIVE, 550 * US, 800 * US, "gloo:broadcast", ("collective", "group 0"), value=0)
    found = Summary(built.trace(), PEAKS)
    assert found.bottleneck == "waiting" and found.share("waiting") == 0.6
    assert found.evidence == [
        "2 exchanges with other processes: 600 µs (60% of the time).",
        "Most of it: gloo:all_reduce 400 µs at train.py:7 step, gloo:broadcast wait 200 µs.",
        "For 54% of the time of collectives, other ranks had not come yet.",
    ]
    assert "equal work" in found.remedies[0] and "larger buckets" in found.remedies[1]
    assert not any("async_op" in one for one in found.remedies)
    (row, *_) = found.operators()
    assert (row.name, row.bound, row.nbytes) == ("gloo:all_reduce", "", 1 << 20)


def test_collectives_that_block_the_program():
    built = Builder()
    built.add(Kind.COLLECTIVE, 0, 400 * US, "gloo:all_reduce", value=100)
    found = Summary(built.trace(), PEAKS)
    assert "larger buckets" in found.remedies[0] and "async_op=True" in found.remedies[1]


def test_collectives_in_the_background_are_no_waiting():
    built = Builder()
    built.add(Kind.RANGE, 0, 1000 * US, "train")
    built.add(Kind.COLLECTIVE, 0, 900 * US, "gloo:all_reduce", ("collective", "group 0"), value=0)
    assert Summary(built.trace(), PEAKS).share("waiting") == 0
