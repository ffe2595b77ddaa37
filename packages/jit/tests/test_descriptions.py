"""Labels of observed replays: functions, operators, lines."""

import ctypes
import gc
import weakref

import pytest

from facula_jit import capture
from facula_jit._replay import descriptions
from facula_jit.extend import label_replays
from facula_storage.extend import observe_replays
from facula_tensor import Parameter, no_grad, ones, randn

FIRST = 1000


class Labels:
    """Observes replays, and gives every step and every replay a label of its own."""

    def __init__(self):
        self.described, self.events = [], []
        self.observer = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(lambda kind, *_: self.events.append(kind - FIRST))

    def labels_of(self, description):
        first = FIRST + len(self.described)
        self.described += [*description.steps, description.name]
        return list(range(first, first + len(description.steps) + 1))

    @property
    def found(self):
        """What ran: calls, and the names of functions after them."""
        return [self.described[event] for event in self.events if event >= 0]


@pytest.fixture
def labels():
    new = Labels()
    former = observe_replays(ctypes.cast(new.observer, ctypes.c_void_p).value)
    with label_replays(new.labels_of):
        yield new
    observe_replays(former)


@pytest.fixture
def step():
    weight = Parameter(randn(4, 3))

    @capture(passes=())
    def step(x):
        weight.grad = None
        loss = (x @ weight.T).relu().sum()
        loss.backward()
        with no_grad():
            weight.sub_(weight.grad)
        return loss.detach()

    for _ in range(4):
        step(randn(5, 3))
    return step


def test_captures_from_before(step, labels):
    for _ in range(3):  # one of them is checked, without a replay
        step(randn(5, 3))
    expected = step.graph().calls
    *calls, name = labels.found[-len(expected) - 1 :]
    assert name.endswith(".step")
    assert [call.operator for call in calls] == [call.operator for call in expected]
    assert [call.line for call in calls] == [call.line for call in expected]
    assert all("test_descriptions.py" in call.line for call in calls)


def test_new_captures(labels):
    weight = Parameter(ones(3))
    scaled = capture(lambda x: (x * weight).exp())
    for _ in range(4):
        scaled(ones(3)).sum().backward()
    names = [name for name in labels.found if isinstance(name, str)]
    assert names[-1] == names[-2] + " backward"
    assert {"exp", "mul", "fused"} & {call.operator for call in labels.found if not isinstance(call, str)}


def test_captures_are_not_kept_alive(labels):
    doubled = capture(lambda x: x + x)
    for _ in range(4):
        doubled(ones(3))
    parts = [weakref.ref(part) for part in descriptions._parts if part.recording.launches[0].operation == "add"]
    assert parts
    labels.described.clear()
    del doubled
    gc.collect()
    assert [part() for part in parts] == [None] * len(parts)
