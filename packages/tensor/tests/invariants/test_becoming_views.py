"""In-place view changes (`t_`, `squeeze_`, `set_`, ...): shapes, families of views, gradients, errors."""

from __future__ import annotations

import pytest

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

CHANGES = {
    "squeeze_": (lambda x: x.squeeze_(), lambda x: x.squeeze()),
    "squeeze_(0)": (lambda x: x.squeeze_(0), lambda x: x.squeeze(0)),
    "unsqueeze_": (lambda x: x.unsqueeze_(-1), lambda x: x.unsqueeze(-1)),
    "transpose_": (lambda x: x.transpose_(1, 2), lambda x: x.transpose(1, 2)),
    "swapdims_": (lambda x: x.swapdims_(0, 2), lambda x: x.swapdims(0, 2)),
    "swapaxes_": (lambda x: x.swapaxes_(0, 1), lambda x: x.swapaxes(0, 1)),
    "t_": (lambda x: x.squeeze_(0).t_(), lambda x: x[0].t()),
    "as_strided_": (lambda x: x.as_strided_((2, 2), (1, 2), 1), lambda x: x.as_strided((2, 2), (1, 2), 1)),
}


def start():
    return ft.arange(6.0, dtype=ft.float64).view(1, 2, 3) + 1


@pytest.mark.parametrize("name", CHANGES)
def test_the_tensor_becomes_the_view(name):
    change, view = CHANGES[name]
    x = start()
    wanted, address, version = view(x), x.untyped_storage().data_ptr(), x._version
    assert change(x) is x
    assert x.shape == wanted.shape
    assert x.stride() == wanted.stride()
    assert x.storage_offset() == wanted.storage_offset()
    assert x.tolist() == wanted.tolist()
    assert x.untyped_storage().data_ptr() == address
    assert x._version > version


@pytest.mark.parametrize("name", CHANGES)
def test_gradients_through_the_view_and_a_later_change(name):
    change, view = CHANGES[name]

    def became(x):
        y = x * 2
        return (change(y) ** 2).sum()

    def changed(x):
        y = x * 2
        before = y[:, 1]
        change(y).mul_(3)
        return (y**2).sum() + (before**2).sum()

    x = start().requires_grad_()
    for function in (became, changed):
        assert gradcheck(function, (x,))
        assert gradgradcheck(function, (x,))
    assert gradcheck(lambda x: (view(x * 2) ** 2).sum(), (x,))


def test_a_view_that_becomes_another_view_stays_in_its_family():
    x = start().requires_grad_()
    whole = x * 1
    part = whole[0]
    part.t_()
    part[2].mul_(10)
    assert whole.tolist() == [[[1.0, 2.0, 30.0], [4.0, 5.0, 60.0]]]
    whole.sum().backward()
    assert x.grad.tolist() == [[[1.0, 1.0, 10.0], [1.0, 1.0, 10.0]]]


def test_leaves_become_views_only_under_no_grad():
    x = ft.ones(1, 2, requires_grad=True)
    with raises(RuntimeError, "squeeze_", "this tensor is a leaf that requires a gradient"):
        x.squeeze_()
    assert x.shape == (1, 2)
    with ft.no_grad():
        x.squeeze_()
    (x * 3).sum().backward()
    assert x.is_leaf
    assert x.grad.tolist() == [3.0, 3.0]


def test_history_is_kept_under_no_grad():
    x = ft.ones(1, 2, requires_grad=True)
    y = x * 2
    with ft.no_grad():
        y.squeeze_()
    (y * ft.tensor([1.0, 5.0])).sum().backward()
    assert x.grad.tolist() == [[2.0, 10.0]]


def test_a_saved_tensor_that_became_a_view_is_detected():
    x = ft.ones(2, 3, requires_grad=True)
    y = x * 2
    z = y * y
    y.t_()
    with raises(RuntimeError, "backward of mul", "test_becoming_views"):
        z.sum().backward()


def test_subclasses_keep_their_class():
    class Metres(ft.Tensor):
        pass

    x = ft.ones(1, 2).as_subclass(Metres)
    assert type(x.squeeze_()) is Metres
    assert type(x + 1) is Metres
    assert x.shape == (2,)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: x.unsqueeze_(7), IndexError, "unsqueeze_: dim is 7"),
        (lambda x: x.transpose_(0, 5), IndexError, "transpose_: dim is 5"),
        (lambda x: x.as_strided_((9, 9), (3, 3)), ValueError, "as_strided: reach outside"),
        (lambda x: x.t_(), ValueError, "t_: at most 2 dimensions"),
        (lambda x: x.set_("memory"), TypeError, "set_: expected a tensor or a storage"),
        (lambda x: x.set_(ft.ones(2)), TypeError, "set_: float64"),
        (lambda x: x.set_(ft.ones(2).untyped_storage(), 0, (9,)), ValueError, "set_: reach outside the 8 bytes"),
    ],
)
def test_errors_precede_changes(call, kind, text):
    x = start()
    with raises(kind, text):
        call(x)
    assert x.tolist() == start().tolist()


def test_set_replaces_the_memory():
    x, y = ft.zeros(2), ft.arange(6.0)
    assert x.set_(y) is x
    assert x.is_set_to(y)
    x[0] = 9
    assert y.tolist() == [9.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert x.set_(y.untyped_storage(), 1, (2, 2), (3, 1)).tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert x.set_(y.storage()).tolist() == y.tolist()
    assert x.set_().shape == (0,)


def test_set_removes_a_view_from_its_family():
    x = ft.ones(3)
    part = x[1:]
    part.set_(ft.zeros(2))
    x.mul_(5)
    assert part.tolist() == [0.0, 0.0]


def test_resize_as():
    x = ft.arange(6)
    assert x.resize_as_(ft.ones(2, 2)).tolist() == [[0, 1], [2, 3]]
    assert ft.resize_as_(x, ft.ones(3)).tolist() == [0, 1, 2]
