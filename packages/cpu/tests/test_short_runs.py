"""Elementwise work on many short rows, which repeat in a tile, and launches for other layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, NAMES, empty, launch, layout, narrow, plan, run, to_bfloat16, widen

from facula_storage.extend.plans import unbind

SHORT = [name for name in NAMES if name != "bool"]


def numbered(shape, name):
    """Return an array of different small numbers."""
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 23
    return to_bfloat16(values) if name == "bfloat16" else values.astype(name)


def agrees(got, wanted, name):
    assert np.array_equal(np.asarray(got), np.asarray(narrow(wanted, name)))


@pytest.mark.parametrize("name", SHORT)
@given(rows=st.integers(1, 700), width=st.integers(1, 70), planes=st.integers(1, 3), first=st.booleans())
def test_a_row_broadcast_to_each_row(name, rows, width, planes, first):
    """Check the repeated row on either side, in two dimensions and three."""
    a, row = numbered((planes, rows, width), name), numbered((width,), name)
    got = run("add", row, a) if first else run("add", a, row)
    agrees(got, widen(a) + widen(row), name)


@pytest.mark.parametrize("name", SHORT)
@given(rows=st.integers(1, 700), width=st.integers(1, 70), every=st.sampled_from([1, 2]), first=st.booleans())
def test_an_element_broadcast_within_each_row(name, rows, width, every, first):
    """Check the repeated element on either side, also one of every second row."""
    a, column = numbered((rows, width), name), numbered((rows * every, 1), name)[::every]
    got = run("add", column, a) if first else run("add", a, column)
    agrees(got, widen(a) + widen(column), name)


@given(rows=st.integers(1, 300), width=st.integers(1, 40))
def test_a_row_and_a_column(rows, width):
    mask = np.arange(width) % 3 == 0
    a, column = numbered((rows, width), "float32"), -numbered((rows, 1), "float32")
    assert np.array_equal(run("where", mask, column, a), np.where(mask, column, a))


@given(rows=st.integers(1, 300), width=st.integers(1, 40))
def test_two_broadcast_rows(rows, width):
    """Check a condition and a value that are the same in each row."""
    mask = np.arange(width) % 3 == 0
    a, row = numbered((rows, width), "float32"), -numbered((width,), "float32")
    assert np.array_equal(run("where", mask, row, a), np.where(mask, row, a))


def test_rows_that_are_not_adjacent():
    """Check every second row, every second column and a transposed array, which use the general path."""
    a, row = numbered((400, 8), "float32"), numbered((8,), "float32")
    assert np.array_equal(run("mul", a[::2], row), a[::2] * row)
    assert np.array_equal(run("mul", a[:, ::2], row[::2]), a[:, ::2] * row[::2])
    assert np.array_equal(run("mul", a.T, numbered((400,), "float32")), a.T * numbered((400,), "float32"))
    out = empty((400, 16), "float32")[:, :8]
    assert np.array_equal(launch("mul", [a, row], out), a * row)


def test_no_rows():
    assert run("add", empty((0, 4), "float32"), numbered((4,), "float32")).shape == (0, 4)
    assert run("add", empty((3, 0), "float32"), empty((0,), "float32")).shape == (3, 0)


def test_large_work_is_split_among_threads():
    a, row = numbered((200_000, 10), "float32"), numbered((10,), "float32")
    assert np.array_equal(run("add", a, row), a + row)


STRIDED = [
    lambda a: a, lambda a: a[::2], lambda a: a[..., ::3], lambda a: a[:1], lambda a: a[..., :1], lambda a: a.T,
    lambda a: a[:0], lambda a: a.reshape(-1), lambda a: a.reshape(2, -1, 2).transpose(2, 0, 1),
    lambda a: a[0, :1].reshape(()), lambda a: np.broadcast_to(a[:1], a.shape, subok=True),
]  # fmt: skip


@pytest.mark.parametrize("name", SHORT)
@given(data=st.data())
def test_a_plan_returns_launches_for_other_layouts(name, data):
    """Check rows, columns, strides, more and fewer dimensions, and empty arrays, for a plan made for one layout."""
    first = numbered((2, 3), name)
    made = plan("mul", (first, first[0]), empty((2, 3), name))
    rows, width = data.draw(st.integers(1, 40)) * 4, data.draw(st.integers(1, 90))
    a, b = (data.draw(st.sampled_from(STRIDED))(numbered((rows, width), name)) for _ in range(2))
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        for shape in (a.shape, b.shape):
            assert made.for_layouts(layout(empty(shape, name)), layout(a), layout(b)) is None
        return
    out = empty(shape, name)
    if data.draw(st.booleans()) and out.ndim > 1:
        out = np.swapaxes(np.swapaxes(out, 0, 1).copy(), 0, 1)
    launch = made.for_layouts(layout(out), layout(a), layout(b))
    launch(out.size, a.ctypes.data, b.ctypes.data, out.ctypes.data)
    agrees(out, widen(a) * widen(b), name)


def test_launches_for_other_layouts_take_scalars():
    a, wide = numbered((2, 3), "float32"), numbered((70, 8), "float32")[:, ::2]
    for made in (
        plan("sub", (a, 2.5), a),
        BACKEND.plan("sub", (layout(a[:, :2]), float), (layout(a[:, :2].copy()),), ()),
    ):
        out = empty((70, 4), "float32")
        made.for_layouts(layout(out), layout(wide))(out.size, wide.ctypes.data, out.ctypes.data, 2.5)
        assert np.array_equal(out, wide - np.float32(2.5))


def test_large_work_of_other_layouts_is_split_among_threads():
    row = numbered((10,), "float32")
    made = plan("add", (numbered((5, 3), "float32"), row[:3]), empty((5, 3), "float32"))
    for a in (numbered((200_000, 10), "float32"), numbered((200_000, 20), "float32")[:, ::2]):
        out = empty(a.shape, "float32")
        made.for_layouts(layout(out), layout(a), layout(row))(out.size, a.ctypes.data, row.ctypes.data, out.ctypes.data)
        assert np.array_equal(out, a + row)


def test_an_input_larger_than_the_output_has_no_launch():
    a, row = numbered((5, 3), "float32"), numbered((3,), "float32")
    made = plan("add", (a, row), empty((5, 3), "float32"))
    assert made.for_layouts(layout(row), layout(a), layout(row)) is None
    assert made.for_layouts(layout(a[:1]), layout(a), layout(row)) is None
    assert made.for_layouts(layout(a[:, :1].copy()), layout(a), layout(row)) is None


def test_copies_of_other_layouts_have_their_kernels():
    """Check that a plan of a contiguous source uses tiles for one that is not."""
    a = numbered((64, 96), "float32")
    for dtype in ("float32", "float64"):
        made = plan("copy", (a,), empty((64, 96), dtype))
        assert made.for_layouts(layout(empty((64, 96), dtype)), layout(a)) is not None
        turned = plan("copy", (a.reshape(96, 64).T,), empty((64, 96), dtype))
        found = made.for_layouts(layout(empty((64, 96), dtype)), layout(a.reshape(96, 64).T))
        assert unbind(found)[0] == unbind(turned.launch)[0] != unbind(made.launch)[0]
