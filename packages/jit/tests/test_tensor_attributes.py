"""Attributes that programs give to tensors, read by captured functions."""

import pytest

from facula_jit import capture
from facula_tensor import Parameter, equal, full, ones

X = ones(2)


def none():
    return {}


CASES = {
    "missing, by getattr": (none, lambda t, x: x * getattr(t, "tag", 1) + t, lambda t: setattr(t, "tag", 5)),
    "missing, by hasattr": (none, lambda t, x: (x * 5 if hasattr(t, "tag") else x) + t, lambda t: setattr(t, "tag", 5)),
    "missing, beside another": (lambda: {"other": 1}, lambda t, x: x * getattr(t, "tag", 1) + t,
                                lambda t: setattr(t, "tag", 5)),
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
def test_of_tensors_outside(case, make):
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


def test_of_arguments():
    def function(x):
        return x * getattr(x, "tag", 1)

    captured = capture(function)
    rounds = [given(), given(tag=3), given(), given(tag=4), given(tag=3), given(other=1), given(tag=X), given(tag=[2])]
    for x in [given()] * 4 + rounds * 2:
        if not isinstance(getattr(x, "tag", 1), list):
            assert equal(captured(x), function(x))
    assert "replayed" in captured.report()


def test_of_arguments_that_are_changed_between_calls():
    captured = capture(lambda x: x * x.tag)
    x = given(tag=2)
    for tag in (2, 2, 2, 2, 3, 3, 3, 2):
        x.tag = tag
        assert captured(x).tolist() == [tag, tag]


def test_other_names_cost_nothing():
    """A function that asks for no attributes goes the usual way, whatever attributes its arguments have."""
    captured = capture(lambda x: x * 2)
    for _ in range(4):
        captured(X)
    latest = captured._latest
    assert type(latest).__name__ == "Replay" and captured(given(note=[1])).tolist() == [2, 2]
    assert captured._latest is latest
