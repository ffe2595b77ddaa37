"""Subclasses that override operators, attributes of parameters, weak references, `.data`."""

from __future__ import annotations

import weakref

import pytest
from calls import CALLS, differentiable, every_operator, pair, total
from fake_backend import numbers

import facula_tensor as ft
from facula_tensor._overrides import disable_overrides


class Logged(ft.Tensor):
    """Notes every operator that it is asked about."""

    seen: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


class Plain(ft.Tensor):
    """Overrides nothing."""


@pytest.fixture(autouse=True)
def forget():
    Logged.seen.clear()


@every_operator
def test_every_operator_asks_and_keeps_the_class(name):
    x, y = pair()
    a, b = pair()
    lx = x.as_subclass(Logged)
    out = CALLS[name](lx, y.as_subclass(Logged))
    assert Logged.seen
    assert isinstance(out, Logged) or name in ("any", "all")
    wanted = CALLS[name](a, b)
    if not wanted.is_meta:
        assert out.detach().tolist() == wanted.detach().tolist()
    asked = len(Logged.seen)
    if differentiable(wanted) and not wanted.is_meta:
        total(out).backward()
        total(wanted).backward()
        assert set(Logged.seen[asked:]) <= {"sum", "mul", "abs", "conjugate", "detach"}, "rules see plain tensors"
        if lx.grad is not None:
            assert type(lx.grad) is ft.Tensor
            assert (lx.grad.numpy() == a.grad.numpy()).all()


def test_in_place_views_and_items():
    x = (pair()[0] * 1).as_subclass(Logged)
    version = x._version
    assert x.add_(1) is x
    x[0] = 5.0
    row = x[0]
    row.mul_(2)
    assert [name for name in Logged.seen if name != "detach"] == ["add_", "setitem", "getitem", "mul_"]
    assert (x._version, x.detach().tolist()[0]) == (version + 3, [10.0] * 4)
    assert (type(row), row.requires_grad) == (Logged, True)


def test_subclass_goes_first_and_may_decline():
    class Narrow(Logged):
        pass

    class Refusing(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    a, b = ft.ones(2).as_subclass(Logged), ft.ones(2).as_subclass(Narrow)
    assert type(a + b) is type(b + a) is Narrow
    with pytest.raises(TypeError, match="no operand's __torch_function__ handles Refusing"):
        ft.ones(2).as_subclass(Refusing) + 1
    with pytest.raises(TypeError, match="handles Plain, Logged"):
        ft.ones(2).as_subclass(Plain) + a


def test_subclasses_that_override_nothing_keep_their_type():
    x = Plain([1.0, 2.0])
    x.note = "mine"
    assert type(x * 2) is type(x[0]) is type(x.sum()) is type(ft.cat([x, x])) is Plain
    assert not hasattr(x * 2, "note")
    assert type(x.max(0).values) is Plain
    with disable_overrides():
        assert type(x * 2) is ft.Tensor
    assert ft.Tensor.__torch_function__ is not None
    assert type(ft.ones(2) * 2) is ft.Tensor
    with pytest.raises(TypeError, match="subclass"):
        ft.ones(2).as_subclass(int)


def test_parameters():
    p = ft.Parameter(ft.ones(3))
    p.name = "weight"
    assert isinstance(p, ft.Tensor)
    assert (type(p * 2), type(p.detach()), p.name) == (ft.Tensor, ft.Tensor, "weight")
    assert type(p._layout) is type(ft.ones(3)._layout), "on the quick path"
    link = weakref.ref(p)
    del p
    assert link() is None
    with pytest.raises(AttributeError):
        ft.ones(3).note = 1
    with pytest.raises(TypeError, match="Parameter"):
        ft.Parameter([1.0])
    assert isinstance(weakref.ref(ft.ones(2)), weakref.ref)


def test_data_is_the_same_memory_and_another_history():
    x, y = pair()
    address = x.data_ptr()
    x.data.mul_(2)
    assert x._version == 0
    assert not x.data.requires_grad
    assert x.data_ptr() == address
    (x * y).sum().backward()
    x.data = y.detach()
    assert x.data_ptr() == y.data_ptr()
    assert (x.requires_grad, x.is_leaf, x.grad is not None) == (True, True, True)
    x.data = ft.zeros(2)
    assert (x.shape, x.dtype) == ((2,), ft.float32)
    with pytest.raises(TypeError, match="data"):
        x.data = [1.0]
    with pytest.raises(TypeError, match="int64"):
        x.data = ft.zeros(2, dtype=ft.int64)
    assert numbers(x).tolist() == [0, 0]
