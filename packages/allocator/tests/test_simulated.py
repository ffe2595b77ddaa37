"""The simulated device, alone and under the CUDA driver: its memory, its streams, and each of its checks."""

import pytest
from simulated import on_fake_runtime

from facula_allocator.drivers import DriverError, HostDriver, SimulatedDriver, supports_virtual_memory
from facula_errors.testing import raises

PAGE = 64 << 10


@pytest.fixture(params=[SimulatedDriver, on_fake_runtime], ids=["simulated", "cuda"])
def driver(request):
    return request.param(1 << 20, page_size=PAGE)


def test_freed_ranges_are_joined(driver):
    a, b, c = (driver.allocate(256 << 10) for _ in range(3))
    assert b == a + (256 << 10) and driver.memory_info() == (256 << 10, 1 << 20)
    driver.free(a, 256 << 10)
    driver.free(c, 256 << 10)
    assert driver.largest_free() == 512 << 10
    with raises(DriverError, "...Driver.allocate", "524800 bytes in one piece", value=524288):
        driver.allocate((512 << 10) + 512)
    driver.free(b, 256 << 10)
    assert driver.allocate(1 << 20) == a


@pytest.mark.parametrize("nbytes", [0, -512, 100])
def test_sizes_are_multiples_of_the_granularity(driver, nbytes):
    with raises(DriverError, "...Driver.allocate", "a multiple of 512 bytes", value=nbytes):
        driver.allocate(nbytes)


@pytest.mark.parametrize("nbytes", [512, 2048])
def test_only_whole_regions_are_freed(driver, nbytes):
    address = driver.allocate(1024)
    with raises(DriverError, "...Driver.free", f"a region of {nbytes} bytes at {address:#x}", value="none"):
        driver.free(address, nbytes)


def test_kernels_run_under_the_tests_control(driver):
    address = driver.allocate(512)
    for _ in range(3):
        driver.launch(1, writes=[(address, 512)])
    event = driver.record_event(1)
    driver.launch(1)
    driver.wait_event(2, event)
    driver.launch(2, reads=[(address, 512)])
    assert driver.complete(1, 2) == 2 and driver.complete(2) == 0 and not driver.event_done(event)
    assert driver.queued(1) == 2 and driver.queued(2) == 1
    assert driver.complete(1) == 1 and driver.event_done(event)
    driver.free_event(event)
    assert driver.complete(2, 10) == 1 and driver.complete(1, 10) == 1
    with raises(DriverError, "...Driver.event_done", "expected an event that was not freed"):
        driver.event_done(event)


def test_an_event_after_nothing_is_done(driver):
    assert driver.event_done(driver.record_event(1))


def test_a_kernel_needs_memory(driver):
    address = driver.allocate(1024)
    with raises(DriverError, "SimulatedDriver", "uses [", ") for 'x', which is not allocated"):
        driver.launch(0, reads=[(address + 512, 1024, "x")])


def test_a_kernel_on_freed_memory_is_detected_when_it_runs():
    driver = SimulatedDriver(1 << 20, strict=False)
    address = driver.allocate(1024)
    driver.launch(0, reads=[(address, 1024, "x")])
    driver.free(address, 1024)
    with raises(DriverError, "SimulatedDriver", "which is not allocated"):
        driver.complete(0)
    driver.launch(0)
    address = driver.allocate(1024)
    driver.launch(0, reads=[(address, 1024, "x")])
    driver.free(address, 1024)
    driver.allocate(2048)
    with raises(DriverError, "SimulatedDriver", "freed and allocated again since its launch"):
        driver.complete(0, 2)


def test_reused_memory_is_detected_if_the_later_kernel_runs_first():
    driver = SimulatedDriver(1 << 20, strict=False)
    address = driver.allocate(1024)
    driver.launch(0, reads=[(address, 1024, "first")])
    driver.launch(1, writes=[(address + 512, 512, "second")])
    driver.complete(1)
    with raises(DriverError, "SimulatedDriver", "of 'first' after kernel 2 used it for 'second'"):
        driver.complete(0)


def test_strict_detects_hazards_at_launch(driver):
    address = driver.allocate(1024)
    driver.launch(0, reads=[(address, 1024, "first")])
    with raises(DriverError, "SimulatedDriver.launch", "may still use for 'first'; no event orders them"):
        driver.launch(1, writes=[(address, 512, "second")])
    with raises(DriverError, "...Driver.free", "the host has not seen it done"):
        driver.free(address, 1024)
    driver.launch(0, writes=[(address, 512, "second")])  # the same stream keeps the order
    driver.complete(0, 2)
    with raises(DriverError, "SimulatedDriver.launch", "no event orders them"):
        driver.launch(1, writes=[(address, 512, "third")])  # complete, but the host does not know it


def test_events_order_streams_one_after_another(driver):
    address = driver.allocate(1024)
    driver.launch(0, reads=[(address, 1024, "first")])
    driver.wait_event(1, driver.record_event(0))
    driver.wait_event(2, driver.record_event(1))
    driver.launch(2, writes=[(address, 1024, "second")])
    driver.complete_all()
    assert driver.queued(0) == driver.queued(2) == 0
    assert driver.event_done(driver.record_event(2))
    driver.launch(7, writes=[(address, 1024, "third")])  # the host has queried the event
    driver.synchronize()
    driver.free(address, 1024)


def test_injected_failures_occur(driver):
    driver.fail_next("allocate", count=2)
    driver.fail_next("synchronize", RuntimeError("lost"))
    for _ in range(2):
        with raises(DriverError, "...Driver.allocate", "refused by fail_next"):
            driver.allocate(512)
    assert driver.allocate(512)
    with pytest.raises(RuntimeError, match="lost"):
        driver.synchronize()
    driver.fail_next("synchronize")
    driver.fail_next("synchronize", count=0)
    driver.synchronize()
    assert driver.log[:3] == [("allocate", 512)] * 3 and driver.calls("synchronize") == 2
    with raises(ValueError, "SimulatedDriver.fail_next", "expected call, a method's name", value="'alocate'"):
        driver.fail_next("alocate")


@pytest.mark.parametrize("name", ["synchronize", "event_done", "free", "unmap", "free_addresses"])
def test_forbidden_calls_invalidate_a_capture(driver, name):
    address, event = driver.allocate(512), driver.record_event(0)
    pages, empty = driver.reserve_addresses(2 * PAGE), driver.reserve_addresses(PAGE)
    driver.map(pages, PAGE)
    driver.begin_capture(1)
    driver.map(pages + PAGE, PAGE)  # allowed, like `allocate`
    assert driver.is_capturing() and driver.is_capturing(1) and not driver.is_capturing(3)
    arguments = {
        "event_done": (event,), "free": (address, 512), "unmap": (pages, PAGE),
        "free_addresses": (empty, PAGE),
    }.get(name, ())  # fmt: skip
    free = driver.memory_info()[0]
    with pytest.raises(DriverError):
        getattr(driver, name)(*arguments)
    with raises(DriverError, "SimulatedDriver.end_capture", f"the capture is invalid since {name}"):
        driver.end_capture(1)
    assert driver.memory_info()[0] == free


def test_events_from_outside_invalidate_a_capture():
    driver = SimulatedDriver(1 << 20)
    event = driver.record_event(0)
    driver.begin_capture(1)
    with pytest.raises(DriverError):
        driver.wait_event(1, event)
    with raises(DriverError, "SimulatedDriver.end_capture", "the capture is invalid since wait_event"):
        driver.end_capture(1)


def test_a_graph_is_replayed(driver):
    address = driver.allocate(512)
    driver.begin_capture(1)
    driver.launch(1, writes=[(address, 512)])
    if isinstance(driver, SimulatedDriver):
        driver.wait_event(1, driver.record_event(1))
    graph = driver.end_capture(1)
    assert driver.queued(1) == 0 and not driver.is_capturing()
    driver.replay(2, graph)
    assert driver.complete(2, 5) == 1
    with raises(DriverError, "SimulatedDriver.end_capture", "not capturing"):
        driver.end_capture(1)
    driver.begin_capture(1)
    with raises(DriverError, "SimulatedDriver.begin_capture", "stream 1 is capturing"):
        driver.begin_capture(1)


# ------------------------------------------------------------------------------------------------------- virtual memory
def test_pages_and_regions_share_the_capacity(driver):
    pages = driver.reserve_addresses(1 << 20)
    assert pages % PAGE == 0 and driver.memory_info() == (1 << 20, 1 << 20), "addresses are no memory"
    a, b = driver.allocate(PAGE), driver.allocate(PAGE)
    driver.free(a, PAGE)
    driver.map(pages, (1 << 20) - PAGE)  # needs the free bytes before and after `b`
    assert driver.memory_info()[0] == driver.largest_free() == 0
    with raises(DriverError, "...Driver.allocate", "expected 512 bytes"):
        driver.allocate(512)
    with raises(DriverError, "...Driver.map", "expected 65536 bytes of memory"):
        driver.map(pages + (1 << 20) - PAGE, PAGE)
    driver.unmap(pages + 3 * PAGE, 2 * PAGE)
    assert driver.memory_info()[0] == driver.largest_free() == 2 * PAGE
    driver.free(b, PAGE)
    driver.map(pages + 4 * PAGE, PAGE)
    assert driver.memory_info()[0] == 2 * PAGE


def test_ranges_and_pages_are_checked(driver):
    a, b = driver.reserve_addresses(4 * PAGE), driver.reserve_addresses(PAGE)
    driver.map(a + PAGE, 2 * PAGE)
    for call, address, nbytes, message in [
        ("reserve_addresses", None, 512, "expected whole pages of 65536 bytes; got 512"),
        ("reserve_addresses", None, 0, "expected whole pages"),
        ("reserve_addresses", None, 1 << 60, "expected 1152921504606846976 free addresses; got fewer"),
        ("map", a, 512, "expected whole pages of 65536 bytes; got 512"),
        ("map", a + 512, PAGE, "expected whole pages"),
        ("map", a, 2 * PAGE, f"expected no mapped page; got one at {a + PAGE:#x}"),
        ("map", a + 3 * PAGE, 2 * PAGE, "a part of a reserved range"),
        ("map", 1 << 30, PAGE, "a part of a reserved range"),
        ("unmap", a, 2 * PAGE, f"expected mapped pages; got none at {a:#x}"),
        ("unmap", a + PAGE, 3 * PAGE, f"expected mapped pages; got none at {a + 3 * PAGE:#x}"),
        ("unmap", a + PAGE, 512, "expected whole pages"),
        ("free_addresses", a, PAGE, f"expected a range of 65536 bytes at {a:#x}; got none"),
        ("free_addresses", a, 4 * PAGE, f"expected no mapped page; got one at {a + PAGE:#x}"),
        ("free", a + PAGE, PAGE, "expected a region"),
    ]:
        with raises(DriverError, f"...Driver.{call}", message):
            getattr(driver, call)(*([nbytes] if address is None else [address, nbytes]))
        assert driver.memory_info()[0] == (1 << 20) - 2 * PAGE, call
    driver.unmap(a + 2 * PAGE, PAGE)
    driver.unmap(a + PAGE, PAGE)
    driver.free_addresses(a, 4 * PAGE)
    assert driver.reserve_addresses(4 * PAGE) == a != b


def test_kernels_need_mapped_pages(driver):
    a = driver.reserve_addresses(4 * PAGE)
    driver.map(a, PAGE)
    driver.map(a + PAGE, PAGE)
    driver.launch(0, writes=[(a + 512, 2 * PAGE - 512)])  # over two pages
    with raises(DriverError, "...Driver.unmap", "the host has not seen it done"):
        driver.unmap(a + PAGE, PAGE)
    with raises(DriverError, "SimulatedDriver", "which is not allocated"):
        driver.launch(0, writes=[(a + PAGE, PAGE + 1)])
    driver.synchronize()
    driver.unmap(a, PAGE)
    with raises(DriverError, "SimulatedDriver", "which is not allocated"):
        driver.launch(0, reads=[(a + PAGE - 1, 2)])
    driver.launch(0, reads=[(a + PAGE, PAGE)])
    driver.fail_next("unmap")
    with raises(DriverError, "...Driver.unmap", "refused by fail_next"):
        driver.unmap(a + PAGE, PAGE)
    assert driver.complete(0) == 1


def test_kernels_on_remapped_pages_are_detected_when_they_run():
    driver = SimulatedDriver(1 << 20, strict=False, page_size=PAGE)
    a = driver.reserve_addresses(2 * PAGE)
    driver.map(a, 2 * PAGE)
    for again, message in [(False, "which is not allocated"), (True, "freed and allocated again since its launch")]:
        driver.launch(0, writes=[(a, 2 * PAGE)])
        driver.unmap(a + PAGE, PAGE)
        if again:
            driver.map(a + PAGE, PAGE)
        with raises(DriverError, "SimulatedDriver", message):
            driver.complete(0)
        if not again:
            driver.map(a + PAGE, PAGE)


def test_a_device_without_pages_has_no_virtual_memory(driver):
    without = SimulatedDriver(1 << 20)
    assert supports_virtual_memory(driver) and not supports_virtual_memory(without)
    assert not supports_virtual_memory(HostDriver())
    for call, arguments in [("reserve_addresses", (PAGE,)), ("map", (PAGE, PAGE)), ("unmap", (PAGE, PAGE))]:
        with raises(DriverError, f"SimulatedDriver.{call}", "expected a device with page_size > 0"):
            getattr(without, call)(*arguments)


@pytest.mark.parametrize(
    "arguments", [(0,), (1.5,), (1 << 20, 0), (1 << 20, 48), (1 << 20, 512, True, 256), (1 << 20, 512, True, 1536)]
)
def test_invalid_devices(arguments):
    with raises(ValueError, "SimulatedDriver"):
        SimulatedDriver(*arguments)


def test_with_more_addresses_a_region_needs_no_contiguous_memory():
    driver = SimulatedDriver(1 << 20, addresses=4 << 20)
    a, _, c = (driver.allocate(256 << 10) for _ in range(3))
    driver.free(a, 256 << 10)
    driver.free(c, 256 << 10)
    assert driver.allocate(768 << 10) == c and driver.memory_info()[0] == 0
    with raises(DriverError, "SimulatedDriver.allocate", "expected 512 bytes in one piece", value=0):
        driver.allocate(512)
    for addresses in (1 << 19, 1 << 50, 1.5):
        with raises(ValueError, "SimulatedDriver", "expected capacity <= addresses <="):
            SimulatedDriver(1 << 20, addresses=addresses)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda driver: driver.complete(0, -1), "complete: expected n >= 0 kernels, an int; got -1"),
        (lambda driver: driver.fail_next("allocate", 5), "fail_next: expected error, an exception; got 5"),
        (lambda driver: driver.fail_next("allocate", count=-1), "fail_next: expected count >= 0, an int; got -1"),
        (lambda driver: driver.fail_next("allocates"), "fail_next: expected call, a method's name; got 'allocates'"),
    ],
)
def test_invalid_arguments(driver, call, message):
    with raises((ValueError, TypeError), f"SimulatedDriver.{message}"):
        call(driver)
    assert driver.allocate(512) >= 0
