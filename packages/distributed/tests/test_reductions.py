"""Reductions that the properties do not draw: rank order, special values, layouts, and memory that is shared or not."""

import numpy as np
import pytest
from reference import reduced, values

import facula_distributed as dist
import facula_tensor
from facula_distributed import ReduceOp
from facula_distributed.testing import run
from facula_errors.testing import raises
from facula_tensor import from_numpy, tensor


def check_rank_order(rank, size):
    for count in (10, 2_000_003):
        arrays = [values("float32", count, seed=other) * 10.0 ** (3 * other) for other in range(size)]
        wanted = reduced(arrays, "float32", "SUM")
        assert wanted.dtype == np.float32
        for shares in (lambda other: False, lambda other: True, lambda other: other == 1):
            result = from_numpy(arrays[rank]).clone()
            if shares(rank):
                result.share_memory_()
            dist.all_reduce(result)
            assert np.array_equal(result.numpy(), wanted)


@pytest.mark.parametrize("size", [2, 3])
def test_sums_are_made_in_rank_order_in_private_shared_and_mixed_memory(size):
    run(size, check_rank_order, size)


def check_special_values(rank, size):
    for name in ("MIN", "MAX"):
        given = [[1.0, float("nan"), 3.0], [float("nan"), 2.0, 3.0]][rank % 2]
        result = tensor(given)
        dist.all_reduce(result, getattr(ReduceOp, name))
        assert np.isnan(result.numpy()[:2]).all() and result[2].item() == 3


def test_the_minimum_with_nan_is_nan():
    run(2, check_special_values, 2)


def check_layouts(rank, size):
    """Elements that share memory are refused; the group is usable afterwards."""
    with raises(RuntimeError, "all_reduce", "share one place in memory", "clone()"):
        dist.all_reduce(facula_tensor.ones(1).expand(4))
    base = from_numpy(values("float64", (6, 8), seed=rank))
    arrays = [values("float64", (6, 8), seed=other)[::2, 1::3] for other in range(size)]
    part = base[::2, 1::3]
    version = base._version
    dist.all_reduce(part)
    assert np.array_equal(part.numpy(), sum(arrays[1:], arrays[0])) and base._version > version
    assert np.array_equal(base.numpy()[1::2], values("float64", (6, 8), seed=rank)[1::2])
    leaf = facula_tensor.ones(4, requires_grad=True)
    product = (leaf * leaf).sum()
    dist.all_reduce(leaf)
    assert leaf.tolist() == [size] * 4
    with pytest.raises(RuntimeError, match=r"in place|in-place|modified|changed"):
        product.backward()


def test_views_are_written_and_versions_count_the_change():
    run(2, check_layouts, 2)
