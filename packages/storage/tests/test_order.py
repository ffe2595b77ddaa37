"""Buffers in another physical order: restored once, by whoever asks first, and never seen as they lie."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_helpers import Reordering, Running, counting, live, new_device

from facula_storage import (
    Device,
    MallocAllocator,
    bfloat16,
    bind,
    contiguous,
    float32,
    from_dlpack,
    layout_of,
    meta,
    to_buffer,
    to_dlpack,
    to_numpy,
)
from facula_storage.extend import (
    HostMemory,
    alias,
    allocate,
    borrow,
    host_view,
    order_buffer,
    plain_address,
    release_retired,
    replace_buffer,
)

PLAIN = contiguous((2, 3, 4, 5), float32)
CHANNELS_LAST = layout_of((2, 3, 4, 5), (60, 1, 15, 3), float32)
EXPECTED = np.arange(120.0).reshape(PLAIN.shape)


def ordered():
    storage, _ = counting(PLAIN)
    order_buffer(storage, PLAIN, CHANNELS_LAST)
    return storage


def test_an_ordered_buffer_has_no_address():
    storage = ordered()
    assert storage.ptr is None
    layout, address = storage.physical
    assert layout is CHANNELS_LAST
    assert host_view(address, contiguous((120,), float32))[:3].tolist() == [0, 20, 40]  # the channels of one pixel
    assert np.array_equal(host_view(address, layout), EXPECTED)
    assert "another physical order" in repr(storage)


def test_whatever_asks_for_an_address_restores(no_collector):
    before = live()
    for ask in (
        to_numpy,
        lambda storage, layout: np.asarray(to_buffer(storage, layout)),
        lambda storage, layout: to_numpy(*from_dlpack(to_dlpack(storage, layout))),
        lambda storage, layout: host_view(plain_address(storage), layout, storage),
        lambda storage, layout: to_numpy(alias(storage), layout),
    ):
        storage = ordered()
        storage.version = 3
        assert np.array_equal(ask(storage, PLAIN), EXPECTED)
        assert storage.version == 3  # no element changed
        address = storage.ptr
        assert address is not None
        assert not hasattr(storage, "physical")
        assert plain_address(storage) == address  # once and for good
        assert live() == (before[0] + 480, before[1] + 1)
        del storage
        assert live() == before


def test_a_launch_refuses_it_before_anything(address_of):
    launch = bind(address_of("add"), 0, 0, 0, None)
    storage, out = ordered(), np.zeros(1)
    with pytest.raises(TypeError):
        launch(1, storage.ptr, out.ctypes.data, out.ctypes.data)
    assert storage.ptr is None


@given(st.permutations(range(4)), st.lists(st.integers(1, 4), min_size=4, max_size=4))
def test_any_order_of_any_shape(order, shape):
    strides, step = [0] * 4, 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    plain = contiguous(tuple(shape), float32)
    storage, _ = counting(plain)
    order_buffer(storage, plain, layout_of(tuple(shape), tuple(strides), float32))
    assert to_numpy(storage, plain).ravel().tolist() == list(range(plain.numel))


def test_bfloat16_too():
    plain, physical = contiguous((2, 3), bfloat16), layout_of((2, 3), (1, 2), bfloat16)
    storage, _ = counting(plain)
    order_buffer(storage, plain, physical)
    assert host_view(plain_address(storage), plain).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_meta_and_empty_ones():
    for shape, device in [((2, 3), meta), ((0, 3), Device("cpu"))]:
        plain, physical = contiguous(shape, float32, device), layout_of(shape, (1, 2), float32, device)
        storage = allocate(plain)
        order_buffer(storage, plain, physical)
        assert storage.ptr is None
        assert plain_address(storage) == storage.ptr == 0


@pytest.mark.parametrize(
    ("logical", "physical"),
    [
        (PLAIN, layout_of((2, 3, 4, 5), (120, 1, 15, 3), float32)),  # a gap
        (PLAIN, layout_of((2, 3, 5, 4), (60, 1, 12, 3), float32)),
        (PLAIN, CHANNELS_LAST.to_dtype(bfloat16)),
        (CHANNELS_LAST, CHANNELS_LAST),
        (PLAIN, layout_of((2, 3, 4, 5), (60, 1, 15, 3), float32, meta)),
    ],
)
def test_orders_that_are_none(logical, physical):
    storage, before = counting(PLAIN)[0], live()
    with pytest.raises(ValueError, match="order_buffer: expected a contiguous layout"):
        order_buffer(storage, logical, physical)
    assert np.array_equal(to_numpy(storage, PLAIN), EXPECTED)
    assert live() == before


def test_only_fresh_buffers_are_ordered():
    storage, _ = counting(PLAIN)
    array = to_numpy(storage, PLAIN)
    with pytest.raises(RuntimeError, match="export"):
        order_buffer(storage, PLAIN, CHANNELS_LAST)
    del array
    other = alias(storage)
    for one in (storage, other):
        with pytest.raises(RuntimeError, match="fresh result"):
            order_buffer(one, PLAIN, CHANNELS_LAST)
    del other, one
    with pytest.raises(RuntimeError, match="belongs to"):
        order_buffer(borrow(storage.ptr, 480, EXPECTED), PLAIN, CHANNELS_LAST)
    order_buffer(storage, PLAIN, CHANNELS_LAST)
    with pytest.raises(RuntimeError, match="another order already"):
        order_buffer(storage, PLAIN, CHANNELS_LAST)
    assert np.array_equal(to_numpy(storage, PLAIN), EXPECTED)


# A backend that reorders by itself, so that tests can be in the middle of it ------------------------------------------
@pytest.fixture(scope="module")
def device():
    new_device("ordering_test", Reordering())
    return Device("ordering_test")


@pytest.fixture
def backend(device):
    backend = device.backend
    backend.count, backend.during = 0, lambda: None
    return backend


def made_ordered(device, backend):
    plain = contiguous((2, 3), float32, device)
    storage = allocate(plain)
    host_view(storage.ptr, plain)[...] = [[0, 1, 2], [3, 4, 5]]
    order_buffer(storage, plain, layout_of((2, 3), (1, 2), float32, device))
    backend.count = 0
    return storage


def contents(storage):
    return host_view(storage.ptr, contiguous((2, 3), float32)).tolist()


def blocks(backend):
    return backend.allocator.statistics()["allocated_blocks"]


def test_two_threads_restore_at_once(device, backend):
    storage = made_ordered(device, backend)
    copying, go = threading.Event(), threading.Event()

    def during():
        copying.set()
        assert go.wait(30)

    backend.during = during
    first = Running(plain_address, storage)
    assert copying.wait(10)
    second = Running(plain_address, storage)
    while blocks(backend) < 3:  # the old one, and one of each thread: allocated before the lock is asked for
        pass
    assert storage.ptr is None
    go.set()
    assert first.finish() == second.finish() == storage.ptr
    assert (backend.count, blocks(backend)) == (1, 1)
    assert contents(storage) == [[0, 1, 2], [3, 4, 5]]


def test_a_finaliser_restores_in_the_middle_of_restoring(device, backend):
    """It comes through the re-entrant lock; the block that is being read must still be there afterwards."""
    storage = made_ordered(device, backend)
    inner, counts = [], []

    def during():
        if not inner:
            inner.append(None)
            inner[0] = plain_address(storage)
            counts.append(blocks(backend))

    backend.during = during
    assert plain_address(storage) == storage.ptr == inner[0]
    assert counts == [3]  # the ordered one still there, the inner and the outer one
    assert (backend.count, blocks(backend)) == (2, 1)
    assert contents(storage) == [[0, 1, 2], [3, 4, 5]]


def test_a_buffer_replaced_meanwhile_is_not_overwritten(device, backend):
    """Swapped in only if the old one is still there."""
    storage = made_ordered(device, backend)
    plain = contiguous((2, 3), float32, device)

    def during():
        address, release = plain.refill()
        host_view(address, plain)[...] = 7
        replace_buffer(storage, address, release, plain.nbytes)

    backend.during = during
    plain_address(storage)
    assert contents(storage) == [[7, 7, 7], [7, 7, 7]]
    release_retired()
    assert blocks(backend) == 1


def test_a_copy_that_fails_changes_nothing(device, backend):
    storage = made_ordered(device, backend)

    def during():
        raise ZeroDivisionError

    backend.during = during
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            plain_address(storage)
        assert storage.ptr is None
        assert blocks(backend) == 1
    backend.during = lambda: None
    assert plain_address(storage) == storage.ptr
    assert contents(storage) == [[0, 1, 2], [3, 4, 5]]
    plain = contiguous((2, 3), float32, device)
    backend.during = during
    with pytest.raises(ZeroDivisionError):
        order_buffer(storage, plain, layout_of((2, 3), (1, 2), float32, device))
    assert contents(storage) == [[0, 1, 2], [3, 4, 5]]
    assert blocks(backend) == 1


def test_no_memory_to_restore_into(device, backend):
    storage = made_ordered(device, backend)

    def refuse(nbytes):
        raise MemoryError("full")

    layout = contiguous((2, 3), float32, device)
    take = layout.take_block
    object.__setattr__(layout, "take_block", lambda: refuse(24))
    with pytest.raises(MemoryError, match="full"):
        plain_address(storage)
    assert storage.ptr is None
    object.__setattr__(layout, "take_block", take)
    plain_address(storage)
    assert contents(storage) == [[0, 1, 2], [3, 4, 5]]


def test_other_devices_must_know_how():
    new_device("plain_test", HostMemory(MallocAllocator()))
    plain = contiguous((2, 3), float32, Device("plain_test"))
    storage = allocate(plain)
    with pytest.raises(NotImplementedError, match="device 'plain_test' has no `reorder`"):
        order_buffer(storage, plain, layout_of((2, 3), (1, 2), float32, Device("plain_test")))
    assert storage.ptr is not None
    assert plain.device.backend.allocator.statistics()["allocated_blocks"] == 1


def test_threads_restore_many(often_switching):
    """Eight threads ask for the addresses of the same storages: one restoring each, and nothing is left over."""
    before = live()
    for _ in range(20):
        group = [ordered() for _ in range(4)]
        start = threading.Barrier(8)

        def work(group=group, start=start):
            start.wait()
            return [plain_address(storage) for storage in group]

        answers = [thread.finish() for thread in [Running(work) for _ in range(8)]]
        assert answers == [[storage.ptr for storage in group]] * 8
        for storage in group:
            assert np.array_equal(to_numpy(storage, PLAIN), EXPECTED)
    del group, storage, work
    release_retired()
    assert live() == before
