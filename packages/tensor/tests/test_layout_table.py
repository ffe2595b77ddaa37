"""Equal layouts that are two objects (the table is bounded) become one again in the first slow call."""

from itertools import count

import facula_tensor as ft
from facula_storage import Layout, layout_of
from facula_storage.extend import clear_layout_caches
from facula_tensor._dispatch.slow_path.snapshots import snapshots_of


def twin(layout: Layout) -> Layout:
    """An equal layout that is in no table, as one is after its entry was dropped and made anew."""
    other = object.__new__(Layout)
    for name in Layout.__slots__:
        if hasattr(layout, name):
            object.__setattr__(other, name, getattr(layout, name))
    return other


def again(layout: Layout) -> Layout:
    return layout_of(layout.shape, layout.strides, layout.dtype)


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


def test_layouts_made_twice_are_forgotten_with_all_that_remembers_them():
    """Views go on giving a layout that the table dropped and made again: at most some hundred calls are slow for it."""
    clear_layout_caches()  # no plan for it is known
    others = (layout_of((size, 2), (1, size), ft.float32) for size in count(2))
    fill = [next(others) for _ in range(4000)]  # more than the table has; a full one drops its newest
    y = ft.ones(3, 3)
    first = y.t()._layout
    fill += [next(others) for _ in range(200)]
    assert again(first) is not first is y.t()._layout
    for _ in range(1000):
        snapshots_of((y.t(),), False)  # as a slow call does
    assert again(first) is y.t()._layout is not first
