"""Layers, samplers and loaders on several ranks, compared with one process."""

import tempfile
from datetime import timedelta
from itertools import chain

import pytest

import facula
import facula.distributed as dist
from facula import nn
from facula.utils.data import DistributedSampler
from facula_errors.testing import raises
from facula_multiprocessing import spawn

TIMEOUT = timedelta(seconds=100)


def _begin(rank, function, size, folder, arguments):
    dist.init_process_group("gloo", f"file://{folder}/group", TIMEOUT, size, rank)
    function(rank, *arguments)
    dist.destroy_process_group()


def on_ranks(size, function, *arguments):
    """Call function(rank, *arguments) on ranks of a group; raise if one raises."""
    with tempfile.TemporaryDirectory() as folder:
        spawn(_begin, (function, size, folder, arguments), nprocs=size, start_method="fork")


# Synchronized batch normalization -------------------------------------------------------------------------------------
def batches(sizes, dtype, tail):
    """Return a batch and weights of a loss for each rank; the values are far from 0."""
    facula.manual_seed(0)
    shapes = [(size, 3, *tail) for size in sizes]
    return [[facula.randn(shape, dtype=dtype) * 2 + shift for shape in shapes] for shift in (30, 0)]


def trained(layer, inputs, factors):
    """Return results, gradients and statistics of two steps."""
    found = []
    for _ in range(2):
        x = inputs.clone().requires_grad_()
        out = layer(x)
        (out * factors).sum().backward()
        found += [out.detach(), x.grad]
    return found, [one.grad for one in layer.parameters()], list(layer.buffers())


def compare_batch_norms(rank, sizes, dtype, tail, options, group_sizes):
    if group_sizes is None:
        group, members = None, range(len(sizes))
    else:
        parts = [list(range(sum(group_sizes[:k]), sum(group_sizes[: k + 1]))) for k in range(len(group_sizes))]
        group, _ = dist.new_subgroups_by_enumeration(parts)
        members = next(part for part in parts if rank in part)
    inputs, factors = batches(sizes, dtype, tail)
    plain = (nn.BatchNorm2d if tail else nn.BatchNorm1d)(3, dtype=dtype, **options)
    layer = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(plain), process_group=group)[0]
    single = (nn.BatchNorm2d if tail else nn.BatchNorm1d)(3, dtype=dtype, **options)
    expected, gradients, statistics = trained(
        single, facula.cat([inputs[k] for k in members]), facula.cat([factors[k] for k in members])
    )
    found, own_gradients, own_statistics = trained(layer, inputs[rank], factors[rank])
    start = sum(sizes[k] for k in members if k < rank)
    tolerance = {"rtol": 1e-10, "atol": 1e-10} if dtype == facula.float64 else {"rtol": 2e-4, "atol": 2e-5}
    for one, other in zip(found, expected, strict=True):
        assert facula.allclose(one, other[start : start + sizes[rank]], **tolerance)
    for one, other in zip(own_gradients, gradients, strict=True):
        dist.all_reduce(one, group=group)
        assert facula.allclose(one, other, **tolerance)
    for one, other in zip(own_statistics, statistics, strict=True):
        assert facula.allclose(one.double(), other.double(), rtol=1e-6)


@pytest.mark.parametrize(
    ("sizes", "dtype", "tail", "options", "group_sizes"),
    [
        ([4, 4], facula.float32, (2, 2), {}, None),
        ([5, 1], facula.float32, (), {"bias": False}, None),
        ([1, 1, 1], facula.float64, (), {"momentum": None}, None),
        ([2, 0, 5], facula.float64, (3, 1), {"affine": False}, None),
        ([1, 6, 3], facula.float64, (2, 2), {"track_running_stats": False}, [1, 2]),
    ],
)
def test_synchronized_batch_norm_equals_the_whole_batch(sizes, dtype, tail, options, group_sizes):
    on_ranks(len(sizes), compare_batch_norms, sizes, dtype, tail, options, group_sizes)


def check_rare_batches(rank):
    layer = nn.SyncBatchNorm(3)
    with raises(ValueError, "SyncBatchNorm", "more than 1 value per channel", value="1"):
        layer(facula.ones(1 - rank, 3))
    assert layer(facula.ones(0, 3)).shape == (0, 3) and layer.running_var.tolist() == [1, 1, 1]
    with raises(ValueError, "SyncBatchNorm", "expected 3 channels", value="(2, 4)"):
        layer(facula.ones(2, 4))
    half = layer(facula.arange(6).reshape(2, 3).half() + rank)
    assert half.dtype == facula.float16 and half.float().sum().abs() < 8
    layer.weight.requires_grad_(False)
    out = layer(facula.ones(2, 3))  # neither the input nor the weight
    out.sum().backward()
    assert layer.bias.grad.tolist() == [2, 2, 2] and layer.weight.grad is None
    layer.eval()
    if rank == 0:  # evaluation does not communicate
        assert layer(facula.ones(2, 3)).shape == (2, 3)


def test_rare_batches_of_synchronized_batch_norm():
    on_ranks(2, check_rare_batches)


def derivatives(layer, x, factors, others, weights):
    """Return first derivatives of a loss, and second ones: derivatives of a function of the first."""
    x, factors = x.clone().requires_grad_(), factors.clone().requires_grad_()
    parameters = list(layer.parameters())
    first = facula.autograd.grad((layer(x) * factors).sum(), [x, *parameters], create_graph=True)
    value = (first[0] * others).sum() + first[0].square().sum()
    for one in first[1:]:
        value = value + (one * weights).sum()
    second = facula.autograd.grad(value, [x, factors, *parameters[:1]])
    return [first[0], *second[:2]], [*first[1:], *second[2:]]


def compare_derivatives(rank, sizes):
    facula.set_default_dtype(facula.float64)
    for shape, options in (((3,), {}), ((2, 4), {"affine": False}), ((3, 2, 2), {"bias": False})):
        facula.manual_seed(0)
        count = sum(sizes)
        x, factors, others = (facula.randn(count, *shape) + 2 for _ in range(3))
        weights = facula.randn(shape[0])
        plain = (nn.BatchNorm2d if len(shape) > 2 else nn.BatchNorm1d)(shape[0], **options)
        for one in plain.parameters():
            nn.init.uniform_(one)
        layer = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(plain))[0]
        rows = slice(sum(sizes[:rank]), sum(sizes[: rank + 1]))
        expected, expected_sums = derivatives(plain, x, factors, others, weights)
        found, sums = derivatives(layer, x[rows], factors[rows], others[rows], weights)
        for one, other in zip(found, expected, strict=True):
            assert facula.allclose(one, other[rows], rtol=1e-9, atol=1e-9)
        for one, other in zip(sums, expected_sums, strict=True):
            total = one.detach().clone()
            dist.all_reduce(total)
            assert facula.allclose(total, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sizes", [[2, 3], [1, 0, 4]])
def test_second_derivatives_of_synchronized_batch_norm(sizes):
    on_ranks(len(sizes), compare_derivatives, sizes)


# Samplers, loaders and random numbers ---------------------------------------------------------------------------------
def gathered(value):
    """Return the values of all ranks."""
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, value)
    return found


def check_samplers(rank):
    data = list(range(10))
    for options in ({}, {"shuffle": False}, {"drop_last": True}, {"seed": 5}):
        sampler = DistributedSampler(data, **options)
        assert (sampler.rank, sampler.num_replicas) == (rank, 3)
        orders = []
        for epoch in (0, 1):
            sampler.set_epoch(epoch)
            shares = gathered(list(sampler))
            given = [DistributedSampler(data, 3, other, **options) for other in range(3)]
            for one in given:
                one.set_epoch(epoch)
            assert shares == [list(one) for one in given]
            assert {len(share) for share in shares} == {len(sampler)} == {3 if "drop_last" in options else 4}
            seen = sorted(chain(*shares))
            assert len(set(seen)) == (9 if "drop_last" in options else 10)
            orders.append(shares)
        assert (orders[0] == orders[1]) == ("shuffle" in options)
    assert DistributedSampler(data, num_replicas=5).rank == rank


def test_samplers_ask_the_group():
    on_ranks(3, check_samplers)


def save_position(rank, path, options):
    facula.manual_seed(rank)  # so the ranks draw other seeds
    loader = dist.loader(range(29), 2, **options)
    batches = [batch.tolist() for _, batch in zip(range(3), loader, strict=False)]
    states = gathered(loader.state_dict())
    assert states == [states[0]] * len(states) and states[0]["position"] == 6 * len(states)
    seen = gathered(batches)
    if rank == 0:
        facula.save({"loader": states[0], "seen": list(chain(*chain(*seen)))}, path)


def resume_position(rank, path, options):
    saved = facula.load(path)
    loader = dist.loader(range(29), 4, **options)
    loader.load_state_dict(saved["loader"])
    rest = gathered([batch.tolist() for batch in loader])
    assert len({len(batches) for batches in rest}) == 1
    seen, flat = saved["seen"], list(chain(*chain(*rest)))
    count = len({*seen, *flat})
    if options.get("drop_last"):
        assert count == len(seen) + len(flat) > 29 - 4 * dist.get_world_size()
    else:  # fewer samples than ranks are repeated
        assert count == 29 > len(seen) + len(flat) - dist.get_world_size()
    whole = chain(*chain(*gathered([batch.tolist() for batch in loader])))  # the next epoch
    assert set(whole) == set(range(29)) or options.get("drop_last")


@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 3), (1, 2), (2, 1)])
@pytest.mark.parametrize("options", [{"shuffle": True}, {"shuffle": True, "drop_last": True}, {"shuffle": False}])
def test_loaders_resume_with_another_number_of_ranks(tmp_path, before, after, options):
    on_ranks(before, save_position, tmp_path / "state.pt", options)
    on_ranks(after, resume_position, tmp_path / "state.pt", options)


def check_seeds(rank):
    facula.manual_seed(3)
    equal = gathered(facula.rand(4).tolist())
    assert equal[0] == equal[1]
    dist.seed(3)
    assert facula.initial_seed() == 3
    drawn = [facula.rand(4).tolist(), nn.Dropout(0.5)(facula.ones(64)).tolist()]
    for kind in range(2):
        streams = [one[kind] for one in gathered(drawn)]
        assert all(streams[0] != other for other in streams[1:])
    dist.seed(3)
    assert facula.rand(4).tolist() == drawn[0]
    facula.manual_seed(3)
    assert (facula.rand(4).tolist() == drawn[0]) == (rank == 0)


def test_each_rank_has_a_stream():
    on_ranks(2, check_seeds)
    with raises(ValueError, "distributed", "call init_process_group first"):
        dist.seed(0)
