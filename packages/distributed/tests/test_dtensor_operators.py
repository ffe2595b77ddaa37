"""Operators of DTensors with many placements, compared with operators of whole tensors: values and gradients."""

import copy
import itertools
from random import Random

import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_distributed.device_mesh import DeviceMesh, init_device_mesh
from facula_distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
    empty,
    full,
    ones,
    rand,
    randn,
    zeros,
)
from facula_distributed.testing import run
from facula_errors import FaculaError
from facula_errors.testing import raises
from facula_tensor import linalg

A, B, V, IDS = (5, 4), (4, 3), (4,), "ids"

#: An operator, and the shapes of its operands: floats, except "ids" (integers below 4), "labels" and "mask" (bools).
OPERATORS = {
    "add": (lambda x, y: x + y, A, A), "add a row": (lambda x, y: x + y, A, V), "add a number": (lambda x: 1 + x, A),
    "sub alpha": (lambda x, y: ft.sub(x, y, alpha=2), A, A), "rsub": (lambda x: 3 - x, A),
    "mul": (lambda x, y: x * y, A, A), "mul broadcast": (lambda x, y: x * y, (5, 1), (1, 4)),
    "mul a number": (lambda x: x * 2, A), "div": (lambda x, y: x / (y * y + 1), A, A),
    "rdiv": (lambda x: 1 / (x * x + 1), A),
    "pow": (lambda x: x**2, A), "neg": (lambda x: -x, A), "exp": (ft.exp, A), "relu": (F.relu, A), "gelu": (F.gelu, A),
    "silu": (F.silu, A), "tanh": (lambda x: x.tanh(), A), "clamp": (lambda x: x.clamp(-0.5, 0.5), A),
    "where": (ft.where, "mask", A, A), "masked_fill": (lambda m, x: x.masked_fill(m, 0.5), "mask", A),
    "maximum": (ft.maximum, A, A), "compare": (lambda x, y: (x > y) & (x != 0), A, A), "sign": (ft.sign, A),
    "double": (lambda x: x.double(), A), "to": (lambda x: x.to(ft.float64), A), "clone": (lambda x: x.clone(), A),
    "contiguous": (lambda x: x.t().contiguous(), A), "detach": (lambda x: x.detach(), A),
    "type_as": (lambda x, y: x.double().type_as(y), A, V), "zeros_like": (ft.zeros_like, A), "lerp": (ft.lerp, A, A, A),
    "addcmul": (lambda x, y, z: ft.addcmul(x, y, z, value=0.5), A, A, A),
    "sum": (lambda x: x.sum(), A), "sum 0": (lambda x: x.sum(0), A), "sum keep": (lambda x: x.sum(1, keepdim=True), A),
    "sum both": (lambda x: x.sum((0, -1)), (3, 2, 4)), "mean": (lambda x: x.mean(), A),
    "mean 0": (lambda x: x.mean(0), A),
    "amax": (lambda x: x.amax(0), A), "max": (lambda x: x.max(), A), "max 1": (lambda x: x.max(1).values, A),
    "min pair": (ft.minimum, A, A), "prod": (lambda x: x.detach().prod(0), A), "argmax": (lambda x: x.argmax(1), A),
    "var": (lambda x: x.var(0), A), "logsumexp": (lambda x: x.logsumexp(1), A), "all": (lambda m: m.all(), "mask"),
    "norm": (lambda x: x.norm(), A), "norm 3": (lambda x: linalg.vector_norm(x, 3), A),
    "norm 0": (lambda x: x.norm(dim=0), A),
    "softmax": (lambda x: F.softmax(x, -1), A), "log_softmax": (lambda x: F.log_softmax(x, 0), A),
    "cumsum": (lambda x: x.cumsum(0), A), "sort": (lambda x: x.sort(1).values, A),
    "topk": (lambda x: x.topk(2, 1).values, A),
    "flip": (lambda x: x.flip(0), A), "triu": (lambda x: x.triu(), A),
    "mm": (ft.mm, A, B), "matmul": (lambda x, y: x @ y, A, B), "matmul batch": (ft.matmul, (2, 5, 4), B),
    "matmul vector": (ft.matmul, A, V), "vector matmul": (ft.matmul, V, B), "dot": (ft.dot, V, V),
    "bmm": (ft.bmm, (3, 5, 4), (3, 4, 2)), "matmul broadcast": (ft.matmul, (2, 1, 5, 4), (3, 4, 2)),
    "linear": (F.linear, A, (3, 4), (3,)), "linear without bias": (F.linear, (2, 3, 4), (3, 4)),
    "addmm": (ft.addmm, (3,), A, B), "baddbmm": (ft.baddbmm, (3, 5, 2), (3, 5, 4), (3, 4, 2)),
    "outer": (ft.outer, V, (3,)), "einsum": (lambda x, y: ft.einsum("ij,jk->ki", x, y), A, B),
    "view": (lambda x: x.view(2, 2, 6), (4, 6)), "reshape": (lambda x: x.reshape(-1), (4, 6)),
    "join": (lambda x: x.reshape(8, 3), (4, 2, 3)), "split a dim": (lambda x: x.reshape(2, 2, 6), (4, 6)),
    "flatten": (lambda x: x.flatten(1), (4, 2, 3)), "unflatten": (lambda x: x.unflatten(0, (2, 2)), A[1:] + (3,)),
    "view_as": (lambda x, y: x.view_as(y), (4, 6), (2, 2, 6)), "transpose": (lambda x: x.transpose(0, 1), A),
    "T": (lambda x: x.T, A), "mT": (lambda x: x.mT, (2, 3, 4)), "permute": (lambda x: x.permute(2, 0, 1), (2, 3, 4)),
    "movedim": (lambda x: x.movedim(0, -1), (2, 3, 4)), "unsqueeze": (lambda x: x.unsqueeze(1), A),
    "squeeze": (lambda x: x.squeeze(), (5, 1, 4)), "expand": (lambda x: x.expand(3, 5, 4), (5, 4)),
    "expand 1": (lambda x: x.expand(5, 4), (1, 4)), "slice": (lambda x: x[:, 1:3], A), "slice 0": (lambda x: x[1:4], A),
    "select": (lambda x: x[0], A), "step": (lambda x: x[::2], (4, 3)), "new axis": (lambda x: x[None, ..., 0], A),
    "narrow": (lambda x: x.narrow(1, 0, 2), A), "split": (lambda x: x.split(2, 1)[1], A),
    "chunk": (lambda x: x.chunk(2)[0], A),
    "unbind": (lambda x: x.unbind(1)[2], A), "cat": (lambda x, y: ft.cat([x, y]), A, A),
    "cat 1": (lambda x, y: ft.cat([x, y], 1), A, (5, 2)), "stack": (lambda x, y: ft.stack([x, y], 1), A, A),
    "index_select": (lambda x, i: x.index_select(0, i), (4, 3), IDS),
    "gather": (lambda x, i: x.gather(0, i), (4,), IDS),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), A, V, V),
    "rms_norm": (lambda x, w: F.rms_norm(x, (4,), w), A, V),
    "embedding": (lambda i, w: F.embedding(i, w), IDS, (4, 3)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *[(2, 3, 5, 4)] * 3),
    "cross_entropy": (F.cross_entropy, (6, 4), "labels"),
    "cross_entropy sum": (lambda x, y: F.cross_entropy(x, y, reduction="sum"), (6, 4), "labels"),
    "cross_entropy none": (lambda x, y: F.cross_entropy(x, y, reduction="none"), (6, 4), "labels"),
    "cross_entropy weight": (
        lambda x, y, w: F.cross_entropy(x, y, (w * w).detach(), ignore_index=1), (6, 4), "labels", V
    ),
    "mse_loss": (F.mse_loss, A, A), "l1_loss sum": (lambda x, y: F.l1_loss(x, y, reduction="sum"), A, A),
    "loss of probabilities": (lambda x, y: F.cross_entropy(x, F.softmax(y, 1)), A, A),
    "losses of probabilities": (lambda x, y: F.cross_entropy(x, F.softmax(y, 1), reduction="none"), A, A),
    "huber_loss of a column": (F.huber_loss, (5, 1), A), "huber_loss of a row": (F.huber_loss, A, V),
    "axis": (lambda x: x.cumsum(axis=0), A), "axis 1": (lambda x: x.amax(axis=1, keepdims=True), A),
    "flip both": (lambda x: x.flip(0, 1), A),
    "linear by name": (lambda x, w, b: F.linear(x, bias=b, weight=w), A, (4, 4), V),
    "addmm by name": (lambda x, y, z: ft.addmm(mat1=x, mat2=y, input=z), A, (4, 4), A),
    "mean of float16": (lambda x: (x * 0 + 9000).half().mean().float(), A),
    "loss of float16": (lambda x, y: F.huber_loss((x * 0 + 250).half(), y.half() * 0, delta=80.0).float(), A, A),
}  # fmt: skip


def value_of(shape, number):
    generator = ft.Generator().manual_seed(number)
    if shape == "ids":
        return ft.randint(0, 4, (6,), generator=generator)
    if shape == "labels":
        return ft.randint(0, 4, (6,), generator=generator)
    if shape == "mask":
        return ft.rand(5, 4, generator=generator) > 0.4
    return ft.randn(shape, generator=generator)


def close(found, expected):
    if expected is None or found is None:
        return found is None or not found.any()
    if expected.is_floating_point():
        return bool(((found - expected).abs() <= 1e-5 + 1e-4 * expected.abs()).all())
    return bool((found == expected).all())


def choices(value, dims):
    """Return all lists of placements of a value."""
    terms = [Partial()] if value.is_floating_point() else []
    return list(itertools.product([Replicate(), *map(Shard, range(value.ndim)), *terms], repeat=dims))


def distribute(value, mesh, placements):
    """Return the DTensor of a value that all ranks have."""
    return distribute_tensor(value, mesh, placements, src_data_rank=None)


def operators(rank, mesh_shape, count):
    """Check all operators with up to `count` combinations of placements each; return the failures."""
    mesh = init_device_mesh("cpu", mesh_shape)
    failed = []
    for name, (function, *shapes) in OPERATORS.items():
        values = [value_of(shape, number) for number, shape in enumerate(shapes)]
        leaves = [one.clone().requires_grad_() if one.is_floating_point() else one for one in values]
        expected = function(*leaves)
        factor = value_of(tuple(expected.shape), 9) if expected.is_floating_point() else None
        differentiable = expected.requires_grad
        if differentiable:
            (expected * factor).sum().backward()
        combinations = list(itertools.product(*[choices(one, len(mesh_shape)) for one in values]))
        Random(name).shuffle(combinations)
        for combination in combinations[:count]:
            where = f"{name} {combination}"
            try:
                parts = [distribute(one, mesh, at) for one, at in zip(values, combination, strict=True)]
                for one in parts:
                    one.requires_grad_(one.is_floating_point())
                result = function(*parts)
                if result.shape != expected.shape or result.dtype is not expected.dtype:
                    failed.append(f"{where}: {result.shape} {result.dtype}")
                whole = result.full_tensor()
                if result.to_local().shape != result._spec.local_shape() or not close(whole, expected):
                    failed.append(f"{where}: {result.placements} {whole} != {expected}")
                if differentiable:
                    (result * distribute(factor, mesh, None)).sum().backward()
                    for number, (one, leaf) in enumerate(zip(parts, leaves, strict=True)):
                        grad = None if one.grad is None else one.grad.full_tensor()
                        if not close(grad, leaf.grad):
                            failed.append(f"{where}: gradient {number}: {grad} != {leaf.grad}")
            except FaculaError as error:
                failed.append(f"{where}: {type(error).__name__}: {error}")
    return failed


CASES = [((2,), 3), ((3,), 2), ((2, 2), 1)]
MORE = [pytest.param(shape, 10 * count, marks=pytest.mark.thorough) for shape, count in CASES]


@pytest.mark.parametrize(("mesh_shape", "count"), [*CASES, *MORE])
def test_operators(mesh_shape, count):
    found = run(mesh_shape[0] * (mesh_shape[1] if len(mesh_shape) > 1 else 1), operators, mesh_shape, count)
    assert not any(found), "\n".join(found[0][:20])


def placements(rank):
    """Check placements of results, in-place operators, and what is refused."""
    mesh = init_device_mesh("cpu", (2,))
    x, y = (distribute_tensor(value_of((4, 6), number), mesh, [Shard(0)]) for number in range(2))
    w = distribute_tensor(value_of((6, 4), 2), mesh, [Replicate()])
    term = DTensor.from_local(ft.ones(4, 6), mesh, [Partial()])
    for result, expected in [
        (x + y, Shard(0)), (x @ w, Shard(0)), (w @ x, Partial()), (x.sum(), Partial()), (x.sum(1), Shard(0)),
        (x.T, Shard(1)), (term + term, Partial()), (term * 2, Partial()), (term / 3, Partial()), (-term, Partial()),
        (term * w.T, Partial()), (term + 1, Replicate()), (term.exp(), Replicate()), (term + x, Shard(0)),
        (term.sum(), Partial()), (term.reshape(24), Partial()), (x.reshape(24), Shard(0)),
        (x.reshape(3, 8), Replicate()),
        (F.softmax(x, 0), Replicate()), (F.softmax(x, 1), Shard(0)), (x.amax(), Partial("max")),
        (x.norm(), Replicate()),
        (x.new_zeros(3), Replicate()), (x[1:], Replicate()), (x[:, 1:], Shard(0)), (ft.zeros_like(term), Partial()),
    ]:  # fmt: skip
        assert result.placements == (expected,), (result, expected)
    before = x.full_tensor()
    x.add_(y).mul_(2).sub_(w.T)
    x /= 2
    expected = ((before + y.full_tensor()) * 2 - w.T.full_tensor()) / 2
    assert close(x.full_tensor(), expected) and x.placements == (Shard(0),)
    x.zero_()
    x.fill_(3).clamp_(max=2)
    assert (x.to_local() == 2).all() and F.relu(x, inplace=True) is x
    x.copy_(w.T)
    assert (x.full_tensor() == w.T.full_tensor()).all()
    assert x.to("cpu") is x is x.cpu() and x.to(ft.float64).dtype is ft.float64 and (x * ft.tensor(2.0)).shape == (4, 6)
    assert x.to(device="cpu", dtype=ft.float64).placements == x.placements and x.contiguous().shape == (4, 6)
    copied = copy.copy(x)
    assert copied.placements == x.placements and copied.shape == x.shape
    with raises(NotImplementedError, "to: the CPU", value="'meta'"):
        x.to("meta")
    with raises(NotImplementedError, "view: lengths", value="a dtype"):
        x.view(ft.int32)
    with raises(NotImplementedError, "add: the placement Partial... to change"):
        term.add_(1)
    with raises(RuntimeError, "mul: DTensors only", value="a Tensor of the shape (6,) too"):
        x * ft.ones(6)
    with raises(NotImplementedError, "diagonal: ... full_tensor()"):
        x.diagonal()
    with raises(NotImplementedError, "add: out=None"):
        ft.add(x, x, out=x)
    with raises(NotImplementedError, "getitem: integers, slices", value="list"):
        x[[0, 1]]
    with raises(NotImplementedError, "einsum: ... without ..."):
        ft.einsum("...i->i", x)
    with raises(NotImplementedError, "mse_loss: ... by name; write reduction=..."):
        F.mse_loss(x, y, None, None, "sum")
    with raises(NotImplementedError, "mse_loss: expected no weight"):
        F.mse_loss(x, y, weight=y)
    assert ft.equal(input=x, other=x.clone())
    with raises(ValueError, "matmul"):
        x @ x


def test_placements():
    run(2, placements)


def items(rank):
    """Set elements by indices, compare them with those of a whole tensor, and refuse changes of copies."""
    mesh = init_device_mesh("cpu", (3,))
    for at in ([Shard(0)], [Shard(1)], [Replicate()]):
        for index in (0, -2, slice(1, None), (slice(None), 2), (slice(0, 5, 2), slice(1, 2)), (..., -1), (None, 4, 1)):
            whole = value_of((5, 4), 1)
            x = distribute_tensor(whole, mesh, at)
            x[index] = whole[index] = 7
            assert (x.full_tensor() == whole).all(), (at, index)
    x = distribute_tensor(value_of((5, 4), 1), mesh, [Shard(0)])
    x[:, 1:].t().fill_(2)
    assert (x.full_tensor()[:, 1:] == 2).all()
    for change in (lambda: x[1:].zero_(), lambda: x[2].t().normal_(), lambda: x[1:].__setitem__(0, 2)):
        with raises(
            RuntimeError, "...", "not a view along a sharded dimension", value="a view with gathered parts, a copy"
        ):
            change()
    assert (x[1:].clone().zero_().full_tensor() == 0).all()
    with raises(NotImplementedError, "setitem: expected a number"):
        x[0] = ft.ones(4)
    with raises(NotImplementedError, "getitem: integers, slices", value="list"):
        x[[0, 1]] = 1
    with raises(IndexError, "getitem: 5 is out of range"):
        x[5] = 1
    with raises(NotImplementedError, "setitem: ... Shard or Replicate"):
        distribute_tensor(value_of((5, 4), 1), mesh, [Partial()])[0] = 1


def test_items():
    run(3, items)


def random_numbers(rank):
    """Check new tensors and random numbers, which are those of one process whatever the placements are."""
    mesh = init_device_mesh("cpu", (2, 2))
    ft.manual_seed(rank)
    found = []
    for at in ([Shard(0), Shard(1)], [Replicate(), Shard(0)], [Shard(0), Shard(0)]):
        ft.manual_seed(5 if rank == 0 else rank)
        x = rand(5, 3, device_mesh=mesh, placements=at)
        y = randn((5, 3), device_mesh=mesh, placements=at, dtype=ft.float64)
        z = zeros(5, 3, device_mesh=mesh, placements=at).normal_(1, 2)
        found.append([x, y, z, F.dropout(x, 0.4), ft.randn_like(x), x.clone().uniform_(-1, 1)])
    ft.manual_seed(5)
    x, y, z = ft.rand(5, 3), ft.randn(5, 3, dtype=ft.float64), ft.zeros(5, 3).normal_(1, 2)
    for values in found:
        for value, expected in zip(
            values, [x, y, z, F.dropout(x, 0.4), ft.randn_like(x), x.clone().uniform_(-1, 1)], strict=True
        ):
            assert close(value.full_tensor(), expected)
        ft.manual_seed(5)
        ft.rand(5, 3), ft.randn(5, 3, dtype=ft.float64), ft.zeros(5, 3).normal_(1, 2)
    assert F.dropout(found[0][0], 0.4, training=False) is found[0][0]
    assert zeros(3, device_mesh=mesh).placements == (Replicate(), Replicate())
    assert ones(3, 2, device_mesh=mesh, placements=[Partial(), Shard(0)], requires_grad=True).full_tensor().sum() == 6
    assert full((3,), 7, device_mesh=mesh, placements=[Shard(0), Replicate()]).full_tensor().tolist() == [7, 7, 7]
    assert empty((3, 1), device_mesh=mesh, placements=[Shard(0), Replicate()]).shape == (3, 1)
    with raises(ValueError, "rand: Shard or Replicate"):
        rand(3, device_mesh=mesh, placements=[Partial(), Replicate()])
    assert DeviceMesh("cpu", [rank]).size() == 1


def test_random_numbers():
    run(4, random_numbers)
