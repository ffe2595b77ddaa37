"""Parts of an export without the onnx package: views as nodes, and formulas for dynamic sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_jit.onnx._nodes import Builder
from facula_jit.onnx._size_formulas import factors_of
from facula_jit.onnx._strided import strided

LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def transposed(x, perm):
    return x.transpose(perm)


def sliced(x, starts, stops, axes, steps):
    for start, stop, axis, step in zip(starts, stops, axes, steps, strict=True):
        x = x[(*[slice(None)] * axis, slice(start, stop, step))]
    return x


NODES = {
    "Reshape": lambda x, shape, allowzero: x.reshape(shape),
    "Slice": sliced,
    "Transpose": transposed,
    "Expand": lambda x, shape: np.broadcast_to(x, shape),
    "Gather": lambda x, places, axis: x.take(places, axis),
}


def run(b, name, values):
    """Return the results of nodes, computed by NumPy."""
    values |= {known: constant.value for known, constant in b.constants.items()}
    for node in b.nodes:
        values[node.outputs[0]] = NODES[node.op_type](*[values[tensor] for tensor in node.inputs], **node.attributes)
    return values[name]


@st.composite
def views(draw):
    """Draw a shape, and a view of an array with it: shape, strides and offset, with all elements inside."""
    whole = tuple(draw(LENGTHS))
    array = np.arange(np.prod(whole)).reshape(whole)
    view = array
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["slice", "turn", "one", "repeat", "reshape", "diagonal"]))
        axis = draw(st.integers(0, max(view.ndim - 1, 0)))
        if kind == "slice" and view.ndim and view.shape[axis]:
            start = draw(st.integers(0, view.shape[axis] - 1))
            step = draw(st.integers(1, 2))
            view = view[(*[slice(None)] * axis, slice(start, None, step))]
        elif kind == "turn":
            view = view.transpose(draw(st.permutations(range(view.ndim))))
        elif kind == "one" and view.ndim:
            view = view[(*[slice(None)] * axis, draw(st.integers(0, view.shape[axis] - 1)))]
        elif kind == "repeat":
            view = np.broadcast_to(view, (2, *view.shape))
        elif kind == "reshape" and view.flags.c_contiguous:
            view = view.reshape(-1)
        elif kind == "diagonal" and view.ndim > 1:
            view = view.diagonal(0, 0, 1)
    offset = 0 if not view.size else int(view.reshape(-1)[0])
    return array, view, tuple([step // 8 for step in view.strides]), offset


@given(views())
def test_random_views(case):
    array, view, strides, offset = case
    b = Builder(18, ())
    name = strided(b, "x", array.shape, view.shape, strides, offset)
    np.testing.assert_array_equal(run(b, name, {"x": array}), view)
    assert len(b.nodes) <= 6


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "kinds"),
    [
        ((4, 6), (6, 1), 0, []),
        ((6, 4), (1, 6), 0, ["Transpose"]),
        ((4, 3), (6, 1), 3, ["Slice"]),
        ((2, 2, 6), (12, 6, 1), 0, ["Reshape"]),
        ((4,), (7,), 0, ["Reshape", "Gather"]),
        ((5, 4, 6), (0, 6, 1), 0, ["Reshape", "Expand"]),
        ((3, 4), (1, 6), 3, ["Slice", "Transpose"]),
        ((2, 3), (12, 2), 1, ["Slice"]),
    ],
)
def test_common_views_need_few_nodes(shape, strides, offset, kinds):
    b = Builder(18, ())
    strided(b, "x", (4, 6), shape, strides, offset)
    assert [node.op_type for node in b.nodes] == kinds


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5), st.integers(2, 20), st.integers(2, 20))
def test_numbers_that_are_sums_of_products_of_sizes(a, b, c, n, m):
    runs = [(n, m), (n + 1, m), (n, m + 1), (n + 1, m + 1), (n + 2, m + 2)]
    found = factors_of([np.array([a + b * x + c * x * y]) for x, y in runs], runs)
    assert {product: factor.item() for product, factor in found.items()} == {(): a, (0,): b, (1,): 0, (0, 1): c}
    assert factors_of([np.array(x**3 + y) for x, y in runs], runs) is None
