"""What the tests of the caching allocator share."""

MIB = 1 << 20


def current(allocator, name):
    return allocator.memory_stats()[f"{name}.all.current"]
