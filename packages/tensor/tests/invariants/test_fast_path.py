"""Calls with known layouts: the same results as the first call, without the slow path."""

from __future__ import annotations

import pytest
from slow_path import slow_calls

import facula_tensor as ft
from facula_autograd import grad
from facula_errors.testing import raises
from facula_storage import listen
from facula_storage.extend import clear_layout_caches
from facula_tensor import functional as F
from facula_tensor._core import allocation
from facula_tensor._creation import filling, random
from facula_tensor._dispatch.namespaces import no_record_ops
from facula_tensor.extend import sgd_step

DTYPES = (ft.bool, ft.uint8, ft.int32, ft.int64, ft.float16, ft.float32, ft.float64, ft.complex64)


def changed(change):
    """Return a function that changes a copy in place and returns it; the shape is checked even after errors."""

    def run(x, y):
        target = x.clone() if x.is_contiguous() else x.t().clone().t()
        try:
            change(target, y)
        finally:
            assert target.shape == x.shape
        return target

    return run


WAYS = {
    "x + y": lambda x, y: x + y,
    "x + row": lambda x, y: x + y[0],
    "(1, n) + (n,)": lambda x, y: x.flatten().unsqueeze(0) + y.flatten(),
    "x * 2": lambda x, y: x * 2,
    "x * 2.5": lambda x, y: x * 2.5,
    "2 - x": lambda x, y: 2 - x,
    "1.5 / x": lambda x, y: 1.5 / x,
    "3 ** x": lambda x, y: 3**x,
    "300 - x": lambda x, y: 300 - x,
    "sub(2, x)": lambda x, y: ft.sub(2, x),
    "x.add_(y)": changed(lambda x, y: x.add_(y)),
    "x.add_(row)": changed(lambda x, y: x.add_(y[0])),
    "x.add_(column)": changed(lambda x, y: x.add_(y[:, :1])),
    "x.add_(expanded)": changed(lambda x, y: x.add_(y[0, 0].expand(3, 3))),
    "x.add_(y.t())": changed(lambda x, y: x.add_(y.t())),
    "x.add_(y, alpha=2)": changed(lambda x, y: x.add_(y, alpha=2)),
    "x.add_(row, alpha=2)": changed(lambda x, y: x.add_(y[0], alpha=2)),
    "x.mul_(2)": changed(lambda x, y: x.mul_(2)),
    "x.mul_(0.5)": changed(lambda x, y: x.mul_(0.5)),
    "x.sub_(300)": changed(lambda x, y: x.sub_(300)),
    "x.div_(2)": changed(lambda x, y: x.div_(2)),
    "x.add_(itself)": changed(lambda x, y: x.add_(x)),
    "x.add_(its transpose)": changed(lambda x, y: x.add_(x.t())),
    "x.add_(a row of its own)": changed(lambda x, y: x.add_(x[1])),
    "x.relu_()": changed(lambda x, y: x.relu_()),
    "x.exp_()": changed(lambda x, y: x.exp_()),
    "x.copy_(y)": changed(lambda x, y: x.copy_(y)),
    "x.copy_(row)": changed(lambda x, y: x.copy_(y[0])),
    "x.copy_(floats)": changed(lambda x, y: x.copy_(y.float() if not y.is_complex() else y)),
    "x.copy_(its transpose)": changed(lambda x, y: x.copy_(x.t())),
    "clamp(0, 1)": lambda x, y: x.clamp(0, 1),
    "clamp(0.25, 1.5)": lambda x, y: x.clamp(0.25, 1.5),
    "clamp(-300, 300)": lambda x, y: x.clamp(-300, 300),
    "clamp(min=1)": lambda x, y: x.clamp(min=1),
    "clamp(tensors)": lambda x, y: x.clamp(y[0], y),
    "clamp(0, tensor)": lambda x, y: x.clamp(0, y),
    "clamp(tensor, 2)": lambda x, y: x.clamp(y, 2),
    "clamp_(0, 1)": changed(lambda x, y: x.clamp_(0, 1)),
    "clamp_(0.25, 1.5)": changed(lambda x, y: x.clamp_(0.25, 1.5)),
    "clamp_(max=y)": changed(lambda x, y: x.clamp_(max=y)),
    "hardtanh": lambda x, y: F.hardtanh(x, -0.5, 1.5),
    "where(mask, x, 0)": lambda x, y: ft.where(y == y[0], x, 0),
    "where(mask, 0.5, x)": lambda x, y: ft.where(y == y[0], 0.5, x),
    "where(mask, x, 300)": lambda x, y: ft.where(y == y[0], x, 300),
    "where(mask, x, True)": lambda x, y: ft.where(y == y[0], x, True),
    "cat": lambda x, y: ft.cat((x, y)),
    "cat, dim 1": lambda x, y: ft.cat([x, y], 1),
    "cat, dim -1": lambda x, y: ft.cat([x, y], -1),
    "cat of five, dim 1": lambda x, y: ft.cat([x, y, x, y, y], 1),
    "cat of three": lambda x, y: ft.cat((x, y, x), -2),
    "cat of unequal": lambda x, y: ft.cat((x, y[:2])),
    "cat of unequal, dim 1": lambda x, y: ft.cat((x, y[:, :2].contiguous()), 1),
    "cat of what does not fit": lambda x, y: ft.cat((x, y[:2]), 1),
    "cat of two dtypes": lambda x, y: ft.cat((x, y.double())),
    "stack": lambda x, y: ft.stack((x, y)),
    "stack of three": lambda x, y: ft.stack((x, y, x)),
    "stack, dim -1": lambda x, y: ft.stack((x, y, y), -1),
    "x @ y": lambda x, y: x @ y,
    "x @ vector": lambda x, y: x @ y[0],
    "vector @ y": lambda x, y: x[0] @ y,
    "vector @ vector": lambda x, y: x[0] @ y[:, 1],
    "stack @ matrix": lambda x, y: x.expand(2, 3, 3) @ y,
    "sum": lambda x, y: x.sum(),
    "sum(-1, True)": lambda x, y: x.sum(-1, keepdim=True),
    "mean(0)": lambda x, y: x.mean(0),
    "max": lambda x, y: x.max(),
    "max(1)": lambda x, y: x.max(1).indices,
    "min(0, True)": lambda x, y: x.min(0, True).indices,
    "max(dim=-1) of a number": lambda x, y: x[0, 0].max(dim=-1).values,
    "amin(1)": lambda x, y: x.amin(1),
    "argmin": lambda x, y: x.argmin(),
    "argmax(-1)": lambda x, y: x.argmax(-1),
    "any(0)": lambda x, y: x.any(0),
    "softmax(-1)": lambda x, y: ft.softmax(x, -1),
}


def outcome(way, x, y):
    """Return dtype, shape and elements of a result, or the error that the call raises."""
    try:
        result = way(x, y)
    except Exception as error:
        return type(error).__name__, str(error)
    return result.dtype, tuple(result.shape), repr(result.tolist())


@pytest.mark.parametrize("transposed", [False, True], ids=["contiguous", "transposed"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", WAYS)
def test_repeated_calls_have_equal_results(name, dtype, transposed):
    way = WAYS[name]
    x, y = (
        ft.tensor([[1, 2, 0], [3, 1, 1], [0, 2, 1]]).to(dtype),
        ft.tensor([[2, 1, 1], [1, 0, 3], [1, 1, 2]]).to(dtype),
    )
    if transposed:
        x = x.t().contiguous().t()
    first = outcome(way, x, y)
    assert [outcome(way, x, y) for _ in range(3)] == [first] * 3
    fresh = ft.zeros(2, 3, 3).to(dtype)[1].copy_(x)  # the same elements in other memory
    assert outcome(way, fresh if not transposed else fresh.t().contiguous().t(), y) == first


@pytest.fixture(autouse=True, scope="module")
def _clear_layouts_of_other_tests():
    """Clear the tables: they are bounded, and other tests may have filled them."""
    clear_layout_caches()


KNOWN_SLOW = {
    "x.add_(its transpose)", "x.add_(a row of its own)", "x.add_(row, alpha=2)", "x.copy_(its transpose)",
    "cat of what does not fit", "cat of two dtypes", "where(mask, x, True)",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in WAYS if name not in KNOWN_SLOW])
def test_a_call_with_known_layouts_avoids_the_slow_path(name):
    way = WAYS[name]
    x, y = ft.rand(3, 3), ft.rand(3, 3)
    for _ in range(2):
        way(x, y)
    assert slow_calls(lambda: way(x, y)) == []


WITH_NUMBERS = {
    "x * number": lambda x, number: x * number,
    "number - x": lambda x, number: number - x,
    "where": lambda x, number: ft.where(x > 0.5, x, number),
    "clamp": lambda x, number: x.clamp(-number, number),
    "clamp(min)": lambda x, number: x.clamp(min=number),
}


@pytest.mark.parametrize("name", ["cat", "stack"])
@pytest.mark.parametrize("count", [2, 3])
def test_joins_that_rules_call_avoid_the_slow_path(name, count):
    """They record nothing, even for operands with nodes."""
    tensors = tuple(ft.arange(6.0).view(2, 3).requires_grad_() * number for number in range(count))
    call = getattr(no_record_ops, name)
    first, made = call(tensors, (1,)), []
    assert slow_calls(lambda: made.append(call(tensors, (1,)))) == []
    assert made[0].tolist() == first.tolist() == getattr(ft, name)(tensors, 1).tolist()
    assert not made[0].requires_grad


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_an_integer_uses_the_plan_of_a_float(name):
    for x in (ft.rand(5, 11), ft.rand(5, 13)[:, ::2]):
        expected = WITH_NUMBERS[name](x, 2.0)
        made = []
        assert slow_calls(lambda x=x, made=made: made.append(WITH_NUMBERS[name](x, 2))) == []
        assert made[0].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("shape", "may_alias_grad"),
    [
        ((3, 3), lambda x, b: x + b),
        ((3,), lambda x, b: x + b),
        ((3, 3), lambda x, b: x + b.t()),
        ((3, 3), lambda x, b: x + (ft.cat((b, b), 1) * WEIGHTS).sum()),
        ((3, 3), lambda x, b: x - b),
        ((3, 3), lambda x, b: x * b),
    ],
    ids=["sum", "row", "transposed", "slice", "difference", "product"],
)
def test_gradients_of_any_strides_are_accumulated_on_the_fast_path(shape, may_alias_grad):
    def run():
        a, b = ft.ones(3, 3, requires_grad=True), ft.ones(shape, requires_grad=True)
        x = a
        for _ in range(4):
            x = may_alias_grad(x, b)
        x.sum().backward()
        return a.grad.tolist(), b.grad.tolist()

    first = run()
    assert run() == first
    assert slow_calls(run) == []


WEIGHTS = ft.arange(18.0).reshape(3, 6)


MADE = {
    "empty": lambda x: ft.empty(3, 3),
    "zeros": lambda x: ft.zeros(3, 3),
    "zeros, a shape": lambda x: ft.zeros(x.shape),
    "zeros, integers": lambda x: ft.zeros((3, 3), dtype=ft.int32),
    "zeros, a device by name": lambda x: ft.zeros(3, device="cpu"),
    "ones, bools": lambda x: ft.ones(3, dtype=ft.bool),
    "ones, no dimension": lambda x: ft.ones(()),
    "full": lambda x: ft.full((3, 3), 2.5),
    "full, integers": lambda x: ft.full((3, 3), 7),
    "full, floats of an integer": lambda x: ft.full((3, 3), 7, dtype=ft.float64),
    "zeros_like": lambda x: ft.zeros_like(x),
    "ones_like": lambda x: ft.ones_like(x, dtype=ft.int64),
    "full_like": lambda x: ft.full_like(x, 2.0),
    "new_zeros": lambda x: x.new_zeros(3),
    "new_ones": lambda x: x.new_ones((3, 3)),
    "rand": lambda x: ft.rand(3, 3),
    "randn": lambda x: ft.randn((3, 3), dtype=ft.float64),
    "randint": lambda x: ft.randint(9, (3, 3)),
    "randint(low, high)": lambda x: ft.randint(-2, 9, (3, 3)),
    "rand_like": lambda x: ft.rand_like(x),
    "randn_like": lambda x: ft.randn_like(x),
    "uniform_": lambda x: x.uniform_(),
    "normal_": lambda x: x.normal_(1.0, 2.0),
}


@pytest.mark.parametrize("name", MADE)
def test_repeated_creation_avoids_the_slow_path(name, monkeypatch):
    x = ft.rand(3, 3)
    expected = MADE[name](x)
    for module, slow in (
        (allocation, "sizes"),
        (filling, "fill_snapshot"),
        (allocation, "allocate"),
        (random, "fill_slowly"),
    ):
        monkeypatch.setattr(module, slow, None)
    made = MADE[name](x)
    assert (made.shape, made.dtype, made.device) == (expected.shape, expected.dtype, expected.device)


def test_floats_are_rejected_as_lengths_after_equal_integers():
    ft.zeros(4, 4), ft.empty(4), ft.zeros((4, 4)), ft.randint(3, (4, 4))
    for make in (ft.zeros, ft.empty, ft.rand):
        for wrong in ((4.0, 4), (4, 4.0), (4.0,), ((4.0, 4.0),), (4 + 0j, 4)):
            with raises(TypeError, make.__name__, "expected integers"):
                make(*wrong)
    with raises(TypeError, "randint", "expected integers"):
        ft.randint(3, (4.0, 4))


INTERRUPTED = {
    **WAYS,
    **{name: lambda x, y, make=make: make(x) for name, make in MADE.items()},
    "backward": lambda x, y: ((x.clone().requires_grad_() * y).tanh() @ y).clamp(x, y).sum().backward(),
    "two gradients of one": lambda x, y: x.clone().requires_grad_().exp().square().cumsum(0).sum().backward(),
    "masked_fill_": changed(lambda x, y: x.masked_fill_(y > 1, 2.0)),
    "scatter_": changed(lambda x, y: x.scatter_(0, ft.tensor([[0, 1, 2]]), y)),
    "x[0] = 2": changed(lambda x, y: x.__setitem__(0, 2.0)),
    "x[1:] = y[1:]": changed(lambda x, y: x.__setitem__(slice(1, None), y[1:])),
    "addcmul": lambda x, y: ft.addcmul(x, y, y),
    "dropout": lambda x, y: F.dropout(x, 0.5),
    "batch_norm": lambda x, y: F.batch_norm(x, y[0].clone(), y[1] + 1, training=True),
    "optimizer step": lambda x, y: sgd_step([x.clone(), y, y.clone()], 3, (0.5, 0.0, 1.0, 0.5, 1.0, 0.0)),
}
FAILURES = (AttributeError, IndexError, KeyError, MemoryError, OverflowError, RuntimeError, TypeError, ValueError)


@pytest.mark.parametrize("name", [name for name in INTERRUPTED if name not in KNOWN_SLOW])
def test_a_call_that_fails_at_a_launch_launches_no_further_kernel(name):
    heard, failing = [], {}

    def listener(plan, arguments):
        heard.append(plan.operator)
        if len(heard) in failing:
            raise failing[len(heard)]

    way, x, y = INTERRUPTED[name], ft.rand(3, 3), ft.rand(3, 3)
    with listen(listener):
        for _ in range(3):
            heard.clear()
            way(x, y)
        usual = list(heard)
        for place in range(1, len(usual) + 1):
            for kind in FAILURES:
                heard.clear()
                failing.clear()
                failing[place] = kind("of a listener")
                with pytest.raises(kind) as raised:
                    way(x, y)
                assert (raised.value, heard) == (failing[place], usual[:place])


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.complex64, ft.complex128])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_complex_numbers(dtype, requires_grad):
    """Operators of a tensor and a complex number, with equal results from the slow path."""
    x = ft.tensor([[0.0, -1.0, 2.0], [float("inf"), 3.0, 0.5]], dtype=dtype, requires_grad=requires_grad)

    def compute():
        return [(x * 2j).detach(), ((1 + 1j) - x).detach(), (x / 3j).detach(), (2j**x).detach()]

    first = [str(y) for y in compute()]
    compute()
    assert slow_calls(compute) == []
    assert [str(y) for y in compute()] == first
    if requires_grad:
        gradients = [grad((x * 2j).real.sum() + ((2 - 1j) * x).imag.sum(), x)[0] for _ in range(3)]
        assert [gradient.tolist() for gradient in gradients] == [[[-1.0] * 3] * 2] * 3
