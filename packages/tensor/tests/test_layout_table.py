"""Equal layouts that are two objects (the table is bounded) become one again in the first slow call."""

import facula_tensor as ft
from facula_storage import Layout
from facula_storage._layouts import Draft


def twin(layout: Layout) -> Layout:
    """An equal layout that is in no table, as one is after its entry was dropped and made anew."""
    other = Draft()
    for name in Layout.__slots__:
        if hasattr(layout, name):
            setattr(other, name, getattr(layout, name))
    other.__class__ = Layout
    return other


def test_equal_layouts_made_apart_share_one_after_an_operator():
    a, b = ft.ones(3, 5), ft.ones(3, 5)
    b._layout = twin(a._layout)
    assert (a + b).tolist() == [[2.0] * 5] * 3
    assert a._layout is b._layout


def test_an_operand_of_a_forgotten_layout_keeps_its_gradients():
    x = ft.ones(2, 3, requires_grad=True)
    x._layout = twin(x._layout)
    (x * x).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_a_table_full_of_other_shapes_changes_no_result():
    a, b = ft.ones(2, 3), ft.ones(3)
    for size in range(1, 6000):
        part = ft.ones(size)
        assert (part + part).shape == (size,)
    assert ((a + b) * a).sum().item() == 12.0
