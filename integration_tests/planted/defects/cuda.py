"""Defects of facula-cuda: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_cuda/_port/driver.py",
        "        lib.facula_cuda_close(lib.DRIVER_FORKED)\n",
        "",
        "tests/test_driver.py::test_a_child_of_a_process_that_used_cuda_is_refused",
        "calls of a forked child that reach the driver",
    ),
    (
        "csrc/simulated/queue.c",
        "!(work->kind == WAIT && !work->point->done) && ",
        "",
        "tests/test_simulated_streams.py::test_events_order_streams",
        "simulated streams that do not wait for events",
    ),
    (
        "csrc/simulated/copies.c",
        "    if (is_pinned(source, nbytes))\n        return queue_copy(stream, target, (uint64_t)source, nbytes);\n",
        "",
        "tests/test_simulated_memory.py::test_pinned_sources_are_read_when_the_copy_runs_and_pageable_ones_at_once",
        "simulated copies that read pinned memory at once",
    ),
    (
        "csrc/simulated/memory.c",
        "    run_everything();\n",
        "",
        "tests/test_simulated_memory.py::test_free_waits_for_queued_work",
        "simulated memory that is freed under queued work",
    ),
    (
        "csrc/simulated/graphs.c",
        "    work->after = executable->last;\n",
        "",
        "tests/test_simulated_graphs.py::test_a_launch_waits_for_the_graphs_previous_launch",
        "simulated launches of one graph that overlap",
    ),
    (
        "src/facula_cuda/_backend/fallback.py",
        "        if first < end:\n",
        "        if False:\n",
        "tests/test_fallback.py::test_operands_that_share_memory",
        "operands that share memory on the device, and not in the copies on the CPU",
    ),
    (
        "src/facula_cuda/_backend/fallback.py",
        "    with backend.lock:\n",
        "    if True:\n",
        "tests/test_fallback.py::test_threads_do_not_undo_each_others_writes",
        "threads that write back each other's old elements",
    ),
    (
        "src/facula_cuda/_backend/backend.py",
        "        record_use(block, self.stream)\n",
        "",
        "tests/test_backend.py::test_pinned_memory_is_not_reused_while_a_copy_reads_it",
        "pinned memory that is reused under a queued copy",
    ),
]
