"""Notes with the path of the failing layer on exceptions raised in modules."""

import pickle

import pytest
from nn_toys import Net

import facula_nn as nn
import facula_tensor as ft


class Fails(nn.Module):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def forward(self, input):
        raise self.error

    def extra_repr(self):
        return "always"


def notes(error):
    return getattr(error, "__notes__", [])


def test_the_innermost_layer_is_named_by_its_path():
    with pytest.raises(RuntimeError) as caught:
        Net()(ft.ones(2, 9))
    assert notes(caught.value) == ["in Net.body.0 (Linear(in_features=4, out_features=3, bias=True))"]


def test_module_called_directly_has_no_path():
    with pytest.raises(ValueError, match="mine") as caught:
        Fails(ValueError("mine"))(1)
    assert notes(caught.value) == ["in Fails(always)"]


def test_grandchild_called_directly_by_its_grandparent():
    class Over(nn.Module):
        def __init__(self):
            super().__init__()
            self.shelf = nn.ModuleList([nn.Identity(), Fails(ValueError("mine"))])

        def forward(self, input):
            return self.shelf[1](input)

    with pytest.raises(ValueError, match="mine") as caught:
        nn.Sequential(Over())(1)
    assert notes(caught.value) == ["in Sequential.0.shelf.1 (Fails(always))"]


def test_other_notes_are_preserved():
    error = ValueError("mine")
    error.add_note("before")
    with pytest.raises(ValueError, match="mine"):
        nn.Sequential(Fails(error))(1)
    assert notes(error) == ["before", "in Sequential.0 (Fails(always))"]


def test_module_with_children_is_described_by_its_class():
    class Own(Net):
        def forward(self, input):
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as caught:
        Own()(1)
    assert notes(caught.value) == ["in Own"]


def test_called_module_outside_the_tree():
    other = nn.Sequential(Fails(ValueError("mine")))

    class Borrows(nn.Module):
        def forward(self, input):
            return other(input)

    with pytest.raises(ValueError, match="mine") as caught:
        nn.Sequential(Borrows())(1)
    assert notes(caught.value) == ["in Sequential.0 (Fails(always))"]


def test_failing_repr_does_not_hide_the_error():
    class Broken(Fails):
        def extra_repr(self):
            raise KeyError("other")

    with pytest.raises(ValueError, match="mine") as caught:
        Broken(ValueError("mine"))(1)
    assert notes(caught.value) == ["in Broken"]


def test_note_is_pickled_as_text():
    error = ValueError("mine")
    with pytest.raises(ValueError, match="mine"):
        nn.Sequential(Fails(error))(1)
    (note,) = notes(pickle.loads(pickle.dumps(error)))
    assert type(note) is str and note == "in Sequential.0 (Fails(always))"


def test_keyboard_interrupt_gets_no_note():
    with pytest.raises(KeyboardInterrupt) as caught:
        nn.Sequential(Fails(KeyboardInterrupt()))(1)
    assert notes(caught.value) == []


def test_call_site_of_an_operator_is_the_users_line():
    out = Net()(ft.ones(1, 4))
    site = out.node.where
    assert "nn_toys.py" in site
    x = ft.ones(1, 4)
    hidden = nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.ReLU()))(x)
    assert "test_places.py" in hidden.node.where
