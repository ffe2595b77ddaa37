"""take, put, count_true, nonzero_flat, nonzero and cat against NumPy."""

import numpy as np
import pytest
from arrays import laid_out, make, values
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, NAMES, compute, empty, layout, narrow, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_storage import LaunchError

small = st.lists(st.sampled_from([0, 1, 2, 3, 7, 40]), min_size=1, max_size=3).map(tuple)


@st.composite
def indexed(draw):
    """A shape, a dimension, and a random index into it, which may count from the end."""
    shape = draw(small)
    dim = draw(st.integers(0, len(shape) - 1))
    index_shape = draw(st.lists(st.sampled_from([0, 1, 3, 20]), max_size=2).map(tuple)) if shape[dim] else (0,)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    index = rng.integers(-shape[dim], max(shape[dim], 1), index_shape) if shape[dim] else np.zeros(index_shape, "i8")
    return shape, dim, laid_out(rng, np.asarray(index)), rng


@pytest.mark.parametrize("name", NAMES)
@given(case=indexed())
def test_take(name, case):
    """Check any index, dimension and strides."""
    shape, dim, index, rng = case
    array = make(rng, shape, name, strided=True)
    wanted = np.take(array.view(np.ndarray), index, axis=dim, mode="wrap")
    output = laid_out(rng, empty(wanted.shape, name))
    np.testing.assert_array_equal(compute("take", (array, index), (output,), (dim,)).view(np.ndarray), wanted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("accumulate", [False, True])
@given(case=indexed())
def test_put(name, accumulate, case):
    """Check that the last of several values for one element wins, or that all are added in order, with rounding."""
    shape, dim, index, rng = case
    array = make(rng, shape, name, strided=True, special=False)
    new = make(rng, shape[:dim] + index.shape + shape[dim + 1 :], name, strided=True, special=False)
    wanted = np.moveaxis(widen(array).copy(), dim, 0)
    flat = np.moveaxis(widen(new).reshape(*shape[:dim], index.size, *shape[dim + 1 :]), dim, 0)
    with np.errstate(all="ignore"):
        for number, place in enumerate(index.ravel()):
            if not accumulate:
                wanted[place] = flat[number]
            elif name == "bool":
                wanted[place] |= flat[number]
            else:
                wanted[place] = widen(narrow(wanted[place] + flat[number], name))
    got = compute("put", (index, new), (array,), (dim, accumulate))
    np.testing.assert_array_equal(widen(got), np.moveaxis(wanted, 0, dim))


@pytest.mark.parametrize("operator", ["take", "put"])
@pytest.mark.parametrize(("bad", "position"), [(10, 5), (-11, 0), (2**62, 3)])
def test_indices_out_of_range(operator, bad, position):
    """Check that the error has value, position and size, and that `put` writes no element."""
    index = np.zeros((2, 3), "i8")
    index.reshape(-1)[position] = bad
    array, other = np.arange(40.0).reshape(10, 4), np.full((2, 3, 4), 7.0)
    before = array.copy()
    with pytest.raises(LaunchError) as caught:
        if operator == "take":
            compute("take", (array, index), (other,), (0,))
        else:
            compute("put", (index, other), (array,), (0, True))
    assert caught.value.args[:4] == (1, bad, position, 10)
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("order", ["random", "sorted", "nearly sorted", "sorted, negative"])
def test_thread_counts_give_the_same_bits(order):
    """Check large gathers and index sums on one thread and on three."""
    rng = np.random.default_rng(7)
    array, index = rng.standard_normal((5000, 64)).astype("f4"), rng.integers(0, 5000, 20_000)
    index = index if order == "random" else np.sort(index - 10 * order.endswith("negative"))
    if order.startswith("nearly"):
        index[[9_999, 15_000]] = index[[15_000, 9_999]]
    before, taken, added = get_num_threads(), [], []
    for threads in (1, 3):
        set_num_threads(threads)
        taken.append(compute("take", (array, index), (np.empty((20_000, 64), "f4"),), (0,)))
        added.append(compute("put", (index, taken[0]), (np.zeros_like(array),), (0, True)))
    set_num_threads(before)
    np.testing.assert_array_equal(taken[0], array[index])
    np.testing.assert_array_equal(taken[0], taken[1])
    np.testing.assert_array_equal(added[0], added[1])
    wanted = np.zeros(array.shape, "f8")
    np.add.at(wanted, index, taken[0].astype("f8"))
    np.testing.assert_allclose(added[0], wanted, rtol=1e-4, atol=1e-4)


@given(shape=st.lists(st.sampled_from([0, 1, 3, 8, 65]), max_size=3).map(tuple), seed=st.integers(0, 2**32))
def test_positions_of_true_elements(shape, seed):
    """Check that positions are counted and then written in row-major order, for any strides."""
    rng = np.random.default_rng(seed)
    mask = laid_out(rng, rng.random(shape) < rng.random())
    count = compute("count_true", (mask,), (empty((), "int64"),))
    assert count == np.count_nonzero(mask)
    got = compute("nonzero_flat", (mask,), (empty((int(count),), "int64"),))
    np.testing.assert_array_equal(got, np.flatnonzero(mask))
    if shape:
        got = compute("nonzero", (mask,), (empty((int(count), len(shape)), "int64"),))
        np.testing.assert_array_equal(got, np.argwhere(mask))


def test_positions_do_not_overflow_the_output():
    """Check a mask that changed after it was counted."""
    memory = np.full(10, -1)
    got = compute("nonzero_flat", (np.ones(300, bool),), (memory[:4],))
    assert list(got) == [0, 1, 2, 3]
    assert (memory[4:] == -1).all()
    got = compute("nonzero", (np.ones((2, 150), bool),), (memory[:4].reshape(2, 2),))
    assert got.tolist() == [[0, 0], [0, 1]]
    assert (memory[4:] == -1).all()


@pytest.mark.parametrize("name", ["bool", "int16", "float32", "complex128"])
@pytest.mark.parametrize("widths", [(3,), (4, 0, 5), (0, 0), (1, 1000, 7), (30_000, 50_000)])
@pytest.mark.parametrize("outer", [0, 1, 13])
def test_cat(name, widths, outer):
    """Check that one plan serves all shapes, and that large ones run in parallel."""
    rng = np.random.default_rng(8)
    parts = [values(rng, (outer, width), name) for width in widths]
    wanted = np.concatenate(parts, axis=1)
    output = empty(wanted.shape, name)
    addresses = [number for part in parts for number in (part.ctypes.data, part.shape[1] * part.itemsize)]
    plan = BACKEND.plan("cat", (), (layout(empty((5,), name)),), ())
    assert plan.any_size
    plan.launch(output.size, outer, len(parts), *addresses, output.ctypes.data)
    np.testing.assert_array_equal(output, wanted)
