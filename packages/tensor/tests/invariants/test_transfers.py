"""Copies between devices, pinned memory, streams, and reads of elements: with and without the optional calls of a
backend, which give the same results."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from fake_backend import QueuedAllocator, fake, numbers

import facula_tensor as ft
from facula_errors.testing import raises
from facula_storage import Device

PLACES = ("cpu", "fake", "fake:1", "plain")


@pytest.fixture(autouse=True)
def devices(monkeypatch):
    fake().run()
    monkeypatch.setattr(fake(), "pinned", QueuedAllocator())
    yield
    fake().run()
    fake().failed.clear()


@pytest.mark.parametrize("there", PLACES)
@pytest.mark.parametrize("here", PLACES)
@pytest.mark.parametrize("dtype", [ft.float32, ft.bfloat16, ft.bool, ft.complex64])
def test_copies_between_devices_keep_elements_and_gradients(here, there, dtype):
    wanted = ft.arange(12).reshape(3, 4).to(dtype)
    x = wanted.to(here)
    assert str(x.device) == here
    for source in (x, x.t(), x[1:, ::2], x[:0]):
        moved = source.to(there)
        assert str(moved.device) == there and moved.tolist() == source.tolist()
        assert moved is source or moved.is_contiguous()
        target = ft.zeros(*source.shape, dtype=dtype, device=there)
        assert target.copy_(source) is target and target.tolist() == source.tolist() and target._version == 1
        turned = ft.zeros(*source.t().shape, dtype=ft.complex64, device=there).t()
        assert turned.copy_(source).tolist() == source.to(ft.complex64).tolist()
    if dtype is ft.float32:
        leaf = x.detach().requires_grad_()
        (leaf.to(there) * 3).sum().backward()
        assert leaf.grad.device is x.device and leaf.grad.tolist() == [[3] * 4] * 3
        leaf.grad = None
        (ft.zeros(3, 4, device=there).copy_(leaf) * 2).sum().backward()
        assert leaf.grad.device is x.device and leaf.grad.tolist() == [[2] * 4] * 3


def test_a_copy_to_a_device_is_queued_and_takes_the_elements_at_once():
    """The program may overwrite or free pageable memory after the call, with and without `non_blocking`."""
    backend = fake()
    for non_blocking in (False, True):
        host = ft.arange(4.0)
        waits = backend.waits
        x = host.to("fake", non_blocking=non_blocking)
        y = x + 1
        host.zero_()
        assert [operator for operator, _, _ in backend.queue] == ["copy_across", "add"] and backend.waits == waits
        assert y.tolist() == [1, 2, 3, 4]


def test_copies_between_devices_of_a_type_do_not_wait():
    backend, other = fake(), fake("fake:1")
    x = ft.arange(4.0, device="fake")
    waits = backend.waits, other.waits
    y = (x * 2).to("fake:1") + 1
    del x
    assert (backend.waits, other.waits) == waits
    assert y.tolist() == [1, 3, 5, 7]


def test_pinned_memory_is_copied_later():
    backend = fake()
    x = ft.arange(4.0).pin_memory()
    assert x.is_pinned() and x.pin_memory() is x and x[1:].is_pinned() and x.detach().data.is_pinned()
    assert not ft.ones(2).is_pinned() and not x.clone().is_pinned()
    there = x.to("fake", non_blocking=True)
    x.add_(1)  # the program's mistake: the copy has not read the elements yet
    assert there.tolist() == [1, 2, 3, 4]
    there = x.to("fake")
    x.add_(1)
    assert there.tolist() == [1, 2, 3, 4]

    y = there * 2
    back = ft.zeros(4).pin_memory()
    waits = backend.waits
    assert back.copy_(y, non_blocking=True) is back and y.to("cpu", non_blocking=True).is_pinned()
    assert backend.waits == waits and back.numpy().tolist() == [0] * 4
    backend.run()
    assert back.tolist() == [2, 4, 6, 8]
    assert y.to("cpu", ft.int64, non_blocking=True).tolist() == [2, 4, 6, 8]  # converted on the host, so it waits
    assert ft.zeros(4, dtype=ft.int64).pin_memory().copy_(y, non_blocking=True).tolist() == [2, 4, 6, 8]
    assert ft.zeros(4).copy_(y, non_blocking=True).tolist() == [2, 4, 6, 8]  # pageable


def test_pinned_memory_that_a_queued_copy_reads_is_not_reused():
    backend = fake()
    there = [ft.full((64,), float(i)).pin_memory().to("fake", non_blocking=True) for i in range(5)]
    assert [x[0].item() for x in there] == [0, 1, 2, 3, 4]
    del there
    gc.collect()
    assert backend.pinned.statistics()["allocated_blocks"] == 0


def test_pinning_keeps_layouts_and_gradients():
    x = ft.arange(6.0).reshape(2, 3)
    assert x.t().pin_memory().stride() == (1, 3)
    assert x[:, ::2].pin_memory().is_contiguous() and x[:, ::2].pin_memory().tolist() == [[0, 2], [3, 5]]
    assert ft.ones(1).expand(3).pin_memory().tolist() == [1, 1, 1]
    assert ft.ones(0).pin_memory().shape == (0,)
    leaf = ft.ones(3, requires_grad=True)
    (leaf.pin_memory() * 2).sum().backward()
    assert leaf.grad.tolist() == [2, 2, 2]
    pinned = x.pin_memory()
    pinned.resize_(1000)  # other memory, which is not pinned
    assert not pinned.is_pinned()
    with raises(RuntimeError, "pin_memory", "host memory", value="'fake'"):
        ft.ones(2, device="fake").pin_memory()


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.bfloat16, ft.float16, ft.int8, ft.bool, ft.complex128])
@pytest.mark.parametrize("device", PLACES)
def test_reads_of_one_element(device, dtype):
    x = ft.tensor([0, 1], dtype=dtype).to(device)
    backend = Device(device).backend
    for _ in range(2):
        waits = getattr(backend, "waits", 0)
        got = x[1].item()
        assert got == 1 and type(got) is type(ft.tensor(1, dtype=dtype).item())
        assert getattr(backend, "waits", 1) == waits + 1
        assert bool(x[1]) and not x[:1] and float(x[1]) == 1.0 and int(x[1]) == 1 and complex(x[1]) == 1
    assert f"{x[1]}" == f"{x[1].cpu()}"


def test_a_stream_uses_memory():
    x = ft.ones(8, device="fake")
    stream = object()
    assert x[2:].record_stream(stream) is None
    assert fake().uses[-1] == (x.data_ptr(), stream)
    x.data.record_stream(stream)  # its storage is an alias, which owns no block
    assert fake().uses[-2:] == [(x.data_ptr(), stream)] * 2
    for device in ("cpu", "plain"):
        with raises(RuntimeError, "record_stream", "a device with streams", value=f"'{device}'"):
            ft.ones(2, device=device).record_stream(stream)


def test_elements_of_other_devices_in_numpy_and_lists():
    x = ft.arange(6, device="fake:1").reshape(2, 3).t()
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    np.testing.assert_array_equal(numbers(x), [[0, 3], [1, 4], [2, 5]])
    np.testing.assert_array_equal(x.numpy(force=True), [[0, 3], [1, 4], [2, 5]])


def test_new_tensors_in_pinned_memory():
    x = ft.ones(2, 3)
    for make in (
        lambda **options: ft.empty(2, 3, **options),
        lambda **options: ft.full((2, 3), 5.0, **options),
        lambda **options: ft.tensor([1.0, 2.0], **options),
        lambda **options: ft.zeros_like(x, **options),
        lambda **options: x.new_zeros(2, 3, **options),
        lambda **options: x.new_full((2, 3), 4.0, **options),
        lambda **options: ft.arange(3.0, **options),
        lambda **options: ft.rand(4, **options),
        lambda **options: ft.normal(0.0, 1.0, (4,), **options),
        lambda **options: ft.empty_strided((2, 3), (1, 2), **options),
    ):
        made, plain = make(pin_memory=True, requires_grad=True), make()
        assert made.is_pinned() and made.is_leaf and made.requires_grad and not plain.is_pinned()
        assert (made.shape, made.stride(), made.dtype) == (plain.shape, plain.stride(), plain.dtype)
    assert ft.zeros(3, pin_memory=True).tolist() == [0, 0, 0]
    assert ft.tril_indices(3, 3, pin_memory=True).is_pinned()
    assert ft.ones(2, out=ft.zeros(2), pin_memory=True).tolist() == [1, 1]
    with raises(RuntimeError, "pin_memory", "host memory", value="'fake'"):
        ft.ones(2, device="fake", pin_memory=True)
