"""Messages arrive unchanged, whichever parts of them are in the arena."""

import gc
import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from facula_multiprocessing._transfer.messages import INLINE
from facula_multiprocessing.extend import Arena, Leases, Writer, decode

DTYPES = st.sampled_from(["u1", "i8", "f4", ">f8", "c16", "?", "M8[s]", "U3", "V5", "i4,f8"])
SHAPES = st.one_of(npst.array_shapes(max_dims=4, max_side=5, min_side=0), st.sampled_from([(), (3000,), (40, 40)]))


@st.composite
def arrays(draw):
    dtype, shape = np.dtype(draw(DTYPES)), draw(SHAPES)
    count = int(np.prod(shape)) * dtype.itemsize
    data = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 2, count, np.uint8)
    array = data.view(dtype).reshape(shape) if dtype.kind not in "U" else np.full(shape, "äb", dtype)
    turned = draw(st.sampled_from(["plain", "transposed", "strided", "read-only"]))
    if turned == "transposed":
        return array.T
    if turned == "strided" and array.ndim:
        return array[::2]
    array.flags.writeable = turned != "read-only"
    return array


MESSAGES = st.recursive(
    st.one_of(arrays(), st.integers(), st.text(), st.none(), st.binary(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.tuples(inner, inner), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def assert_alike(got, sent):
    assert type(got) is type(sent)
    if isinstance(sent, np.ndarray):
        plain = pickle.loads(pickle.dumps(sent, 5))  # which NumPy may convert to native byte order
        assert (got.dtype, got.shape) == (plain.dtype, plain.shape)
        assert got.tobytes() == plain.tobytes()
    elif isinstance(sent, dict):
        assert list(got) == list(sent)
        assert_alike(list(got.values()), list(sent.values()))
    elif isinstance(sent, (list, tuple)):
        assert len(got) == len(sent)
        for one, other in zip(got, sent):
            assert_alike(one, other)
    else:
        assert got == sent


@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_messages_arrive_without_leaks(messages):
    arena = Arena(16 << 20)
    writer, leases = Writer(arena), Leases(arena)
    for message in messages:
        data, blocks = writer.encode(message)
        got = decode(data, blocks, leases)
        assert_alike(got, message)
        del got
        gc.collect()
        given_back = leases.gone()
        assert sorted(given_back) == sorted(offset for offset, _ in blocks)
        for offset in given_back:
            arena.give(offset)
    assert arena.taken == 0 and writer.overflowed == 0


@pytest.fixture
def ends():
    arena = Arena(16 << 20)
    return arena, Writer(arena), Leases(arena)


def test_arrays_in_a_block_are_not_copied(ends):
    arena, writer, leases = ends
    array = writer.empty((100, 100), np.dtype(np.float32))
    offset = arena.offset_of(array.ctypes.data)
    array[:] = 3
    data, blocks = writer.encode({"x": array, "small": np.arange(3)})
    assert blocks == [(offset, 40_000)] and len(data) < 1000
    got = decode(data, blocks, leases)
    assert (got["x"] == 3).all() and got["small"].tolist() == [0, 1, 2]
    assert got["x"].flags.writeable
    got["x"][0, 0] = 4
    assert array[0, 0] == 4


def test_blocks_that_are_not_in_a_message_are_freed(ends):
    arena, writer, _ = ends
    writer.empty((5000,), np.dtype("u1"))
    _data, blocks = writer.encode("nothing of it")
    assert blocks == [] and arena.taken == 0


def test_a_part_of_a_block_is_copied(ends):
    """A slice starts elsewhere than its block, which is freed."""
    arena, writer, leases = ends
    array = writer.empty((20_000,), np.dtype("u1"))
    array[:] = np.arange(20_000) % 251
    data, blocks = writer.encode(array[5000:15_000])
    assert blocks[0][0] != arena.offset_of(array.ctypes.data)
    assert decode(data, blocks, leases).tolist() == array[5000:15_000].tolist()


def test_two_views_of_one_block(ends):
    _arena, writer, leases = ends
    array = writer.empty((20_000,), np.dtype("u1"))
    array[:] = 7
    data, blocks = writer.encode([array, array[:10_000], array])
    assert len({offset for offset, _ in blocks}) == len(blocks)
    whole, part, again = decode(data, blocks, leases)
    assert whole is again and (whole == 7).all() and len(part) == 10_000


def test_small_arrays_need_no_block(ends):
    arena, writer, _leases = ends
    _data, blocks = writer.encode([np.zeros(INLINE, np.uint8), np.zeros(0), writer.empty((3,), np.dtype("f8"))])
    assert blocks == [] and arena.taken == 0


def test_objects_are_made_in_ordinary_memory(ends):
    arena, writer, leases = ends
    array = writer.empty((5000,), np.dtype(object))
    assert arena.taken == 0
    array[:] = "text"
    got = decode(*writer.encode(array), leases)
    assert got.tolist() == ["text"] * 5000


def test_pickling_errors_change_nothing(ends):
    arena, writer, _ = ends
    array = writer.empty((9000,), np.dtype("u1"))
    for _ in range(3):
        with pytest.raises((AttributeError, TypeError)):
            writer.encode([array, np.zeros(9000), lambda: 0])
        assert arena.taken == 0


def test_a_full_arena_sends_through_the_pipe():
    arena = Arena(1 << 20)
    writer, leases = Writer(arena), Leases(arena)
    array = np.arange(1 << 19)
    data, blocks = writer.encode([array, writer.empty((1 << 19,), np.dtype("i8"))])
    assert blocks == [] and writer.overflowed >= 2 and len(data) > array.nbytes
    assert (decode(data, blocks, leases)[0] == array).all()


def test_many_rounds_do_not_grow(ends):
    arena, writer, leases = ends
    descriptors = len(os.listdir("/proc/self/fd"))
    for count in range(300):
        array = writer.empty((50_000,), np.dtype("u1"))
        array[:] = count % 256
        got = decode(*writer.encode([array, np.full(3000, count)]), leases)
        assert got[0][7] == count % 256 and got[1][-1] == count
        del got
        for offset in leases.gone():
            arena.give(offset)
    assert arena.taken == 0 and arena.reserved <= 4 << 20
    assert len(os.listdir("/proc/self/fd")) == descriptors
