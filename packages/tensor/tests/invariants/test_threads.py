"""Threads: operators on new shapes, and buffers that are replaced while other threads compute."""

from __future__ import annotations

import threading
import time
from functools import cache

import numpy as np
import pytest
from fake_backend import numbers
from memory_switches import forget_plans
from samples import SAMPLES, differentiable, pair, total

import facula_tensor as ft
from facula_storage import Plan, contiguous, cpu
from facula_storage.extend import release_retired, replace_buffer, take_block
from facula_tensor.extend.sampling import state_pair

pytestmark = pytest.mark.usefixtures("frequent_switches")

THREADS = 8


def in_threads(work, count=THREADS):
    """Run `work(k)` in threads that start together, and raise the first error."""
    errors, barrier = [], threading.Barrier(count)

    def guarded(k):
        barrier.wait()
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]


def results(k):
    """Run every operator forward and backward, on `shape` if it supports any shape."""
    found = []
    for name, sample in SAMPLES.items():
        leaves = sample.leaves(shape=(3, k))
        out = sample(*[leaf * 1 for leaf in leaves])
        if differentiable(out):
            total(out).backward()
        results = (out, *[leaf.grad for leaf in leaves])
        found.append((name, [None if result is None else numbers(result) for result in results]))
    return found


def test_all_operators_on_new_shapes():
    gathered, _ = {}, len(list(SAMPLES.values()))
    forget_plans()  # also operators with fixed shapes
    in_threads(lambda k: gathered.__setitem__(k, [results(101 + k), results(201), results(301 + k // 2)]))
    wanted_of = cache(results)
    for k in range(THREADS):
        for mine, right in zip(gathered[k], map(wanted_of, (101 + k, 201, 301 + k // 2)), strict=True):
            for (name, found), (_, wanted) in zip(mine, right, strict=True):
                for a, b in zip(found, wanted, strict=True):
                    np.testing.assert_array_equal(a, b, err_msg=name)


def test_concurrent_backward_passes_of_one_graph():
    x, y = pair()
    out = (x * y).exp()
    gradients = [None] * THREADS

    def work(k):
        from facula_autograd import grad

        (gradients[k],) = grad(out.sum(), x, retain_graph=True)

    in_threads(work)
    for g in gradients:
        np.testing.assert_array_equal(g.numpy(), gradients[0].numpy())


def move(tensor):
    """Replace the tensor's buffer by a copy."""
    nbytes = tensor.nbytes
    address, release = take_block(contiguous((nbytes,), ft.uint8))
    cpu.backend.copy_in(address, tensor._storage_bytes())
    replace_buffer(tensor._storage, address, release, nbytes)


@pytest.fixture
def moving(monkeypatch):
    """A storage whose bytes `move` can read without pinning the buffer."""

    def copied(self):
        data = np.empty(self.nbytes, np.uint8)
        cpu.backend.copy_out(self._storage.ptr, data)
        return data

    monkeypatch.setattr(ft.Tensor, "_storage_bytes", copied, raising=False)


def test_buffers_replaced_during_computations(moving, live_blocks):
    before = live_blocks()
    shared = ft.full((257,), 3.0)
    other = ft.full((257,), 4.0)
    stop = threading.Event()
    moved = [0]

    def work(k):
        if k == 0:
            end = time.monotonic() + 1.5
            while time.monotonic() < end or moved[0] <= 10:
                move(shared)
                moved[0] += 1
            stop.set()
            return
        while not stop.is_set():
            for out in (shared + other, shared * 2 + 1, shared[10:20] + 4, ft.cat([shared, other])[:257] + 4):
                assert np.unique(out.numpy()).tolist() == [7.0]
            assert float(shared.sum()) == 3 * 257

    in_threads(work, 4)
    assert moved[0] > 10
    assert release_retired() == 0, "what was retired is released in the end"
    shared = other = None
    assert live_blocks() <= before + 1


def test_storages_that_grow_during_computations(live_blocks):
    shared = ft.full((16,), 3.0)
    stop = threading.Event()

    def work(k):
        if k == 0:
            for size in range(17, 400):
                shared.resize_(size)
            stop.set()
            return
        while not stop.is_set():
            out = shared.detach()[:16] + 4
            assert np.unique(out.numpy()).tolist() == [7.0]

    in_threads(work, 4)
    assert shared[:16].tolist() == [3.0] * 16
    assert shared.shape == (399,)
    assert release_retired() == 0


def test_a_parked_launch_keeps_the_old_buffer(moving, monkeypatch):
    """A thread is inside a launch with an old address while another thread replaces the buffer."""
    from facula_tensor.extend import operators

    shared = ft.full((1000,), 3.0)
    reached, go = threading.Event(), threading.Event()
    table = operators["exp"].slow_table, operators["exp"].table
    real = cpu.backend.plan("exp", (shared._layout,), (shared._layout,), ())

    def parked(n, source, target):
        reached.set()
        assert go.wait(600)
        real.launch(n, source, target)

    plan = Plan("exp", (), (shared._layout,), parked)
    for entry in table:
        entry.clear()
    operators["exp"].table.add((shared._layout, ()), plan)
    found = []
    thread = threading.Thread(target=lambda: found.append(shared.exp()))
    try:
        thread.start()
        assert reached.wait(600)
        old = shared._storage.ptr
        move(shared)
        assert shared._storage.ptr != old
        assert release_retired() == 1, "the launch may still read the old buffer"
        fresh = [ft.full((1000,), -1.0) for _ in range(20)]
        assert all(tensor._storage.ptr != old for tensor in fresh)
    finally:
        go.set()
        thread.join(600)
        for entry in table:
            entry.clear()
    np.testing.assert_allclose(found[0].numpy(), np.exp(np.float32(3)), rtol=1e-6)
    assert release_retired() == 0


def test_concurrent_views_of_one_tensor():
    """The family knows all views: a recorded change reaches each of them."""
    for _ in range(20):
        base, w = ft.zeros(64), ft.ones(64, requires_grad=True)
        views = [None] * THREADS
        in_threads(lambda k, base=base, views=views: views.__setitem__(k, [base[i : i + 8] for i in range(k, 40)]))
        base.add_(w)
        assert all(view.requires_grad for several in views for view in several)


def test_every_module_that_passes_addresses_is_listed():
    """A replaced buffer is kept while a thread runs one of these modules; others could read freed memory."""
    import re
    from pathlib import Path

    from facula_storage.extend import launching_modules

    root = Path(ft.__file__).parent
    found = {
        ".".join(("facula_tensor", *path.relative_to(root).with_suffix("").parts))
        for path in root.rglob("*.py")
        if path.parent != root / "_dispatch" / "fast"  # templates, which are never executed
        if re.search(r"\.launch\(|\blaunch\(l[oab]\b|\[l[ab]\.dense\]\(|\.copy_(in|out)\(", path.read_text())
    }
    assert found
    assert found <= launching_modules, sorted(found - launching_modules)


def test_no_two_threads_draw_the_same_numbers():
    ft.manual_seed(1)
    drawn = [[] for _ in range(THREADS)]

    def work(k):
        for n in range(1, 200):
            drawn[k].append((ft.rand(n % 5 + 1), ft.randn_like(drawn[k][-1][0]) if drawn[k] else None))
            ft.empty(2).normal_()
            ft.default_generator.advance(1)

    before = state_pair(ft.default_generator)[1]
    in_threads(work)
    counts = [sum(a.numel() + (0 if b is None else b.numel()) + 3 for a, b in pairs) for pairs in drawn]
    assert state_pair(ft.default_generator) == (1, before + sum(counts))
    firsts = [a[0].item() for pairs in drawn for a, _ in pairs]  # each draw has a different offset
    assert len(set(firsts)) > len(firsts) - 5  # float32 has 2**24 values below 1, so a few are equal by chance
