"""Tensors, parameters, modules and storages in several processes."""

import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import facula
import facula.multiprocessing as mp
import facula.nn as nn
from facula_errors.testing import raises
from facula_multiprocessing.extend import arena_usage, encode

METHODS = mp.get_all_start_methods()


@pytest.fixture(params=METHODS)
def context(request):
    return mp.get_context(request.param)


def received(content):
    return pickle.loads(encode(content))


def change(inbox, outbox):
    """Add 1 to each received tensor and send it back."""
    while (message := inbox.get()) is not None:
        with facula.no_grad():
            message += 1
        outbox.put(message)


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue", "JoinableQueue"])
def test_sending_a_tensor_moves_it_to_shared_memory(context, kind):
    inbox, outbox = getattr(context, kind)(), getattr(context, kind)()
    process = context.Process(target=change, args=(inbox, outbox))
    process.start()
    for tensor in (facula.zeros(3), facula.zeros(50, 40), facula.zeros(4, 5, dtype=facula.bfloat16)):
        assert not tensor.is_shared()
        inbox.put(tensor)
        got = outbox.get()
        assert tensor.is_shared() and got.is_shared() and type(got) is facula.Tensor
        assert (tensor == 1).all() and (got == 1).all() and got.dtype is tensor.dtype
        got.fill_(7)
        assert (tensor == 7).all()
    inbox.put(None)
    process.join()


def test_views_share_memory_in_the_receiver():
    whole = facula.arange(12.0).reshape(3, 4)
    views = {
        "whole": whole,
        "row": whole[1],
        "turned": whole.t(),
        "steps": whole[:, ::2],
        "detached": whole[2].detach(),
    }
    got = received(views)
    for name, view in views.items():
        assert got[name].tolist() == view.tolist() and got[name].stride() == view.stride()
    got["row"][0] = -1
    assert got["whole"][1, 0] == -1 and got["turned"][0, 1] == -1 and got["steps"][1, 0] == -1
    assert whole[1, 0] == -1
    later = received(whole[:, 0])
    assert later.tolist() == [0, -1, 8]
    got["detached"][3] = 5
    assert whole[2, 3] == 5


def test_leaves_are_sent_without_gradients():
    leaf = facula.ones(3, requires_grad=True)
    got = received(leaf)
    assert got.requires_grad and got.is_leaf and got.grad is None
    with raises(RuntimeError, "sending a tensor", "expected a leaf", "computed by mul at", "send .detach()"):
        encode(leaf * 2)
    assert received((leaf * 2).detach()).tolist() == [2, 2, 2]
    (leaf * 3).sum().backward()
    leaf.share_memory_()
    assert leaf.grad.is_shared() and leaf.grad.tolist() == [3, 3, 3]


def test_parameters_keep_user_attributes():
    parameter = nn.Parameter(facula.ones(2, 3))
    parameter.note = "mine"
    got = received([parameter, parameter])
    assert got[0] is got[1] and type(got[0]) is nn.Parameter and got[0].requires_grad and got[0].note == "mine"


class Own(facula.Tensor):
    """A program's subclass."""


def test_subclasses_keep_their_class():
    own = facula.ones(5).as_subclass(Own)
    got = received(own)
    assert type(got) is Own
    got[0] = 4
    assert own[0] == 4 and own.is_shared()


def step(index, model, x):
    for parameter in model.parameters():
        assert parameter.grad is None
    model(x).sum().backward()
    with facula.no_grad():
        for parameter in model.parameters():
            parameter -= parameter.grad


@pytest.mark.parametrize("method", METHODS)
def test_modules_are_shared(method):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).share_memory()
    assert all(one.is_shared() for one in [*model.parameters(), *model.buffers()])
    before = model[0].bias.tolist()
    kept = model[1].num_batches_tracked.item()
    assert mp.spawn(step, (model, facula.rand(5, 3)), nprocs=1, start_method=method) is None
    assert model[1].num_batches_tracked.item() == kept + 1
    assert model[1].bias.tolist() == [-5.0] * 4 and len(before) == 4


def test_storages_are_sent():
    tensor = facula.arange(6)
    untyped, typed = received([tensor.untyped_storage(), tensor.storage()])
    untyped[0] = 9
    assert tensor[0] == 9 and typed.tolist()[:6] == tensor.tolist()
    assert untyped.is_shared() and typed.is_shared() and tensor.untyped_storage().is_shared()
    assert facula.UntypedStorage(10).share_memory_().is_shared()
    assert facula.ones(2).storage().share_memory_().is_shared()


def test_errors_name_other_users_of_the_memory():
    tensor = facula.zeros(3)
    array = tensor.numpy()
    with raises(RuntimeError, "share_memory_", "float32", "float32", "1 export"):
        tensor.share_memory_()
    del array
    assert tensor.share_memory_() is tensor and tensor.is_shared()
    with raises(RuntimeError, "share_memory_", "belongs to ndarray"):
        facula.from_numpy(np.ones(3)).share_memory_()
    with raises(RuntimeError, "resize_"):
        tensor.resize_(1000)


def test_other_devices_and_empty_tensors():
    meta = facula.empty(3, device="meta")
    assert meta.share_memory_() is meta and received(meta).device.type == "meta"
    assert received(facula.zeros(0, 3)).shape == (0, 3)
    assert facula.zeros(0).share_memory_().numel() == 0


def test_a_shared_tensor_computes_like_any_other():
    x = facula.rand(20, 30).share_memory_()
    y = x.clone()
    assert facula.equal(x @ x.t(), y @ y.t()) and facula.equal(x.sin_(), y.sin_())
    x.data.mul_(2)
    assert facula.equal(x, y * 2)
    x.data = facula.ones(3)
    assert not x.is_shared()


def test_copies_and_plain_pickles_are_not_shared():
    import copy

    x = facula.arange(5).share_memory_()
    for other in (x.clone(), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        other[0] = 9
        assert x[0] == 0 and not other.is_shared()


def test_plain_pickles_pass_memory_out_of_band():
    x, buffers = facula.arange(10_000), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 2000 and len(buffers) == 1
    assert facula.equal(pickle.loads(data, buffers=buffers), x)


def test_ten_thousand_tensors_in_one_message(context):
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=total, args=(inbox, outbox))
    process.start()
    inbox.put([facula.full((3,), number) for number in range(10_000)])
    count, last, descriptors = outbox.get()
    assert (count, last) == (10_000, 9_999) and descriptors < 80
    process.join()


def total(inbox, outbox):
    message = inbox.get()
    outbox.put((len(message), message[-1][0].item(), len(os.listdir("/proc/self/fd"))))


def test_many_rounds_use_no_more_memory():
    context = mp.get_context("fork")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=change, args=(inbox, outbox))
    process.start()

    def rounds(count):
        for number in range(count):
            inbox.put(facula.full((3000,), float(number)))
            assert outbox.get()[5] == number + 1

    def figures():
        gc.collect()
        return arena_usage()[1], len(os.listdir("/proc/self/fd"))

    rounds(20)
    before = figures()
    rounds(200)
    assert all(now <= most for now, most in zip(figures(), before))
    inbox.put(None)
    process.join()


def test_pools_return_tensors(context):
    with context.Pool(2) as pool:
        assert [one.tolist() for one in pool.map(facula.neg, [facula.ones(2), facula.zeros(1)])] == [[-1, -1], [0]]


def test_pytorchs_import_paths():
    code = """
import sys, facula
assert facula.zeros(1).is_shared() is False and "facula_multiprocessing" not in sys.modules
import facula.multiprocessing as mp
from facula.multiprocessing.reductions import init_reductions, ForkingPickler
from facula.multiprocessing.spawn import spawn
init_reductions()
assert mp.spawn is spawn and mp.reductions.init_reductions is mp.init_reductions
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def use_all(shared, several, queue):
    shared["doubled"] = shared["x"] * 2
    several.append(several[0].t())
    queue.put((shared["x"], shared["array"]))


def test_managers_return_copies(context):
    """Check that each access to an object of the manager's process returns another tensor."""
    x = facula.arange(5000.0).reshape(50, 100)
    with context.Manager() as manager:
        shared, several, queue = manager.dict(x=x, array=np.arange(5000)), manager.list([x]), manager.Queue()
        process = context.Process(target=use_all, args=(shared, several, queue))
        process.start()
        process.join()
        assert process.exitcode == 0
        assert facula.equal(shared["doubled"], x * 2) and facula.equal(several[1], x.t())
        got, array = queue.get()
        assert facula.equal(got, x) and (array == np.arange(5000)).all()
        shared["x"].fill_(0)
        assert facula.equal(shared["x"], x) and not x.is_shared()


def test_pools_send_tensors_both_ways(context):
    given = [facula.full((3000,), float(number)) for number in range(4)]
    with context.Pool(2) as pool:
        assert [float(one) for one in pool.map(facula.sum, given)] == [3000.0 * number for number in range(4)]
        total = pool.apply_async(facula.add, (given[1], given[2])).get()
        assert (total == 3).all() and total.is_shared()
        assert [float(one[0]) for one in pool.starmap(facula.mul, zip(given, given))] == [0, 1, 4, 9]
        assert sorted(float(one) for one in pool.imap_unordered(facula.sum, given)) == [0, 3000, 6000, 9000]
