"""Elementwise work on many short rows: those that repeat lie in a tile, and a plan may fit any number of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from launching import BACKEND, NAMES, empty, launch, layout, narrow, plan, run, to_bfloat16, widen

SHORT = [name for name in NAMES if name != "bool"]


def numbered(shape, name):
    """Small different numbers."""
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 23
    return to_bfloat16(values) if name == "bfloat16" else values.astype(name)


def agrees(got, wanted, name):
    assert np.array_equal(np.asarray(got), np.asarray(narrow(wanted, name)))


@pytest.mark.parametrize("name", SHORT)
@given(rows=st.integers(1, 700), width=st.integers(1, 70), planes=st.integers(1, 3), first=st.booleans())
def test_a_row_added_to_each(name, rows, width, planes, first):
    """The repeated row on either side, under two dimensions and three."""
    a, row = numbered((planes, rows, width), name), numbered((width,), name)
    got = run("add", row, a) if first else run("add", a, row)
    agrees(got, widen(a) + widen(row), name)


@given(rows=st.integers(1, 300), width=st.integers(1, 40))
def test_two_rows_repeat(rows, width):
    """A condition and a value that are the same in each row."""
    mask = np.arange(width) % 3 == 0
    a, row = numbered((rows, width), "float32"), -numbered((width,), "float32")
    assert np.array_equal(run("where", mask, row, a), np.where(mask, row, a))


def test_rows_that_do_not_lie_side_by_side():
    """Every second row, every second column, a transposed array: the plain way."""
    a, row = numbered((400, 8), "float32"), numbered((8,), "float32")
    assert np.array_equal(run("mul", a[::2], row), a[::2] * row)
    assert np.array_equal(run("mul", a[:, ::2], row[::2]), a[:, ::2] * row[::2])
    assert np.array_equal(run("mul", a.T, numbered((400,), "float32")), a.T * numbered((400,), "float32"))
    out = empty((400, 16), "float32")[:, :8]
    assert np.array_equal(launch("mul", [a, row], out), a * row)


def test_no_rows():
    assert run("add", empty((0, 4), "float32"), numbered((4,), "float32")).shape == (0, 4)
    assert run("add", empty((3, 0), "float32"), empty((0,), "float32")).shape == (3, 0)


def test_large_work_is_shared():
    a, row = numbered((200_000, 10), "float32"), numbered((10,), "float32")
    assert np.array_equal(run("add", a, row), a + row)


@pytest.mark.parametrize(
    ("shapes", "strided"),
    [(((5, 3), (3,)), False), (((5, 3), (1, 3)), False), (((5, 1), (3,)), False), (((5, 2, 3), (2, 1)), False),
     (((5, 4), (5, 1)), False), (((5, 3), (5, 3)), True)],
)  # fmt: skip
def test_a_plan_for_any_rows(shapes, strided):
    """A plan made for five rows is right for any number of them."""
    first, second = (numbered(shape, "float32") for shape in shapes)
    if strided:
        first = numbered((5, 6), "float32")[:, ::2]
    made = plan("sub", (first, second), empty(np.broadcast_shapes(*shapes), "float32"))
    assert made.any_rows and not made.any_size
    for rows in (1, 2, 4, 900):
        longer = [
            numbered((rows, 6), "float32")[:, ::2] if strided and i == 0
            else numbered((rows, *shape[1:]), "float32") if len(shape) == made.out.ndim and shape[0] == 5
            else numbered(shape, "float32")
            for i, shape in enumerate(shapes)
        ]  # fmt: skip
        wanted = longer[0] - longer[1]
        out = np.empty_like(wanted)
        made.launch(out.size, *[one.ctypes.data for one in longer], out.ctypes.data)
        assert np.array_equal(out, wanted)


def test_which_plans_fit_any_rows():
    """Not those that fit any size anyway, nor those whose output has gaps or too few rows to tell."""
    a, row = numbered((5, 3), "float32"), numbered((3,), "float32")
    assert not plan("add", (a, a), empty((5, 3), "float32")).any_rows
    assert not plan("add", (a[:1], row), empty((1, 3), "float32")).any_rows
    assert not plan("add", (a, row), empty((5, 6), "float32")[:, ::2]).any_rows
    assert BACKEND.plan("add", (layout(a), float), (layout(a),), ()).any_size
