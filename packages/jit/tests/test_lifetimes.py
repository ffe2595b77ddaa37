"""Captures free all memory that they do not need, and support threads and forks."""

import gc
import os
import weakref
from itertools import count
from threading import Thread

import numpy as np
import pytest
from jit_toys import pair, same, step_of

from facula_errors.testing import raises
from facula_jit import CaptureError, allow, capture, load, save
from facula_storage import cpu
from facula_tensor import (
    empty,
    no_grad,
    ones,
    randn,
    tensor,
)


def test_captures_are_freed():
    gc.collect()
    gc.disable()
    try:
        step, (w, b) = step_of()
        captured = capture(step)
        arguments = pair(0)
        for _ in range(4):  # including passes
            captured(*arguments)
        first = arguments[0]._storage
        ((_, arena),) = captured._pool._arenas.values()
        links = [weakref.ref(owner) for owner in (captured, w._storage, first, arena)]
        del step, w, b, captured, arguments, first, arena
        assert [link() for link in links] == [None] * 4
    finally:
        gc.enable()


def peak_of(step, calls=6):
    """Return the peak of the memory that some calls take from the system, in bytes; the first has made gradients."""
    x = randn(512, 256)
    step(x)
    cpu.backend.allocator.trim()
    cpu.backend.allocator.reset_peak_memory_stats()
    before = cpu.backend.allocator.statistics()["reserved_bytes"]
    for _ in range(calls):
        step(x)
    return cpu.backend.allocator.memory_stats()["reserved_bytes.all.peak"] - before


def large_step():
    """A training step whose activations, and whose gradients, need several MiB each."""
    weights = [randn(*shape).requires_grad_() for shape in ((256, 1024), (1024, 1024), (1024, 8))]

    def step(x):
        for w in weights:
            w.grad = None
        for w in weights:
            x = (x @ w).tanh()
        loss = (x * x).mean()
        loss.backward()
        with no_grad():
            for w in weights:
                w.sub_(w.grad * 0.1)
        return loss.detach()

    return step, weights


@pytest.mark.parametrize("check", [0, 1, 2, 5])
def test_captured_steps_need_no_more_memory_than_eager_ones(check):
    captured = capture(large_step()[0], on_break="error", check=check)
    gc.disable()
    try:
        assert peak_of(captured) <= peak_of(large_step()[0]) + (1 << 20)
    finally:
        gc.enable()
    assert "eager" not in captured.report()


def test_gradients_from_before_are_freed():
    step, weights = large_step()
    captured = capture(step, on_break="error", check=3)
    grads = []
    for _ in range(8):  # recorded, replayed and checked
        captured(randn(512, 256))
        grads.append(weakref.ref(weights[1].grad._storage))
    assert len({id(link()) for link in grads if link() is not None}) == 1


def test_rejected_captures_have_no_memory():
    factors = {"a": 1.0}

    @allow
    def factor():
        return factors["a"]

    captured = capture(lambda x: (x * factor() + 1).exp().sum(), check=3)
    for _ in range(2):
        captured(ones(1 << 20))
    assert captured._pool._arenas
    factors["a"] = 2.0
    captured(ones(1 << 20))
    with raises(CaptureError, "capture", "differs"):
        captured(ones(1 << 20))
    assert not captured._pool._arenas


def test_arguments_and_results_are_freed():
    captured = capture(lambda x: x * 2)
    x = ones(5)
    result = captured(x)
    links = [weakref.ref(operand._storage) for operand in (x, result)]
    del x, result
    assert [link() for link in links] == [None, None]


def test_threads_with_captures_of_their_own():
    wrong = []

    def work(number):
        (step, _), (other, _) = step_of(), step_of()
        captured = capture(other)
        for place in range(30):
            args = pair(number * 100 + place)
            if not same(step(*args), captured(*args)):
                wrong.append((number, place))

    def pair(seed):
        values = np.random.default_rng(seed).standard_normal((2, 4, 6)).astype(np.float32)
        return tensor(values[0]), tensor(values[1])

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_fork():
    captured = capture(lambda x: (x * 2).sum(0))
    captured(ones(3, 4)), captured(ones(3, 4))
    child = os.fork()
    if child == 0:
        os._exit(0 if captured(ones(3, 4)).tolist() == [6.0] * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert captured(ones(3, 4)).tolist() == [6.0] * 4


def test_captures_of_results_with_gradients_are_freed():
    gc.collect()
    gc.disable()
    try:
        weight = randn(3).requires_grad_()
        captured = capture(lambda x: (x * weight).sum())
        captured(ones(3)), captured(ones(3)), captured(ones(3)).backward()
        link = weakref.ref(captured._entries.popitem()[1].replays[0].recording.recorder)
        del captured
        assert link() is None
    finally:
        gc.enable()


def test_layouts_evicted_from_their_table(tmp_path):
    """A long program uses many shapes: a layout that is created again is accepted as equal, for arguments and
    parameters.
    """
    new_shapes = count(1)

    def crowd():
        for _ in range(200):
            empty(next(new_shapes), 3, 7)

    for _ in range(20):
        crowd()
    weight = randn(5, 3).requires_grad_()
    captured = capture(lambda x: (x @ weight).tanh().sum(), on_break="error")
    for number in range(9):
        crowd()
        x = randn(4, 5)
        crowd()
        weight.detach().clone()  # on the slow path, which looks up its layout
        captured(x).backward()
        if number == 4:
            save(captured, tmp_path / "graph")
        if number > 4:
            assert load(tmp_path / "graph")(x).item() == captured(x).item()
    assert captured.report().count("replayed") == 1
