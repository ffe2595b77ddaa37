"""Properties of layouts, and identity of equal layouts while the table contains them."""

import copy
import pickle
import random
import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_helpers import Running

from facula_errors.testing import raises
from facula_storage import Device, complex128, contiguous, cpu, float32, float64, int8, layout_of, meta, uint8
from facula_storage import _layouts as tables
from facula_storage.extend import contiguous_strides

shapes = st.lists(st.integers(0, 5), max_size=5).map(tuple)


@given(shapes, st.sampled_from([int8, float32, complex128]))
def test_contiguous_agrees_with_numpy(shape, dtype):
    layout = contiguous(shape, dtype)
    array = np.empty(shape, dtype.numpy)
    assert (layout.shape, layout.ndim, layout.numel, layout.nbytes) == (shape, array.ndim, array.size, array.nbytes)
    assert layout.extent == array.nbytes
    assert layout.is_contiguous
    assert layout is layout_of(shape, contiguous_strides(shape), dtype) is contiguous(shape, dtype)
    if array.size:
        assert tuple(step * dtype.itemsize for step in layout.strides) == array.strides


@given(st.data())
def test_strided_layouts_agree_with_enumeration(data):
    shape = data.draw(shapes)
    strides = tuple(data.draw(st.lists(st.integers(0, 7), min_size=len(shape), max_size=len(shape))))
    layout = layout_of(shape, strides, float64)
    places = [sum(map(lambda i, s: i * s, index, strides)) for index in product(*map(range, shape))]
    assert layout.numel == len(places)
    assert layout.extent == (8 * (max(places) + 1) if places else 0)
    assert layout.is_contiguous == (places == list(range(len(places))))
    assert (layout.dense != 0) == layout.is_contiguous
    assert layout.transposed().transposed() is layout
    assert layout.transposed().shape == shape[::-1]
    assert pickle.loads(pickle.dumps(layout)) is copy.copy(layout) is copy.deepcopy([layout])[0] is layout
    if shape:
        row, step, count = layout.rows()
        assert (row.shape, row.strides, step, count) == (shape[1:], strides[1:], strides[0] * 8, shape[0])


def test_a_scalar_has_no_rows():
    with raises(IndexError, "rows", "shape ()"):
        contiguous((), float32).rows()


def test_other_dtype_and_device():
    layout = layout_of((2, 3), (1, 2), float32)
    assert layout.to_dtype(int8) is layout_of((2, 3), (1, 2), int8)
    assert layout != layout_of((2, 3), (1, 2), float32, meta) != layout_of((2, 3), (1, 2), int8, meta)
    assert repr(layout_of((2, 3), (1, 2), float32, meta)) == (
        "Layout((2, 3), facula.float32, strides=(1, 2), device='meta')"
    )
    assert layout != "layout"


def test_numpy_integers_become_python_ints():
    layout = contiguous((np.int64(17), np.int32(3)), float32)
    assert list(map(type, layout.shape + layout.strides)) == [int] * 4
    assert layout is contiguous((17, 3), float32)


class Shape(tuple):
    """A subclass of tuple, like the shapes of higher packages."""


def test_subclasses_of_tuple_are_converted():
    layout = contiguous(Shape((19, 3)), float32)
    assert type(layout.shape) is tuple
    assert layout is contiguous((19, 3), float32)


@pytest.mark.parametrize("make", [lambda: contiguous((2, -1), float32), lambda: layout_of((2,), (-1,), float32)])
def test_negative_numbers(make):
    with raises(ValueError, "layout", "0 or more", "-1", value="shape"):
        make()


def test_lengths_must_agree():
    with raises(ValueError, "layout", value="shape (2, 3), strides (1,)"):
        layout_of((2, 3), (1,), float32)


def test_fractions():
    with pytest.raises(TypeError):
        contiguous((2.5,), float32)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((1 << 61,), (1,)),  # 2**63 bytes
        ((1 << 40, 1 << 40), (1 << 40, 1)),
        ((2,), (1 << 61,)),  # two distant elements
        ((2, 2), (1 << 60, 1 << 60)),
        ((0, 1 << 70), (1, 1)),  # no element, but a length that cannot be stored
        ((0, 2), (1 << 70, 1)),
        ((1,), (1 << 62,)),  # stride in bytes
    ],
)
def test_overflow(shape, strides):
    with raises(OverflowError, "layout", "expected at most 9223372036854775807"):
        layout_of(shape, strides, float32)
    with pytest.raises(OverflowError):
        layout_of(shape, strides, float32, meta)


def test_an_empty_shape_may_overflow_in_its_strides():
    with raises(OverflowError, "layout", "expected at most"):
        contiguous((0, 1 << 40, 1 << 40), float32)


def test_the_largest_possible_layout():
    layout = contiguous(((1 << 63) - 1,), uint8, meta)
    assert layout.nbytes == layout.extent == (1 << 63) - 1
    assert contiguous((1 << 31, 1 << 28), float64, meta).nbytes == 1 << 62


def test_pickled_in_another_process(run_python):
    layout = layout_of((2, 3), (1, 2), float32, Device("meta"))
    there = run_python(
        "import sys, pickle\n"
        "from facula_storage import layout_of, float32, meta\n"
        "got = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "assert got is layout_of((2, 3), (1, 2), float32, meta)\n"
        "assert got.device is meta and got.dtype is float32\n"
        "print(pickle.dumps(got).hex())",
        pickle.dumps(layout).hex(),
    )
    assert pickle.loads(bytes.fromhex(there)) is layout


@pytest.fixture
def small_tables(monkeypatch):
    """Empty tables with room for eight layouts."""

    def use_tables(table, rows_first, table_limit, rows_limit):
        monkeypatch.setattr(tables, "_table", table)
        monkeypatch.setattr(tables, "_rows_first", rows_first)
        monkeypatch.setattr(tables, "TABLE_LIMIT", table_limit)
        monkeypatch.setattr(tables, "SHAPES_LIMIT", rows_limit)
        tables.use_tables()

    known = tables._table, tables._rows_first, tables.TABLE_LIMIT, tables.SHAPES_LIMIT
    monkeypatch.setattr(tables, "DROPPED", 1)
    use_tables({}, {}, 8, 8)
    yield
    use_tables(*known)


def test_tables_are_bounded(small_tables):
    kept = [contiguous((i,), float32) for i in range(100)]
    kept += [layout_of((2, 3), (i + 3, 1), float32) for i in range(100)]
    assert len(tables._table) <= 8
    assert len(tables._rows_first) <= 8
    assert len(set(map(id, kept))) == 200


@pytest.mark.parametrize("shared", [contiguous((2, 3), float32), float32, cpu], ids=["layout", "dtype", "device"])
def test_shared_objects_are_immutable(shared):
    for name in shared.__slots__:
        with raises(AttributeError, type(shared).__name__, f"'{name}' cannot be set:", "is shared"):
            setattr(shared, name, 9)
        with raises(AttributeError, type(shared).__name__, f"'{name}' cannot be deleted"):
            delattr(shared, name)
    assert contiguous((2, 3), float32).shape == (2, 3) and float32.itemsize == 4 and cpu.type == "cpu"


@pytest.mark.parametrize("shape", ["ab", (2.5, 1), (None, 1)])
def test_shapes_of_other_things_are_refused(shape):
    with raises(TypeError, "layout", "expected tuples of integers", value="shape"):
        layout_of(shape, (1, 1), float32)
    with raises(TypeError, "layout", "expected tuples of integers", value="shape"):
        contiguous(shape, float32)


def test_the_two_tables_do_not_drift_apart(small_tables):
    """After evictions, `layout_of` returns the layout that `contiguous` still stores."""
    for i in range(8):
        layout_of((2, 3), (i + 3, 1), float32)  # the first is the contiguous one
    remembered = contiguous((4, 5), float32)
    layout_of((9, 9), (20, 1), float32)  # evicts the newest, in one table
    assert ((4, 5), (5, 1), float32, cpu) not in tables._table
    assert layout_of((4, 5), (5, 1), float32) is remembered


def test_a_table_is_cleared_occasionally(small_tables, monkeypatch):
    monkeypatch.setattr(tables, "CLEAR_INTERVAL", 50)
    old = [contiguous((i,), float32) for i in range(8)]
    for i in range(200):
        contiguous((i, 2), float32)
    assert not set(map(id, tables._rows_first.values())) & set(map(id, old))


@pytest.mark.unsanitized
def test_resident_memory_is_flat_over_new_shapes(run_python):
    program = """
import gc, resource
from facula_storage import contiguous, float32, layout_of
from facula_storage.extend import allocate
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
def work(start, count):
    for i in range(start, start + count):
        a = contiguous((i, 3), float32)
        a.rows(), a.transposed().transposed()
        b = layout_of((i, 3), (5, 1), float32)
        layout_of((i, 3), (3, 1), float32)
        allocate(contiguous((i % 3000 + 1,), float32))
work(1, 40_000)
gc.disable()
before = resident()
work(40_001, 40_000)
print(resident() - before)
"""
    assert int(run_python(program)) < 2 << 20


def test_eight_threads_with_new_shapes(often_switching):
    """Each thread gets complete and correct layouts, and the tables stay within their limits."""
    start = threading.Barrier(8)

    def work(seed):
        chosen = random.Random(seed % 2)  # four threads request the same shapes
        mine = random.Random(seed)
        start.wait()
        for _ in range(1500):
            shape = (chosen.randrange(1, 1 << 20), 1 + chosen.randrange(8))
            a = contiguous(shape, float32)
            b = layout_of(shape, (shape[1], 1), float32)
            assert a == b
            for layout in (a, b):
                assert (layout.shape, layout.numel, layout.nbytes) == (shape, shape[0] * shape[1], 4 * layout.numel)
                assert layout.is_contiguous
                assert layout.dense
                assert callable(layout.take_block)
                assert layout.rows()[0].shape == shape[1:]
            if mine.random() < 0.1:
                layout_of(shape, (shape[1] + mine.randrange(9), 1), float32)

    for thread in [Running(work, seed) for seed in range(8)]:
        thread.finish()
    # Each thread that finds the table full evicts entries: possibly all eight at once.
    assert tables.TABLE_LIMIT - 8 * tables.DROPPED - 8 < len(tables._table) <= tables.TABLE_LIMIT + 8
    assert len(tables._rows_first) <= tables.SHAPES_LIMIT + 8


def test_importing_makes_no_layout_and_no_backend(run_python):
    program = (
        "import facula_storage as s\n"
        "assert not s._layouts._table and s.cpu._backend is None\n"
        "import sys\n"
        "slow = {'asyncio', 'inspect', 'scipy', 'multiprocessing', 'dataclasses', 'importlib.metadata', 'cffi'}\n"
        "import numpy\n"
        "print(*sorted(slow & set(sys.modules)))\n"
    )
    only_numpy = run_python("import numpy, sys; print(*sorted(sys.modules))").split()
    assert not set(run_python(program).split()) - set(only_numpy)
