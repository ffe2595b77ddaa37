"""Ctrl-C at any moment: no memory is lost or freed twice, and the allocator continues to work."""

import dis
import functools
import gc
import signal
import sys

import pytest
from simulated import MIB

from facula_allocator import CachingAllocator, HostAllocator, replay
from facula_allocator.drivers import HostDriver, SimulatedDriver

EVERY = 19  # test every 19th moment; all of them take a minute
# Python checks for signals after these instructions. The interrupted work of a driver is the driver's responsibility.
CHECKED = ("CALL", "JUMP_BACKWARD", "RESUME")
WATCHED = ("slow_path.py", "waiting_blocks.py", "lending.py", "expandable_segments.py", "listeners.py")
HOST = ("host_allocator.py", "size_classes.py", "regions.py", "drivers/host.py")
RECORDING = ("listeners.py", "_caching/recording.py", "_writer.py", "_line_file.py")


@functools.cache
def handlers(code):
    """Return the handlers of errors, by instruction."""
    found = {}
    for entry in dis.Bytecode(code).exception_entries:
        found |= dict.fromkeys(range(entry.start, entry.end), entry.target)
    return found


class Interrupt:
    """Raises KeyboardInterrupt at one of the moments where Python would."""

    def __init__(self, moment, watched=WATCHED):
        self.left = moment
        self.watched = watched
        self.last = {}

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.endswith(self.watched):
            return None
        if event == "call":
            self.last.pop(id(frame), None)
            if self.watched is HOST:  # Python does not check when a Python call returns without C in between
                self.last.pop(id(frame.f_back), None)
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            last, self.last[id(frame)] = self.last.get(id(frame)), frame.f_lasti
            looks = last is not None and dis.opname[frame.f_code.co_code[last]].startswith(CHECKED)
            # The tracer raises one instruction later than Python would, so skip places where that matters.
            where = handlers(frame.f_code)
            if looks and where.get(last) == where.get(frame.f_lasti):
                self.left -= 1
                if not self.left:
                    raise KeyboardInterrupt
        return self


class Stopped(SimulatedDriver):
    """Raises a given error right after or right before one of its calls takes effect."""

    left, late, error = 0, True, KeyboardInterrupt

    def _called(self, name, *arguments):
        super()._called(name, *arguments)
        if not self.late:
            self.stop()

    def stop(self):
        self.left -= 1
        if not self.left:
            raise self.error


def late(name):
    def call(self, *arguments):
        found = getattr(SimulatedDriver, name)(self, *arguments)
        if self.late:
            self.stop()
        return found

    return call


# Excludes calls that return memory, addresses or events: a driver interrupted there must release them itself.
for _name in ("free", "wait_event", "event_done", "free_event", "synchronize", "map", "unmap"):
    setattr(Stopped, _name, late(_name))


def scenario(driver, allocator):
    """Grow, use blocks on other streams, wait, lend, use the last resort and release everything, in few calls."""
    held = [allocator.allocate(1000, 1), allocator.allocate(6 * MIB, 1), allocator.allocate(9 * MIB, 1)]
    for block in held:
        driver.launch(1, writes=[(block.ptr, 1000)])
        driver.launch(2, reads=[(block.ptr, 1000)])
        block.record_use(2)
    del held[1:], block
    held.append(allocator.allocate(3 * MIB, 1))
    driver.complete_all()
    held.append(allocator.allocate(3 * MIB, 1))
    held.append(allocator.allocate(5 * MIB, 3))
    driver.launch(3, writes=[(held[-1].ptr, 1000)])
    del held[1:]
    held.append(allocator.allocate(18 * MIB, 4))
    del held[1:]
    held.append(allocator.allocate(25 * MIB, 4))
    held.clear()
    allocator.empty_cache()


def stopped(make, capacity=36 * MIB, **settings):
    """Run the scenario with Ctrl-C at each moment in turn; yield the allocator and driver after each run."""
    moment = 0
    while True:
        moment += EVERY
        driver, interrupt, ended = Stopped(capacity, **settings), make(moment), False
        held = [CachingAllocator(driver, small_segment=MIB)]
        driver.error = KeyboardInterrupt
        try:
            if isinstance(interrupt, Interrupt):
                sys.settrace(interrupt)
            else:
                driver.left, driver.late = interrupt
            scenario(driver, held[0])
            ended = True
        except KeyboardInterrupt as error:
            error.__traceback__ = None
        finally:
            sys.settrace(None)
            driver.left = 0
        yield moment, driver, held, ended
        if ended:
            return


def check(moment, driver, held):
    """Check that the allocator agrees with the device, and that all memory can be allocated and released again."""
    allocator = held.pop()
    stats = allocator.memory_stats()
    assert stats["allocated_bytes.all.current"] == 0, moment
    free, total = driver.memory_info()
    assert stats["reserved_bytes.all.current"] == total - free, moment
    scenario(driver, allocator)
    stats = allocator.memory_stats()
    assert stats["reserved_bytes.all.current"] == stats["active_bytes.all.current"] == 0, moment
    assert driver.memory_info() == (total, total), moment
    held.append(allocator.allocate(5 * MIB))
    held.clear()
    del allocator
    gc.collect()
    assert driver.memory_info() == (total, total), moment


@pytest.mark.parametrize("page_size", [0, MIB])
def test_at_any_instruction(page_size):
    for moment, driver, held, _ in stopped(Interrupt, page_size=page_size):
        check(moment, driver, held)


def test_an_interrupted_loan_is_ordered_after_the_lender():
    """The device reports work on the memory that is not ordered after the lender's."""
    moment, stopped_once = 0, True
    while stopped_once:
        moment, stopped_once = moment + 1, False
        driver = SimulatedDriver(20 * MIB)
        caching = CachingAllocator(driver)
        block = caching.allocate(6 * MIB, 1)
        driver.launch(1, writes=[(block.ptr, 1000, "lender")])
        block.free()
        try:
            sys.settrace(Interrupt(moment))
            caching.allocate(5 * MIB, 3)
        except KeyboardInterrupt:
            stopped_once = True
        finally:
            sys.settrace(None)
        block = caching.allocate(5 * MIB, 3)
        driver.launch(3, writes=[(block.ptr, 1000, "borrower")])
    assert moment > 20


@pytest.mark.parametrize("page_size", [0, MIB])
@pytest.mark.parametrize("late", [True, False])
def test_inside_a_driver(page_size, late, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "EVERY", 2)
    for moment, driver, held, ended in stopped(lambda moment: (moment, late), page_size=page_size):
        if not late and not ended and driver.log[-1][0] == "free":
            continue  # abandoned, because it is unknown whether it was freed
        check(moment, driver, held)


@pytest.mark.parametrize("page_size", [0, MIB])
def test_inside_a_listener(page_size):
    moment = 0
    while True:
        moment += 2
        driver = Stopped(36 * MIB, page_size=page_size)
        held, left = [CachingAllocator(driver, small_segment=MIB)], [moment]

        def listener(event, left=left):
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        held[0].add_listener(listener)
        ended = False
        try:
            scenario(driver, held[0])
            ended = True
        except KeyboardInterrupt:
            pass
        if ended:
            break
        held[0].remove_listener(listener)
        check(moment, driver, held)
    assert moment > 20


def use_host(allocator, held):
    """Use new slabs and large blocks, the last idle block and the last resort, and release everything."""
    for nbytes in (1000, 20 * MIB, 300_000, 20 * MIB, 1000):
        held.append(allocator.refill(nbytes))
    while held:
        held.pop()[1]()
    held.append(allocator.refill(20 * MIB))
    held.append(allocator.refill(40 * MIB))
    while held:
        held.pop()[1]()
    allocator.trim()


def test_host_memory_at_any_instruction():
    moment, stopped_once = 0, True
    while stopped_once:
        moment, stopped_once = moment + EVERY, False
        allocator, held = HostAllocator(limit=64 * MIB), []
        try:
            sys.settrace(Interrupt(moment, HOST))
            use_host(allocator, held)
        except KeyboardInterrupt as error:
            stopped_once, error.__traceback__ = True, None
        finally:
            sys.settrace(None)
        while held:
            held.pop()[1]()
        assert allocator.statistics()["allocated_bytes"] == 0, moment
        allocator.trim()
        assert allocator.statistics()["reserved_bytes"] == 0, moment
        use_host(allocator, held)
        stats = allocator.memory_stats()
        assert stats["reserved_bytes.all.current"] == stats["segment.all.current"] == 0, moment
    assert moment > 300


def test_a_host_driver_at_any_instruction():
    moment, stopped_once = 0, True
    while stopped_once:
        moment, stopped_once = moment + 1, False
        driver = HostDriver()
        allocator = CachingAllocator(driver)
        try:
            sys.settrace(Interrupt(moment, (*WATCHED, *HOST)))
            allocator.allocate(20 * MIB)
        except KeyboardInterrupt as error:
            stopped_once, error.__traceback__ = True, None
        finally:
            sys.settrace(None)
        allocator.empty_cache()
        assert repr(driver) == "<HostDriver, 0 regions, 0 bytes>", moment
    assert moment > 20


def test_system_memory_always_has_an_owner():
    """Uses real signals, since they also arrive inside C code."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(30):
            allocator, held = HostAllocator(), []
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.003)
                for _ in range(3000):  # bounded, since Python may raise one in a finaliser, where it is lost
                    held.append(allocator.refill(20 * MIB))
            except KeyboardInterrupt as error:
                error.__traceback__ = None
            while held:
                held.pop()[1]()
            allocator.trim()
            assert allocator.statistics()["reserved_bytes"] == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_a_trace_is_complete_after_an_interrupt(tmp_path, monkeypatch):
    """Each allocation and each free has a line, wherever its recording was interrupted."""
    monkeypatch.setattr("facula_allocator.traces._line_file.LINES_PER_FLUSH", 7)
    moment, ended = 0, False
    while not ended:
        moment += 3
        allocator = CachingAllocator(SimulatedDriver(1 << 30))
        recording = allocator.record_trace(tmp_path / "a.trace")
        kept = []
        try:
            sys.settrace(Interrupt(moment, RECORDING))
            for number in range(12):
                kept.append(allocator.allocate(MIB, number % 2))
                if number % 3 == 2:
                    kept[-1].record_use(5)
                    del kept[::2]
            ended = True
        except KeyboardInterrupt as error:
            error.__traceback__ = None
        finally:
            sys.settrace(None)
        live = [block.nbytes for block in kept]
        allocator.memory_stats()
        kept.append(allocator.allocate(3 * MIB))
        recording.close()
        report = replay(tmp_path / "a.trace")
        assert report.stats["requested_bytes.all.current"] == sum(live) + 3 * MIB, moment
        assert report.stats["requested_bytes.all.current"] == allocator.memory_stats()["requested_bytes.all.current"]
