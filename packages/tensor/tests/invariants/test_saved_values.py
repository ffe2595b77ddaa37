"""Saved tensors that hooks store elsewhere, checkpoints that keep results, and `detect_anomaly`."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from slow_path import slow_calls

import facula_tensor as ft
from facula_autograd import (
    AnomalyError,
    CheckpointPolicy,
    MutationError,
    checkpoint,
    create_selective_checkpoint_contexts,
    detect_anomaly,
)
from facula_autograd.graph import (
    allow_mutation_on_saved_tensors,
    increment_version,
    report,
    save_on_cpu,
    save_on_disk,
    track_modules,
)
from facula_errors.testing import raises
from facula_storage import listen
from facula_tensor import func
from facula_tensor import functional as F

P = CheckpointPolicy


def network(x, w):
    h = F.dropout(ft.tanh(x.t() @ w), 0.5)
    return (F.linear(h.relu(), w, w[0]) * h.sigmoid()).sum()


def gradients(run, dtype=ft.float32):
    """Return the value and gradients of `run(x, w)`, and a random number drawn afterwards."""
    ft.manual_seed(0)
    x = ft.randn(40, 30).to(dtype).requires_grad_()
    w = ft.randn(40, 40).to(dtype).requires_grad_()
    loss = run(x, w)
    after = ft.rand(1)
    loss.backward()
    return [loss, x.grad, w.grad, after]


def same(found, wanted):
    return all(bool((a == b).all()) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("mode", [
    lambda: save_on_disk(min_bytes=64), save_on_cpu, allow_mutation_on_saved_tensors, track_modules, detect_anomaly,
])  # fmt: skip
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.float16, ft.bfloat16])
def test_gradients_equal_those_of_a_plain_pass(mode, dtype):
    def run(x, w):
        with mode():
            return network(x, w)

    assert same(gradients(run, dtype), gradients(network, dtype))


def test_complex_and_bool_tensors_are_restored_from_disk():
    def run(x, w):
        z = ft.complex(x, x * 2)
        return (z * z).abs().sum() + (x * (x > 0)).sum() + (x[::2, 1:] ** 2).sum()

    def on_disk(x, w):
        with save_on_disk(min_bytes=64) as disk:
            loss = run(x, w)
        assert disk.bytes_written > 3 * 40 * 30 * 8
        return loss

    found, wanted = (gradients(lambda x, w, f=f: f(x, w) + w.sum()) for f in (on_disk, run))
    assert same(found, wanted)


def test_changes_in_place_are_allowed_if_copies_are_saved():
    for mode, allowed in ((allow_mutation_on_saved_tensors, True), (track_modules, False)):
        a = ft.ones(2, 3, requires_grad=True)
        with mode():
            b = a.clone()
            out = (b**2).sum()
            b.sin_()
        if allowed:
            out.backward()
            assert (a.grad == 2).all()
        else:
            with pytest.raises(MutationError):
                out.backward()


def test_increment_version_counts_as_a_change():
    x, k = ft.ones(3, requires_grad=True), ft.ones(3)
    y = x * k
    increment_version(k[1:])
    with raises(MutationError, "backward of mul", "increment_version at", "test_saved_values.py"):
        y.sum().backward()
    array = np.ones(3)
    array.flags.writeable = False
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        increment_version(ft.from_numpy(array))


# ---- checkpoints


@pytest.mark.parametrize("policy", [
    lambda context, operator, *args: P.MUST_SAVE,
    lambda context, operator, *args: P.MUST_RECOMPUTE,
    lambda context, operator, *args: P.MUST_CPU_OFFLOAD,
    lambda context, operator, *args: P.MUST_SAVE if operator == "dropout" else P.PREFER_RECOMPUTE,
    [ft.matmul, F.linear],
    ["tanh"],
])  # fmt: skip
@pytest.mark.parametrize("early_stop", [True, False])
def test_checkpoints_with_policies_equal_plain_calls(policy, early_stop):
    def run(x, w):
        contexts = partial(create_selective_checkpoint_contexts, policy)
        return checkpoint(network, x, w, context_fn=contexts, early_stop=early_stop)

    assert same(gradients(run), gradients(network))


@pytest.mark.parametrize(("policy", "products"), [(["matmul"], 2), ([], 3)])
def test_kept_results_are_not_recomputed(policy, products):
    """The backward pass launches two products, and a third one if the product itself is not kept."""
    x, w = ft.ones(4, 4, requires_grad=True), ft.ones(4, 4, requires_grad=True)
    contexts = partial(create_selective_checkpoint_contexts, policy)
    loss = checkpoint(lambda x, w: ft.tanh(ft.tanh(x @ w)).sum(), x, w, context_fn=contexts)
    heard = []
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        loss.backward()
    assert sum("matmul" in operator for operator in heard) == products, heard


def test_a_kept_result_that_is_changed_in_place():
    x = ft.ones(3, requires_grad=True)
    contexts = partial(create_selective_checkpoint_contexts, ["exp"])
    y = checkpoint(lambda x: (x.exp().mul_(2) ** 2).sum(), x, context_fn=contexts)
    with raises(MutationError, "exp", "the result of exp, which the policy keeps", "mul_ at"):
        y.backward()


# ---- detect_anomaly


def test_operators_stay_on_their_fast_path():
    x, w = ft.ones(3, 3, requires_grad=True), ft.ones(3, 3)

    def run():
        loss = ((x @ w).tanh() * x).sum()
        with ft.no_grad():
            x + w
        return loss

    run().backward()
    with detect_anomaly(check_inf=True), track_modules():
        assert slow_calls(lambda: run()) == []
        run().backward()


@pytest.mark.parametrize("dtype", [ft.float16, ft.float32, ft.complex64])
def test_anomalous_gradients_are_found_and_large_ones_are_accepted(dtype):
    large = {ft.float16: 60000.0, ft.float32: 3e38, ft.complex64: 3e38}[dtype]
    x = ft.ones(4).to(dtype).requires_grad_()
    g = ft.ones(4).to(dtype)
    with detect_anomaly(check_inf=True):
        (x * large).backward(g)  # whose sum is infinite
        assert bool((x.grad == large).all())
    for bad, checks in ((float("nan"), {}), (float("inf"), {"check_nan": False, "check_inf": True})):
        with (
            detect_anomaly(**checks),
            raises(AnomalyError, "detect_anomaly", "gradient 0 from the backward of mul has one"),
        ):
            (x * ft.tensor([1.0, bad, 1.0, 1.0]).to(dtype)).backward(g)
    with detect_anomaly(check_nan=True):
        (x.real * float("inf") if dtype.is_complex else x * float("inf")).backward(g.real if dtype.is_complex else g)
    with detect_anomaly():
        ft.ones(2, device="meta", requires_grad=True).exp().sum().backward()


def test_an_anomaly_among_several_outputs():
    x = ft.tensor([[4.0, 1.0], [2.0, 0.0]], requires_grad=True)
    with detect_anomaly(), raises(AnomalyError, "detect_anomaly", "backward of sqrt"):
        values, _ = x.sqrt().max(0)
        (values * ft.tensor([1.0, 0.0])).sum().backward()
        (x[1, 1].sqrt() * 0).backward()


def test_anomalies_inside_transforms():
    def bad(x):
        return (x * 0).sqrt().sum() * 0

    def good(x):
        return (x.sin() * x).sum()

    x = ft.tensor([0.5, 1.5])
    wanted = func.hessian(good)(x), func.jvp(func.grad(good), (x,), (x,))[1]
    with detect_anomaly(check_inf=True):
        assert same((func.hessian(good)(x), func.jvp(func.grad(good), (x,), (x,))[1]), wanted)
        for transformed in (func.grad(bad), func.jacrev(bad), func.hessian(bad)):
            with raises(AnomalyError, "detect_anomaly", "backward of sqrt"):
                transformed(x)
    with save_on_disk(min_bytes=64), allow_mutation_on_saved_tensors():
        assert same((func.hessian(good)(x), func.jvp(func.grad(good), (x,), (x,))[1]), wanted)


# ---- reports


def test_a_report_counts_storages():
    x = ft.ones(100, 10, requires_grad=True)
    h = (x * 2).tanh()
    loss = (h.exp() * h[:3].exp().sum()).sum()
    rows = {row.operators[0]: row for row in report(loss).rows if row.nbytes > 200}
    assert rows["tanh"].operators == ("tanh",) and rows["tanh"].kept_by == "the program too"
    assert rows["tanh"].nbytes == rows["exp"].nbytes == 4000 and rows["exp"].kept_by == "the graph"
    assert rows["exp"].operators.count("mul") == 1, "saved as a result and as an operand"
    del h
    rows = {row.operators[0]: row for row in report(loss).rows if row.nbytes > 200}
    assert rows["tanh"].kept_by == "the graph"
    whole = ft.ones(100, 100)
    part = x[:10, :1] * whole[:10, :1]
    assert [row.nbytes for row in report(part).rows if row.value == "float32 (10, 1)"][-1] >= 40_000 - 4000
