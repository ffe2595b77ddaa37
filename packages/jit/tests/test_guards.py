"""Definite assignment under conditions and in loops: no path through an accepted graph reads unwritten memory."""

import random
from itertools import pairwise
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from facula_jit._graph.definite_assignment import DisorderError, Extent, check_order
from facula_jit._graph.jumps import steps_of
from facula_jit._recording.records import Address, Loop, Skip
from facula_storage import contiguous, float32

ONE = contiguous((), float32)
CONDITIONS, BLOCKS = 2, 5  # the first blocks are conditions, too


def region_in(rng, start, stop, depth, skips, loops):
    """Add random nested skips and loops in a span, mostly conditions with both branches."""
    at = start + rng.randrange(2)
    while at < stop:
        end, condition = rng.randint(at + 1, stop), Address(rng.randrange(CONDITIONS), 0, None, False)
        kind = rng.random()
        if kind < 0.3 and end - at > 1:
            body = rng.randint(at + 1, end)
            if depth:
                region_in(rng, at + 1, body, depth - 1, skips, loops)
                region_in(rng, body, end, depth - 1, skips, loops)
            loops.append(Loop(at, body, end, condition))
        else:
            sides = [at, rng.randint(at + 1, end - 1), end] if end - at > 1 else [at, end]
            for number, (first, last) in enumerate(pairwise(sides)):
                if depth:
                    region_in(rng, first, last, depth - 1, skips, loops)
                skips.append(Skip(first, last - first, condition, (number == 0) is (rng.random() < 0.9)))
        at = end + rng.randrange(2)


def graph_of(rng):
    launches = []
    for _ in range(rng.randint(2, 12)):
        reads = [Address(rng.randrange(BLOCKS), 0, ONE, False) for _ in range(rng.random() < 0.5)]
        launches.append(SimpleNamespace(arguments=(*reads, Address(rng.randrange(BLOCKS), 0, ONE, True))))
    skips, loops = [], []
    region_in(rng, 0, len(launches), 2, skips, loops)
    loops.sort(key=lambda loop: loop.last - loop.first)
    recorder = SimpleNamespace(skips=skips, loops=loops)
    return SimpleNamespace(recorder=recorder, launches=launches, boundary_at=len(launches), outputs=[], passes=[])


def run(made, rng, known):
    """Run one path through the graph; written values are randomly 0 or not."""
    values = {block: rng.random() < 0.5 for block in known}
    steps, at = steps_of(made.recorder, 0, len(made.launches)), 0
    for _ in range(100):
        if at == len(steps):
            return
        step = steps[at]
        at += 1
        if type(step) is int:
            for argument in made.launches[step].arguments:
                if argument.written:
                    values[argument.block] = rng.random() < 0.5
                else:
                    assert argument.block in values, (step, argument.block)
        elif values[step.condition.block] is not step.at_zero:
            at = step.to


@settings(max_examples=100)
@given(st.integers(0, 1 << 60))
def test_accepted_graphs_read_only_written_memory(seed):
    rng = random.Random(seed)
    for _ in range(20):
        made, known = graph_of(rng), {block for block in range(BLOCKS) if rng.random() < 0.4}
        extents = [Extent(ONE.nbytes, float32, block not in known) for block in range(BLOCKS)]
        try:
            check_order(made, extents)
        except DisorderError:
            continue
        for _ in range(20):
            run(made, rng, known)


def test_conditions_join():
    """A write on both branches of a condition is visible afterwards, and in later branches of the same condition."""
    condition = Address(0, 0, None, False)

    def made_of(skips, *launches, loops=()):
        made = [SimpleNamespace(arguments=tuple([Address(block, 0, ONE, written) for block, written in launch]))
                for launch in launches]  # fmt: skip
        recorder = SimpleNamespace(skips=[Skip(at, 1, condition, holds) for at, holds in skips],
                                   loops=[Loop(*loop, Address(3, 0, None, False)) for loop in loops])  # fmt: skip
        return SimpleNamespace(recorder=recorder, launches=made, boundary_at=len(made), outputs=[], passes=[])

    def accepts(made):
        try:
            check_order(made, [Extent(4, float32, block not in (0, 3)) for block in range(BLOCKS)])
        except DisorderError:
            return False
        return True

    write, read, change = [(1, True)], [(1, False), (2, True)], [(0, True)]
    assert accepts(made_of([(0, True), (1, False)], write, write, read))
    assert accepts(made_of([(0, True), (1, True)], write, read))
    assert not accepts(made_of([(0, True), (1, False)], write, read))
    assert not accepts(made_of([(0, True), (1, True)], write, write, read))
    assert not accepts(made_of([(0, True), (2, True)], write, change, read))
    # a condition that a loop changes differs inside and after the loop; writes of iterations are visible inside
    assert not accepts(made_of([(0, True), (3, True)], write, change, change, read, loops=[(1, 2, 3)]))
    assert accepts(made_of([(0, True), (2, True)], write, [(2, True)], read, [(2, True)], loops=[(1, 3, 4)]))
    assert not accepts(made_of([(0, True), (2, True)], write, [(2, True)], read, change, loops=[(1, 3, 4)]))
    assert accepts(made_of([], change, write, read, loops=[(0, 1, 3)]))
    assert not accepts(made_of([], change, write, change, read, loops=[(0, 1, 2), (2, 3, 4)]))
