"""gather, gather_back, scatter and scatter_copy against NumPy."""

import numpy as np
import pytest
from arrays import laid_out, make
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import NAMES, compute, empty

from facula_cpu import get_num_threads, set_num_threads
from facula_storage import LaunchError
from facula_storage.extend import STATUS_POSITION


@st.composite
def indexed(draw):
    """A shape, a dimension, and an index that is longer than the shape only in that dimension."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 9]), min_size=1, max_size=3).map(tuple))
    dim = draw(st.integers(0, len(shape) - 1))
    extents = [draw(st.integers(1, size)) for size in shape]
    extents[dim] = draw(st.sampled_from([0, 1, 5, 30]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return shape, dim, laid_out(rng, rng.integers(0, shape[dim], extents)), rng


def cut(array, index, dim):
    """Return the part of an array that an index can reach."""
    sizes = (*index.shape[:dim], array.shape[dim], *index.shape[dim + 1 :])
    return array[tuple(slice(0, size) for size in sizes)]


@pytest.mark.parametrize("name", NAMES)
@given(case=indexed())
def test_gather(name, case):
    shape, dim, index, rng = case
    array = make(rng, shape, name, strided=True)
    wanted = np.take_along_axis(cut(array.view(np.ndarray), index, dim), index, dim)
    output = laid_out(rng, empty(wanted.shape, name))
    np.testing.assert_array_equal(compute("gather", (array, index), (output,), (dim,)).view(np.ndarray), wanted)


@pytest.mark.parametrize(("mode", "function"), [("set", None), ("sum", np.add), ("prod", np.multiply),
                                                ("amax", np.maximum), ("amin", np.minimum)])  # fmt: skip
@pytest.mark.parametrize("name", ["uint8", "int16", "int64", "float32", "float64"])
@given(case=indexed())
def test_scatter(name, mode, function, case):
    """Check that the last of several values for one element wins, or that all are combined in their order."""
    shape, dim, index, rng = case
    special = mode in ("amax", "amin")  # NaN and infinities, whose sums and products depend on the order
    array, new = (
        make(rng, shape, name, strided=True, special=special),
        make(rng, index.shape, name, strided=True, special=special),
    )
    wanted, places = np.array(array), list(np.indices(index.shape))
    places[dim] = index
    with np.errstate(all="ignore"):
        if function is None:
            wanted[tuple(places)] = new
        else:
            function.at(wanted, tuple(places), np.array(new))
    start = empty(shape, name)
    start[...] = array
    if array.size:
        copied = compute("scatter_copy", (start, index, new), (empty(shape, name),), (dim, mode))
        np.testing.assert_array_equal(copied, wanted)
    np.testing.assert_array_equal(compute("scatter", (index, new), (array,), (dim, mode)), wanted)


@pytest.mark.parametrize("size", [1000, 5_000_000])
def test_thread_counts_give_the_same_bits(size):
    """Check sums of single elements; threads share the targets of large arrays."""
    rng = np.random.default_rng(7)
    index, values = rng.integers(0, size // 100, 30_000) * 100, rng.standard_normal(30_000).astype("f4")
    before, added = get_num_threads(), []
    for threads in (1, 2, 4):
        set_num_threads(threads)
        added.append(compute("scatter", (index, values), (np.zeros(size, "f4"),), (0, "sum")))
        added.append(compute("put", (index, values), (np.zeros(size, "f4"),), (0, True)))
    set_num_threads(before)
    wanted = np.zeros(size, "f4")
    np.add.at(wanted, index, values)
    for array in added:
        np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("bad", [-1, 4, 2**62, -(2**63)])
def test_indices_out_of_range(bad):
    """Check that the error has value, position and size, and that scatter writes no element."""
    index = np.zeros((2, 3), "i8")
    index[1, 2] = bad
    array, values = np.arange(12.0).reshape(4, 3), np.full((2, 3), 7.0)
    before = array.copy()
    for call in (
        lambda: compute("gather", (array, index), (values.copy(),), (0,)),
        lambda: compute("scatter", (index, values), (array,), (0, "sum")),
    ):
        with pytest.raises(LaunchError) as caught:
            call()
        assert caught.value.args[:4] == (STATUS_POSITION, bad, 5, 4)
        np.testing.assert_array_equal(array, before)
    with pytest.raises(LaunchError) as caught:
        compute("gather_back", (values, index), (np.empty((4, 3)),), ((4, 3), 0))
    assert caught.value.args[:4] == (STATUS_POSITION, bad, 5, 4)


@pytest.mark.parametrize(("shape", "wide", "position"), [((3, 1), (3, 200), 200), ((1, 3), (90, 3), 1)])
def test_expanded_indices_out_of_range(shape, wide, position):
    """Check that expanded indices are read once, and that the error has their first position."""
    index = np.zeros(shape, "i8")
    index.ravel()[1:] = 4, -1
    index = np.broadcast_to(index, wide)
    array, values = np.ones((4, wide[1])), np.zeros(wide)
    for call in (
        lambda: compute("gather", (array, index), (values.copy(),), (0,)),
        lambda: compute("scatter", (index, values), (array,), (0, "sum")),
        lambda: compute("gather_back", (values, index), (array,), (array.shape, 0)),
    ):
        with pytest.raises(LaunchError) as caught:
            call()
        assert caught.value.args[:4] == (STATUS_POSITION, 4, position, 4)
        assert (array == 1).all()
