"""Memory released during a garbage collection is not reused before the collection ends.

`Owner` keeps a block as a storage does: its `__del__` slot contains the release. In a dying cycle the collector calls
it, and then the `__del__` of the other objects in the cycle.
"""

import ctypes
import gc
import threading

import pytest
from blocks import holds, write

from facula_allocator import HostAllocator


class Owner:
    __slots__ = ("__del__", "__weakref__", "address", "friend")

    def __init__(self, allocator, nbytes):
        self.address, self.__del__ = allocator.refill(nbytes)


class Looker:
    """Calls `look(owner)` when the cycle with its owner dies."""

    def __init__(self, owner, look):
        self.owner, self.look = owner, look
        owner.friend = self

    def __del__(self):
        self.look(self.owner)


def collect_cycles(allocator, nbytes, look, count=10):
    """Create cycles of an owner and a looker, created in either order, and let them die in a collection."""
    gc.collect()
    for _ in range(count):
        first = Owner(allocator, nbytes)
        write(first.address, nbytes, 7)
        Looker(first, look)
        looker = Looker.__new__(Looker)
        second = Owner(allocator, nbytes)
        write(second.address, nbytes, 7)
        looker.__init__(second, look)
    del first, second, looker
    gc.collect()


SIZES = [64, 5000, 3 << 20]
both = pytest.mark.parametrize("pools", [True, False])


@both
@pytest.mark.parametrize("nbytes", SIZES)
def test_finalisers_can_read_their_data(nbytes, pools, no_collection):
    allocator = HostAllocator(pools=pools)
    seen = []

    def look(owner):
        fresh, release = allocator.refill(nbytes)
        write(fresh, nbytes, 9)
        allocator.trim()
        seen.append(holds(owner.address, nbytes, 7))
        release()

    collect_cycles(allocator, nbytes, look)
    assert seen == [True] * 20
    assert allocator.statistics()["allocated_blocks"] == 0


@pytest.mark.parametrize("nbytes", SIZES)
def test_other_threads_wait_too(nbytes, no_collection):
    allocator = HostAllocator(cache_limit=0)
    seen = []

    def elsewhere():
        for _ in range(50):
            address, release = allocator.refill(nbytes)
            write(address, nbytes, 9)
            release()
        seen.append(allocator.trim())

    def look(owner):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        seen.append(holds(owner.address, nbytes, 7))

    collect_cycles(allocator, nbytes, look, count=3)
    assert seen == [0, True] * 6
    assert allocator.statistics()["allocated_blocks"] == 0


def test_a_trim_overtaken_by_a_collection_releases_nothing(no_collection):
    """The collection begins when `trim` has already checked that none runs."""
    allocator = HostAllocator()
    seen = []

    def look(owner):
        proceed.set()
        done.wait(600)
        seen.append(holds(owner.address, 5000, 7))

    proceed, done = threading.Event(), threading.Event()
    size_class = allocator._size_class(5000)

    class Waiting(list):
        """An idle list whose first access makes the trimming thread wait until the collection runs."""

        def __len__(self):
            proceed.wait(600)
            return super().__len__()

    owner = Owner(allocator, 5000)
    write(owner.address, 5000, 7)
    Looker(owner, look)
    del owner
    size_class.held = Waiting()
    given = []
    thread = threading.Thread(target=lambda: (given.append(allocator.trim()), done.set()))
    thread.start()
    gc.collect()
    thread.join()
    assert seen == [True] and given == [0]
    assert allocator.trim() > 0


def test_a_take_overtaken_by_a_collection_returns_the_block(no_collection):
    """The collection begins when `take` has already checked that none runs."""
    allocator = HostAllocator()
    seen = []

    def look(owner):
        proceed.set()
        done.wait(600)
        seen.append(holds(owner.address, 5000, 7))

    proceed, done = threading.Event(), threading.Event()

    class Waiting(list):
        """A list whose first access makes the taking thread wait until the collection runs."""

        def __len__(self):
            proceed.wait(600)
            return super().__len__()

    owner = Owner(allocator, 5000)
    write(owner.address, 5000, 7)
    Looker(owner, look)
    del owner
    size_class = allocator._size_class(5000)
    size_class.spare = Waiting()

    def elsewhere():
        for _ in range(10):
            write(allocator.refill(5000)[0], 5000, 9)
        done.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    gc.collect()
    thread.join()
    assert seen == [True]


def test_a_collection_shares_slabs_too(no_collection):
    allocator = HostAllocator()
    owner = Owner(allocator, 64)
    Looker(owner, lambda owner: [allocator.refill(64) for _ in range(200)])
    del owner
    gc.collect()
    assert allocator.memory_stats()["num_device_alloc"] == 2


def test_released_memory_leaves_no_garbage(no_collection):
    allocator = HostAllocator()
    for _, release in [allocator.refill(nbytes) for nbytes in (64, 5000, 3 << 20) for _ in range(50)]:
        release()
    del release
    gc.collect()
    assert allocator.trim() > 0
    assert gc.collect() == 0


def test_all_memory_is_reused_after_the_collection(no_collection):
    allocator = HostAllocator()
    taken = []
    collect_cycles(allocator, 64, lambda owner: taken.append(allocator.refill(64)))
    for _, release in taken:
        release()
    idle = allocator.statistics()["cached_bytes"] // 64
    before = allocator.memory_stats()["num_device_alloc"]
    assert len({allocator.refill(64)[0] for _ in range(idle)}) == idle
    assert allocator.memory_stats()["num_device_alloc"] == before


def test_no_memory_during_a_collection_is_an_error_not_a_wait(no_collection):
    allocator = HostAllocator(limit=1 << 22)
    held = [allocator.refill(2 << 20)]
    errors = []

    def look(owner):
        try:
            allocator.refill(2 << 20)
        except MemoryError as error:
            errors.append(error)

    owner = Owner(allocator, 2 << 20)
    Looker(owner, look)
    del owner
    gc.collect()
    assert len(errors) == 1
    assert allocator.refill(2 << 20)[0] and held, "once it is over there is room"


def test_the_end_of_a_collection_clears_the_state():
    """The state never accumulates, even if a callback had been lost."""
    from facula_allocator._host.process import collecting

    allocator = HostAllocator()
    gc.disable()
    try:
        for _ in range(2):
            collecting.start = {"generation": 0, "collected": 0, "uncollectable": 0}
        first = allocator.refill(3 << 20)
        first[1]()
        assert allocator.refill(3 << 20)[0] != first[0] and allocator.trim() == 0
    finally:
        gc.enable()
        gc.collect()
    assert not collecting
    assert allocator.refill(3 << 20)[0] == first[0]


def test_no_callback_of_the_collector_is_python_code():
    """In a Python callback, a Ctrl-C during a collection would be raised, printed and lost."""
    import subprocess
    import sys

    code = """
import gc, signal, _thread
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background may have been told to ignore it
from facula_allocator import HostAllocator
HostAllocator()
class Interrupts:
    def __init__(self):
        self.cycle = self
    __slots__ = ("__del__", "cycle", "__weakref__")
caught = 0
for _ in range(50):
    try:
        dying = Interrupts()
        dying.__del__ = _thread.interrupt_main  # C code: nothing looks for signals before the callbacks run
        del dying
        gc.collect()
        for _ in range(1000): pass
    except KeyboardInterrupt:
        caught += 1
print(caught)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.stdout, done.stderr) == ("50\n", "")


def test_allocators_are_not_kept_alive_by_watching(no_collection):
    import weakref

    gone = weakref.ref(HostAllocator())
    assert gone() is None
    gc.collect()


@pytest.mark.unsanitized  # sanitizers map and unmap additional memory
def test_a_finalised_allocator_releases_its_memory(no_collection):
    def mapped():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * 4096

    before = mapped()
    allocator = HostAllocator()
    last = allocator.refill(40 << 20)
    allocator.refill(60 << 20)[1]()
    assert mapped() - before >= 100 << 20
    del allocator
    gc.collect()
    assert mapped() - before >= 40 << 20, "a block is still in use"
    last[1]()
    del last
    gc.collect()
    assert mapped() - before < 20 << 20


@pytest.mark.parametrize("nbytes", [64, 4096, 300_000, 3 << 20])
def test_a_slab_whose_blocks_die_in_one_cycle_is_kept(nbytes):
    """The blocks' releases make them idle although the collector has found the slab's region unreachable, too."""
    allocator = HostAllocator()

    class Holder:
        __slots__ = ("__del__", "me")

    for _ in range(3):
        addresses = set()
        for _ in range(40):
            holder = Holder()
            address, holder.__del__ = allocator.refill(nbytes)
            holder.me = holder
            addresses.add(address)
        del holder
        gc.collect()
        statistics = allocator.statistics()
        assert statistics["allocated_blocks"] == 0
        assert statistics["reserved_bytes"] > 0
        for _ in range(40):  # the memory is mapped: writing to it must not fault
            address, release = allocator.refill(nbytes)
            ctypes.memset(address, 1, nbytes)
            release()


@pytest.mark.parametrize("look", ["trim", "size_classes", "statistics"])
def test_a_collection_may_add_size_classes(look):
    """Iterating over the sizes begins a collection whose finalisers add sizes."""
    allocator = HostAllocator()
    for size in range(1, 60):
        allocator.take_for(size << 10)
    sizes, started = iter(range(1 << 20, 1 << 30, 1 << 20)), []

    def finalise(phase, info):
        if phase == "start":
            started.append(allocator.take_for(next(sizes)))

    thresholds = gc.get_threshold()
    # Python reuses dead pairs, and creating those triggers no collection: use them up first.
    none_spare = [(i, i) for i in range(5000)]
    gc.callbacks.append(finalise)
    try:
        gc.set_threshold(1)
        getattr(allocator, look)()
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(finalise)
    assert len(started) > 3 and none_spare
