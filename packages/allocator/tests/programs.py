"""Allocator programs as plain data, and a runner, shared by the tests of recordings and replays."""

import random

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import SimulatedDriver

MIB = 1 << 20
CAPACITY = 48 * MIB
CAPTURING = 9
# The frequency of each operation, in percent.
WEIGHTS = {
    "allocate": 45, "free": 15, "use": 6, "use and free": 12, "complete": 7, "complete all": 2, "free all": 1,
    "empty": 2, "statistics": 2, "drop pools": 2, "capture": 3, "limit": 2, "fraction": 1,
}  # fmt: skip


def random_program(seed, length=150):
    """Return random operations, each a name with values. Pools, limits and captures occur only in some programs."""
    draw = random.Random(seed)
    names, weights = list(WEIGHTS), list(WEIGHTS.values())
    for name, chance in (("capture", 0.6), ("limit", 0.5), ("fraction", 0.5), ("empty", 0.5)):
        if draw.random() < chance:
            weights[names.index(name)] = 0
    largest = draw.choice([3000, MIB, 6 * MIB, 14 * MIB])
    pools = draw.choice([[0], [0, 0, 0, 1]])
    streams = draw.choice([[0], [0, 1], [0, 0, 1, 2]])
    arguments = {
        "allocate": lambda: (draw.randint(1, draw.choice([3000, largest])), draw.choice(streams), draw.choice(pools)),
        "free": lambda: (draw.randrange(99),),
        "use": lambda: (draw.randrange(99), draw.randrange(3)),
        "use and free": lambda: (draw.randrange(99), draw.randrange(3)),
        "complete": lambda: (draw.randrange(3), draw.randint(1, 40)),
        "limit": lambda: (draw.choice([None, 30 * MIB, 40 * MIB]),),
        "fraction": lambda: (draw.choice([None, 0.5, 1.0]),),
    }
    chosen = draw.choices(names, weights, k=length)
    return [(name, *arguments.get(name, tuple)()) for name in chosen]


def random_options(seed):
    """Return random options of an allocator, and its limit."""
    draw = random.Random(-seed - 1)
    choices = {
        "lend": [True, False],
        "max_split_size": [20 * MIB],
        "roundup_power2_divisions": [4],
        "garbage_collection_threshold": [0.5],
        "limit": [30 * MIB],
        "expandable_segments": [True, False],
        "small_segment": [MIB],
    }
    return {name: draw.choice(values) for name, values in choices.items() if draw.random() < 0.3}


class Run:
    """A program on a separate allocator; `refused` lists the operations that ran out of memory.

    If `record` is a path, the program is recorded from operation number `begin` on. Without `bounds` it sets no limits.
    """

    def __init__(self, program, capacity=CAPACITY, record=None, begin=0, bounds=True, driver=None, **options):
        self.driver = driver or SimulatedDriver(capacity, strict=False, page_size=2 * MIB, addresses=64 * capacity)
        self.allocator = CachingAllocator(self.driver, **options)
        self.live, self.pool, self.refused = [], None, []
        recording = None
        for number, (name, *values) in enumerate(program):
            if record is not None and number == begin:
                recording = self.allocator.record_trace(record)
            if bounds or name not in ("limit", "fraction"):
                try:
                    getattr(self, name.replace(" ", "_"))(*values)
                except OutOfMemoryError:
                    self.refused.append(number)
            self.driver.launch(number % 3)
        if recording is not None:
            recording.close()
        if self.driver.is_capturing():
            self.driver.end_capture(CAPTURING)
        self.stats = self.allocator.memory_stats()

    def allocate(self, nbytes, stream, pool):
        if not pool:
            self.live.append(self.allocator.allocate(nbytes, stream))
            return
        self.pool = self.pool or MemPool(self.allocator)
        with use_mem_pool(self.pool):
            self.live.append(self.allocator.allocate(nbytes, stream))

    def free(self, place):
        if self.live:
            self.live.pop(place % len(self.live)).free()

    def use(self, place, stream):
        if self.live:
            self.live[place % len(self.live)].record_use(stream)
            self.driver.launch(stream)

    def use_and_free(self, place, stream):
        self.use(place, stream)
        self.free(place)

    def complete(self, stream, n):
        self.driver.complete(stream, n)

    def complete_all(self):
        self.driver.complete_all()

    def free_all(self):
        self.live.clear()

    def empty(self):
        self.allocator.empty_cache()

    def statistics(self):
        self.allocator.memory_stats()

    def reset_peaks(self):
        self.allocator.reset_peak_memory_stats()

    def drop_pools(self):
        self.pool = None

    def capture(self):
        if self.driver.is_capturing():
            self.driver.end_capture(CAPTURING)
        else:
            self.driver.begin_capture(CAPTURING)

    def limit(self, nbytes):
        self.allocator._budget.limit = nbytes

    def fraction(self, part):
        self.allocator.set_memory_fraction(part)

    def calls(self):
        return calls_of(self.driver)


def calls_of(driver):
    """Return an allocator's calls to a simulated device, in order, without event numbers."""
    asked = ("allocate", "free", "synchronize", "reserve_addresses", "map", "unmap")
    of_events = ("record_event", "wait_event")
    found = []
    for name, *values in driver.log:
        if name in asked:
            found.append((name, *values))
        elif name in of_events:
            found.append((name, values[0]))
        elif name in ("event_done", "free_event"):
            found.append(name)
    return found
