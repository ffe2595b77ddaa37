"""Defects of facula-allocator: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "csrc/tree.c",
        "if (root->size >= size) {",
        "if (root->size > size) {",
        "tests/test_caching.py::test_a_free_block_of_the_exact_size_is_reused",
        "off by one: a free block of the exact size is not found",
    ),
    (
        "csrc/host.c",
        "if (nbytes > account->limit - before)",
        "if (nbytes >= account->limit - before)",
        "tests/test_limits.py::test_the_limit_is_exact",
        "off by one: the last byte below a limit cannot be had",
    ),
    (
        "src/facula_allocator/_caching/caching_allocator.py",
        "        self._detours.remove(listener)\n",
        "",
        "tests/test_caching_shown.py::test_allocations_are_fast_again_without_listeners",
        "a slow path: allocations stay slow after the last listener",
    ),
    (
        "csrc/taker.c",
        "take_quickly(core, at->size, at->nbytes, stream)",
        "take_quickly(core, at->size, at->nbytes, 0)",
        "tests/test_fronts.py::test_memory_is_not_reused_on_another_stream_while_work_uses_it",
        "blocks of the default stream for another one",
    ),
    (
        "csrc/host.c",
        "report(start, observer.returned, -nbytes);",
        "report(start, observer.returned, nbytes);",
        "tests/test_segment_observers.py::test_memory_of_the_host",
        "memory that is returned is reported as taken",
    ),
]
