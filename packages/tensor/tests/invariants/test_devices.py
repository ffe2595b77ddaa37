"""Operators in host memory, on a device that defers its work, and on a device without memory: the same shapes,
values, gradients, lifetimes and errors."""

from __future__ import annotations

import numpy as np
import pytest
from fake_backend import FakeBackend, MemoryFault, fake, numbers
from samples import CHANGES, SAMPLES, declared, differentiable, every_change, every_operator, pair, total

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import checkpoint
from facula_errors.testing import raises
from facula_storage import Device
from facula_storage.extend import clear_layout_caches
from facula_tensor.extend import operators
from facula_tensor.extend.sampling import state_pair
from facula_tensor.testing._operands import values_of


def test_every_operator_has_a_sample():
    """A differentiable operator has a differentiable sample, except for draws and for rules that only raise errors."""
    for name in declared():
        refuses = name in (
            "adjugate_grad",
            "beta_grad",
            "first_position",
            "next_position",
            "qr_r",
            "sample_dirichlet",
            "standard_gamma",
            "stepped",
            "zeta",
        )
        assert SAMPLES[name].case.gradient or refuses or not operators[name].vjps, f"{name}: no sample has gradient=..."


def test_an_operator_without_a_sample_is_named():
    with pytest.raises(AssertionError, match=r"^no_such: no sample launches .*tests/operators/cases/.*'no_such', "):
        SAMPLES["no_such"]


@every_operator
def test_values_and_gradients_equal_the_cpus(name, other_device):
    results = []
    for device in ("cpu", other_device):
        leaves = SAMPLES[name].leaves(device)
        out = SAMPLES[name](*[leaf * 1 for leaf in leaves])
        assert str(out.device) == device
        if differentiable(out):
            total(out).backward()
        results.append(
            [None if result is None else numbers(result) for result in (out, *[leaf.grad for leaf in leaves])]
        )
    Device(other_device).backend.synchronize()
    for here, there in zip(*results, strict=True):
        if other_device.startswith("cuda") and here is not None and np.asarray(here).dtype.kind in "fc":
            # Kernels of sums add in another order, which changes the last bits.
            scale = np.nan_to_num(np.abs(here), posinf=0).max(initial=1)
            np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-7 * scale)
        else:
            np.testing.assert_array_equal(here, there)


@every_operator
def test_meta_has_the_same_shapes_and_dtypes(name):
    if not SAMPLES[name].case.meta:
        pytest.skip("the shape depends on elements")
    wanted = SAMPLES[name](*SAMPLES[name].leaves())
    leaves = SAMPLES[name].leaves("meta")
    got = SAMPLES[name](*leaves)
    assert (got.shape, got.dtype, got.stride()) == (wanted.shape, wanted.dtype, wanted.stride())
    assert got.is_meta
    if differentiable(wanted) and not wanted.dtype.is_complex:
        got.sum().backward()
        assert all(leaf.grad is None or (leaf.grad.shape == leaf.shape and leaf.grad.is_meta) for leaf in leaves)


@every_change
def test_changes_equal_the_cpus(name, other_device):
    results = []
    for device in ("cpu", other_device):
        first, *others = CHANGES[name].leaves(device)
        changed = first * 1
        view = changed[1]
        CHANGES[name].change(changed, *others)
        total(changed.sum() + view.sum() * 3).backward()
        gradients = [tensor.grad for tensor in (first, *others)]
        results.append([None if result is None else numbers(result) for result in (changed, view, *gradients)])
    for here, there in zip(*results, strict=True):
        np.testing.assert_array_equal(here, there)


def test_work_is_deferred_until_a_value_is_read():
    backend = fake()
    backend.run()
    x, y = pair("fake", requires_grad=False)
    backend.run()
    z = (x + y) * x
    assert [operator for operator, _, _ in backend.queue] == ["add", "mul"]
    assert all(__file__ in pending.where for _, pending, _ in backend.queue)
    backend.run(1)
    assert len(backend.queue) == 1
    assert z[0, 0].item() == pytest.approx((x[0, 0].item() + y[0, 0].item()) * x[0, 0].item())
    assert not backend.queue


def test_memory_freed_under_queued_work_is_reused_in_order():
    """Temporaries are freed while the work that reads them is still queued, and their blocks are reused."""
    backend = fake()
    ft.manual_seed(0)
    x = ft.rand(64, device="fake", dtype=ft.float64)
    backend.run()
    blocks = backend.allocator.system.statistics()["allocated_blocks"]
    y = x
    for step in range(50):
        y = y * 0.5 + x - step
    assert len(backend.queue) == 150
    assert backend.allocator.system.statistics()["allocated_blocks"] - blocks <= 4
    wanted = here = numbers(x)
    for step in range(50):
        here = here * 0.5 + wanted - step
    np.testing.assert_allclose(numbers(y), here, rtol=1e-12)


def test_memory_returned_too_early_is_detected():
    """The checks detect a trim that returns memory that queued work uses."""
    backend = fake()
    backend.run()
    x = ft.ones(1000, device="fake")
    y = x + 1
    del x
    backend.allocator.trim()
    with pytest.raises(MemoryFault, match="given back"):
        y.sum().item()
    backend.queue.clear()
    stray = ft.ones(3, device="fake")
    with pytest.raises(MemoryFault, match="no block"):
        backend.plan("neg", (stray._layout,), (stray._layout,), ()).launch(3, stray._storage.ptr, 1 << 40)
    backend.run()


def test_memory_returned_too_early_is_detected_after_its_address_is_reused(monkeypatch):
    """A smaller block at the address of a returned block does not make queued work valid again."""
    memory = np.full(8, 7, dtype=np.uint8)
    backend = FakeBackend()
    monkeypatch.setattr(backend.allocator.system, "refill", lambda nbytes: (memory.ctypes.data, int))
    address, release = backend.allocator.refill(8)
    backend.copy_in(address, bytes(8))
    release()
    backend.allocator.trim()
    assert backend.allocator.refill(4)[0] == address
    with pytest.raises(MemoryFault, match="given back"):
        backend.run()
    assert memory.tolist() == [7] * 8


def test_resizing_under_queued_work(device):
    x = ft.arange(6, device=device)
    doubled = x * 2
    x.resize_(3, 1000)
    tripled = x.view(-1)[:6] * 3
    assert doubled.tolist() == [0, 2, 4, 6, 8, 10]
    assert tripled.tolist() == [0, 3, 6, 9, 12, 15]


def test_random_numbers_are_equal_on_all_devices(other_device):
    draws = []
    for device in ("cpu", other_device):
        ft.manual_seed(7)
        draws.append([numbers(ft.randn(33, device=device)), numbers(ft.randint(0, 9, (4, 5), device=device))])
        draws[-1].append(numbers(ft.empty(4, 6, device=device).t().uniform_()))
    for here, there in zip(*draws, strict=True):
        np.testing.assert_array_equal(here, there)


def draws_of(device):
    """Return draws of every family of functions, from the default generator of `device`."""
    x = ft.full((40,), 0.5, device=device)
    drawn = (
        *[draw((40,), device=device) for draw in (ft.rand, ft.randn)],
        ft.randint(0, 9, (40,), device=device),
        ft.randperm(40, device=device),
        ft.zeros(40, device=device).uniform_(),
        F.dropout(x, 0.5),
        ft.bernoulli(x),
        ft.multinomial(x, 4),
        ft.poisson(4 * x),
        F.scaled_dot_product_attention(*[x.reshape(5, 8)] * 3, dropout_p=0.5),
    )
    return [numbers(one).tolist() for one in drawn]


def test_each_device_has_a_default_generator():
    ft.manual_seed(3)
    expected = draws_of("cpu")
    state = ft.get_rng_state()
    ft.manual_seed(3)
    assert draws_of("fake") == expected
    assert state_pair(ft.default_generator) == (3, 0), "the CPU's generator has not advanced"
    assert draws_of("cpu") == expected and ft.equal(ft.get_rng_state(), state)
    seed = ft.seed()
    assert draws_of("fake") == draws_of("cpu") and ft.initial_seed() == seed


def test_checkpoints_restore_the_generators_of_all_devices():
    x = ft.ones(40, device="fake", requires_grad=True)
    ft.manual_seed(3)
    ft.rand(1, device="fake")
    out = checkpoint(lambda x: F.dropout(x, 0.5) * ft.rand(40).to("fake"), x, use_reentrant=False)
    after = numbers(ft.rand(4, device="fake")).tolist()
    out.sum().backward()
    assert numbers(x.grad).tolist() == numbers(out).tolist()
    ft.manual_seed(3)
    ft.rand(41, device="fake")
    assert numbers(ft.rand(4, device="fake")).tolist() == after


def test_a_generator_draws_on_devices_of_its_type():
    generator = ft.Generator("fake").manual_seed(5)
    drawn = ft.rand(4, device="fake", generator=generator)
    assert numbers(drawn).tolist() == ft.rand(4, generator=ft.Generator().manual_seed(5)).tolist()
    for given, device in ((generator, "cpu"), (ft.default_generator, "fake")):
        for draw in (ft.rand, ft.randn, ft.randperm):
            with raises(
                ValueError, draw.__name__, f"a generator for device '{device}'", value=f"one for '{given.device}'"
            ):
                draw(4, device=device, generator=given)


def test_devices_do_not_mix(device):
    x, y = ft.ones(3, device=device), ft.ones(3, device="meta")
    with raises(RuntimeError, "add", "expected all tensors on one device", value=f"'{device}' and 'meta'"):
        x + y
    with raises(RuntimeError, "mul_", "one device"):
        x.mul_(y)
    assert x.tolist() == [1, 1, 1]
    assert x._version == 0


INDEXED = {
    "index_add_": lambda x, at, source: x.index_add_(0, at[0], source),
    "index_copy_": lambda x, at, source: x.index_copy_(0, at[0], source),
    "index_fill_": lambda x, at, source: x.index_fill_(0, at[0], source[0, 0]),
    "index_put_": lambda x, at, source: x.index_put_((at[0],), source),
    "index_reduce_": lambda x, at, source: x.index_reduce_(0, at[0], source, "mean"),
    "masked_fill_": lambda x, at, source: x.masked_fill_(at > 0, source[0, 0]),
    "masked_scatter_": lambda x, at, source: x.masked_scatter_(at > 0, source),
    "put_": lambda x, at, source: x.put_(at, source),
    "scatter_": lambda x, at, source: x.scatter_(0, at, source),
    "scatter_add_": lambda x, at, source: x.scatter_add_(0, at, source),
    "scatter_reduce_": lambda x, at, source: x.scatter_reduce_(0, at, source, "sum"),
    "index_add": lambda x, at, source: x.index_add(0, at[0], source),
    "index_copy": lambda x, at, source: x.index_copy(0, at[0], source),
    "index_fill": lambda x, at, source: x.index_fill(0, at[0], source[0, 0]),
    "index_put": lambda x, at, source: x.index_put((at[0],), source),
    "index_reduce": lambda x, at, source: x.index_reduce(0, at[0], source, "mean"),
    "masked_fill": lambda x, at, source: x.masked_fill(at > 0, source[0, 0]),
    "masked_scatter": lambda x, at, source: x.masked_scatter(at > 0, source),
    "scatter": lambda x, at, source: x.scatter(0, at, source),
    "scatter_add": lambda x, at, source: x.scatter_add(0, at, source),
    "scatter_reduce": lambda x, at, source: x.scatter_reduce(0, at, source, "sum"),
}


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("elsewhere", ["index", "source"])
def test_devices_of_indices_and_sources_do_not_mix(name, elsewhere, device):
    x, source = ft.arange(4.0, device=device).reshape(2, 2), ft.ones(2, 2, device=device)
    at = ft.tensor([[0, 1], [1, 0]], device=device)
    if elsewhere == "index":
        at = at.to("meta")
    else:
        source = source.to("meta")
    for _ in range(2):  # a failed call keeps no plan
        with raises(RuntimeError, name, "meta"):
            INDEXED[name](x, at, source)
    assert x.tolist() == [[0, 1], [2, 3]]
    assert x._version == 0


def test_elements_are_copied_through_the_host():
    x = ft.arange(6, device="fake").reshape(2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.to("cpu").numpy().tolist() == x.tolist()
    assert x.t().cpu().tolist() == [[0, 3], [1, 4], [2, 5]]
    with raises((TypeError, RuntimeError, BufferError), "numpy", "fake"):
        x.numpy()
    with raises(RuntimeError, "tolist", "meta"):
        ft.ones(2, device="meta").tolist()


def test_blocks_are_released(device, no_collector):
    allocator = Device(device).backend.allocator
    if device == "fake":
        fake().run()
    before = allocator.statistics()["allocated_blocks"]
    for sample in SAMPLES.values():
        out = sample(*[leaf * 1 for leaf in sample.leaves(device)])
        if differentiable(out):
            total(out).backward()
    del out
    assert allocator.statistics()["allocated_blocks"] == before


def test_plans_of_square_matrices_are_not_used_for_other_shapes():
    """A backend marks plans that fit any size. Plans of operators on whole matrices are cached by layout."""
    clear_layout_caches()
    square, vector, wide = (ft.ones(*shape, device="meta") for shape in ((3, 3), (3,), (2, 5)))
    for _ in range(2):
        assert (square @ square).shape == ft.linalg.matrix_exp(square).shape == (3, 3)
    assert ft.inner(vector, vector).shape == ft.vdot(vector, vector).shape == (vector @ vector).shape == ()
    with raises(ValueError, "matmul"):
        wide @ wide
    with raises(ValueError, "linalg.matrix_exp", "matrix_exp"):
        ft.linalg.matrix_exp(wide)


@pytest.mark.parametrize("name", ["repeat_interleave", "embedding_bag", "values_of"])
def test_helper_tensors_are_on_the_operands_device(name, device):
    x = ft.arange(6, dtype=ft.float32, device=device).reshape(3, 2)
    if name == "repeat_interleave":
        for counts in (ft.tensor([0, 2, 1], device=device), ft.tensor([0, 2, 1]), ft.tensor([2], device=device)):
            made, wanted = (x.repeat_interleave(counts, 0), x.cpu().repeat_interleave(counts.cpu(), 0))
            assert str(made.device) == device and made.tolist() == wanted.tolist()
    elif name == "embedding_bag":
        places, starts = ft.tensor([0, 2, 1, 1], device=device), ft.tensor([0, 3], device=device)
        for mode in ("sum", "mean", "max"):
            for given in ({}, {"padding_idx": 0}):
                made = ft.functional.embedding_bag(places, x, starts, mode=mode, **given)
                wanted = ft.functional.embedding_bag(places.cpu(), x.cpu(), starts.cpu(), mode=mode, **given)
                assert str(made.device) == device and made.tolist() == wanted.tolist()
    else:
        assert values_of(x.t()).tolist() == x.t().tolist() and values_of(x.to(ft.bfloat16)).tolist() == x.tolist()
