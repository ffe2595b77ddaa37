"""Buffers in another physical order: nobody sees it, and what asks for an address makes the storage plain for good."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import numpy as np
import pytest
from calls import CALLS, CHANGES, differentiable, every_change, every_operator, pair, total
from fake_backend import numbers

import facula_tensor as ft
from facula_storage import contiguous, layout_of
from facula_storage.extend import order_buffer


def ordered(tensor):
    """`tensor`, its buffer in column-major order."""
    layout = tensor._layout
    strides, step = [], 1
    for size in layout.shape:
        strides.append(step)
        step *= size
    order_buffer(tensor._storage, layout, layout_of(layout.shape, tuple(strides), layout.dtype, layout.device))
    assert tensor._storage.ptr is None
    return tensor


def fresh(device="cpu", shape=(3, 4), dtype=ft.float64):
    """A plain tensor and one with the same elements in another order."""
    values, _ = pair(device, dtype, shape, requires_grad=False)
    return values.clone(), ordered(values.clone())


@every_operator
@pytest.mark.parametrize(("first", "second"), list(product((True, False), repeat=2))[:3])
def test_operators_give_the_same_numbers(name, device, first, second):
    if (name, device) == ("to_device", "cpu"):
        pytest.skip("its result has no elements")
    results = []
    for order in (False, True):
        x, y = pair(device)
        a, b = x * 1, y * 1
        if order and first:
            ordered(a)
        if order and second:
            ordered(b)
        versions = a._version, b._version
        out = CALLS[name](a, b)
        assert (a._version, b._version) == versions
        if differentiable(out):
            total(out).backward()
        grads = [one.grad for one in (x, y)]
        assert all(grad is None or grad._storage.ptr is not None for grad in grads), ".grad of a leaf is plain"
        results.append([None if one is None else numbers(one) for one in (out, a, b, *grads)])
    for plain, other in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, other)


@every_change
@pytest.mark.parametrize("which", ["first", "second", "both"])
def test_changes_give_the_same_numbers(name, device, which):
    results = []
    for order in (False, True):
        x, y = pair(device)
        a, b = x * 1, y * 1
        if order:
            for tensor in {"first": (a,), "second": (b,), "both": (a, b)}[which]:
                ordered(tensor)
        version = a._version
        CHANGES[name](a, b)
        assert a._version > version
        a.sum().backward()
        results.append([numbers(a), numbers(b), numbers(x.grad)])
    for plain, other in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, other)


LOOKS = {
    "view": lambda x: x.view(2, 6),
    "select": lambda x: x[1],
    "slice": lambda x: x[:, 1:3],
    "t": lambda x: x.t(),
    "expand": lambda x: x.expand(2, 3, 4),
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "parameter": lambda x: ft.Parameter(x),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "numpy": lambda x: ft.from_numpy(x.numpy()),
    "dlpack": lambda x: ft.tensor(np.from_dlpack(x)),
    "array": lambda x: ft.tensor(np.asarray(x)),
    "as_strided": lambda x: x.as_strided((4,), (3,), 1),
    "iterate": lambda x: ft.stack(list(x)),
    "unbind": lambda x: ft.stack(x.unbind(1)),
    "data_ptr": lambda x: ft.tensor(x.data_ptr() != 0),
    "tolist": lambda x: ft.tensor(x.tolist()),
    "repr": lambda x: ft.tensor([ord(c) for c in repr(x)]),
    "resize_": lambda x: x.clone().resize_(2, 2),
    "to_float32": lambda x: x.float(),
    "index": lambda x: x[ft.tensor([2, 0])],
    "mask": lambda x: x[x > 1],
    "reshape": lambda x: x.t().reshape(-1),
}


@pytest.mark.parametrize("name", LOOKS)
def test_looking_makes_it_plain_and_changes_nothing(name):
    plain, other = fresh()
    version, before = other._version, other.is_contiguous()
    seen = LOOKS[name](other)
    np.testing.assert_array_equal(numbers(seen), numbers(LOOKS[name](plain)))
    np.testing.assert_array_equal(numbers(other), numbers(plain))
    assert other._storage.ptr is not None
    assert not hasattr(other._storage, "physical")
    assert (other._version, other.is_contiguous(), other.stride()) == (version, before, plain.stride())


@pytest.mark.parametrize("alias", ["view", "select", "t", "detach", "copy", "slice"])
def test_aliases_made_before_somebody_looks_agree(alias):
    """Aliases share the storage, so they need no plain address until their elements are wanted."""
    plain, other = fresh()
    seen, wanted = LOOKS[alias](other), LOOKS[alias](plain)
    other.mul_(3)
    plain.mul_(3)
    np.testing.assert_array_equal(numbers(seen), numbers(wanted))
    np.testing.assert_array_equal(numbers(other), numbers(plain))


def test_saved_for_backward_and_put_in_order_later():
    x, y = pair()
    a = ordered(x * 1)
    out = (a * y).exp()  # saves a
    ordered_result = ordered(out.clone())
    a.numpy  # looked up only
    a.detach().numpy()
    (out.sum() + ordered_result.sum()).backward()
    b, c = pair()
    (2 * (b * c).exp().sum()).backward()
    np.testing.assert_array_equal(numbers(x.grad), numbers(b.grad))
    np.testing.assert_array_equal(numbers(y.grad), numbers(c.grad))


def test_a_change_after_the_save_is_still_caught():
    x, y = pair()
    a = ordered(x * 1)
    out = a * y
    a.add_(1)
    with pytest.raises(RuntimeError, match="changed in place"):
        out.sum().backward()


def test_gradient_sums_of_both_orders():
    x, _ = pair()
    gradients = []

    def reorder(g):
        gradients.append(g)
        return ordered(g.clone())

    a, b = x * 2, x * 3
    a.register_hook(reorder)
    (a * 5 + b * 7).sum().backward()
    assert len(gradients) == 1
    np.testing.assert_allclose(numbers(x.grad), np.full((3, 4), 31.0))
    assert x.grad._storage.ptr is not None


def test_gradients_given_in_another_order():
    x, _ = pair()
    plain, other = fresh()
    (x * 2).backward(other)
    np.testing.assert_array_equal(numbers(x.grad), numbers(plain) * 2)
    x.grad = None
    x.backward(ordered(plain.clone()))
    assert x.grad._storage.ptr is not None
    np.testing.assert_array_equal(numbers(x.grad), numbers(plain))


@pytest.mark.parametrize("where", ["first", "middle", "all"])
def test_mixed_in_cat_and_stack(where, device):
    plain, _ = fresh(device)
    parts = [plain.clone() for _ in range(3)]
    for k, part in enumerate(parts):
        if where == "all" or k == {"first": 0, "middle": 1}[where]:
            ordered(part)
    for join in (ft.cat, ft.stack):
        wanted = numbers(join([plain, plain, plain], 1))
        np.testing.assert_array_equal(numbers(join(parts, 1)), wanted)


@pytest.mark.parametrize("draw", ["uniform_", "normal_", "random_"])
def test_random_numbers_go_by_logical_position(draw):
    plain, other = fresh()
    ft.manual_seed(3)
    getattr(plain, draw)()
    state = ft.get_rng_state()
    ft.manual_seed(3)
    getattr(other, draw)()
    assert numbers(ft.tensor(0.0)) == 0
    assert str(ft.get_rng_state()) == str(state), "drawn once, not twice"
    np.testing.assert_array_equal(numbers(other), numbers(plain))


def test_out_and_setitem():
    plain, other = fresh()
    ft.add(plain, 1, out=other)
    np.testing.assert_array_equal(numbers(other), numbers(plain) + 1)
    plain, other = fresh()
    other[1:] = ordered(fresh()[0])[:2]
    assert numbers(other)[1].tolist() == numbers(plain)[0].tolist()


def test_failed_calls_change_nothing():
    _, other = fresh()
    version = other._version
    with pytest.raises(ValueError, match="broadcast"):
        other.add_(ft.ones(5))
    with pytest.raises(IndexError):
        other[ft.tensor([0, 9])]
    assert other._version == version


def test_once_plain_always_plain():
    _, other = fresh()
    other.numpy()
    with pytest.raises(RuntimeError, match="order_buffer"):
        view = other.data
        ordered(other)
    assert view is not None
    assert (other + 1)._storage.ptr is not None
    assert contiguous((3, 4), ft.float64) == other._layout
