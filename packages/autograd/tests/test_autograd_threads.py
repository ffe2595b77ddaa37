"""Eight threads with the interpreter switching as often as it can."""

import random
import sys
import threading

import pytest
from autograd_helpers import Box

from facula_autograd import enable_grad, grad, is_grad_enabled, no_grad
from facula_autograd.extend import active_modes, next_seq


@pytest.fixture(autouse=True)
def switching():
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(old)


def in_threads(work, count=8):
    errors = []

    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_graphs_and_modes():
    shared = Box(2.0)  # saved by all threads, changed by none

    def work(seed):
        rng = random.Random(seed)
        for _ in range(60):
            x = Box(rng.random(), True)
            y = x
            for _ in range(rng.randrange(1, 20)):
                with no_grad():
                    assert not (y * shared).requires_grad
                    with enable_grad():
                        assert is_grad_enabled()
                y = y * shared if rng.random() < 0.5 else y + x
            (expected,) = grad(y, x, retain_graph=True)
            seen = []
            x.register_hook(lambda g, seen=seen: seen.append(g.number))
            y.backward()
            assert x.grad.number == expected.number
            assert seen == [expected.number]

    in_threads(work)
    assert not active_modes


def test_one_graph_in_all_threads():
    x = Box(3.0, True)
    y = x * x * x

    def work(seed):
        for _ in range(100):
            assert grad(y, x, retain_graph=True)[0].number == 27.0

    in_threads(work)


def test_one_mode_object_in_all_threads():
    mode = no_grad()

    def work(seed):
        for _ in range(300):
            with mode:
                assert not is_grad_enabled()
            assert is_grad_enabled()

    in_threads(work)
    assert not active_modes


def test_sequence_numbers_are_unique():
    taken = [[] for _ in range(8)]
    in_threads(lambda k: taken[k].extend(next_seq() for _ in range(2000)))
    assert len({n for numbers in taken for n in numbers}) == 16000
