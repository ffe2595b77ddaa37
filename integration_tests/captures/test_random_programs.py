"""A sample of the random programs, and a check that a wrong capture among them is detected."""

import pytest
import random_programs
from random_programs import problem_of, program


@pytest.mark.parametrize("begin", range(0, 400, 50))
def test_random_programs_equal_their_eager_twins(begin, tmp_path):
    failed = {seed: found for seed in range(begin, begin + 50) if (found := problem_of(seed, tmp_path))}
    assert not failed, "\n".join(f"seed {seed}: {found}\n{program(seed)[0]}" for seed, found in failed.items())


def test_programs_depend_on_their_seed_alone():
    assert program(3) == program(3) != program(4)


def test_frozen_state_is_noticed(tmp_path, monkeypatch):
    """Check that a capture that replays its first result fails most programs whose state changes."""

    def frozen(function, seed):
        kept = []
        return lambda x: kept[0] if kept else kept.append(function(x)) or kept[0]

    monkeypatch.setattr(random_programs, "wrapped", frozen)
    assert sum(bool(problem_of(seed, tmp_path)) for seed in range(40)) > 20
