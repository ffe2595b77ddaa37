"""Subclasses that override operators, attributes of parameters, weak references, `.data`."""

from __future__ import annotations

import weakref

import pytest
from fake_backend import numbers
from samples import SAMPLES, differentiable, every_operator, pair, total

import facula_autograd as autograd
import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor._dispatch.overrides import disable_overrides


class Logged(ft.Tensor):
    """Records each operator passed to `__torch_function__`."""

    seen: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ != "__get__":  # of a property
            cls.seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


class Plain(ft.Tensor):
    """A subclass without overrides."""


@pytest.fixture(autouse=True)
def forget():
    Logged.seen.clear()


@every_operator
def test_every_operator_calls_the_override_and_keeps_the_class(name):
    sample = SAMPLES[name]
    logged, plain = [leaf.as_subclass(Logged) for leaf in sample.leaves()], sample.leaves()
    Logged.seen.clear()
    out = sample(*logged)
    assert Logged.seen or name == "reverse_dims"  # a property
    assert isinstance(out, Logged) or name in ("any", "all")
    wanted = sample(*plain)
    if not wanted.is_meta:
        assert out.detach().tolist() == wanted.detach().tolist()
    if differentiable(wanted) and not wanted.is_meta:
        value = total(out)
        Logged.seen.clear()
        autograd.backward((value,))  # the method would call the override, which is disabled inside it
        assert Logged.seen == [], "rules see plain tensors"
        total(wanted).backward()
        for mine, right in zip(logged, plain, strict=True):
            if mine.grad is not None:
                assert type(mine.grad) is ft.Tensor
                assert (mine.grad.numpy() == right.grad.numpy()).all()


def test_rules_of_calls_on_contiguous_copies_see_plain_tensors():
    from facula_tensor import functional

    x = pair()[0].detach().t().requires_grad_()  # no kernel of layer_norm supports this layout
    weight = ft.ones(3, dtype=ft.float64).as_subclass(Logged).requires_grad_()
    out = functional.layer_norm(x, (3,), weight)
    with disable_overrides():
        total_of = out.sum()
    Logged.seen.clear()
    total_of.backward()
    assert Logged.seen == []
    assert type(weight.grad) is type(x.grad) is ft.Tensor


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


ASKED = {
    "mean": (lambda x: (x.mean(0), ft.mean(x)), ft.mean),
    "softmax": (lambda x: (x.softmax(1), ft.softmax(input=x, dim=1)), ft.softmax),
    "flatten": (lambda x: (x.flatten(), ft.flatten(x)), ft.flatten),
    "clamp": (lambda x: (x.clamp(0, 1), ft.clamp(x, max=1)), ft.clamp),
    "cat": (lambda x: (ft.cat([ft.ones(1, 4, dtype=ft.float64), x]),), ft.cat),
    "stack": (lambda x: (ft.stack((x, x)),), ft.stack),
    "any": (lambda x: (x.any(), ft.any(x, 0)), ft.any),
    "matmul": (lambda x: (x @ x[0].detach(), ft.matmul(x, x[0].detach())), ft.matmul),
    "movedim": (lambda x: (x.moveaxis(0, 1), ft.movedim(x, 0, 1)), ft.movedim),
    "clone": (lambda x: (x.clone(), ft.clone(x)), ft.clone),
}


@pytest.mark.parametrize("name", ASKED)
def test_composite_functions_call_the_override_once_with_their_name(name):
    call, function = ASKED[name]
    x = pair()[0].detach().as_subclass(Logged)
    asked = []

    class Noting(Logged):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs)

    results = call(x.as_subclass(Noting))
    kept = [func for func in asked if func.__name__ not in ("getitem", "detach")]
    assert len(kept) == len(results)
    assert kept[-1] in (function, getattr(ft.Tensor, name, None))  # test_overrides.py checks which function it is
    assert all(isinstance(result, Noting) for result in results)


def test_filling_functions_call_the_override():
    x = pair()[0].detach().clone().as_subclass(Logged)
    calls = [
        lambda: x.copy_(ft.zeros(4)), lambda: x.fill_(2), lambda: x.zero_(), lambda: x.uniform_(), lambda: x.normal_(),
        lambda: x.random_(9), lambda: x.clamp_(0, 1), lambda: x.square_(),
    ]  # fmt: skip
    for call in calls:
        assert call() is x
    assert Logged.seen == ["copy_", "fill_", "zero_", "uniform_", "normal_", "random_", "clamp_", "square_"]


def test_methods_of_a_subclass_take_precedence():
    class Own(Logged):
        def sum(self):
            return "mine"

    x = ft.ones(2).as_subclass(Own)
    assert x.sum() == "mine"
    assert type(x.mean()) is Own
    assert type(ft.ones(2).sum()) is ft.Tensor


def test_the_subclass_has_priority_and_may_decline():
    class Narrow(Logged):
        pass

    class Refusing(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    a, b = ft.ones(2).as_subclass(Logged), ft.ones(2).as_subclass(Narrow)
    assert type(a + b) is type(b + a) is Narrow
    with raises(TypeError, "__add__", "no operand's __torch_function__ handles Refusing"):
        ft.ones(2).as_subclass(Refusing) + 1
    with raises(TypeError, "__add__", "handles Plain, Logged"):
        ft.ones(2).as_subclass(Plain) + a


def test_subclasses_without_overrides_keep_their_type():
    x = Plain([1.0, 2.0])
    x.note = "mine"
    assert type(x * 2) is type(x[0]) is type(x.sum()) is type(ft.cat([x, x])) is Plain
    assert not hasattr(x * 2, "note")
    assert type(x.max(0).values) is Plain
    with disable_overrides():
        assert type(x * 2) is ft.Tensor
    assert ft.Tensor.__torch_function__ is not None
    assert type(ft.ones(2) * 2) is ft.Tensor
    with raises(TypeError, "as_subclass"):
        ft.ones(2).as_subclass(int)


def test_parameters():
    p = ft.Parameter(ft.ones(3))
    p.name = "weight"
    assert isinstance(p, ft.Tensor)
    assert (type(p * 2), type(p.detach()), p.name) == (ft.Tensor, ft.Tensor, "weight")
    assert type(p._layout) is type(ft.ones(3)._layout), "on the fast path"
    link = weakref.ref(p)
    del p
    assert link() is None
    with raises(TypeError, "Parameter"):
        ft.Parameter([1.0])
    assert isinstance(weakref.ref(ft.ones(2)), weakref.ref)


def test_data_shares_memory_but_not_history():
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
    with raises(TypeError, "data"):
        x.data = [1.0]
    with raises(TypeError, "data", "int64"):
        x.data = ft.zeros(2, dtype=ft.int64)
    assert numbers(x).tolist() == [0, 0]


def test_functions_of_other_libraries_are_declined():
    """PyTorch calls the method of every class that defines it, also for functions of other libraries."""

    def add(a, b):
        return ft.Tensor.__torch_function__(add, (ft.Tensor,), (a, b))

    add.__module__ = "torch.functional"
    for cls in (ft.Tensor, ft.Parameter):
        for foreign in (add, len, str.join):
            assert cls.__torch_function__(foreign, (cls,), (ft.ones(2), ft.ones(2))) is NotImplemented
