"""Equal layouts that are separate objects, because the table is bounded, are unified by the first slow call."""

from itertools import count

import facula_tensor as ft
from facula_storage import Layout, layout_of
from facula_storage.extend import clear_layout_caches
from facula_tensor._dispatch.slow_path.snapshots import snapshots_of


def twin(layout: Layout) -> Layout:
    """Make an equal layout outside the table, as after its entry was evicted and created again."""
    other = object.__new__(Layout)
    for name in Layout.__slots__:
        if hasattr(layout, name):
            object.__setattr__(other, name, getattr(layout, name))
    return other


def table_entry(layout: Layout) -> Layout:
    return layout_of(layout.shape, layout.strides, layout.dtype)


def test_an_operator_unifies_equal_layouts():
    a, b = ft.ones(3, 5), ft.ones(3, 5)
    b._layout = twin(a._layout)
    assert (a + b).tolist() == [[2.0] * 5] * 3
    assert a._layout is b._layout


def test_an_operand_with_an_evicted_layout_keeps_its_gradients():
    x = ft.ones(2, 3, requires_grad=True)
    x._layout = twin(x._layout)
    (x * x).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_a_full_table_changes_no_result():
    a, b = ft.ones(2, 3), ft.ones(3)
    for size in range(1, 6000):
        part = ft.ones(size)
        assert (part + part).shape == (size,)
    assert ((a + b) * a).sum().item() == 12.0


def test_duplicate_layouts_are_evicted_from_all_caches():
    """Views keep returning an evicted layout; at most a few hundred calls are slow for it."""
    clear_layout_caches()  # no plan for it is cached
    others = (layout_of((size, 2), (1, size), ft.float32) for size in count(2))
    fill = [next(others) for _ in range(4000)]  # more than the capacity of the table, which evicts its newest entry
    y = ft.ones(3, 3)
    first = y.t()._layout
    fill += [next(others) for _ in range(200)]
    assert table_entry(first) is not first is y.t()._layout
    for _ in range(1000):
        snapshots_of((y.t(),), False)  # as a slow call does
    assert table_entry(first) is y.t()._layout is not first
