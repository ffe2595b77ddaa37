"""Versions of storages: replays advance those that eager calls advance, so that backward passes detect changes."""

from io import BytesIO

import pytest

from facula_autograd import MutationError
from facula_errors.testing import raises
from facula_jit import capture, load, save
from facula_tensor import no_grad, ones, tensor

CALLS = 5


def with_other_memory(*shape):
    """Return a tensor whose memory is an alias, after an assignment to `.data`."""
    w = ones(*shape)
    w.data = ones(*shape) * 2
    return w


def test_versions_advance_after_data_is_replaced():
    found = []
    for wrap in (lambda function: function, capture):
        w = with_other_memory(3)
        step = wrap(lambda x, w=w: w.mul_(0.5).add_(x).sum())
        found.append([(step(ones(3)).item(), w._version) for _ in range(CALLS)])
        assert wrap is not capture or "replayed" in step.report()
    assert found[0] == found[1]
    assert [version for _, version in found[0]] == [3, 5, 7, 9, 11]


@pytest.mark.parametrize("make", [ones, with_other_memory])
def test_a_backward_pass_detects_changes_by_replays(make):
    w, x = make(3), tensor([1.0, 2.0, 3.0], requires_grad=True)
    step = capture(lambda: w.add_(1).sum())
    for _ in range(CALLS):
        step()
    y = (x * w).sum()
    step()
    with raises(MutationError, "backward of mul", "add_"):
        y.backward()


@pytest.mark.parametrize("make", [ones, with_other_memory])
def test_the_backward_pass_of_a_capture_detects_changes(make):
    w, x = make(3), tensor([1.0, 2.0, 3.0], requires_grad=True)
    captured = capture(lambda x: (x * w).sum())
    for _ in range(CALLS):
        captured(x).backward()
    y = captured(x)
    w.add_(1)
    with raises(MutationError, "backward", "add_"):
        y.backward()
    y = captured(x)
    w.data.add_(1)  # another version, as in eager code
    y.backward()


def test_changes_through_data_advance_no_version():
    w = ones(3)

    def step(x):
        x.data.add_(1)
        w.data.add_(1)
        return (w * x).sum()

    captured = capture(step)
    for _ in range(CALLS):
        x = ones(3)
        captured(x)
        assert (x._version, w._version) == (0, 0)
    assert "replayed" in captured.report()


def first(x, y):
    x.add_(1)
    return y * 2


def both(x, y):
    x.add_(1)
    y.mul_(2)
    return x + y


@pytest.mark.parametrize("function", [first, both])
def test_versions_of_arguments_that_share_memory(function):
    """Arguments share their version, as with `detach`, or have one each, as with `data`."""
    captured = capture(function)
    for way in ("detach", "data", "detach", "data", "data", "detach"):
        found = []
        for called in (function, captured):
            x = ones(3)
            y = x.detach() if way == "detach" else x.data
            found.append((called(x, y).tolist(), x._version, y._version))
        assert found[0] == found[1]
    assert "replayed" in captured.report()


def test_a_change_of_an_argument_names_its_line():
    captured = capture(lambda x: x.exp_().sum())
    for _ in range(CALLS):
        w = ones(3)
        y = (tensor([1.0, 2.0, 3.0], requires_grad=True) * w).sum()
        captured(w)
        with raises(MutationError, "backward of mul", "exp_", "test_versions.py"):
            y.backward()


def test_versions_of_loaded_captures():
    w = with_other_memory(3)

    @no_grad()
    def step(x):
        x.add_(1)
        w.add_(x).mul_(2)
        return w.sum()

    captured = capture(step)
    for _ in range(2):
        captured(ones(3))
    save(captured, file := BytesIO())
    file.seek(0)
    loaded = load(file)
    (state,) = loaded.state_dict().values()
    before, x = state._version, ones(3)
    loaded(x)
    assert (x._version, state._version - before) == (1, 2)
