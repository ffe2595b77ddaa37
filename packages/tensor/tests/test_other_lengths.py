"""Calls that differ in the length of the first dimension alone share a plan, and nothing else changes."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_storage import listen
from facula_tensor._operator import operators

LENGTHS = (7, 1, 3, 2, 0, 50, 1000)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float16, ft.int64, ft.complex64])
@pytest.mark.parametrize("shape", [(3,), (1, 3), (1,), (2, 3), (2, 1), (5, 1, 3)])
def test_results_and_gradients(dtype, shape):
    values = (np.arange(30) % 11 - 5).reshape(5, 2, 3)
    row = ft.tensor(values.reshape(-1)[: int(np.prod(shape))].reshape(shape)).to(dtype)
    differs = dtype.is_floating_point
    if shape[0] == 5 and len(shape) == 3:
        row = row[:1]
    row.requires_grad_(differs)
    for length in LENGTHS:
        x = ft.tensor(np.arange(length * 6).reshape(length, 2, 3) % 7).to(dtype).requires_grad_(differs)
        expected = x.detach().numpy() * row.detach().numpy() + x.detach().numpy()
        y = x * row + x
        assert np.array_equal(y.detach().numpy(), expected.astype(expected.dtype))
        assert (x.detach() == row.detach()).tolist() == (x.detach().numpy() == row.detach().numpy()).tolist()
        if differs:
            y.sum().backward()
            wanted = np.broadcast_to(row.detach().numpy() + 1, x.shape)
            assert np.array_equal(x.grad.numpy(), wanted.astype(x.detach().numpy().dtype))


def test_no_new_launch_is_made_for_another_length():
    """One plan of the backend serves them; shapes seen once are found without it."""
    x, row = ft.ones(900, 13), ft.arange(13.0)
    launches = set()
    for length in range(20, 60):
        x[:length] + row
        plan = operators["add"].table.by_key[(x[:length]._layout, row._layout)]
        assert plan.out is x[:length]._layout
        launches.add(plan.launch)
    assert len(launches) == 1


def test_what_differs_in_more_than_the_length_shares_nothing():
    x, row = ft.arange(600.0).view(100, 6), ft.arange(6.0)
    for part in (x[:50], x[:40, :3], x[:30, ::2], x.t()[:, :6], x[:20].flip(0) if hasattr(x, "flip") else x[:20]):
        other = row[: part.shape[1]]
        assert (part - other).tolist() == (part.numpy() - other.numpy()).tolist()
    with pytest.raises(ValueError, match="do not broadcast"):
        x[:10] - row[:5]
    with pytest.raises(ValueError, match="do not broadcast"):
        x[:10] - x[:9]


def test_listeners_hear_each_launch_once():
    x, row = ft.ones(100, 7), ft.ones(7)
    heard = []
    with listen(lambda plan, arguments: heard.append((plan.operator, plan.out.shape))):
        for length in (9, 8, 9, 7):
            x[:length] * row
    assert heard == [("mul", (length, 7)) for length in (9, 8, 9, 7)]
    x[:6] * row
    assert len(heard) == 4


def test_tables_stay_bounded():
    table = operators["maximum"].table
    for width in range(1, table.LIMIT + 200):
        ft.maximum(ft.ones(3, width), ft.ones(width))
    assert len(table.by_rows) <= table.LIMIT
    assert len(table.by_key) <= table.LIMIT
