"""Recordings of a running allocator: their contents, and failures that do not harm the program."""

import gc
import os
import random
import subprocess
import sys
from threading import Thread

import pytest
from programs import MIB, Run, random_options, random_program

from facula_allocator import CachingAllocator, MemPool, replay, use_mem_pool
from facula_allocator.drivers import HostDriver
from facula_allocator.traces import (
    Allocate,
    ClosePool,
    Complete,
    Free,
    Limit,
    Mark,
    Refuse,
    Use,
    read_trace,
    render_html,
    summarize,
)
from facula_errors.testing import raises


def test_all_requests_are_recorded_with_their_lines(caching, driver, tmp_path):
    with caching.record_trace(tmp_path / "a.trace") as recording:
        recording.mark("step 0")
        first = caching.allocate(1000, stream=3)
        first.record_use(7)
        caching.allocate(0)
        del first
        with pytest.raises(MemoryError):
            caching.allocate(1 << 70)
        caching.set_memory_fraction(0.5)
        pool = MemPool(caching)
        with use_mem_pool(pool):
            caching.allocate(5)
        number = pool.id[1]
        del pool
        caching.allocate(6).free()
        assert "6 requests" in repr(recording) and recording.path == str(tmp_path / "a.trace")
    caching.allocate(99)
    trace = read_trace(tmp_path / "a.trace")
    kept = [event for event in trace.events if not isinstance(event, Complete)]
    assert [event._replace(site=None) if hasattr(event, "site") else event for event in kept] == [
        Mark("step 0"),
        Allocate(0, 1000, 3, None),
        Use(0, 7),
        Free(0),
        Refuse((1 << 62) - 1, 0, None),
        Limit(None, 0.5),
        Allocate(1, 5, 0, None, number),
        Free(1),
        ClosePool(number),
        Allocate(2, 6, 0, None),
        Free(2),
    ]
    sites = [trace.sites[event.site] for event in trace.events if hasattr(event, "site")]
    assert all(site.filename == __file__ and site.name.startswith("test_all") for site in sites)
    assert [site.line - sites[0].line for site in sites] == [0, 5, 9, 12]
    assert trace.granularity == 512 and trace.capacity == 64 * MIB and trace.options["small_segment"] == 2 * MIB


def test_blocks_that_are_alive_come_first_by_address(caching, tmp_path):
    kept = [caching.allocate(n, n % 3) for n in (3 * MIB, 700, 5 * MIB, 90)]
    kept.pop(2).free()
    recording = caching.record_trace(tmp_path / "a.trace")
    by_address = sorted(kept, key=lambda block: block.ptr)
    kept.clear()
    recording.close()
    events = read_trace(tmp_path / "a.trace").events
    assert events[0] == Mark("alive at the start") and events[-1] == Mark("the recording begins")
    live = {}
    for event in events[1:-1]:
        if isinstance(event, Allocate):
            live[event.id] = event
        else:
            del live[event.id]
    assert [(one.nbytes, one.stream) for one in live.values()] == [(one.nbytes, one.stream) for one in by_address]
    report = replay(tmp_path / "a.trace")
    assert report.stats["reserved_bytes.all.current"] == caching.memory_stats()["reserved_bytes.all.current"]
    del by_address
    assert caching.memory_stats()["allocation.all.current"] == 0


def test_two_concurrent_recordings_are_equal(caching, tmp_path):
    with caching.record_trace(tmp_path / "a.trace"), caching.record_trace(tmp_path / "b.trace"):
        blocks = [caching.allocate(n) for n in (1, 2, 3)]
        for block in blocks:
            block.free()
    assert read_trace(tmp_path / "a.trace") == read_trace(tmp_path / "b.trace")
    assert not caching._detours and not caching._core.listening and not caching._listeners.followers


def test_a_recording_from_the_middle_can_be_replayed(tmp_path):
    for seed in range(20):
        run = Run(random_program(seed), 1 << 30, tmp_path / "a.trace", begin=70, bounds=False)
        report = replay(tmp_path / "a.trace")
        assert report.shortfall is None and not run.refused
        assert report.stats["allocation.all.current"] == run.stats["allocation.all.current"]
        assert report.stats["requested_bytes.all.current"] == run.stats["requested_bytes.all.current"]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_a_recording_from_the_middle_is_exact_afterwards(tmp_path, first):
    """On one stream, the replay has the run's peaks and blocks, unless its report lists differences."""
    inexact = 0
    for seed in range(first, first + 20):
        program = [one for one in random_program(seed) if one[0] in ("allocate", "free", "empty", "free all")]
        program = [
            (name, values[0], 0, values[2]) if name == "allocate" else (name, *values) for name, *values in program
        ]
        begin = random.Random(seed).randrange(1, len(program))
        program.insert(begin, ("reset peaks",))
        options = {**random_options(seed), "limit": None}
        run = Run(program, 1 << 30, tmp_path / "a.trace", begin=begin + 1, **options)
        report = replay(tmp_path / "a.trace")
        if report.inexact:
            assert f"recorded from the middle of a run: {report.inexact}" in str(report)
            inexact += 1
            continue
        names = ("reserved_bytes", "allocated_bytes", "requested_bytes")
        for name in [f"{one}.all.{part}" for one in names for part in ("current", "peak")]:
            assert report.stats[name] == run.stats[name], (seed, name)
        assert report.stats["inactive_split.all.current"] == run.stats["inactive_split.all.current"]
        found = summarize(read_trace(tmp_path / "a.trace"))
        assert found.peak_bytes == run.stats["requested_bytes.all.peak"]
        assert render_html(read_trace(tmp_path / "a.trace"), reserved=[]).startswith("<!DOCTYPE")
    assert inexact < 5


def test_threads(tmp_path):
    allocator = CachingAllocator(HostDriver())
    recording = allocator.record_trace(tmp_path / "a.trace")
    passed = []

    def work(seed):
        draw, live = random.Random(seed), []
        for number in range(600):
            if len(live) < 20 and draw.random() < 0.6:
                live.append(allocator.allocate(draw.randint(1, MIB), seed))
            elif live:
                live.pop(draw.randrange(len(live))).free()
            if number % 50 == 0:
                recording.mark(f"{seed}: {number}")
        passed.append(live)

    threads = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recording.close()
    stats = allocator.memory_stats()
    report = replay(tmp_path / "a.trace")
    for name in ("allocated_bytes.all.peak", "requested_bytes.all.current", "allocation.all.allocated"):
        assert report.stats[name] == stats[name]
    # If two threads allocate concurrently, their events may be delivered in either order, which changes the best fit.
    assert len(passed) == 4 and abs(report.peak_reserved - stats["reserved_bytes.all.peak"]) <= 8 * MIB


def test_a_file_that_cannot_be_opened_changes_nothing(caching, tmp_path):
    with raises(FileNotFoundError, "TraceWriter", "cannot write the file"):
        caching.record_trace(tmp_path / "no" / "a.trace")
    for path in (None, 3, b"a.trace"):
        with raises(TypeError, "record_trace", "expected a path, a str or os.PathLike"):
            caching.record_trace(path)
    assert not caching._detours and not caching._listeners.followers
    with caching.record_trace(tmp_path / "a.trace") as recording, raises(TypeError, "mark", "expected text"):
        recording.mark(3)


def test_a_full_disk_ends_only_the_recording(caching):
    recording = caching.record_trace("/dev/full")
    for n in range(3000):
        caching.allocate(n + 1).free()
    with raises(OSError, "TraceWriter", "No space left on device"):
        recording.close()
    assert "ended" in repr(recording) and not caching._detours
    recording.close()


def test_a_forked_child_writes_nothing(caching, tmp_path):
    recording = caching.record_trace(tmp_path / "a.trace")
    caching.allocate(1).free()
    child = os.fork()
    if not child:
        try:
            recording.mark("child")
            recording.close()
            gc.collect()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    recording.mark("parent")
    recording.close()
    assert [event for event in read_trace(tmp_path / "a.trace").events if isinstance(event, Mark)] == [Mark("parent")]


def test_a_trace_is_complete_if_the_program_does_not_close_it(tmp_path):
    lines = (
        "from facula_allocator import CachingAllocator",
        "from facula_allocator.drivers import HostDriver",
        "allocator = CachingAllocator(HostDriver())",
        f"recording = allocator.record_trace({str(tmp_path / 'a.trace')!r})",
        "kept = allocator.allocate(5)",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)
    trace = read_trace(tmp_path / "a.trace")
    assert trace.events == [Allocate(0, 5, 0, 0)] and trace.sites[0].filename == "<string>"


def test_frees_by_an_observer_are_recorded_after_the_refusal(caching, driver, tmp_path):
    kept = [caching.allocate(30 * MIB), caching.allocate(30 * MIB)]

    def free_one(error, allocator):
        kept.pop().free()
        return True

    caching.add_oom_observer(free_one)
    with caching.record_trace(tmp_path / "a.trace"):
        again = caching.allocate(25 * MIB)
    names = [type(event).__name__ for event in read_trace(tmp_path / "a.trace").events[4:]]
    assert names == ["Refuse", "Synchronize", "Free", "Allocate"] and again.capacity >= 25 * MIB
    report = replay(tmp_path / "a.trace")
    assert report.shortfalls == 1 and report.peak_reserved == 60 * MIB
    assert report.stats["allocated_bytes.all.current"] == caching.memory_stats()["allocated_bytes.all.current"]
