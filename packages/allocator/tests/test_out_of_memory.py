"""The attempts before an out-of-memory error, and the text of the error."""

import pickle
import re
import sys
import threading
import tracemalloc

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, HostAllocator, OutOfMemoryError
from facula_allocator._caching import oom_message
from facula_allocator.drivers import DriverError, SimulatedDriver
from facula_errors.testing import raises


def test_cached_memory_is_released_before_an_error(caching, driver):
    caching.allocate(40 * MIB).free()
    block = caching.allocate(60 * MIB)
    assert block.capacity == 60 * MIB and driver.calls("free") == 1
    assert caching.memory_stats()["num_alloc_retries"] == 1


def test_the_allocator_waits_for_memory_used_on_other_streams(caching, driver):
    block = caching.allocate(40 * MIB, stream=1)
    block.record_use(2)
    driver.launch(2, reads=[(block.ptr, 1000, "first")])
    block.free()
    assert caching.allocate(50 * MIB, stream=3).capacity == 50 * MIB
    assert driver.calls("synchronize") == 1


def test_the_error_lists_the_memory_in_use(caching, driver):
    block = caching.allocate(40 * MIB)
    with raises(OutOfMemoryError, "out of memory", "30 MiB of device memory requested") as caught:
        caching.allocate(30 * MIB)
    error = caught.value
    first = "out of memory: 30 MiB of device memory requested; 40 MiB in use, 0 B idle, 24 MiB of the device free"
    assert str(error).partition("\n")[0] == first
    assert (error.requested, error.allocated, error.reserved, error.cached) == (30 * MIB, 40 * MIB, 40 * MIB, 0)
    assert isinstance(error.__cause__, DriverError) and isinstance(error, MemoryError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert caching.memory_stats()["num_ooms"] == 1
    with pytest.raises(OutOfMemoryError):
        caching.allocate(1 << 62)
    block.free()
    assert caching.allocate(30 * MIB).capacity == 30 * MIB


def test_a_limit_and_a_fraction_bound_reserved_memory(driver):
    caching = CachingAllocator(driver, limit=3 * MIB)
    held = caching.allocate(2 * MIB)
    with raises(OutOfMemoryError, "out of memory", "2 MiB in use", "limit 3 MiB", "raise the limit or the memory"):
        caching.allocate(2 * MIB)
    held.free()
    caching = CachingAllocator(driver)
    caching.set_memory_fraction(0.25)
    with raises(OutOfMemoryError, "out of memory", "limit 16 MiB"):
        caching.allocate(17 * MIB)
    assert caching.allocate(16 * MIB)
    caching.set_memory_fraction(None)
    assert caching.allocate(17 * MIB)
    for fraction in (0, 1.5, "a", True):
        with raises((ValueError, TypeError), "set_memory_fraction"):
            caching.set_memory_fraction(fraction)


def test_a_refused_segment_is_retried_at_the_exact_size(driver):
    caching = CachingAllocator(driver)
    kept = caching.allocate(62 * MIB)
    small = caching.allocate(MIB + 1)
    assert small.capacity == MIB + 512 and kept
    with pytest.raises(OutOfMemoryError):
        caching.allocate(MIB)


def test_a_device_that_fails_changes_nothing(caching, driver):
    block = caching.allocate(40 * MIB)
    driver.fail_next("synchronize", RuntimeError("device lost"))
    with pytest.raises(RuntimeError, match="device lost"):
        caching.allocate(30 * MIB)
    driver.fail_next("free")
    block.free()
    assert caching.empty_cache() == 0 and current(caching, "reserved_bytes") == 40 * MIB
    assert caching.empty_cache() == 40 * MIB and driver.memory_info() == (64 * MIB, 64 * MIB)


def said(caching, nbytes, stream=0):
    """Return the first line and the remedies of the error."""
    with pytest.raises(OutOfMemoryError) as caught:
        caching.allocate(nbytes, stream)
    text = str(caught.value)
    return text.partition("\n")[0], text.partition("what would help\n")[2], text


def test_the_classes_and_the_names_of_the_operation():
    error = OutOfMemoryError(3 * MIB, MIB, MIB, 0)
    assert isinstance(error, MemoryError) and isinstance(error, RuntimeError)
    error.operation, error.purpose, error.explanation = "matmul", "float32 (4, 5)", "why"
    error.add_note("a note")
    first, rest = str(error).split("\n")
    assert first == "out of memory: 3 MiB of host memory requested by matmul for float32 (4, 5); 1 MiB in use, 0 B idle"
    copy = pickle.loads(pickle.dumps(error))
    assert rest == "why" and str(copy) == str(error) and copy.__notes__ == ["a note"] and copy.requested == 3 * MIB


HOST = {  # the request and the limit: advice that must occur, and advice that must not
    "the system": (MIB, None, "The system refused: keep fewer", "limit"),
    "below the limit": (MIB, 64 * MIB, "The system refused: keep fewer", "raise"),
    "over the limit": (3 * MIB, 4 * MIB, "Keep fewer tensors alive at once, or raise the limit", "system"),
    "larger than the limit": (5 * MIB, 4 * MIB, "Ask for less at once, or raise the limit", "Keep"),
}


@pytest.mark.parametrize("name", HOST)
def test_advice_on_host_memory(name):
    nbytes, limit, expected, other = HOST[name]
    advised = str(OutOfMemoryError(nbytes, 2 * MIB, 3 * MIB, MIB, limit)).partition(". ")[2]
    assert advised.startswith(expected) and other not in advised


def in_pieces(caching):
    """Allocate 60 MiB in 20 MiB segments in which about every second MiB is free; return the blocks kept."""
    blocks = [caching.allocate(2 * MIB) for _ in range(30)]
    return blocks[::2]


def test_the_text_follows_the_state(driver):
    caching = CachingAllocator(driver)
    kept = in_pieces(caching)
    first, advice, text = said(caching, 20 * MIB)
    assert first.endswith("requested; 30 MiB in use, 30 MiB idle, 4 MiB of the device free")
    assert "30 MiB are free in this pool, but in pieces of at most 2 MiB" in advice
    assert "expandable" not in text, "this driver has no virtual memory"
    assert "Call record_history()" in advice and "(no line recorded)" not in text
    caching.record_history()
    assert "allocated before record_history()" in said(caching, 20 * MIB)[1]
    caching = CachingAllocator(SimulatedDriver(64 * MIB))
    caching.record_history()
    kept = in_pieces(caching)
    _, advice, text = said(caching, 20 * MIB, stream=3)
    assert re.search(r"test_out_of_memory.py:\d+ .*  \(15 blocks\)", text) and "record_history" not in text
    assert "in 15 blocks: start there" in advice and "(stream 3, large blocks)" in text and kept


@pytest.mark.parametrize(("expandable", "words"), [(False, "turn on expandable_segments"), (True, "")])
def test_expandable_segments_are_advised_if_disabled(expandable, words):
    caching = CachingAllocator(SimulatedDriver(64 * MIB, page_size=MIB), expandable_segments=expandable)
    kept = in_pieces(caching)
    if expandable:
        assert caching.allocate(20 * MIB) and kept, "they serve it from any free pages"
    else:
        assert words in said(caching, 20 * MIB)[1]


def test_a_limit_is_named_if_it_applies(driver):
    caching = CachingAllocator(driver, limit=40 * MIB)
    kept = caching.allocate(30 * MIB)
    assert "The limit of 40 MiB stops this, although the device has 34 MiB free" in said(caching, 20 * MIB)[1]
    assert "The request alone is larger than the limit (40 MiB)" in said(caching, 50 * MIB)[1]
    other = CachingAllocator(SimulatedDriver(32 * MIB), limit=64 * MIB)
    kept = other.allocate(30 * MIB)
    assert "limit" not in said(other, 3 * MIB)[1] and kept


def test_an_active_capture_is_named(driver):
    caching = CachingAllocator(driver)
    caching.allocate(40 * MIB).free()
    driver.begin_capture(5)
    advice = said(caching, 50 * MIB, stream=5)[1]
    driver.end_capture(5)
    assert "A graph is being captured" in advice and caching.allocate(50 * MIB, stream=5)


def test_the_text_makes_few_calls_for_many_blocks():
    caching = CachingAllocator(SimulatedDriver(512 * MIB))
    caching.record_history(frames=2, length=0)
    kept = [caching.allocate(512) for _ in range(50_000)]
    events = [0]

    def count(*_):
        events[0] += 1

    sys.setprofile(count)
    try:
        text = said(caching, 1 << 40)[2]
    finally:
        sys.setprofile(None)
    assert "(50000 blocks)" in text
    assert events[0] < 30 * 50_000, "calls and returns: some 20 for each block, however many there are"
    del kept[10_000:]
    caching.memory_stats()  # merges freed blocks
    tracemalloc.start()
    said(caching, 1 << 40)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * MIB, "less than a snapshot of these blocks takes"


@pytest.mark.parametrize("failure", [MemoryError("full"), RecursionError("deep"), ValueError("a bug")])
def test_the_first_line_remains_if_the_text_fails(caching, failure, monkeypatch):
    def fail(*arguments, **named):
        raise failure

    monkeypatch.setattr(oom_message, "oom_message", fail)
    first, _, text = said(caching, 100 * MIB)
    assert text == first and "device free. The system refused: keep fewer" in text


# ----------------------------------------------------------------------------------------------------------- observers
def exhausted(name):
    """Return an allocator filled by one block, and a function that requests another."""
    if name == "host":
        host = HostAllocator(limit=4 * MIB)
        blocks = [host.refill(3 * MIB)]
        return host, lambda: host.refill(3 * MIB), lambda: blocks.pop()[1]() if blocks else None
    caching = CachingAllocator(SimulatedDriver(64 * MIB))
    if name == "recorded":
        caching.record_history()
    held = [caching.allocate(40 * MIB)]
    return caching, lambda: caching.allocate(50 * MIB), held.clear


@pytest.mark.parametrize("name", ["host", "caching", "recorded"])
def test_an_observer_may_free_memory(name):
    allocator, ask, free = exhausted(name)
    seen = []

    def observer(error, of):
        seen.append((error, of))
        free()
        return answer

    allocator.add_oom_observer(observer)
    answer = 1  # only True counts
    with pytest.raises(OutOfMemoryError) as caught:
        ask()
    assert seen == [(caught.value, allocator)] and caught.value.requested >= 3 * MIB
    free()
    again = exhausted(name)
    again[0].add_oom_observer(lambda error, of: again[2]() or True)
    assert again[1]()
    allocator.remove_oom_observer(observer)
    with raises(ValueError, "remove_oom_observer", "expected one that was added"):
        allocator.remove_oom_observer(observer)
    with raises(TypeError, "add_oom_observer", "expected observer, a function", value=7):
        allocator.add_oom_observer(7)


@pytest.mark.parametrize("name", ["host", "caching", "recorded"])
def test_observers_that_do_not_help(name):
    """Each is called once per request. Its errors become notes, and its own requests call no observer."""
    allocator, ask, _ = exhausted(name)
    asked = []

    def nested(error, of):
        asked.append("nested")
        ask()

    def wrong(error, of):
        asked.append("wrong")
        raise KeyError("mine")

    for observer in (nested, wrong, lambda error, of: asked.append("true") or True):
        allocator.add_oom_observer(observer)
    with pytest.raises(OutOfMemoryError) as caught:
        ask()
    assert asked == ["nested", "wrong", "true"]
    notes = caught.value.__notes__
    assert len(notes) == 2 and "nested failed: OutOfMemoryError: out of memory" in notes[0]
    assert notes[1].endswith("wrong failed: KeyError: 'mine'")
    with pytest.raises(OutOfMemoryError):
        ask()
    assert len(asked) == 6, "asked again the next time"


def test_observers_run_without_the_lock(driver):
    """An observer may wait for another thread that frees and allocates."""
    caching = CachingAllocator(driver)
    caching.record_history()
    held = [caching.allocate(40 * MIB)]

    def observer(error, of):
        thread = threading.Thread(target=lambda: (held.clear(), held.append(caching.allocate(100))))
        thread.start()
        thread.join(600)
        return not thread.is_alive()

    caching.add_oom_observer(observer)
    assert caching.allocate(30 * MIB)


def test_programs_may_raise_it_with_their_own_text():
    error = pickle.loads(pickle.dumps(OutOfMemoryError("CUDA out of memory.")))
    assert (str(error), error.args, error.requested) == ("CUDA out of memory.", ("CUDA out of memory.",), 0)
    assert isinstance(error, RuntimeError)
    assert str(OutOfMemoryError()) == ""
