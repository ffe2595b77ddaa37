"""Retries after memory ran out: the failed call's memory is released before the next attempt."""

import gc
import sys

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, HostAllocator, OutOfMemoryError, retry_after_oom, smaller_batches
from facula_allocator.drivers import SimulatedDriver
from facula_errors.testing import raises


class Tensor:
    """An object that refers to a block, optionally in a reference cycle with itself."""

    def __init__(self, allocator, nbytes, cycle=False):
        self.block = allocator.allocate(nbytes)
        self.cycle = self if cycle else None


@pytest.fixture
def no_collections():
    """Disable collections, so that memory is free only because its references were dropped."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_memory_of_the_failed_call_is_released_before_the_retry(caching, no_collections):
    held, log = [], []

    def inner():
        kept = Tensor(caching, 20 * MIB)
        try:
            return caching.allocate(60 * MIB)
        except OutOfMemoryError as error:
            log.append(sys.exc_info())  # as a `logging` record does, including the frames
            raise MemoryError("of the program") from error
        finally:
            assert kept.block

    def step(cycle):
        held.append(current(caching, "allocated_bytes"))
        kept = [Tensor(caching, 10 * MIB, cycle), Tensor(caching, 5 * MIB)]
        if len(held) > 1:
            return kept[0].block.nbytes + caching.allocate(30 * MIB).nbytes
        return inner()

    assert retry_after_oom(step, cycle=True) == 40 * MIB
    assert held == [0, 0] and log[0][2].tb_frame.f_code is inner.__code__


def test_idle_memory_of_all_allocators_is_released(caching, driver):
    """Two allocators on one device: memory cached by one is not available to the other."""
    other, host = CachingAllocator(driver), HostAllocator()
    other.allocate(40 * MIB).free()
    host.refill(MIB)[1]()
    assert retry_after_oom(caching.allocate, 50 * MIB).nbytes == 50 * MIB
    assert not current(other, "reserved_bytes") and not host.statistics()["cached_bytes"]


def test_second_failures_and_other_errors_propagate(caching):
    calls = []

    def step(error):
        calls.append(error)
        raise error

    for error in (MemoryError("mine"), ValueError("other")):
        with pytest.raises(type(error), match=str(error)) as caught:
            retry_after_oom(step, error)
        assert caught.value.__context__ is None
    assert [str(error) for error in calls] == ["mine", "mine", "other"]
    with raises(TypeError, "retry_after_oom", "expected a function", value=7):
        retry_after_oom(7)


def test_an_exception_being_handled_is_kept(caching):
    def fail():
        mark = "here"
        raise KeyError(mark)

    def step():
        calls.append(1)
        if len(calls) < 2:
            caching.allocate(1 << 40)
        return "done"

    calls = []
    try:
        fail()
    except KeyError as error:
        assert retry_after_oom(step) == "done"
        frame = error.__traceback__.tb_next.tb_frame
        assert frame.f_locals == {"mark": "here"} and error.args == ("here",)


# ------------------------------------------------------------------------------------------------------------- batches
@pytest.mark.parametrize(
    ("count", "batch_size", "fits", "sizes"),
    [
        (10, 4, 9, [4, 4, 2]),
        (10, None, 10, [10]),
        (10, None, 3, [2, 2, 2, 2, 2]),
        (12, 100, 3, [3, 3, 3, 3]),
        (7, 7, 1, [1] * 7),
        (0, None, 1, []),
        (0, 5, 1, []),
    ],
)
def test_slices_are_halved_when_memory_runs_out(count, batch_size, fits, sizes):
    def step(batch):
        if len(batch) > fits:
            raise MemoryError
        return list(batch)

    for items in (range(count), list(range(count))):
        found = list(smaller_batches(step, items, batch_size))
        assert [len(batch) for batch in found] == sizes and [one for batch in found for one in batch] == list(items)


def test_memory_of_a_failed_slice_is_released_before_the_next(caching, no_collections):
    before = []

    def step(batch):
        before.append((len(batch), current(caching, "allocated_bytes")))
        kept = [Tensor(caching, 5 * MIB, cycle=True) for _ in batch]
        return len(kept)

    total = 0
    for count in smaller_batches(step, range(25), 20):
        total += count
        gc.collect()
    assert total == 25 and before == [(20, 0), (10, 0), (10, 0), (5, 0)]


def test_the_smallest_slice_that_fails_raises(caching):
    sizes = []

    def step(batch):
        sizes.append(len(batch))
        return caching.allocate(len(batch) * 10 * MIB)

    with pytest.raises(OutOfMemoryError) as caught:
        list(smaller_batches(step, range(100), smallest=8))
    assert sizes == [100, 50, 25, 12, 8] and caught.value.requested == 80 * MIB
    names = []
    trace = caught.value.__traceback__
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert names == ["test_the_smallest_slice_that_fails_raises", "step"], "no frames of the library"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((7, [1]), "expected step, a function; got 7"),
        ((len, iter([1])), "expected items with a length and slices; got <list_iterator"),
        ((len, [1], "4"), "expected batch_size, an int; got '4'"),
        ((len, [1], 0), "expected batch_size of at least 1; got 0"),
        ((len, [1], 4, 0), "expected smallest of at least 1; got 0"),
    ],
)
def test_invalid_arguments(arguments, message):
    with raises((TypeError, ValueError), "smaller_batches", message):
        smaller_batches(*arguments)


def test_a_failing_device_does_not_hide_the_error(caching, driver):
    other = CachingAllocator(SimulatedDriver(MIB * 4))
    other.driver.fail_next("synchronize", count=5)
    block = caching.allocate(40 * MIB)
    with raises(OutOfMemoryError, "out of memory", "40 MiB in use"):
        retry_after_oom(caching.allocate, 50 * MIB)
    assert block and other.allocate(5)
