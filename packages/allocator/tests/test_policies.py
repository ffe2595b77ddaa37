"""Policies: each alone over a simulated device, and in arbitrary stacks."""

import itertools
import os
import random
import threading
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_allocator import CachingAllocator
from facula_allocator._reports.call_sites import call_site
from facula_allocator.drivers import DriverError, HostDriver, SimulatedDriver, supports_virtual_memory
from facula_allocator.policies import Fallback, History, Limit, Policy, Pool, Statistics, Tracking
from facula_errors.testing import raises

MIB = 1 << 20
numbers = itertools.cycle(range(1, 1 << 10))
EVERY = {
    "policy": Policy,
    "limit": lambda driver: Limit(driver, 32 * MIB),
    "statistics": Statistics,
    "history": lambda driver: History(driver, 10),
    "tracking": Tracking,
    "fallback": lambda driver: Fallback(Limit(driver, 8 * MIB), Shifted(SimulatedDriver(16 * MIB))),
    "pool": Pool,
}


class Shifted(Policy):
    """Shifts addresses, so that two simulated devices have different ones."""

    def __init__(self, driver):
        super().__init__(driver)
        self.by, self.page_size = next(numbers) << 50, 0

    def allocate(self, nbytes):
        return self.driver.allocate(nbytes) + self.by

    def free(self, address, nbytes):
        self.driver.free(address - self.by, nbytes)


@pytest.fixture
def device():
    return SimulatedDriver(64 * MIB)


# --------------------------------------------------------------------------------------------------------- all policies
@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_every_policy_is_a_driver(make, device):
    driver = make(device)
    assert (driver.granularity, driver.memory, driver.survives_fork) == (512, "device memory", False)
    address = driver.allocate(4096)
    event = driver.record_event(3)
    driver.wait_event(4, event)
    assert driver.event_done(event) and driver.free_event(event) is None
    assert [entry[0] for entry in device.log[-4:]] == ["record_event", "wait_event", "event_done", "free_event"]
    device.begin_capture(5)
    assert driver.is_capturing() and driver.is_capturing(5) and not driver.is_capturing(4)
    device.end_capture(5)
    free, total = driver.memory_info()
    driver.free(address, 4096)
    driver.synchronize()
    assert driver.memory_info() == (free + 4096, total) and device.calls("synchronize") == 1
    assert type(driver).__name__ in repr(driver) and "SimulatedDriver" in repr(driver)


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_refused_calls_change_nothing(make, device):
    driver = make(device)
    before = driver.memory_info()
    device.fail_next("allocate", count=3)
    with pytest.raises(DriverError):
        driver.allocate(20 * MIB)
    device.fail_next("allocate", count=0)
    assert driver.memory_info() == before
    if isinstance(driver, Pool):
        return  # its free makes no call below
    address = driver.allocate(4096)
    held = driver.memory_info()
    device.fail_next("free")
    with raises(DriverError, "SimulatedDriver.free", "refused by fail_next"):
        driver.free(address, 4096)
    assert driver.memory_info() == held
    driver.free(address, 4096)
    assert driver.memory_info() == before


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_pages_are_counted_like_other_memory(make):
    device = SimulatedDriver(64 * MIB, page_size=2 * MIB)
    driver = make(device)
    if isinstance(driver, (Fallback, Pool)):
        assert driver.page_size == 0
        with raises(DriverError, type(driver).__name__, "expected a driver with virtual memory; got <"):
            driver.reserve_addresses(2 * MIB)
        return
    assert supports_virtual_memory(driver) and not supports_virtual_memory(make(SimulatedDriver(MIB)))
    base = driver.reserve_addresses(16 * MIB)
    before = driver.memory_info()
    device.fail_next("map")
    with raises(DriverError, "SimulatedDriver.map", "refused by fail_next"):
        driver.map(base, 2 * MIB)
    driver.map(base, 6 * MIB)
    held = driver.memory_info()
    assert held[0] == before[0] - 6 * MIB and books_agree(driver, 6 * MIB)
    device.fail_next("unmap")
    with raises(DriverError, "SimulatedDriver.unmap", "refused by fail_next"):
        driver.unmap(base + 2 * MIB, 2 * MIB)
    assert driver.memory_info() == held and books_agree(driver, 6 * MIB)
    driver.unmap(base + 2 * MIB, 2 * MIB)
    with pytest.raises(DriverError):
        driver.unmap(base, 4 * MIB)  # the second page is not mapped
    assert books_agree(driver, 4 * MIB)
    for page in (base, base + 4 * MIB):
        driver.unmap(page, 2 * MIB)
    driver.free_addresses(base, 16 * MIB)
    assert driver.memory_info() == before and books_agree(driver, 0)
    if isinstance(driver, Limit):
        driver.nbytes = 0
        with raises(DriverError, "Limit.map", "expected at most 0 B"):
            driver.map(driver.reserve_addresses(2 * MIB), 2 * MIB)
    if isinstance(driver, Statistics):
        assert driver.figures[:3] == (1, 3, 1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Limit(None, 1), TypeError, "Limit: expected driver, as HostDriver(); got None without granularity"),
        (lambda: Limit(HostDriver(), 1.5), TypeError, "Limit: expected nbytes, an int; got 1.5"),
        (lambda: Limit(HostDriver(), -1), ValueError, "Limit: expected nbytes >= 0; got -1"),
        (lambda: History(HostDriver(), 0), ValueError, "History: expected length >= 1; got 0"),
        (lambda: History(HostDriver(), 1 << 63), ValueError, "History: expected length < 2**63; got"),
        (lambda: Fallback(HostDriver(), 7), TypeError, "Fallback: expected second, as HostDriver"),
        (lambda: Fallback(7, HostDriver()), TypeError, "Fallback: expected first, as HostDriver"),
        (lambda: Pool(HostDriver(), split=1), TypeError, "CachingAllocator: expected options among ... got 'split'"),
    ],
)  # fmt: skip
def test_invalid_arguments(make, error, message):
    with raises(error, message):
        make()


# ------------------------------------------------------------------------------------------------------ single policies
def test_a_limit_is_shared_and_may_change(device):
    driver = Limit(device, MIB)
    first, second = CachingAllocator(driver, small_segment=MIB), CachingAllocator(driver, small_segment=MIB)
    block = first.allocate(100)
    with pytest.raises(MemoryError) as refused:
        second.allocate(100)
    assert "at most 1 MiB of device memory at once; 1 MiB are in use and 512 B were requested" in str(
        refused.value.__cause__
    )
    driver.nbytes = 2 * MIB
    assert second.allocate(100).capacity == 512 and driver.held == 2 * MIB and driver.memory_info() == (0, 2 * MIB)
    del block
    driver.nbytes = 0
    first.empty_cache()
    assert driver.held == MIB and driver.memory_info() == (0, 0)
    with raises(ValueError, "Limit", "expected nbytes >= 0"):
        driver.nbytes = -5


def test_statistics_count_refusals_and_seconds(device):
    driver = Statistics(device)
    held = [driver.allocate(MIB) for _ in range(3)]
    driver.free(held.pop(), MIB)
    device.fail_next("allocate")
    with pytest.raises(DriverError):
        driver.allocate(MIB)
    figures = driver.figures
    assert figures[:6] == (3, 1, 1, 2 * MIB, 3 * MIB, 3 * MIB)
    assert figures.allocate_seconds > 0 and figures.free_seconds > 0
    driver.reset()
    assert driver.figures == (0, 0, 0, 2 * MIB, 2 * MIB, 0, 0.0, 0.0)


def test_statistics_lose_nothing_between_threads(device):
    driver = Statistics(Limit(HostDriver(), 1 << 40))

    def work():
        for _ in range(300):
            driver.free(driver.allocate(4096), 4096)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert driver.figures[:4] == (1200, 1200, 0, 0) and driver.driver.held == 0
    assert driver.figures.total_nbytes == 1200 * 4096


def test_history_names_the_last_calls_and_their_lines(device):
    driver = History(device, 3)
    first = driver.allocate(512)
    line = call_site().line + 1
    second = driver.allocate(1024)
    device.fail_next("free")
    with pytest.raises(DriverError):
        driver.free(first, 512)
    driver.free(first, 512)
    one, two, three = driver.calls
    assert one[1:4] == ("allocate", (1024,), second) and one.site == (__file__, line, one.site.name)
    assert two[1:4] == ("free", (first, 512), "SimulatedDriver.free: refused by fail_next; call it again")
    assert three[1:4] == ("free", (first, 512), None) and one.seconds <= two.seconds <= three.seconds
    driver.clear()
    assert driver.calls == []


def test_tracking_lists_live_memory_by_line(device):
    driver = Tracking(Pool(device))
    held = [driver.allocate(MIB) for _ in range(3)]
    line = call_site().line + 1
    large = driver.allocate(4 * MIB)
    driver.free(held[1], MIB)
    assert [(one.address, one.nbytes) for one in driver.live()] == [(held[0], MIB), (held[2], MIB), (large, 4 * MIB)]
    lines = driver.report().splitlines()
    assert lines[0].startswith("device memory: 6 MiB held in 3 pieces")
    assert (
        "4 MiB in 1" in lines[1] and f"test_policies.py:{line} test_tracking" in lines[1] and "2 MiB in 2" in lines[2]
    )
    for address, nbytes, message in ((held[1], MIB, "in use; got"), (large, MIB, f"4194304 bytes ... :{line}")):
        with raises(DriverError, "Tracking.free", message):
            driver.free(address, nbytes)
    assert len(driver.live()) == 3


def test_a_fallback_serves_refused_requests():
    first, second = SimulatedDriver(MIB), SimulatedDriver(MIB)
    driver = Fallback(first, Shifted(second))
    assert driver.memory_info() == (2 * MIB, 2 * MIB)
    addresses = [driver.allocate(MIB) for _ in range(2)]
    assert driver.fallback_bytes == MIB and second.memory_info() == (0, MIB)
    with raises(DriverError, "Fallback.allocate", "both drivers refused", "SimulatedDriver.allocate"):
        driver.allocate(512)
    for address in addresses:
        driver.free(address, MIB)
    assert first.memory_info() == second.memory_info() == (MIB, MIB) and driver.fallback_bytes == 0
    with raises(DriverError, "Fallback.free", "expected an address from allocate"):
        driver.free(addresses[0], MIB)


def test_drivers_with_equal_addresses_are_detected():
    first, second = SimulatedDriver(MIB), SimulatedDriver(MIB)
    driver = Fallback(first, second)
    driver.allocate(MIB)
    with raises(DriverError, "Fallback.allocate", "addresses that no two drivers give", value="0x10000000000 twice"):
        driver.allocate(MIB)
    assert second.memory_info() == (MIB, MIB)


def test_an_allocator_below_releases_idle_memory_before_the_fallback(device):
    driver = Fallback(Pool(device), Shifted(SimulatedDriver(64 * MIB)))
    for nbytes in (40 * MIB, 60 * MIB):  # the second fits only after the first one's segment is released
        driver.free(driver.allocate(nbytes), nbytes)
    address = driver.allocate(64 * MIB)
    assert driver.fallback_bytes == 0
    other = driver.allocate(2 * MIB)
    assert driver.fallback_bytes == 2 * MIB
    driver.free(address, 64 * MIB)
    driver.free(other, 2 * MIB)


def test_a_pool_cuts_reuses_and_frees_once(device):
    driver = Pool(device, small_segment=2 * MIB)
    first, second = driver.allocate(512), driver.allocate(512)
    assert abs(first - second) == 512 and device.calls("allocate") == 1
    driver.free(first, 512)
    assert driver.allocate(512) == first
    for address, nbytes in ((second, 1024), (first + 512, 512) if second < first else (second + 512, 512)):
        with raises(DriverError, "Pool.free", "expected a block that is in use"):
            driver.free(address, nbytes)
    driver.free(first, 512)
    with raises(DriverError, "Pool.free", "expected a block that is in use"):
        driver.free(first, 512)
    driver.free(second, 512)
    assert driver.empty_cache() == 2 * MIB and device.memory_info() == (64 * MIB, 64 * MIB)


def test_a_child_abandons_memory_of_its_parent(device):
    drivers = [make(device) for make in EVERY.values()] + [Limit(HostDriver(), MIB)]
    for driver in drivers:
        driver.allocate(4096)
    child = os.fork()
    if not child:
        limit, statistics, tracking, fallback, host = (drivers[i] for i in (1, 2, 4, 5, 7))
        gone = limit.held == 0 and statistics.figures.nbytes == 0 and not tracking.live() and not fallback._homes
        os._exit(0 if gone and host.held == 4096 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert drivers[1].held == 4096


def test_call_sites_keep_no_frame_alive():
    class Local:
        pass

    def inner():
        held = Local()
        return call_site(), ref(held)

    site, held = inner()
    assert site.name == "inner" and held() is None


# ----------------------------------------------------------------------------------------------------- arbitrary stacks
LAYERS = st.lists(st.sampled_from([*EVERY, "caching"]), min_size=1, max_size=5)


class Caching(Policy):
    """A caching allocator between two policies, used on several streams at once."""

    def __init__(self, driver):
        super().__init__(driver)
        self.allocator, self.blocks, self.next = CachingAllocator(driver), {}, 0

    def allocate(self, nbytes):
        self.next += 1
        try:
            block = self.allocator.allocate(nbytes, self.next % 3)
        except MemoryError as error:
            raise DriverError(str(error)) from None
        if self.next % 2:
            block.record_use((self.next + 1) % 3)
        self.blocks[block.ptr] = block
        return block.ptr

    def free(self, address, nbytes):
        self.blocks.pop(address).free()


def books_agree(driver, nbytes):
    """Return whether a policy's counters agree with its user's memory."""
    held = {
        Limit: lambda: driver.held,
        Statistics: lambda: driver.figures.nbytes,
        Tracking: lambda: sum(one.nbytes for one in driver.live()),
        Fallback: lambda: sum(nbytes for _, nbytes in driver._homes.values()),
        Pool: lambda: sum(block.nbytes for block in driver._blocks.values()),
    }.get(type(driver))
    return held is None or held() == nbytes


@given(layers=LAYERS, seed=st.integers(0, 1 << 30))
def test_any_stack_of_policies_keeps_every_byte(layers, seed):
    choose = random.Random(seed)
    device = SimulatedDriver(64 * MIB)
    pile = [device]
    for layer in layers:
        pile.append({**EVERY, "caching": Caching}[layer](pile[-1]))
    others = [one.second.driver for one in pile if isinstance(one, Fallback)]
    top, live = pile[-1], {}
    for _ in range(60):
        if live and choose.random() < 0.45:
            address = choose.choice(list(live))
            top.free(address, live.pop(address))
        else:
            nbytes = 512 * choose.choice([1, 3, choose.randrange(1, 4000), choose.randrange(1, 40000)])
            if choose.random() < 0.1:
                device.fail_next("allocate", count=choose.randrange(1, 4))
            try:
                address = top.allocate(nbytes)
            except DriverError:
                address = None
            device.fail_next("allocate", count=0)
            if address is not None:
                assert address % 512 == 0
                assert all(address + nbytes <= one or one + live[one] <= address for one in live), "overlap"
                live[address] = nbytes
        assert books_agree(top, sum(live.values()))
    for address, nbytes in live.items():
        top.free(address, nbytes)
    for one in reversed(pile):
        if isinstance(one, (Pool, Caching)):
            one.allocator.empty_cache()
        assert books_agree(one, 0)
    assert all(one.memory_info() == (one.capacity, one.capacity) for one in (device, *others))
