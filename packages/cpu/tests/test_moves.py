"""Moves and pooling for layouts and parameters other than those that a plan was made for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import empty, layout, plan

from facula_storage.extend.plans import unbind

NAMES = ["bool", "int8", "bfloat16", "float32", "int64", "complex128"]
VIEWS = [
    lambda a: a, lambda a: a[::2], lambda a: a[..., ::3], lambda a: a[:1], lambda a: a.T, lambda a: a[:0],
    lambda a: a.reshape(-1), lambda a: a.reshape(2, -1, 2).transpose(2, 0, 1), lambda a: a[0, :1].reshape(()),
    lambda a: np.broadcast_to(a[:1], a.shape, subok=True),
]  # fmt: skip


def numbered(shape, name):
    """Return an array of different bytes."""
    made = empty(shape, name)
    raw = made.reshape(-1).view(np.uint8)
    raw[:] = np.arange(raw.size) % (2 if name == "bool" else 251)
    return made


def flipped(data, a):
    dims = tuple(data.draw(st.sets(st.integers(0, a.ndim - 1)))) if a.ndim else ()
    return a.shape, (dims,), np.flip(a, dims)


def rolled(data, a):
    dims = tuple(data.draw(st.sets(st.integers(0, a.ndim - 1)))) if a.ndim else ()
    shifts = tuple([data.draw(st.integers(0, max(a.shape[dim] - 1, 0))) for dim in dims])
    return a.shape, (shifts, dims), np.roll(a, shifts, dims) if dims else a


def tiled(data, a):
    outer, inner = ([data.draw(st.integers(0, 3)) for _ in a.shape] for _ in range(2))
    expected = a
    for dim, count in enumerate(inner):
        expected = np.repeat(expected, count, dim)
    expected = np.tile(expected, outer) if outer else expected
    return expected.shape, (tuple(outer), tuple(inner)), expected


def inset(data, a):
    margins = [(data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))) for _ in a.shape]
    value = a.dtype.type(1) if a.dtype != np.uint16 else 0x3F80
    expected = np.pad(a, margins, constant_values=value) if margins else a
    strides = np.empty(expected.shape, np.int8).strides
    offset = sum(before * step for (before, _), step in zip(margins, strides, strict=True))
    return expected.shape, (expected.shape, strides, offset, (), 1), expected


MOVES = {"copy": lambda data, a: (a.shape, (), a), "flip": flipped, "roll": rolled, "tile": tiled, "inset": inset}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operator", [*MOVES])
@given(data=st.data())
def test_launches_for_other_layouts_and_parameters(operator, name, data):
    """Check more and fewer dimensions, strides, and empty arrays, one after the other, for a plan of one layout."""
    first = numbered((2, 3), name)
    shape, parameters, _ = MOVES[operator](data, first)
    made = plan(operator, (first,), empty(shape, name), parameters)
    for _ in range(3):
        rows, width = data.draw(st.integers(1, 40)) * 4, data.draw(st.integers(1, 90))
        a = data.draw(st.sampled_from(VIEWS))(numbered((rows, width), name))
        shape, parameters, expected = MOVES[operator](data, a)
        out = empty(shape, name)
        launch = made.for_layouts(layout(out), layout(a), *parameters[:3] if operator == "inset" else parameters)
        launch(out.size, a.ctypes.data, out.ctypes.data)
        assert out.tobytes() == np.ascontiguousarray(expected).tobytes()


@given(rows=st.integers(1, 30), width=st.integers(1, 30), size=st.integers(1, 4), name=st.sampled_from(NAMES))
def test_windows_of_other_layouts(rows, width, size, name):
    made = plan("windows", (numbered((4,), name),), empty((3, 2), name), ((3, 2), (1, 1), 0, (1,)))
    a = numbered((rows, width + size), name)
    size_and_strides = (rows, width, size), (width + size, 1, 1)
    out = empty(size_and_strides[0], name)
    made.for_layouts(layout(out), layout(a), *size_and_strides, 1)(out.size, a.ctypes.data, out.ctypes.data)
    expected = np.lib.stride_tricks.sliding_window_view(a, size, 1)[:, 1:]
    assert np.array_equal(np.asarray(out), np.asarray(expected))


def test_parameters_that_do_not_fit_have_no_launch():
    a = numbered((2, 3), "float32")
    made = {operator: plan(operator, (a,), a, given) for operator, given in
            {"flip": ((0,),), "roll": ((1,), (0,)), "tile": ((1, 1), (1, 1))}.items()}  # fmt: skip
    assert made["flip"].for_layouts(layout(a), layout(a)) is None
    assert made["flip"].for_layouts(layout(a[0]), layout(a), (0,)) is None
    assert made["roll"].for_layouts(layout(a), layout(a), (1, 1), (0,)) is None
    assert made["tile"].for_layouts(layout(a), layout(a), (1,), (1, 1)) is None


POOLED = {
    "max_pool2d_values": [((3, 2), (2, 1), (1, 1), (1, 2)), ((2, 2), (2, 2), (0, 0), (1, 1)), None],
    "avg_pool2d": [((3, 2), (2, 1), (1, 1), True, None), ((2, 2), (2, 2), (0, 0), False, 3), None],
    "avg_pool2d_grad": [((3, 2), (2, 1), (1, 1), False, None), None],
    "max_pool2d_grad": [((3, 2), (2, 1), (1, 1), (1, 2)), None],
    "max_pool2d_pick": [None],
}


@pytest.mark.parametrize("operator", [*POOLED])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_pooling_of_other_layouts_has_the_plan_of_a_new_one(operator, name):
    def arrays(height, width, geometry, planes):
        if geometry is None:
            out = (max(1, height // 2), max(1, width // 3))
        else:
            gaps = geometry[3] if operator.startswith("max") else (1, 1)
            out = [(n + 2 * p - g * (k - 1) - 1) // s + 1
                   for n, k, s, p, g in zip((height, width), *geometry[:3], gaps, strict=True)]  # fmt: skip
        small, large = empty((*planes, *out), name), empty((*planes, height, width), name)
        index = np.zeros(small.shape, np.int64)
        if operator == "max_pool2d_grad":
            return (small, index), large
        if operator == "max_pool2d_pick":
            return (large, index), small
        return ((small,), large) if operator.endswith("grad") else ((large,), small)

    for geometry in POOLED[operator]:
        inputs, out = arrays(6, 7, geometry, (2,))
        made = plan(operator, inputs, out, (geometry, out.shape[-2:]))
        for height, width, planes in (
            (6, 7, ()),
            (9, 30, (3, 1)),
            (40, 41, (0,)),
            (200, 100, (30,)),
            (5, 6, (1, 1, 2)),
        ):
            inputs, out = arrays(height, width, geometry, planes)
            size = out.shape[-2:]
            launch = made.for_layouts(layout(out), *[layout(a) for a in inputs], size)
            fresh = plan(operator, inputs, out, (geometry, size)).launch
            assert struct_of(launch, inputs, out) == struct_of(fresh, inputs, out)


def struct_of(launch, inputs, out):
    """Return the numbers of a pooling plan: those of its header and its windows."""
    from facula_cpu._kernels import ffi

    found = ffi.cast("struct facula_pooling *", unbind(launch)[1])
    count = 3 * (found.out_height + found.out_width)
    return [*ffi.unpack(ffi.cast("int64_t *", found), ffi.sizeof("struct facula_pooling") // 8 + count)]
