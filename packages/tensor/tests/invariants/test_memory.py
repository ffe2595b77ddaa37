"""resize_, copying and pickling, and memory use that is constant over many steps."""

from __future__ import annotations

import copy
import io
import pickle
import random

import numpy as np
import pytest
from fake_backend import numbers
from samples import SAMPLES, differentiable, every_operator, pair

import facula_tensor as ft
from facula_errors.testing import raises
from facula_storage import Device

protocols = pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
DTYPES = (ft.bool, ft.uint8, ft.int8, ft.int16, ft.int32, ft.int64, ft.float16, ft.bfloat16, ft.float32, ft.float64,
          ft.complex64, ft.complex128)  # fmt: skip


def test_resize_never_shrinks_the_storage(device):
    x = ft.arange(12, device=device)
    address = x._storage.ptr
    assert x.resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    assert x.resize_(12).tolist() == list(range(12))
    assert x._storage.ptr == address
    assert x.resize_((0,)).shape == (0,)
    assert x.resize_(3, 4).tolist()[2] == [8, 9, 10, 11]


def test_resize_grows_the_storage_of_all_views(device):
    x = ft.arange(6, device=device)
    row, alias, detached = x[4:], x.data, x.detach()
    x.resize_(10_000)
    x[4] = 40
    assert [view.tolist() for view in (row, alias[4:], detached[4:])] == [[40, 5]] * 3
    detached[1:3].resize_(30_000)
    assert x[:4].tolist() == [0, 1, 2, 3]
    assert x.view(100, 100)[0, 5].item() == 5


def test_failed_resizes_change_nothing():
    x = ft.arange(4)
    held = x.numpy()
    for call, message in (
        (lambda: x.resize_(1000), "in use by 1 export"),
        (lambda: x.resize_(-1), "at least 0"),
        (lambda: ft.ones(2, requires_grad=True).resize_(3), "wants a gradient"),
        (lambda: ft.from_numpy(held).resize_(1000), "belongs to"),
        (lambda: x.resize_(1 << 62), None),
    ):
        with raises((RuntimeError, ValueError, OverflowError, MemoryError), "resize_", message):
            call()
    assert x.tolist() == held.tolist() == [0, 1, 2, 3]
    assert x.resize_(2).tolist() == [0, 1]
    held = None
    assert x.resize_(1000).shape == (1000,)
    assert ft.ones(3, device="meta").resize_(1 << 40).shape == (1 << 40,)


@protocols
def test_pickles_contain_only_the_elements(protocol, device):
    for dtype in DTYPES:
        values = [0, 1, 1, 0, 1, 1]
        for x in (ft.tensor(values, dtype=dtype, device=device).reshape(2, 3), ft.tensor(1, dtype=dtype, device=device),
                  ft.empty(0, 3, dtype=dtype, device=device)):  # fmt: skip
            for tensor in (x, x.t(), x[:, ::2] if x.ndim == 2 else x, x.expand(2, *x.shape)):
                again = pickle.loads(pickle.dumps(tensor, protocol))
                assert (again.shape, again.dtype, again.device) == (tensor.shape, tensor.dtype, tensor.device)
                assert again.tolist() == tensor.tolist()
                assert again._version == 0


@protocols
def test_shared_memory_stays_shared(protocol):
    x = ft.rand(3, 4)
    p = ft.Parameter(x)
    p.note = "tied"
    again, transposed, parameter, row = pickle.loads(pickle.dumps([x, x.t(), p, x[0]], protocol))
    again[0, 1] = 50.0
    assert transposed[1, 0].item() == parameter[0, 1].item() == 50
    assert row[1].item() == 50
    assert (type(parameter), parameter.requires_grad, parameter.note) == (ft.Parameter, True, "tied")
    for alone in (x[0].clone(), x[0].detach()):
        assert len(pickle.dumps(ft.rand(1000, 1000)[0].clone())) < 10_000
        assert pickle.loads(pickle.dumps(alone, protocol)).tolist() == x[0].tolist()


def test_views_stay_views_in_any_order(device):
    x = ft.rand(6, 4, device=device)
    for family in ([x[1:3], x], [x, x[1:3]], [x[1:3], x[2:]], [x[:, 1], x.t()[1]]):
        for again in (pickle.loads(pickle.dumps(family)), copy.deepcopy(family)):
            for tensor, same in zip(family, again, strict=True):
                assert numbers(tensor).tolist() == numbers(same).tolist()
                assert same._storage is again[0]._storage
                assert same._storage is not x._storage
            twice = pickle.loads(pickle.dumps(again))
            assert twice[0]._storage is twice[1]._storage
            assert [numbers(tensor).tolist() for tensor in twice] == [numbers(tensor).tolist() for tensor in family]
    wide = ft.from_numpy(np.arange(12.0).reshape(3, 4)[:, :2])
    assert len(pickle.dumps(ft.from_numpy(np.zeros((1000, 1000))[:, :2]))) < 100_000
    again, part = pickle.loads(pickle.dumps([wide, wide[1]]))
    assert again.tolist() == wide.tolist()
    assert part.tolist() == wide[1].tolist()
    beyond = ft.as_strided(x[0], (4,), (1,), 8)
    assert numbers(pickle.loads(pickle.dumps(beyond))).tolist() == numbers(beyond).tolist()


def test_pickles_with_out_of_band_buffers():
    x, buffers = ft.rand(1000), []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 1000
    assert pickle.loads(data, buffers=buffers).tolist() == x.tolist()


def test_damaged_pickles_are_rejected():
    from facula_tensor._interop.pickling import block_of, rebuild

    block = block_of(b"\0" * 16, 16, Device("cpu"))
    with raises(ValueError, "unpickling a tensor", "16 bytes"):
        rebuild(ft.Tensor, block, ft.ones(100)._layout, 0, False, None)
    with raises(ValueError, "unpickling a tensor", "byte 8"):
        rebuild(ft.Tensor, block, ft.ones(3)._layout, 8, False, None)
    with raises(ValueError, "unpickling a tensor", "expected 8 bytes", value=16):
        block_of(b"\0" * 16, 8, Device("cpu"))
    data = pickle.dumps(ft.ones(3))
    with pytest.raises((pickle.UnpicklingError, EOFError, ValueError)):
        pickle.load(io.BytesIO(data[:-20]))


def test_copies(device):
    x, y = pair(device)
    x.grad = y.detach() * 2
    shallow, deep = copy.copy(x), copy.deepcopy({"x": x, "again": x, "row": x.detach().t()})
    assert (shallow.requires_grad, deep["x"].requires_grad) == (True, True)
    assert deep["x"] is deep["again"]
    assert (numbers(deep["x"].grad) == numbers(x.grad)).all()
    with ft.no_grad():
        x.mul_(3)
        deep["x"].fill_(7)
    assert (numbers(shallow) == numbers(x)).all()
    assert shallow._version == x._version
    assert deep["row"][0, 0].item() == 7
    for name, call in (("copy", copy.copy), ("deepcopy", copy.deepcopy), ("pickle", pickle.dumps)):
        with raises(RuntimeError, name, f"computed by mul at {__file__}:", "detach()"):
            call(x * 2)


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_is_constant_over_steps_of_random_sizes(live_blocks):
    chosen = random.Random(0)
    w = ft.rand(16, 8, requires_grad=True)

    def step():
        batch, length = chosen.randint(1, 60), chosen.randint(1, 40)
        x = ft.rand(batch, length, 16)
        h = (x @ w).tanh() * 1
        h[:, 0].mul_(2)
        picked = ft.cat([h, h[:, : length // 2]], 1)[ft.arange(batch)]
        w.grad = None
        (picked.log_softmax(2).mean() + x[0].sum() * 0).backward()
        with ft.no_grad():
            w.sub_(w.grad, alpha=0.01)

    for _ in range(500):  # until the plan tables contain most shapes
        step()
    w.grad = None
    blocks, before = live_blocks(), resident()
    for _ in range(350):
        step()
    w.grad = None
    assert live_blocks() <= blocks
    assert resident() - before < 6 << 20


@every_operator
def test_gradients_do_not_share_memory(name):
    """Leaves share memory neither with each other nor with the passed gradient, also after a second pass."""
    leaves = SAMPLES[name].leaves()
    out = SAMPLES[name](*leaves)
    if not differentiable(out) or out.is_meta:
        return
    given = ft.ones_like(out)
    for _ in range(2):
        out.backward(given, retain_graph=True)
    assert (given.resolve_conj() == 1).all()
    arrays = [
        tensor.detach().numpy() for tensor in (given, *leaves, *[leaf.grad for leaf in leaves if leaf.grad is not None])
    ]
    for place, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[:place])
    for leaf in leaves:
        if leaf.grad is not None:
            leaf.grad.add_(1)  # an error for elements that share memory
