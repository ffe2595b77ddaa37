"""Reductions against NumPy: dtypes, operations, sizes, layouts, and memory that is shared or not."""

import numpy as np
import pytest
from ranks import run

import facula_distributed as dist
import facula_tensor
from facula_distributed import ReduceOp
from facula_tensor import from_numpy, tensor

INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
FOLDS = {
    "SUM": np.add, "AVG": np.add, "PRODUCT": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
    "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor,
}  # fmt: skip
NUMBERS = ("SUM", "AVG", "PRODUCT", "MIN", "MAX")
OF_DTYPE = {
    **{dtype: tuple(FOLDS) for dtype in INTEGERS},
    **{dtype: NUMBERS for dtype in (*FLOATS, "float16", "bfloat16")},
    "complex64": ("SUM", "AVG"),
    "complex128": ("SUM", "AVG"),
    "bool": tuple(name for name in FOLDS if name != "AVG"),
}
SIZES = (0, 1, 5, 700, 3000, 100_001)  # some are reduced by each rank itself, some by slices in rounds


def values(dtype, shape, seed):
    """Return an array with a dtype; of bfloat16, float32 values that it can represent."""
    generator = np.random.default_rng(seed)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype == "bool":
        return generator.random(shape) < 0.5
    numbers = generator.normal(size=shape)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * generator.normal(size=shape)
    if dtype == "bfloat16":
        return rounded(numbers.astype("float32"))
    return numbers.astype(dtype)


def rounded(array):
    """Return float32 numbers rounded to bfloat16, to the nearest, and to even halfway between."""
    bits = array.view("uint32").astype("uint64")
    return (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) << 16).astype("uint32").view("float32")


def as_tensor(array, dtype):
    return from_numpy(array.copy()).to(facula_tensor.bfloat16) if dtype == "bfloat16" else from_numpy(array.copy())


def as_array(result):
    return (result.float() if result.dtype is facula_tensor.bfloat16 else result).numpy()


def expected(arrays, dtype, name):
    """Reduce arrays in rank order with NumPy."""
    if dtype in ("float16", "bfloat16"):
        arrays = [array.astype("float32") for array in arrays]
    total = arrays[0]
    for array in arrays[1:]:
        if dtype == "bool":
            total = {"PRODUCT": np.logical_and, "SUM": np.logical_or}.get(name, FOLDS[name])(total, array)
        else:
            total = FOLDS[name](total, array)
    if name == "AVG":
        count = len(arrays)
        if dtype in INTEGERS:  # toward zero
            total = (np.sign(total) * (np.abs(total.astype(object)) // count)).astype(dtype)
        else:  # a complex number by the parts
            parts = total.view(total.real.dtype) / total.real.dtype.type(count)
            total = parts.view(total.dtype)
    if dtype == "float16":
        return total.astype("float16")
    return rounded(total) if dtype == "bfloat16" else total


def check_all_reduce(rank, size):
    for dtype, names in OF_DTYPE.items():
        for number, name in enumerate(names):
            for count in SIZES if dtype == "float32" and name == "SUM" else (SIZES[number % len(SIZES)], 77):
                arrays = [values(dtype, count, seed=100 * number + other) for other in range(size)]
                result = as_tensor(arrays[rank], dtype)
                dist.all_reduce(result, getattr(ReduceOp, name))
                assert np.array_equal(as_array(result), expected(arrays, dtype, name)), (dtype, name, count)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_each_reduction_of_each_dtype(size):
    run(size, check_all_reduce, size)


def check_rank_order(rank, size):
    for count in (10, 2_000_003):
        arrays = [values("float32", count, seed=other) * 10.0 ** (3 * other) for other in range(size)]
        wanted = expected(arrays, "float32", "SUM")
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


def check_others(rank, size):
    for dtype in ("float32", "int16", "bfloat16"):
        for count in (3, 60_000):
            whole = [values(dtype, (size, count), seed=other) for other in range(size)]
            given = as_tensor(whole[rank], dtype)
            for root in range(size):
                result = given.clone()
                dist.reduce(result, root)
                wanted = expected(whole, dtype, "SUM") if rank == root else whole[rank]
                assert np.array_equal(as_array(result), wanted)
            wanted = expected([one[rank] for one in whole], dtype, "MAX")
            for arguments in ((given,), (given.reshape(-1),)):
                result = given.new_zeros(count)
                dist.reduce_scatter_tensor(result, *arguments, op=ReduceOp.MAX)
                assert np.array_equal(as_array(result), wanted)
            result = given.new_zeros(count)
            dist.reduce_scatter(result, list(given.unbind()), op=ReduceOp.MAX)
            assert np.array_equal(as_array(result), wanted)
    several = [tensor([1.0 * rank]), tensor([[2, rank]])]
    dist.all_reduce_coalesced(several)
    total = size * (size - 1) // 2
    assert [one.tolist() for one in several] == [[total], [[2 * size, total]]]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_reduce_and_reduce_scatter(size):
    run(size, check_others, size)
