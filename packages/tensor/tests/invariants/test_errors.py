"""Errors are raised at the call, with the cause, the place and a remedy, before any change."""

from __future__ import annotations

import numpy as np
import pytest
from samples import CHANGES, every_change, pair

import facula_tensor as ft
from facula_autograd import FreedGraphError, GradientError, gradcheck, gradgradcheck
from facula_errors.testing import raises


def test_a_second_backward():
    x, y = pair()
    out = (x * y).sum()
    out.backward()
    with raises(
        FreedGraphError,
        "backward",
        f"mul saved at {__file__}:",
        f"earlier backward pass, started at {__file__}:",
        "retain_graph=True",
    ):
        out.backward()


def test_backward_of_many_elements():
    x, y = pair()
    with raises(GradientError, "backward", "scalar", "float64 (3, 4)"):
        (x * y).backward()
    with raises(GradientError, "backward", "does not"):
        x.detach().sum().backward()
    with raises(GradientError, "backward", "float64 (3, 4)", "float64 (4,)"):
        (x * y).backward(ft.ones(4, dtype=ft.float64))


REFUSED = {
    "shape": (lambda x: x.add_(ft.ones(5)), (ValueError, RuntimeError), "add_: (3, 4) ... (5,)"),
    "larger": (lambda x: x.add_(ft.ones(2, 3, 4)), (ValueError, RuntimeError), "add_: (2, 3, 4)"),
    "dtype": (lambda x: x.add_(1j), (RuntimeError, TypeError), "add_"),
    "to int": (lambda x: x.to(ft.int64).mul_(1.5), (RuntimeError, TypeError), "mul_: float32 ... int64"),
    "device": (lambda x: x.add_(ft.ones(3, 4, device="meta")), RuntimeError, "add_: 'cpu' and 'meta'"),
    "position": (lambda x: x[5], IndexError, "getitem: 5 ... size 3"),
    "setitem position": (lambda x: x.__setitem__(5, 1.0), IndexError, "setitem: 5 ... size 3"),
    "setitem positions": (lambda x: x.__setitem__(ft.tensor([0, 3]), 1.0), IndexError, "setitem: 3 ... position 1 ..."),
    "setitem mask": (lambda x: x.__setitem__(ft.tensor([True, False]), 1.0), IndexError, "setitem: bool index"),
    "setitem shape": (lambda x: x.__setitem__(0, ft.ones(7)), (ValueError, RuntimeError), "setitem: (4,) ... (7,)"),
    "copy_": (lambda x: x.copy_(ft.ones(7)), (ValueError, RuntimeError), "copy_: (7,)"),
    "fill_": (lambda x: x.fill_(1j), (TypeError, RuntimeError), "fill_"),
    "out": (lambda x: ft.add(ft.ones(2), 1, out=x), (ValueError, RuntimeError), "add: out"),
    "out, empty, in the memory of an operand": (
        lambda x: ft.add(x, 1, out=x.view(12)[:0]),
        (ValueError, RuntimeError),
        "add: Only an empty out is resized",
    ),
    "overlap": (lambda x: x.view(12)[1:].add_(x.view(12)[:-1]), RuntimeError, "add_: share part of their memory"),
    "overlap from behind": (lambda x: x.view(12)[:-1].add_(x.view(12)[1:]), RuntimeError, "add_: share part of their"),
    "overlaps itself": (lambda x: x[:1].expand(3, 4).add_(1), RuntimeError, "add_: share one place"),
    "cat": (lambda x: ft.cat((x, x[:, :2].contiguous())), ValueError, "cat: tensors[1] of shape (3, 2) ... (3, 4)"),
    "stack": (lambda x: ft.stack((x, x[:2])), ValueError, "stack: (3, 4); tensors[1] has shape (2, 4)"),
    "no tensor": (lambda x: x.add_("1"), TypeError, "add_: str"),
    "random_": (lambda x: x.uniform_(2.0, 1.0), (ValueError, RuntimeError), "uniform_: from <= to"),
    "numpy": (lambda x: x.clone().requires_grad_().numpy(), RuntimeError, "numpy: detach"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_precede_changes(name):
    """Also if the fast path knows a plan for these layouts."""
    call, errors, message = REFUSED[name]
    x = pair(requires_grad=False)[0]
    for _ in range(2):
        ft.ones(11, dtype=ft.float64).add_(ft.ones(11, dtype=ft.float64))
        ft.cat((x, x)), ft.stack((x, x))
    before, state = x.tolist(), str(ft.get_rng_state())
    with raises(errors, message):
        call(x)
    assert (x.tolist(), x._version, str(ft.get_rng_state())) == (before, 0, state)


def test_errors_precede_recording():
    x, y = pair()
    a = x * 1
    node = a.grad_fn
    repeated = (x * 1)[:1].expand(3, 4).detach()  # a root whose elements overlap
    row = repeated[0]
    for call in (lambda: a.add_(ft.ones(5)), lambda: a.copy_(ft.ones(5)), lambda: a.mul_(y.t())):
        with pytest.raises((ValueError, RuntimeError)):
            call()
    with raises(NotImplementedError, "mul_", "contiguous()"):
        row.mul_(y[0])
    assert a.grad_fn is node
    assert (a._version, repeated._version) == (0, 0)


def test_read_only_memory():
    array = np.arange(3.0)
    array.flags.writeable = False
    x = ft.from_numpy(array)
    calls = {
        "add_": lambda: x.add_(1),
        "zero_": lambda: x.zero_(),
        "setitem": lambda: x.__setitem__(0, 1.0),
        "add": lambda: ft.add(x, 1, out=x),
    }
    for name, call in calls.items():
        with raises(RuntimeError, name, "cannot be written"):
            call()
    assert (x + 1).tolist() == [1, 2, 3]


@every_change
def test_read_only_memory_is_not_changed(name):
    """Also if the fast path knows a plan from the same change of writable memory."""
    first, *others = CHANGES[name].leaves(requires_grad=False)
    array = first.numpy().copy()
    array.flags.writeable = False
    for _ in range(2):
        CHANGES[name].change(first.clone(), *others)
    with pytest.raises(RuntimeError, match="cannot be written"):
        CHANGES[name].change(ft.from_numpy(array), *others)
    np.testing.assert_array_equal(array, first.numpy())


def changed(x, y):
    """Apply a chain of views, sibling views and changes."""
    a = x * 1
    first, second = a.t()[1:], a[1]
    first[0].mul_(second.sum())
    second.add_(y[0])
    a[:, ::2] = y[:, 1::2] * first[1, 0].clone()
    base = ft.zeros(3, 4, dtype=ft.float64)
    corner = base[:2, 1:3]
    corner.copy_(a[1:, 2:])
    base.mul_(y)
    return (a.exp() * base).sum(0) + corner.sum()


def test_views_and_changes_against_numeric_gradients():
    x, y = pair()
    assert gradcheck(changed, (x, y))
    assert gradgradcheck(changed, (x, y))
