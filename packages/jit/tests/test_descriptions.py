"""Descriptions of observed replays."""

import ctypes
import gc

import pytest

from facula_jit import capture
from facula_jit.extend import describe_replay, keep_descriptions
from facula_storage.extend import observe_replays
from facula_tensor import Parameter, no_grad, ones, randn

REPLAY, STEP = 6, 7


@pytest.fixture
def events():
    """Observe replays: a list of (kind, sequence, start, end, value)."""
    found = []
    observer = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(lambda *event: found.append(event))
    former = observe_replays(ctypes.cast(observer, ctypes.c_void_p).value)
    with keep_descriptions():
        yield found
    observe_replays(former)


def described(events):
    """Return the names of replays, after the operators of their steps."""
    names = []
    for kind, number, _, _, value in events:
        description = describe_replay(number)
        names.append(description.steps[value].operator if kind == STEP else description.name)
    return names


def test_steps_have_operators_and_lines(events):
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
    *names, last = described(events)[-len(step.graph().calls) - 1 :]
    assert last.endswith(".step")
    assert names == [call.operator for call in step.graph().calls]
    description = describe_replay(events[-1][1])
    assert [call.line for call in description.steps] == [call.line for call in step.graph().calls]
    assert all("test_descriptions.py" in call.line for call in description.steps)


def test_backward_passes_are_replays_of_their_own(events):
    weight = Parameter(ones(3))
    scaled = capture(lambda x: (x * weight).exp())
    for _ in range(4):
        scaled(ones(3)).sum().backward()
    names = [describe_replay(number).name for kind, number, *_ in events if kind == REPLAY]
    assert names[-2:] == [names[-2], names[-2] + " backward"]


def test_descriptions_of_released_captures_may_be_kept():
    before = capture(lambda x: x + x)
    for _ in range(4):
        before(ones(2))
    with keep_descriptions() as kept:
        after = capture(lambda x: x * x)
        for _ in range(4):
            after(ones(2))
        numbers = list(kept._parts)
        del before, after
        gc.collect()
        names = [call.operator for number in numbers for call in describe_replay(number).steps]
        assert {"add", "mul"} <= set(names)
    del kept
    gc.collect()
    assert [describe_replay(number) for number in numbers] == [None] * len(numbers)
