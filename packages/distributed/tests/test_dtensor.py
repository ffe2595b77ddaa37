"""Meshes, placements, and redistribution of DTensors, compared with whole tensors."""

import copy
import itertools
import pickle

import pytest

import facula_distributed as dist
from facula_distributed.device_mesh import DeviceMesh, init_device_mesh
from facula_distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
)
from facula_distributed.testing import TIMEOUT, run
from facula_errors.testing import raises
from facula_tensor import Parameter, Tensor, arange, chunk, int64, manual_seed, no_grad, ones, randn, tensor, zeros


def refused(kind, call, *args, text="...", **kwargs):
    """Check that a call raises an error with a complete message."""
    with raises(kind, text):
        call(*args, **kwargs)


def meshes(rank):
    """Check the parts and groups of meshes."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    at = [rank // 2, rank % 2]
    assert mesh.get_coordinate() == at and mesh.get_rank() == rank and mesh.mesh.tolist() == [[0, 1], [2, 3]]
    assert (mesh.shape, mesh.ndim, mesh.size(), mesh.size(1), mesh.size("dp")) == ((2, 2), 2, 4, 2, 2)
    assert mesh.get_local_rank("tp") == mesh["tp"].get_local_rank() == at[1]
    assert dist.get_process_group_ranks(mesh.get_group("dp")) == [at[1], at[1] + 2]
    assert mesh["tp"].get_group() is mesh.get_group(1) and len(mesh.get_all_groups()) == 2
    assert mesh["dp"].mesh.tolist() == [at[1], at[1] + 2] and mesh["dp", "tp"] is mesh
    assert repr(mesh["dp"]) == "DeviceMesh((dp=2), 'cpu')" and mesh["dp"] == mesh["dp"] != mesh["tp"]
    flat = mesh._flatten()
    assert flat is mesh["dp_tp"] is mesh._flatten("dp_tp") and flat.mesh.tolist() == [0, 1, 2, 3]
    assert mesh["dp"]._flatten() == mesh["dp"] and mesh["tp"]._get_root_mesh() is mesh
    again = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    assert again == mesh and hash(again) == hash(mesh) and again.get_group("tp") is mesh.get_group("tp")
    assert copy.deepcopy(mesh) is mesh
    other = DeviceMesh("cpu", tensor([[3, 1], [2, 0]]))
    assert other.get_coordinate() == [[1, 1], [0, 1], [1, 0], [0, 0]][rank]
    assert repr(other) == "DeviceMesh((2, 2), 'cpu', [[3, 1], [2, 0]])" and other != mesh
    assert DeviceMesh("cpu", [0, 2]).get_coordinate() == ([rank // 2] if rank % 2 == 0 else None)
    assert DeviceMesh.from_group(mesh.get_group("dp"), "cpu").mesh.tolist() == [at[1], at[1] + 2]
    both = DeviceMesh.from_group([mesh.get_group("dp"), mesh.get_group("tp")], "cpu", mesh.mesh)
    assert both.get_local_rank(0) == at[0]
    refused(KeyError, lambda: mesh["pp"])
    refused(KeyError, lambda: mesh["tp", "dp"])
    refused(RuntimeError, mesh.get_group, 2)
    refused(RuntimeError, mesh.get_local_rank)
    refused(RuntimeError, init_device_mesh, "cpu", (2, 3))
    refused(NotImplementedError, init_device_mesh, "cuda", (4,))
    refused(ValueError, DeviceMesh, "cpu", [0, 0])
    refused(ValueError, DeviceMesh, "cpu", [[0, 1], [2]])
    refused(ValueError, init_device_mesh, "cpu", (2, 2), mesh_dim_names=("dp",))
    refused(ValueError, DeviceMesh.from_group, mesh.get_group("dp"), "cpu", [0, 3] if rank else [1, 3])
    refused(RuntimeError, pickle.dumps, mesh)
    refused(ValueError, mesh["dp"]._flatten, "tp")


def test_meshes():
    run(4, meshes)


PLACEMENTS = [Shard(0), Shard(1), Replicate(), Partial(), Partial("avg"), Partial("max")]


def redistributions(rank, shape, mesh_shape):
    """Check values and gradients of all redistributions of an uneven tensor."""
    mesh = init_device_mesh("cpu", mesh_shape)
    manual_seed(3)
    whole, factor = randn(shape), randn(shape)
    every = PLACEMENTS[: 4 if len(mesh_shape) > 1 else None]
    starts = list(itertools.product(every, repeat=len(mesh_shape)))
    pairs = list(itertools.product(starts, starts))
    for source, target in pairs[:: 3 if len(mesh_shape) > 1 else 1]:
        first = distribute_tensor(whole, mesh, source)
        leaf = first.detach().requires_grad_()
        moved = leaf.redistribute(placements=target)
        assert moved.placements == target and moved.shape == shape
        assert moved.to_local().shape == tuple(end - begin for begin, end in moved._spec.box())
        full = moved.full_tensor()
        assert (full - whole).abs().max() < 1e-6, (source, target)
        if Partial("max") in (*source, *target):
            continue  # the gradient of a maximum of equal terms is divided among them
        (full * factor).sum().backward()
        grad = leaf.grad.full_tensor()
        share = 1
        for size, one in zip(mesh_shape, source, strict=True):
            share *= size if one == Partial("avg") else 1
        assert (grad * share - factor).abs().max() < 1e-6, (source, target)


@pytest.mark.parametrize(("shape", "mesh_shape"), [((5, 3), (2,)), ((1, 6), (3,)), ((5, 7), (2, 2)), ((1, 3), (2, 2))])
def test_redistributions(shape, mesh_shape):
    size = mesh_shape[0] * (mesh_shape[1] if len(mesh_shape) > 1 else 1)
    run(size, redistributions, shape, mesh_shape)


def conversions(rank):
    """Check `from_local`, `to_local`, `distribute_tensor`, attributes and errors on 3 ranks."""
    mesh = init_device_mesh("cpu", (3,))
    whole = arange(8.0).reshape(4, 2)
    parts = [*chunk(whole, 3), zeros(0, 2)]
    x = distribute_tensor(whole + rank, mesh, [Shard(-2)])  # with the values of rank 0
    assert (
        x.placements == (Shard(0),) and (x.to_local() == parts[rank]).all() and x.to_local().shape == parts[rank].shape
    )
    assert (x.shape, x.ndim, x.numel(), len(x), x.stride(), x.size(1)) == ((4, 2), 2, 8, 4, (2, 1), 2)
    assert (distribute_tensor(whole + rank, mesh, [Replicate()], src_data_rank=None).to_local() == whole + rank).all()
    assert not x.requires_grad and distribute_tensor(ones(3, requires_grad=True), mesh).requires_grad

    local = ones(2, 3).requires_grad_()
    y = DTensor.from_local(local, mesh, [Shard(1)])
    assert y.shape == (2, 9) and not y.is_leaf
    y.sum().backward()
    assert (local.grad == 1).all()
    z = DTensor.from_local(ones(1) * rank, mesh, [Replicate()], run_check=True)
    assert z.item() == 0
    uneven = DTensor.from_local(parts[rank], mesh, [Shard(0)], shape=(4, 2), stride=(2, 1))
    assert (uneven.full_tensor() == whole).all()
    term = DTensor.from_local(ones(1) * (rank + 1), mesh, [Partial()])
    assert term.item() == 6 and DTensor.from_local(ones(1) * (rank + 1), mesh, [Partial("avg")]).item() == 2
    assert DTensor.from_local(ones(1) * (rank + 1), mesh, [Partial("product")]).full_tensor().item() == 6
    counts = DTensor.from_local(tensor([rank]), mesh, [Partial("max")])
    assert counts.dtype is int64 and counts.full_tensor().tolist() == [2]

    peaks = DTensor.from_local(tensor([1.0 * rank, 5.0]), mesh, [Partial("max")]).requires_grad_()
    peaks.full_tensor().sum().backward()
    assert peaks.grad.to_local().tolist() == [float(rank == 2), pytest.approx(1 / 3)]

    w = distribute_tensor(whole, mesh, [Replicate()]).requires_grad_()
    (w.to_local(grad_placements=[Partial()]) * (rank + 1)).sum().backward()
    assert (w.grad.to_local() == 6).all()

    assert "local_tensor=tensor" in repr(x) and "Shard(dim=0)" in str(x)
    assert f"{term.sum():.1f}" == "6.0" and float(term) == 6
    refused(ValueError, distribute_tensor, whole, mesh, [Shard(2)])
    refused(ValueError, distribute_tensor, whole, mesh, [Shard(0), Shard(1)])
    refused(TypeError, distribute_tensor, whole, mesh, [0])
    refused(TypeError, distribute_tensor, whole, "mesh", [Shard(0)])
    refused(TypeError, DTensor, whole)
    refused(TypeError, DTensor.from_local, x, mesh, [Shard(0)])
    refused(ValueError, DTensor.from_local, ones(3), mesh, [Shard(0)], shape=(4,))
    refused(ValueError, Partial, "mean")
    refused(RuntimeError, pickle.dumps, x)
    refused(RuntimeError, lambda: x + whole)
    refused(NotImplementedError, x.diagonal)
    refused(RuntimeError, lambda: x + distribute_tensor(whole, DeviceMesh("cpu", [2, 1, 0])))
    refused(TypeError, x.detach().requires_grad_().sum().backward, ones(()))


def test_conversions():
    run(3, conversions)


def leaves(rank):
    """Check parameters, gradients, hooks, in-place changes and copies."""
    mesh = init_device_mesh("cpu", (2,))
    whole = arange(6.0).reshape(3, 2)
    p = Parameter(distribute_tensor(whole, mesh, [Shard(0)]))
    assert isinstance(p, DTensor) and isinstance(p, Parameter) and p.requires_grad and p.is_leaf
    assert not Parameter(p, requires_grad=False).requires_grad
    seen = []
    p.register_hook(lambda grad: seen.append((grad.placements, grad.shape)))
    p.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf is p))
    (p * p).sum().backward()
    assert seen == [((Shard(0),), (3, 2)), True]
    assert isinstance(p.grad, DTensor) and p.grad is p.grad and (p.grad.full_tensor() == 2 * whole).all()
    (p * 2).sum().backward()
    assert (p.grad.full_tensor() == 2 * whole + 2).all()
    with no_grad():
        p.sub_(p.grad, alpha=0.5)
        p.mul_(2.0)
        p += 1
    assert (p.full_tensor() == -1).all()
    copied = copy.deepcopy(p)
    assert type(copied) is type(p) and copied.placements == p.placements and copied._local_tensor is not p._local_tensor
    p.grad = None
    assert p.grad is None
    p.grad = p.detach()
    assert (p.grad.to_local() == p.to_local()).all()
    p.data = p.data * 0
    assert (p.full_tensor() == 0).all() and p.placements == (Shard(0),)
    with no_grad():
        p._local_tensor.fill_(rank)
    assert p.sum().item() == 2
    refused(TypeError, setattr, p, "grad", whole)
    refused(ValueError, setattr, p, "grad", p.detach().redistribute(placements=[Replicate()]))

    y = p.detach().requires_grad_() * 2
    y.backward(distribute_tensor(whole, mesh, [Replicate()]))
    assert y.node is None or not y.is_leaf

    class Module:
        def __init__(self):
            self._parameters, self._buffers = {"w": Parameter(ones(3))}, {"b": ones(2)}

        def named_modules(self):
            return [("", self)]

        def register_parameter(self, name, value):
            self._parameters[name] = value

    module = distribute_module(Module(), mesh)
    assert isinstance(module._parameters["w"], DTensor) and isinstance(module._buffers["b"], DTensor)
    assert type(Tensor.detach(module._buffers["b"])) is DTensor


def test_leaves():
    run(2, leaves)


def former_groups(rank, folder):
    """Use equal meshes before and after the process group is made again."""
    for number in range(2):
        mesh = init_device_mesh("cpu", (2,))
        x = distribute_tensor(arange(4.0), mesh, [Shard(0)])
        assert (x + x).full_tensor().tolist() == [0, 2, 4, 6]
        dist.destroy_process_group()
        dist.init_process_group("gloo", f"file://{folder}/{number}", rank=rank, world_size=2)


def test_meshes_of_former_groups_are_not_used(tmp_path):
    run(2, former_groups, str(tmp_path), timeout=TIMEOUT)
