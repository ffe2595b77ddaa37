"""Training with DTensors: optimizers, clipping and states, compared with whole parameters."""

import io
import math

import pytest

import facula
import facula.nn.functional as F
from facula import nn, optim
from facula.distributed import checkpoint as dcp
from facula.distributed import init_device_mesh
from facula.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from facula.distributed.tensor import DTensor, Replicate, Shard, distribute_module, distribute_tensor
from facula.nn.utils import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from facula_distributed.testing import run
from facula_errors.testing import raises

OPTIMIZERS = {
    "SGD": {"momentum": 0.9, "weight_decay": 0.1}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {}, "NAdam": {},
    "RAdam": {}, "RMSprop": {"centered": True, "momentum": 0.5}, "Adadelta": {}, "Adagrad": {}, "ASGD": {}, "Rprop": {},
}  # fmt: skip


def optimizers(rank):
    """Compare each optimizer's steps on parts with those on whole parameters."""
    mesh = init_device_mesh("cpu", (3,))
    facula.manual_seed(0)
    values = [facula.randn(4, 3), facula.randn(2), facula.randn(())]
    placements = [[Shard(0)], [Shard(0)], [Replicate()]]
    for name, options in OPTIMIZERS.items():
        whole = [nn.Parameter(one.clone()) for one in values]
        parts = [nn.Parameter(distribute_tensor(one, mesh, at)) for one, at in zip(values, placements, strict=True)]
        optimizer, of_parts = getattr(optim, name)(whole, **options), getattr(optim, name)(parts, **options)
        for step in range(4):
            for one, other in zip(whole, parts, strict=True):
                one.grad = one.detach() * (step + 1)
                other.grad = other.detach() * (step + 1)
            optimizer.step()
            of_parts.step()
            if step == 1:
                of_parts.load_state_dict(of_parts.state_dict() if rank is None else optimizer.state_dict())
            of_parts.zero_grad(set_to_none=step % 2 == 0)
        for one, other in zip(whole, parts, strict=True):
            assert (other.full_tensor() == one).all(), name
            for key, value in of_parts.state[other].items():
                expected = optimizer.state[one][key]
                if isinstance(expected, facula.Tensor) and expected.shape == one.shape and one.ndim:
                    assert isinstance(value, DTensor) and (value.full_tensor() == expected).all()
    p = nn.Parameter(distribute_tensor(values[0], mesh, [Shard(0)]))
    with raises(TypeError, "save: expected what load", "got a DTensor; save its full_tensor()"):
        facula.save({"p": p}, io.BytesIO())
    for name in ("Adafactor", "LBFGS"):
        with raises(NotImplementedError, name, "whole parameters"):
            getattr(optim, name)([p])
    q = nn.Parameter(values[0].clone())
    for one in (p, q):
        muon = optim.Muon([one], lr=0.1)
        one.grad = one.detach() * 2
        muon.step()
    assert (p.full_tensor() - q).abs().max() < 1e-5


def test_optimizers():
    run(3, optimizers)


def clipping(rank):
    """Compare norms and clipping of parts with those of whole gradients; all ranks get the same bits."""
    mesh = init_device_mesh("cpu", (2, 2))
    facula.manual_seed(0)
    values = [facula.randn(5, 3), facula.randn(1), facula.randn(4, 6), facula.randn(2).double()]
    placements = [[Shard(0), Shard(1)], [Shard(0), Replicate()], [Replicate(), Replicate()], [Shard(0), Shard(0)]]
    bits = []
    for order in (2.0, 1.0, math.inf, "inf", 0.0, 3.0, -1.0):
        whole = [nn.Parameter(one.clone()) for one in values]
        parts = [nn.Parameter(distribute_tensor(one, mesh, at)) for one, at in zip(values, placements, strict=True)]
        for one, other in zip(whole, parts, strict=True):
            one.grad, other.grad = one.detach() * 3, other.detach() * 3
        grads = [one.grad for one in parts]
        total = get_total_norm(grads, float(order))
        expected = get_total_norm([one.grad for one in whole], float(order))
        assert isinstance(total, DTensor) and total.placements == (Replicate(), Replicate())
        assert total.item() == pytest.approx(expected.item(), rel=1e-6)
        assert clip_grad_norm_(parts, 0.5, order).item() == total.item()
        clip_grad_norm_(whole, 0.5, order)
        clip_grads_with_norm_(parts, 2.0, total)
        clip_grads_with_norm_(whole, 2.0, expected)
        clip_grad_value_(parts, 0.2)
        clip_grad_value_(whole, 0.2)
        for one, other in zip(whole, parts, strict=True):
            assert (other.grad.full_tensor() - one.grad).abs().max() < 1e-6
        bits.append(total.item())
    x = distribute_tensor(values[0], mesh, placements[0]).requires_grad_()
    y = values[0].clone().requires_grad_()
    for one in (x, y):
        (facula.linalg.vector_norm(one) + one.norm(p=3)).backward()
    assert (x.grad.full_tensor() - y.grad).abs().max() < 1e-6
    return bits


def scaling(rank):
    """Check that a step is skipped on all ranks if the part of one rank is not finite."""
    mesh = init_device_mesh("cpu", (2,))
    p = nn.Parameter(distribute_tensor(facula.ones(3), mesh, [Shard(0)]))
    optimizer, scaler = optim.SGD([p], lr=0.5), facula.amp.GradScaler("cpu", init_scale=4.0)
    for broken in (False, True):
        optimizer.zero_grad()
        loss = (p * distribute_tensor(facula.tensor([1.0, 2.0, math.inf if broken else 1.0]), mesh, [Shard(0)])).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert scaler.get_scale() == 2.0 and p.full_tensor().tolist() == [0.5, 0.0, 0.5]


def test_scaling():
    run(2, scaling)


def test_clipping():
    first, *others = run(4, clipping)
    assert others == [first] * 3


def model_of():
    facula.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 7), nn.GELU(), nn.LayerNorm(7), nn.Linear(7, 3))


def columns(name, module, mesh):
    """Divide the rows of the weights of linear layers."""
    if isinstance(module, nn.Linear):
        for key, value in list(module.named_parameters()):
            at = [Replicate()] * (mesh.ndim - 1) + [Shard(0)]
            module.register_parameter(key, nn.Parameter(distribute_tensor(value, mesh, at)))


def distributed(mesh):
    model = distribute_module(model_of(), mesh, columns)
    return model, optim.AdamW(model.parameters(), lr=0.1)


def trained(model, optimizer, x, steps=2):
    """Return the loss of the last step."""
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), model(x).detach() * 0 + 1)
        loss.backward()
        optimizer.step()
    return loss.item()


def training(rank, folder):
    """Train with tensor and data parallel parts, and save the states."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    model, optimizer = distributed(mesh)
    plain = model_of()
    of_plain = optim.AdamW(plain.parameters(), lr=0.1)
    x = facula.randn(5, 6, generator=facula.Generator().manual_seed(1))
    loss = trained(model, optimizer, distribute_tensor(x, mesh, [Shard(0), Replicate()]))
    assert loss == pytest.approx(trained(plain, of_plain, x), rel=1e-5)
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        assert (one.grad.full_tensor() - other.grad).abs().max() < 1e-5
    state, of_optimizer = get_state_dict(model, optimizer)
    dcp.save({"model": state, "optimizer": of_optimizer}, checkpoint_id=folder)
    whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    assert not any(isinstance(one, DTensor) for one in whole.values())
    first = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    assert bool(first) is (rank == 0)
    return [one.tolist() for one in whole.values()]


def resumed(rank, folder):
    """Load the state of four ranks on other meshes, from files and from rank 0."""
    mesh = init_device_mesh("cpu", (facula.distributed.get_world_size(),))
    model, optimizer = distributed(mesh)
    state = {"model": get_model_state_dict(model), "optimizer": {}}
    assert isinstance(state["model"]["0.weight"], DTensor)
    dcp.load(state, checkpoint_id=folder)
    set_model_state_dict(model, state["model"])
    set_optimizer_state_dict(model, optimizer, state["optimizer"])
    full = StateDictOptions(full_state_dict=True)
    whole = get_model_state_dict(model, options=full)
    moments = get_optimizer_state_dict(model, optimizer, options=full)["state"]
    assert moments["0.weight"]["exp_avg"].shape == (7, 6)
    assert isinstance(optimizer.state[model[0].weight]["exp_avg"], DTensor)

    other, of_other = distributed(mesh)
    only_first = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(other, whole if rank == 0 else {}, options=only_first)
    values = get_optimizer_state_dict(model, optimizer, options=full)
    set_optimizer_state_dict(other, of_other, values if rank == 0 else {}, options=only_first)
    again = get_model_state_dict(other, options=full)
    assert all((again[name] == value).all() for name, value in whole.items())
    average = of_other.state[other[0].weight]["exp_avg"]
    assert isinstance(average, DTensor) and (average.full_tensor() == moments["0.weight"]["exp_avg"]).all()
    plain = model_of()
    set_model_state_dict(plain, get_model_state_dict(model))
    assert (plain[0].weight == whole["0.weight"]).all()
    with raises(ValueError, "get_model_state_dict", "full_state_dict"):
        get_model_state_dict(model, options=StateDictOptions(broadcast_from_rank0=True))
    return [one.tolist() for one in whole.values()]


def test_training_and_states_on_other_ranks(tmp_path):
    saved = run(4, training, str(tmp_path))
    assert saved == [saved[0]] * 4
    for size in (1, 2, 3):
        assert run(size, resumed, str(tmp_path)) == [saved[0]] * size
