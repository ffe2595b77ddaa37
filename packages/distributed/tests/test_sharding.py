"""Units of parameters that are divided among ranks, without modules."""

import numpy as np
import pytest

import facula_distributed as dist
from facula_distributed.device_mesh import init_device_mesh
from facula_distributed.extend import Schedule, ShardedParameter, Unit, default_group
from facula_distributed.tensor import DTensor, Shard
from facula_distributed.testing import run
from facula_tensor import Parameter, bfloat16, float32, float64, no_grad, tensor

SHAPES = [((5, 3), 0), ((1, 4), 0), ((3, 5), 1), ((2, 3, 2), 1), ((8,), 0), ((7, 2), -1 % 2)]


def values(rank=0):
    generator = np.random.default_rng(7 + rank)
    return [generator.standard_normal(shape).astype(np.float32) for shape, _ in SHAPES]


def unit_of(size, dtypes, **options):
    """Return a unit, and the dict that has its parameters."""
    mesh, table, group = init_device_mesh("cpu", (size,)), {}, default_group()

    def wrap(local, original, dim):
        return Parameter(DTensor.from_local(local, mesh, [Shard(dim)], shape=original.shape), original.requires_grad)

    originals, ones = [], []
    for place, (value, dtype, (_, dim)) in enumerate(zip(values(), dtypes, SHAPES, strict=True)):
        table[str(place)] = original = Parameter(tensor(value, dtype=dtype), requires_grad=place != 4)
        originals.append(original)
        ones.append(ShardedParameter(str(place), original, [(table, str(place))], dim, group.rank(), size))
    unit = Unit(group, None, ones, originals, options.get("kind"), options.get("reduce_kind"), wrap)
    Schedule([unit])
    return unit, table


def whole(part):
    return part.full_tensor().detach().numpy()


def check_wholes(rank, size):
    """Compare gathered parameters, before and after a change of the parts, with NumPy."""
    dtypes = [float32, float64, float32, float32, float64, float32]
    unit, table = unit_of(size, dtypes)
    found = []
    for factor in (1, 2):
        found += [np.array_equal(whole(one), factor * value) for one, value in zip(table.values(), values())]
        unit.gather()
        unit.show_wholes()
        found += [np.array_equal(one.detach().numpy(), factor * value) for one, value in zip(table.values(), values())]
        found += [one.dtype is dtype for one, dtype in zip(table.values(), dtypes)]
        unit.free()
        found += [isinstance(one, DTensor) for one in table.values()]
        with no_grad():
            for one in table.values():
                one.mul_(2)
    return all(found)


def check_gradients(rank, size, kind, reduce_kind):
    """Compare the gradients of a product with random numbers, which differ between ranks."""
    unit, table = unit_of(size, [float32] * len(SHAPES), kind=kind, reduce_kind=reduce_kind)
    unit.before_forward([])
    factors = [tensor(one, dtype=kind or float32) for one in values(1 + rank)]
    loss = sum([(one * factor).sum() for one, factor in zip(table.values(), factors)])
    unit.after_forward([loss])
    loss.backward()
    found = []
    for place, one in enumerate(table.values()):
        if place == 4:
            found.append(one.grad is None)
            continue
        total = values(1)[place]
        for other in range(1, size):
            total = total + values(1 + other)[place]
        mean = total / np.float32(size)
        found.append(np.array_equal(whole(one.grad), mean) if kind is None else
                     np.allclose(whole(one.grad), mean, rtol=0.05, atol=0.05))  # fmt: skip
    return all(found)


def check_all(rank, size):
    return check_wholes(rank, size) and check_gradients(rank, size, None, None)


def test_whole_parameters_are_those_of_all_ranks():
    for size in (1, 2, 3):
        assert run(size, check_wholes, size) == [True] * size


@pytest.mark.skipif(not dist.is_mpi_available(), reason="mpi4py and an MPI library are not installed")
@pytest.mark.parametrize(("size", "options"), [(2, {"backend": "mpi"}), (4, {"machines": 2})], ids=str)
def test_other_engines(size, options):
    assert run(size, check_all, size, **options) == [True] * size


def test_gradients_are_averages_in_rank_order():
    assert run(3, check_gradients, 3, None, None) == [True] * 3
    assert run(2, check_gradients, 2, bfloat16, float32) == [True] * 2
    assert run(2, check_gradients, 2, bfloat16, None) == [True] * 2
