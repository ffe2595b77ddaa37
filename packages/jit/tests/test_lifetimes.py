"""Captures free all memory that they do not need, and support threads and forks."""

import gc
import os
import weakref
from itertools import count
from threading import Thread

import numpy as np
from jit_toys import pair, same, step_of

from facula_jit import capture, load, save
from facula_tensor import (
    empty,
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
