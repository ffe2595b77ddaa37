"""Modes apply to the thread and task that entered them, and to all operators."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from fake_backend import numbers
from samples import SAMPLES, differentiable, every_operator, pair, total

import facula_autograd as ag
import facula_tensor as ft
from facula_errors.testing import raises


@every_operator
def test_no_grad_records_no_node(name):
    for mode in (ft.no_grad, ft.inference_mode, lambda: ft.set_grad_enabled(False)):
        x, *others = SAMPLES[name].leaves()
        with mode():
            out = SAMPLES[name](x, *others)
            inner = x * 1
        assert not out.requires_grad
        assert not inner.requires_grad
        with ft.no_grad(), ft.enable_grad():
            assert (x * 1).requires_grad is x.requires_grad


@every_operator
def test_modes_are_local_to_threads(name):
    entered, leave = threading.Event(), threading.Event()
    seen = []

    def other():
        with ft.no_grad():
            seen.append((pair()[0] * 1).requires_grad)
            entered.set()
            leave.wait(600)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(600)
    try:
        leaves, others = SAMPLES[name].leaves(), SAMPLES[name].leaves()
        out = SAMPLES[name](*[leaf * 1 for leaf in leaves])
        leave.set()
        thread.join()
        plain = SAMPLES[name](*[operand * 1 for operand in others])
        assert (seen, out.requires_grad) == ([False], plain.requires_grad)
        if differentiable(out):
            total(out).backward()
            total(plain).backward()
            for mine, right in zip(leaves, others, strict=True):
                np.testing.assert_equal(*[None if leaf.grad is None else numbers(leaf.grad) for leaf in (mine, right)])
    finally:
        leave.set()
        thread.join()


def test_modes_are_local_to_tasks():
    async def task(recorded_ops):
        x, _ = pair()
        with ft.set_grad_enabled(recorded_ops):
            for _ in range(5):
                await asyncio.sleep(0)
                assert (x * 1).requires_grad is recorded_ops
        await asyncio.sleep(0)
        assert (x * 1).requires_grad

    async def main():
        await asyncio.gather(*[task(bool(k % 2)) for k in range(6)])

    asyncio.run(main())


def test_decorated_generators_switch_at_each_yield():
    x, _ = pair()

    @ft.no_grad()
    def several():
        for _ in range(3):
            yield (x * 1).requires_grad

    for inside in several():
        assert not inside
        assert (x * 1).requires_grad


@every_operator
def test_saved_tensors_go_through_hooks(name):
    packed = []

    def pack(t):
        packed.append(t)
        return np.array(t.detach().tolist()), t.dtype

    def unpack(kept):
        values, dtype = kept
        return ft.tensor(values, dtype=dtype)

    leaves, others = SAMPLES[name].leaves(), SAMPLES[name].leaves()
    with ag.saved_tensors_hooks(pack, unpack):
        out = SAMPLES[name](*[leaf * 1 for leaf in leaves])
    plain = SAMPLES[name](*[operand * 1 for operand in others])
    if differentiable(plain):
        total(out).backward()
        total(plain).backward()
        for mine, right in zip(leaves, others, strict=True):
            assert (mine.grad is None) == (right.grad is None)
            if right.grad is not None:
                np.testing.assert_allclose(numbers(mine.grad), numbers(right.grad), rtol=1e-12)
    if name in ("mul", "exp", "matmul", "log", "where", "take", "amax", "pow", "log_softmax", "div"):
        assert packed, "what it saves went through the hook"


def second_derivatives(name):
    """Return the gradients of a sum of squared gradients of an operator's result, for leaves and other operands."""
    first, *others = leaves = SAMPLES[name].leaves()
    out = SAMPLES[name](first, *[operand * 1 for operand in others])
    if not differentiable(out):
        pytest.skip("not differentiable")
    slopes = ag.grad(total(out * out), leaves, create_graph=True, allow_unused=True)
    squares = sum(total(g * g) for g in slopes if g is not None)
    if not squares.requires_grad:
        pytest.skip("its gradient is constant")
    return ag.grad(squares, leaves, allow_unused=True)


@every_operator
@pytest.mark.parametrize("kept", ["itself", "a copy"])
def test_second_derivatives_go_through_packed_values(name, kept):
    hooks = [
        (lambda t: t, lambda t: t),
        (lambda t: (t.numpy(force=True).copy(), t.dtype), lambda p: ft.tensor(p[0], dtype=p[1])),
    ]
    with ag.saved_tensors_hooks(*hooks[kept == "a copy"]):
        mine = second_derivatives(name)
    plain = second_derivatives(name)
    for result, other in zip(mine, plain, strict=True):
        assert (result is None) == (other is None)
        if result is not None:
            np.testing.assert_allclose(numbers(result), numbers(other), rtol=1e-12)


def test_unpacked_values_must_match_packed_ones():
    x, y = pair()
    with ag.saved_tensors_hooks(lambda t: t, lambda t: t[0]):
        out = (x * y).sum()
    with raises(TypeError, "saved_tensors_hooks", "unpack_hook"):
        out.backward()
    with ag.saved_tensors_hooks(lambda t: t, lambda t: 3):
        out = (x * y).sum()
    with raises(TypeError, "saved_tensors_hooks", "unpack_hook", value="int"):
        out.backward()


def test_packed_values_are_freed_after_the_pass():
    class SavedTensors:
        alive = 0

        def __init__(self, t):
            self.tensor = t
            SavedTensors.alive += 1

        def __del__(self):
            SavedTensors.alive -= 1

    x, y = pair()
    with ag.saved_tensors_hooks(SavedTensors, lambda kept: kept.tensor):
        out = ft.where(x > 1, x.exp(), x * y).log_softmax(1).sum()
    assert SavedTensors.alive >= 5
    out.backward()
    assert SavedTensors.alive == 0
    with raises(RuntimeError, "backward", "retain_graph"):
        out.backward()


def test_offload_to_another_device():
    x, y = pair()
    with ag.saved_tensors_hooks(lambda t: (t.device, t.to("fake")), lambda kept: kept[1].to(kept[0])):
        out = ((x @ y.t()).tanh() * 3).sum()
    out.backward()
    a, b = pair()
    ((a @ b.t()).tanh() * 3).sum().backward()
    np.testing.assert_allclose(numbers(x.grad), numbers(a.grad))


def test_anomalies_name_the_forward_line(device):
    x = ft.tensor([0.0, 1.0], device=device, requires_grad=True)
    with ag.detect_anomaly():
        out = (x * 0).sqrt() * 0  # the slope of sqrt at 0 is infinite, and 0 times infinity is NaN
        with raises(ag.AnomalyError, "detect_anomaly", "sqrt", __file__) as caught:
            out.sum().backward()
    assert caught.value.operator == "sqrt"


def test_leaves_change_only_under_no_grad():
    x, y = pair()
    with raises(RuntimeError, "add_", "leaf that requires a gradient"):
        x.add_(y)
    with raises(RuntimeError, "add_", "view of a leaf"):
        x[0].add_(1)
    with raises(RuntimeError, "setitem", "leaf"):
        x[0] = 1.0
    assert x._version == 0
    with ft.no_grad():
        x.add_(y)
        x[0] = 1.0
        view = x[1]
    assert x._version == 2
    with raises(RuntimeError, "mul_", "no_grad"):
        view.mul_(y[0])
    assert x._version == 2
    assert x.requires_grad
    assert x.is_leaf
