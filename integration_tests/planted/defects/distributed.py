"""Defects of facula-distributed: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "csrc/collectives.c",
        "if (record->number != own->number || memcmp(&record->signature, &own->signature, sizeof(Signature)))",
        "if (record->number != own->number)",
        "tests/test_failures.py::test_different_calls_are_named_on_all_ranks_with_both_lines",
        "ranks that call different operations go on",
    ),
    (
        "csrc/reduce.c",
        "FOLD(min_##T, T, x < y || x != x ? x : y)",
        "FOLD(min_##T, T, x < y ? x : y)",
        "tests/test_reductions.py::test_the_minimum_with_nan_is_nan",
        "a minimum that loses NaN",
    ),
    (
        "src/facula_distributed/_launch/rank.py",
        'board.fail(rank, f"rank {rank} failed at',
        'str(f"rank {rank} failed at',
        "tests/test_launch.py::test_the_rank_that_fails_is_named_and_all_end",
        "an exception that does not reach the other ranks",
    ),
    (
        "src/facula_distributed/_observer.py",
        "nanoseconds, get_ident() != caller)",
        "nanoseconds, False)",
        "tests/test_observer.py::test_waits_for_late_ranks",
        "collectives in the background are reported as those of the program",
    ),
    (
        "src/facula_distributed/_groups/work.py",
        "observer.awaited(self._exchange, begin, end)",
        "pass",
        "tests/test_observer.py::test_waits_for_late_ranks",
        "waits for collectives in the background are not reported",
    ),
]
