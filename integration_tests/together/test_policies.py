"""The caching allocator against other algorithms' policies from the benchmarks, on traces of programs."""

import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.allocation._policies import NEED_PAGES, POLICIES
from benchmarks.allocation._traces import TRACES
from facula_allocator import replay
from facula_allocator.traces import Allocate, Complete, Free, Synchronize, Trace, Use, summarize

MIB = 1 << 20
PUBLISHED = {
    "small_size": MIB, "small_segment": 2 * MIB, "large_segment": 20 * MIB, "huge_size": 10 * MIB, "huge_step": 2 * MIB,
    "expandable_segments": False, "lend": False, "roundup_power2_divisions": 0,
}  # fmt: skip
traces = {name: make() for name, make in TRACES.items()}


@cache
def peak_of(policy, name):
    return POLICIES[policy]().play(traces[name])


@pytest.mark.parametrize("name", [name for name in TRACES if name != "two streams"])
def test_with_published_settings_the_peak_is_that_of_the_published_algorithm(name):
    """Check that two implementations, one in C with trees and one in Python with lists, agree to the byte."""
    assert replay(traces[name], **PUBLISHED).peak_reserved == peak_of("PyTorch", name)


@pytest.mark.parametrize("name", [name for name in TRACES if name != "digits"])  # less than a large segment
@pytest.mark.parametrize("pages", [False, True])
def test_no_policy_does_much_better(name, pages):
    peaks = [peak_of(policy, name) for policy in POLICIES if pages or policy not in NEED_PAGES]
    assert replay(traces[name], expandable_segments=pages).peak_reserved <= 1.02 * min(peaks)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_reserves_what_lives(policy):
    for name, trace in traces.items():
        assert summarize(trace).peak_bytes <= peak_of(policy, name)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_waits_for_uses(policy):
    def peak(known):
        events = []
        for number in range(6):
            events += [Allocate(number, 15 * MIB, 0, None), Use(number, 7), Free(number), *known(2 * number + 1)]
        return POLICIES[policy]().play(Trace(512, None, {}, [], events))

    assert peak(lambda before: [Complete(7, before)]) == peak(lambda before: [Synchronize(before)]) <= 20 * MIB
    for unknown in (lambda before: [Complete(7, before - 1)], lambda before: [Complete(6, before)], lambda before: []):
        assert peak(unknown) >= 30 * MIB
