"""Every row of rows.py, through every check of harness.py."""

import harness
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import ROWS

import facula_tensor as ft


def cases(*, dtypes=None, **conditions):
    """Rows for which the conditions hold, with each dtype that `dtypes(row)` gives."""
    found = []
    for row in ROWS:
        if all(bool(getattr(row, name)) == wanted for name, wanted in conditions.items()):
            found += [
                pytest.param(row, dtype, id=f"{row}-{dtype}") for dtype in (dtypes(row) if dtypes else row.dtypes)
            ]
    return found


@pytest.mark.parametrize(("row", "dtype"), cases())
def test_forward(row, dtype):
    harness.check_forward(row, dtype)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_devices(row, device):
    if device == "meta" and not row.meta:
        pytest.skip("the shape of the result depends on the elements")
    harness.check_forward(row, row.dtypes[-1], device)
    if row.elementwise and row.arity > 1:
        harness.check_broadcast(row, row.dtypes[-1], device)


@pytest.mark.parametrize(
    ("row", "dtype"), cases(rejects=True, dtypes=lambda row: [d for d in harness.ALL if d not in row.dtypes])
)
def test_other_dtypes_are_refused(row, dtype):
    harness.check_rejected(row, dtype)


@pytest.mark.parametrize(("row", "dtype"), [one for one in cases(elementwise=True) if one.values[0].arity > 1])
def test_broadcasting(row, dtype):
    harness.check_broadcast(row, dtype)


@pytest.mark.parametrize("row", [row for row in ROWS if row.elementwise and row.arity == 2], ids=str)
@pytest.mark.parametrize("second", harness.ALL)
def test_promotion(row, second):
    for first in harness.ALL:
        harness.check_promotion(row, first, second)


@pytest.mark.parametrize(("row", "dtype"), cases(inplace=True))
def test_inplace(row, dtype):
    harness.check_inplace(row, dtype)


@pytest.mark.parametrize(("row", "dtype"), cases(out=True))
def test_out(row, dtype):
    harness.check_out(row, dtype)


@pytest.mark.parametrize(("row", "dtype"), cases(gradient=True, dtypes=lambda row: row.gradient))
def test_gradient(row, dtype):
    harness.check_gradient(row, dtype)


@pytest.mark.parametrize(("row", "dtype"), cases(gradient=True, second=True, dtypes=lambda row: row.gradient))
def test_second_gradient(row, dtype):
    harness.check_gradient(row, dtype, second=True)


@pytest.mark.parametrize(("row", "dtype"), cases(gradient=True, inplace=True, dtypes=lambda row: row.gradient))
def test_inplace_gradient(row, dtype):
    harness.check_inplace_gradient(row, dtype)


@pytest.mark.parametrize(
    ("row", "dtype"), cases(gradient=True, inplace=True, second=True, dtypes=lambda row: row.gradient)
)
def test_second_inplace_gradient(row, dtype):
    harness.check_inplace_gradient(row, dtype, second=True)


@pytest.mark.parametrize("row", [row for row in ROWS if row.gradient], ids=str)
def test_half_precision_gradients_have_the_operands_dtype(row):
    for dtype in [one for one in ("float16", "bfloat16", "float32") if one in row.dtypes]:
        tensors = [harness.make(one, dtype).requires_grad_() for one in harness.operands(row, dtype, "contiguous")]
        result = harness.call(row, tensors)
        ft.sum(ft.view_as_real(result) if result.is_complex() else result).backward()
        assert [one.grad.dtype for one in tensors] == [harness.DTYPES[dtype]] * len(tensors)
        assert [tuple(one.grad.shape) for one in tensors] == [tuple(one.shape) for one in tensors]


@st.composite
def arrays(draw, row, dtype, shape):
    """Elements of a random layout: some dimensions permuted, sliced with a step, or expanded."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.integers(1, 3)) for _ in shape]
    repeated = [draw(st.booleans()) and draw(st.booleans()) for _ in shape]
    wide = [1 if repeated[i] else shape[i] * steps[i] + draw(st.integers(0, 1)) for i in order]
    base = harness.draw(rng, tuple(wide), dtype, row)
    tensor, values = harness.make(base, dtype), base
    back = [order.index(i) for i in range(len(shape))]
    tensor, values = tensor.permute(back) if shape else tensor, values.transpose(back)
    index = tuple(
        slice(None) if one else slice(0, size * step, step)
        for one, size, step in zip(repeated, shape, steps, strict=True)
    )
    return tensor[index].expand(shape), np.broadcast_to(values[index], shape)


@pytest.mark.parametrize("row", [row for row in ROWS if row.elementwise], ids=str)
@given(data=st.data())
def test_random_operands(row, data):
    dtype = data.draw(st.sampled_from(row.dtypes))
    shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=4)))
    pairs = []
    for _ in range(row.arity):
        mine = tuple(
            1 if size > 1 and data.draw(st.booleans()) else size
            for size in shape[data.draw(st.integers(0, len(shape))) :]
        )
        pairs.append(data.draw(arrays(row, dtype, mine)))
    got = harness.call(row, [tensor for tensor, _ in pairs])
    harness.compare(row, got, harness.reference(row, [values for _, values in pairs], dtype), dtype, f"random {shape}")
