"""Replays of a recorded run: the same calls, peaks and refusals; other settings agree with live runs."""

import json
import random

import pytest
from programs import CAPACITY, MIB, Run, calls_of, random_options, random_program
from simulated import on_fake_runtime

from facula_allocator import replay, smallest_capacity, will_it_fit
from facula_allocator._replay import fitting
from facula_allocator._replay.replaying import Player
from facula_allocator.traces import Allocate, CallSite, Complete, Free, Limit, Mark, Refuse, Trace, Use, read_trace
from facula_errors.testing import raises

PEAKS = ("reserved_bytes", "allocated_bytes", "requested_bytes")


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(20, 100, 20))])
def test_a_replay_repeats_the_run(tmp_path, first):
    for seed in range(first, first + 20):
        run = Run([("statistics",), *random_program(seed)], record=tmp_path / "a.trace", **random_options(seed))
        same(run, read_trace(tmp_path / "a.trace"))


def test_a_replay_repeats_a_run_on_the_cuda_driver(tmp_path):
    """The two drivers use different addresses, in the same order."""
    for seed in range(25):
        driver = on_fake_runtime(CAPACITY, page_size=2 * MIB)
        driver.runtime.device(0).strict = False
        run = Run(random_program(seed), record=tmp_path / "a.trace", driver=driver, **random_options(seed))
        report = replay(tmp_path / "a.trace")
        assert report.stats == run.stats and report.shortfalls == len(run.refused)


def same(run, trace):
    """Check that the replay of a trace equals the run: calls, figures, refusals, addresses."""
    player = Player(trace, None, {})
    report = player.play(None)
    assert calls_of(player.driver) == run.calls()
    assert report.stats == run.stats
    peaks = report.peak_reserved, report.peak_allocated, report.peak_requested
    assert peaks == tuple(run.stats[f"{name}.all.peak"] for name in PEAKS)
    assert report.events == len(trace.events) and report.shortfalls == len(run.refused) == run.stats["num_ooms"]
    refused = [number for number, event in enumerate(trace.events) if isinstance(event, Refuse)]
    assert (report.shortfall.event if report.shortfall else None) == (refused[0] if refused else None)
    addresses = [segment["address"] for segment in run.allocator.memory_snapshot()["segments"]]
    assert [segment["address"] for segment in report.snapshot["segments"]] == addresses


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(20, 60, 20))])
def test_will_it_fit_agrees_with_a_live_run(tmp_path, first):
    """Recorded with ample memory, checked with less. Without uses on other streams, for any schedule."""
    verdicts = []
    for seed in range(first, first + 20):
        program = [one for one in random_program(seed) if one[0] not in ("use", "capture", "limit", "fraction")]
        program = [("free", one[1]) if one[0] == "use and free" else one for one in program]
        options = {**random_options(seed), "limit": None}
        Run(program, 1 << 30, tmp_path / "a.trace", **options)
        trace = read_trace(tmp_path / "a.trace")
        for capacity in (8 * MIB, 24 * MIB, CAPACITY, 80 * MIB):
            live = Run(program, capacity, **options)
            fit = will_it_fit(trace, capacity)
            verdicts.append(bool(fit))
            assert bool(fit) == (not live.refused)
            if fit:
                peak = live.stats["reserved_bytes.all.peak"]
                assert (fit.peak_reserved, fit.headroom) == (peak, capacity - peak)
            else:
                asked = [i for i, one in enumerate(program) if one[0] == "allocate"]
                requests = [i for i, one in enumerate(trace.events) if isinstance(one, Allocate)]
                assert fit.shortfall.event == requests[asked.index(live.refused[0])]
    assert any(verdicts) and not all(verdicts)


def test_a_run_fits_its_recorded_capacity(tmp_path):
    for seed in range(40):
        run = Run(random_program(seed), record=tmp_path / "a.trace", **random_options(seed))
        fit = will_it_fit(tmp_path / "a.trace", CAPACITY)
        assert bool(fit) == (not run.refused)


def test_the_smallest_capacity_fits_and_less_does_not():
    for seed in range(4):
        draw = random.Random(seed)
        sizes = [draw.choice([3000, MIB, 5 * MIB]) for _ in range(40)]
        events = [Allocate(i, draw.randint(1, size), 0, None) for i, size in enumerate(sizes)]
        for i in range(30):
            events.insert(draw.randrange(events.index(next(e for e in events if e[0] == i)) + 1, len(events)), Free(i))
        trace = Trace(512, None, {}, [], events)
        found = smallest_capacity(trace, step=MIB)
        fits = {n for n in range(1, found.nbytes // MIB + 40) if will_it_fit(trace, n * MIB)}
        assert found.nbytes // MIB in fits and found.nbytes // MIB - 1 not in fits
        if not found.too_small:
            assert found.nbytes // MIB == min(fits)
        assert str(found).startswith("fits into ") and f"({found.replays} replays)" in str(found)


def test_larger_capacities_that_do_not_fit_are_reported(monkeypatch):
    """Replays with results that are not monotone: the run fits from 10 to 12, and from 20 on."""
    verdict = [n in (10, 11, 12) or n >= 20 for n in range(40)]
    monkeypatch.setattr(fitting, "_fit", lambda trace, capacity, options: verdict[capacity])
    trace = Trace(1, None, {}, [], [Allocate(0, 30, 0, None), Free(0), Allocate(0, 3, 0, None)])
    sizes = {"small_size": 1, "small_segment": 1, "large_segment": 2, "huge_size": 2, "huge_step": 1}
    found = smallest_capacity(trace._replace(events=trace.events[2:]), step=1, **sizes)
    assert found.nbytes == 10
    found = smallest_capacity(trace, step=1, **sizes)
    assert found.nbytes == 30 and found.too_small == ()


def test_a_replay_stops_at_an_unexpected_refusal():
    sites = [CallSite("train.py", 40, "step")]
    events = [Mark("step 0"), Allocate(0, 5 * MIB, 0, None), Allocate(1, 30 * MIB, 3, 0), Free(1), Allocate(2, 9, 0, 0)]
    report = replay(Trace(512, 64 * MIB, {}, sites, events), capacity=40 * MIB)
    assert report.events == 2 and report.shortfalls == 1 and report.curve.event.tolist() == [1]
    assert report.shortfall == (2, "step 0", sites[0], 30 * MIB, 3, 5 * MIB, 20 * MIB)
    assert str(report).splitlines()[-1] == (
        "  out of memory at event 2, step 0: 30 MiB requested on stream 3 at train.py:40 step; "
        "5 MiB were in use, 20 MiB reserved"
    )
    assert report.as_dict()["shortfall"]["site"] == "train.py:40 step"
    json.dumps(report.as_dict())
    refused = [event if event != events[2] else Refuse(30 * MIB, 3, 0) for event in events if event != Free(1)]
    report = replay(Trace(512, 40 * MIB, {}, sites, refused))
    assert report.events == 4 and report.shortfall.event == 2 and "MiB" in repr(report)
    assert replay(Trace(512, 64 * MIB, {}, sites, refused)).shortfall is None


def test_the_figures_of_a_replay():
    events = [Allocate(0, 3 * MIB - 1, 0, None), Allocate(1, 9 * MIB, 0, None), Free(0), Allocate(2, 25 * MIB, 0, None)]
    report = replay(Trace(512, None, {}, [], events))
    assert (report.peak_reserved, report.peak_allocated) == (46 * MIB, 35 * MIB), "a rest of 1 MiB is not cut off"
    assert report.peak_requested == 34 * MIB and abs(report.fragmentation - 11 / 46) < 1e-9
    assert report.driver_calls == {"allocate": 2} and report.syncs == report.retries == 0
    curve = report.curve
    assert list(zip(curve.event, curve.allocated, curve.reserved)) == [
        (0, 3 * MIB, 20 * MIB), (1, 12 * MIB, 20 * MIB), (2, 9 * MIB, 20 * MIB), (3, 35 * MIB, 46 * MIB),
    ]  # fmt: skip
    assert replay(Trace(512, None, {}, [], [])).peak_reserved == 0


def test_recorded_settings_are_the_defaults(monkeypatch):
    monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", "lend=no")
    trace = Trace(512, 64 * MIB, {"limit": 30 * MIB, "large_segment": 24 * MIB}, [], [Allocate(0, 2 * MIB, 0, None)])
    assert replay(trace).options["lend"] is True and replay(trace).peak_reserved == 24 * MIB
    options = {"large_segment": 12 * MIB, "lend": False}
    for report in (replay(trace, large_segment=12 * MIB), replay(trace, options), replay(trace, options, lend=True)):
        assert report.peak_reserved == 12 * MIB
    assert replay(trace, options, lend=True).options["lend"] and not replay(trace, options).options["lend"]
    assert will_it_fit(trace, 64 * MIB, options).peak_reserved == 12 * MIB
    more = trace._replace(events=[*trace.events, Limit(10 * MIB, None), Allocate(1, 40 * MIB, 0, None)])
    assert replay(more).shortfall and not replay(more, limit=None).shortfall
    pages = replay(trace, expandable_segments=True)
    assert pages.peak_reserved == 2 * MIB and pages.driver_calls["map"] == 1 and "times mapped" in str(pages)


def test_an_event_is_done_when_the_trace_states_it():
    """A block used on stream 7 serves stream 1 once stream 7 is done, and earlier for stream 0, which waits for 7."""
    begin = [Allocate(0, MIB, 0, None), Use(0, 7), Free(0), Allocate(1, MIB, 0, None)]
    for known, segments in ((Complete(7, 1), 2), (Complete(7, 2), 1), (Complete(8, 2), 2)):
        events = [*begin[:3], known, Allocate(1, MIB, 1, None)]
        trace = Trace(512, None, {"small_segment": MIB}, [], events)
        assert replay(trace).stats["segment.all.current"] == segments, known
    assert replay(Trace(512, None, {"small_segment": MIB}, [], begin)).driver_calls["wait_event"] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: replay(7), "replay: expected a path or a Trace, as read_trace gives it; got 7"),
        (lambda t: will_it_fit(7, MIB), "will_it_fit: expected a path or a Trace"),
        (lambda t: will_it_fit(t, 0), "will_it_fit: expected capacity from 1; got 0"),
        (lambda t: will_it_fit(t, "1"), "will_it_fit: expected capacity, an int; got '1'"),
        (lambda t: smallest_capacity(t, step=0.5), "smallest_capacity: expected step, an int; got 0.5"),
        (lambda t: smallest_capacity(t, limit=MIB), "smallest_capacity: a run that fits into 1 TiB; out of memory at"),
        (lambda t: replay(t, capacity=-1), "SimulatedDriver: expected capacity > 0 bytes"),
        (lambda t: replay(t, limit=1.5), "replay: expected limit, an int or None; got 1.5"),
        (lambda t: replay(t, limit=-1), "CachingAllocator: expected limit >= 0; got -1"),
        (lambda t: replay(t, max_split=1), "CachingAllocator: expected options among ... got 'max_split'"),
        (lambda t: replay(t._replace(options={"new": 1})), "replay: expected a trace with options among ... got 'new'"),
        (lambda t: replay(t._replace(options={"lend": [1]})), "replay: got 'lend': [1]"),
        (lambda t: replay(t, 5), "replay: expected options, a dict by name; got 5"),
        (lambda t: will_it_fit(t, MIB, {3: 1}), "will_it_fit: expected options, a dict by name; got {3: 1}"),
        (lambda t: replay("none.trace"), "read_trace: cannot read the file"),
    ],
)
def test_invalid_arguments(call, message):
    trace = Trace(512, None, {}, [], [Allocate(0, 3 * MIB, 0, None)])
    with raises((TypeError, ValueError, OSError), message):
        call(trace)


def test_progress():
    events = [Mark(str(i)) for i in range(25_000)]
    told = []
    replay(Trace(512, None, {}, [], events), progress=lambda *at: told.append(at))
    assert told == [(0, 25_000), (10_000, 25_000), (20_000, 25_000), (25_000, 25_000)]
