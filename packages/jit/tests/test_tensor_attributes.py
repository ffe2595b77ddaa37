"""Attributes that programs set on tensors, read by captured functions."""

from contextlib import suppress

import pytest

from facula_jit import capture
from facula_tensor import Parameter, Tensor, equal, full, ones

X = ones(2)


def none():
    return {}


def tried(t):
    try:
        return t.tag
    except AttributeError:
        return 1


def suppressed(t):
    with suppress(AttributeError):
        return t.tag
    return 1


CASES = {
    "missing, by getattr": (none, lambda t, x: x * getattr(t, "tag", 1) + t, lambda t: setattr(t, "tag", 5)),
    "missing, by hasattr": (none, lambda t, x: (x * 5 if hasattr(t, "tag") else x) + t, lambda t: setattr(t, "tag", 5)),
    "missing, beside another": (lambda: {"other": 1}, lambda t, x: x * getattr(t, "tag", 1) + t,
                                lambda t: setattr(t, "tag", 5)),
    "missing, by try": (none, lambda t, x: x * tried(t) + t, lambda t: setattr(t, "tag", 5)),
    "missing, beside another, by try": (lambda: {"other": 1}, lambda t, x: x * tried(t) + t,
                                        lambda t: setattr(t, "tag", 5)),
    "missing, by try, after others": (none, lambda t, x: x * sum(map(tried, [ones(1), x, t])) + t,
                                      lambda t: setattr(t, "tag", 5)),
    "missing, by suppress": (none, lambda t, x: x * suppressed(t) + t, lambda t: setattr(t, "tag", 5)),
    "another value": (lambda: {"tag": 2}, lambda t, x: x * t.tag + t, lambda t: setattr(t, "tag", 5)),
    "deleted": (lambda: {"tag": 2}, lambda t, x: x * getattr(t, "tag", 1) + t, lambda t: delattr(t, "tag")),
    "another dict": (lambda: {"tag": 2}, lambda t, x: x * t.tag + t, lambda t: setattr(t, "__dict__", {"tag": 7})),
    "another tensor": (lambda: {"tag": ones(2)}, lambda t, x: x * t.tag + t,
                       lambda t: setattr(t, "tag", full((2,), 3.0))),
    "its elements": (lambda: {"tag": ones(2)}, lambda t, x: x * t.tag + t, lambda t: t.tag.fill_(3)),
    "an entry": (lambda: {"tag": [1, 2]}, lambda t, x: x * t.tag[0] + t, lambda t: t.tag.insert(0, 3)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("make", [lambda: ones(2), lambda: Parameter(ones(2))])
def test_attributes_of_outside_tensors(case, make):
    attributes, function, change = CASES[case]
    t = make()
    for name, value in attributes().items():
        setattr(t, name, value)
    captured = capture(lambda x: function(t, x))
    before = [captured(X) for _ in range(4)][-1]
    assert "replayed 3 times" in captured.report()
    change(t)
    assert equal(captured(X), function(t, X)) and not equal(before, function(t, X))


def given(**attributes):
    x = ones(2)
    for name, value in attributes.items():
        setattr(x, name, value)
    return x


@pytest.mark.parametrize("ask", [lambda x: getattr(x, "tag", 1), tried, suppressed])
def test_attributes_of_arguments(ask):
    def function(x):
        return x * ask(x)

    captured = capture(function)
    rounds = [given(), given(tag=3), given(), given(tag=4), given(tag=3), given(other=1), given(tag=X), given(tag=[2])]
    for x in [given()] * 4 + rounds * 2:
        if not isinstance(getattr(x, "tag", 1), list):
            assert equal(captured(x), function(x))
    assert "replayed" in captured.report()


def test_attributes_of_arguments_changed_between_calls():
    captured = capture(lambda x: x * x.tag)
    x = given(tag=2)
    for tag in (2, 2, 2, 2, 3, 3, 3, 2):
        x.tag = tag
        assert captured(x).tolist() == [tag, tag]


def test_unread_attributes_cost_nothing():
    """A function that reads no attributes uses the fast path, whatever attributes its arguments have."""
    captured = capture(lambda x: x * 2)
    for _ in range(4):
        captured(X)
    latest = captured._latest
    assert type(latest).__name__ == "Replay" and captured(given(note=[1])).tolist() == [2, 2]
    assert captured._latest is latest


def test_names_read_only_of_other_objects_cost_nothing():
    """Names of other objects' attributes do not add checks of tensors."""

    class Box:
        def __init__(self):
            self.tag, self.tensor = 2, ones(2)

    box = Box()
    captured = capture(lambda x: x * box.tag + box.tensor)
    asking = capture(lambda x: x * box.tag + box.tensor * tried(box.tensor))
    for _ in range(4):
        captured(X), asking(X)
    checks = [len(call._latest.checks) for call in (captured, asking)]
    box.tensor.tag = 5
    latest = captured._latest
    assert captured(X).tolist() == [3, 3] and captured._latest is latest and checks[0] < checks[1]
    assert asking(X).tolist() == [7, 7]


def test_classes_with_getattr():
    class Answering(Tensor):
        def __getattr__(self, name):
            if name == "tag":
                return 1
            raise AttributeError(name)

    t = ones(2).as_subclass(Answering)
    captured = capture(lambda x: x * t.tag)
    for _ in range(4):
        captured(X)
    assert "replayed 3 times" in captured.report()
    t.tag = 5
    assert captured(X).tolist() == [5, 5]


def test_tensors_of_other_classes_from_outside():
    class Own(Tensor):
        pass

    t = ones(2).as_subclass(Own)
    captured = capture(lambda x: x + t.as_subclass(Tensor))
    for _ in range(4):
        assert captured(X).tolist() == [2, 2]
    t.fill_(3)
    assert captured(X).tolist() == [4, 4] and "replayed" in captured.report()
