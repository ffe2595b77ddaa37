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
    (
        "src/facula_distributed/_board/slots.py",
        "return self.begun == self.ended > 0",
        "return self.begun > 0",
        "tests/test_restarts.py::test_a_slot_that_is_incomplete_is_not_used",
        "a copy of which a kill left a part",
    ),
    (
        "src/facula_distributed/_parallel/virtual.py",
        "default_generator.manual_seed(_mixed(*state, virtual))",
        "default_generator.manual_seed(_mixed(*state, place))",
        "tests/test_virtual_ranks.py::test_bits_are_equal_on_one_two_four_and_eight_ranks",
        "random numbers that depend on the number of ranks",
    ),
    (
        "src/facula_distributed/checkpoint/_index.py",
        "return next(number for number in range(len(used) + 1) if number not in used)",
        "return 0",
        "tests/test_checkpoint.py::test_a_kill_while_saving_leaves_the_former_checkpoint",
        "a save that overwrites files of the former checkpoint",
    ),
]
