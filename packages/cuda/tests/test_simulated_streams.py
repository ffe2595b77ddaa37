"""Streams, events and launches of simulated devices: what runs when, and in which order."""

import itertools
import os
import threading
import time

import pytest
from simulated_calls import (
    Code,
    StreamLog,
    allocate,
    call,
    code_of,
    event,
    get,
    launch,
    numbers,
    read,
    stream,
    use_device,
    words,
    write,
)

from facula_cuda._driver import ffi
from facula_cuda.testing import counting, driver_calls, failing, pending, simulate

INVALID_HANDLE, NOT_READY = 400, 600


@pytest.fixture
def log(simulated, library):
    """Return `log(**options)`, which simulates devices and returns a StreamLog."""

    def start(**options):
        simulated(**options)
        return StreamLog(library)

    return start


def test_streams_run_in_any_order_and_each_in_its_own(log):
    log = log()
    a, b = stream(), stream()

    def queue():
        for value in (1, 2):
            log(value, a)
        log(3, b)

    assert log.orders(queue) == {(1, 2, 3), (1, 3, 2), (3, 1, 2)}
    simulate(order="in_order")
    for value, on in ((1, a), (2, b), (3, a)):
        log(value, on)
    assert log.entries()[-3:] == [1, 2, 3]


def test_events_order_streams(log):
    log = log()
    a, b, done = stream(), stream(), event()

    def queue():
        log(1, a)
        call("cuEventRecord", done, a)
        log(2, a)
        call("cuStreamWaitEvent", b, done, 0)
        call("cuEventRecord", done, b)  # a later record does not change what b waits for
        log(3, b)

    assert log.orders(queue) == {(1, 2, 3), (1, 3, 2)}


def test_an_event_waits_for_the_work_so_far(log):
    log = log()
    a, done = stream(), event()
    for value in (1, 2):
        log(value, a)
        if value == 1:
            call("cuEventRecord", done, a)
    assert code_of("cuEventQuery", done) == NOT_READY
    call("cuEventDestroy_v2", event())
    call("cuEventSynchronize", done)
    assert code_of("cuEventQuery", done) == 0
    assert log.so_far()[0] == 1 and log.entries() == [1, 2]


def test_unrecorded_and_destroyed_events(log):
    log = log()
    a, b, done = stream(), stream(), event()
    assert code_of("cuEventQuery", done) == code_of("cuEventSynchronize", done) == 0
    call("cuStreamWaitEvent", a, done, 0)
    log(1, a)
    call("cuEventRecord", done, a)
    call("cuStreamWaitEvent", b, done, 0)
    call("cuEventDestroy_v2", done)
    log(2, b)
    assert code_of("cuEventQuery", done) == code_of("cuStreamWaitEvent", a, done, 0) == INVALID_HANDLE
    assert log.entries() == [1, 2]


def test_handles_are_not_used_again(simulated):
    simulated()
    for make, destroy, use in (
        (event, "cuEventDestroy_v2", "cuEventQuery"),
        (stream, "cuStreamDestroy_v2", "cuStreamSynchronize"),
    ):
        old = make()
        call(destroy, old)
        new = make()
        assert new != old and code_of(use, new) == 0
        assert code_of(use, old) == code_of(use, 12345) == INVALID_HANDLE


@pytest.mark.parametrize("flags", [0, 1])
def test_the_default_stream_waits_for_blocking_streams_and_they_for_it(log, flags):
    log = log()
    a, b = stream(flags), stream(flags)

    def queue():
        log(1, a)
        log(2, 0)
        log(3, b)

    ordered = {(1, 2, 3)}
    assert log.orders(queue) == (ordered if flags == 0 else set(itertools.permutations((1, 2, 3))))


def test_waiting_for_a_stream_leaves_others(log):
    log = log()
    a, b = stream(), stream()
    left = set()
    for seed in range(200):
        simulate(seed=seed)
        for value in range(30):
            log(value, a)
        for value in range(2, 32):
            log(value, b)
        call("cuStreamSynchronize", a)
        assert code_of("cuStreamQuery", a) == 0
        left.add(pending())
        log.clear()
    assert {0, 30} <= left and len(left) > 5


def test_polling_ends(log):
    log = log()
    a, done = stream(), event()
    log(1, a)
    call("cuEventRecord", done, a)
    assert [code_of("cuEventQuery", done) for _ in range(90)] == [NOT_READY] * 90 and pending() == 1
    for query in (("cuEventQuery", done), ("cuStreamQuery", a)):
        for _ in range(200):
            if not code_of(*query):
                break
        assert code_of(*query) == 0


def test_full_queues_run(log):
    log = log()
    a = stream()
    for value in range(1100):
        log(value, a)
    assert pending() < 1100
    assert log.entries() == list(range(1100))


def test_destroyed_streams_finish_their_work(log):
    log = log()
    a = stream()
    log(1, a)
    call("cuStreamDestroy_v2", a)
    assert code_of("cuStreamSynchronize", a) == code_of("cuStreamDestroy_v2", a) == INVALID_HANDLE
    assert log.entries() == [1]


def test_elapsed_time(log):
    log = log()
    a, start, end, untimed = stream(), event(0), event(0), event(2)
    milliseconds = ffi.new("float *")
    assert code_of("cuEventElapsedTime", milliseconds, start, end) == INVALID_HANDLE
    for one in (start, end, untimed):
        call("cuEventRecord", one, a)
        log(1, a)
    assert code_of("cuEventElapsedTime", milliseconds, start, end) == NOT_READY
    begin = time.perf_counter()
    call("cuCtxSynchronize")
    call("cuEventElapsedTime", milliseconds, start, end)
    assert 0 < milliseconds[0] <= 1e3 * (time.perf_counter() - begin)
    assert code_of("cuEventElapsedTime", milliseconds, start, untimed) == INVALID_HANDLE


def test_events_of_another_device(log):
    log = log(devices=2)
    a, done = stream(), event()
    log(1, a)
    call("cuEventRecord", done, a)
    use_device(1)
    b = stream()
    assert code_of("cuEventRecord", done, b) == INVALID_HANDLE
    call("cuStreamWaitEvent", b, done, 0)
    address = allocate(8)
    call("cuMemsetD8Async", address, 0, 8, b)
    call("cuStreamSynchronize", b)
    assert numbers(read(address, 8)) == [0] and code_of("cuEventQuery", done) == 0


def test_launches_that_only_count(log):
    log = log()
    before = driver_calls()
    with counting() as calls:
        log(1, 0)
        assert pending() == 0
    assert calls == {"cuLaunchKernel": 1}
    assert (driver_calls() - before) == calls
    log(2, 0)
    assert log.entries() == [2]


def test_injected_failures(simulated):
    simulated()
    with failing("cuMemAlloc_v2", 2, times=2):
        for _ in range(2):
            with pytest.raises(Code, match=r"^2$"):
                allocate(8)
        allocate(8)
    with failing("cuStreamQuery", 700):
        pass
    assert code_of("cuStreamQuery", 0) == 0


def test_threads(log):
    """Four threads queue on their own streams, wait and read."""
    log = log()
    context, results = get("int64_t", "cuCtxGetCurrent"), []

    def work(number):
        call("cuCtxSetCurrent", context)
        own, address, done = stream(), allocate(1 << 14), event()
        write(address, words(0), own)
        for value in range(200):
            assert launch(log.append, words(address, value), own) == 0
            if value % 50 == 0:
                call("cuEventRecord", done, own)
                call("cuEventSynchronize", done)
        data = numbers(read(address, 8 * 201, own))
        results.append(data[1:] == list(range(200)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_calls_need_a_context(simulated):
    simulated()
    codes = []

    def without():
        codes.append(code_of("cuCtxSynchronize"))
        codes.append(code_of("cuMemAlloc_v2", ffi.new("uint64_t *"), 8))

    thread = threading.Thread(target=without)
    thread.start()
    thread.join()
    assert codes == [201, 201]


@pytest.mark.parametrize("started", [False, True])
def test_a_forked_child(simulated, started):
    """Skip Python's hook of forks, which closes the table: the driver itself refuses, too."""
    from facula_cuda._driver import lib

    simulated()
    call("cuCtxSynchronize")
    if not started:
        lib.facula_cuda_end_simulated()
        assert lib.facula_cuda_use_simulated(1, 1 << 30, 1, 0) == 0
    name = lib.driver.cuInit
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, bytes([name(0)]))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1) == bytes([3 if started else 0])
    os.close(reader)
    os.close(writer)
