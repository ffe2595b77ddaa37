"""Every row of rows.py, through every check of harness.py."""

import harness
import pytest
from rows import ROWS

import facula_tensor as ft


def cases(*, dtypes=None, **conditions):
    """Rows for which the conditions hold, with each dtype that `dtypes(row)` gives."""
    found = []
    for row in ROWS:
        if all(bool(getattr(row, name)) == wanted for name, wanted in conditions.items()):
            found += [pytest.param(row, dtype, id=f"{row}-{dtype}") for dtype in (dtypes(row) if dtypes else row.dtypes)]
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


@pytest.mark.parametrize(("row", "dtype"), cases(rejects=True, dtypes=lambda row: [d for d in harness.ALL if d not in row.dtypes]))
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


@pytest.mark.parametrize("row", [row for row in ROWS if row.gradient], ids=str)
def test_half_precision_gradients_have_the_operands_dtype(row):
    for dtype in ("float16", "bfloat16", "float32"):
        tensors = [harness.make(one, dtype).requires_grad_() for one in harness.operands(row, dtype, "contiguous")]
        result = harness.call(row, tensors)
        ft.sum(result).backward()
        assert [one.grad.dtype for one in tensors] == [harness.DTYPES[dtype]] * len(tensors)
        assert [tuple(one.grad.shape) for one in tensors] == [tuple(one.shape) for one in tensors]
