"""At the end of a backward pass, once per many nodes, adapters are asked to release idle memory."""

import pytest

from facula_autograd import Variable, backward, grad
from facula_autograd._adapters import adapters
from facula_autograd._engine import backward as _backward


@pytest.fixture
def told(monkeypatch):
    """Count the calls of the Variable adapter's `release_idle_memory`."""
    found = []
    monkeypatch.setattr(adapters[Variable], "release_idle_memory", lambda: found.append(1), raising=False)
    monkeypatch.setattr(_backward, "_release_idle_at", [0])
    return found


def chain(x, length):
    for _ in range(length):
        x = x * 1.0
    return x


def test_a_large_graph_releases_idle_memory(told):
    x = Variable(3.0, requires_grad=True)
    for passes in (backward, lambda out: grad(out, x)):
        backward(x * x)
        del told[:]
        passes(chain(x, _backward.NODES_PER_RELEASE))
        assert told == [1]


def test_small_graphs_share_one_release(told):
    x = Variable(3.0, requires_grad=True)
    backward(x * x)
    assert told == [1]
    for _ in range(_backward.NODES_PER_RELEASE // 20):
        backward(chain(x, 3))
    assert told == [1], "50 passes of 4 numbers each"
    for _ in range(_backward.NODES_PER_RELEASE):
        backward(chain(x, 3))
    assert 4 <= len(told) <= 6
