"""Bools from other programs' memory whose bytes are neither 0 nor 1: every kernel treats them as true."""

import numpy as np
import pytest
from kernel_helpers import NAMES, empty, run

ODD = np.array([0, 2, 1, 255, 128, 0, 4, 3] * 40, np.uint8).view(bool)
PLAIN = ODD.view(np.uint8).astype(bool)
OTHER = np.array([2, 2, 4, 0, 1, 0, 0, 128] * 40, np.uint8).view(bool)


def agree(operator, *operands, **options):
    """Check that the result is that for bytes of 0 and 1, and that a bool result contains only these."""
    plain = [one.view(np.uint8).astype(bool) if one.dtype == bool else one for one in operands]
    for step in (1, 3):
        got = run(operator, *[one[::step] for one in operands], **options)
        wanted = run(operator, *[one[::step] for one in plain], **options)
        assert got.tobytes() == wanted.tobytes()
        if got.dtype == bool:
            assert got.view(np.uint8).max(initial=0) <= 1


def test_the_operands_contain_other_bytes():
    assert ODD.view(np.uint8).max() == 255
    assert PLAIN.view(np.uint8).max() == 1


@pytest.mark.parametrize("operator", ["add", "mul", "maximum", "minimum", "pow"])
def test_binary(operator):
    agree(operator, ODD, OTHER)


@pytest.mark.parametrize("operator", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bitwise(operator):
    agree(operator, ODD, OTHER)


@pytest.mark.parametrize("operator", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(operator):
    agree(operator, ODD, OTHER, to="bool")


@pytest.mark.parametrize("operator", ["sign", "bitwise_not"])
def test_unary(operator):
    agree(operator, ODD)


@pytest.mark.parametrize("target", [name for name in NAMES if name != "bool"])
def test_casts(target):
    agree("copy", ODD, to=target)


@pytest.mark.parametrize("target", ["int32", "float32"])
def test_where(target):
    values = np.arange(ODD.size).astype(target)
    agree("where", ODD, values, -values)


def test_reductions_and_products():
    from kernel_helpers import launch

    for operator, target in [("sum", "int64"), ("prod", "int64"), ("amax", "bool"), ("amin", "bool"), ("any", "bool"),
                             ("all", "bool")]:  # fmt: skip
        results = [launch(operator, [one], empty((), target), ((0,), False)) for one in (ODD, PLAIN)]
        assert results[0] == results[1], operator
    for operator in ("argmax", "argmin"):
        indices = [launch(operator, [one], empty((), "int64"), (None, False)) for one in (ODD, PLAIN)]
        assert indices[0] == indices[1], operator
    square = ODD[:256].reshape(16, 16), OTHER[:256].reshape(16, 16)
    truth = [one.view(np.uint8).astype(bool) for one in square]
    assert (launch("matmul", list(square), empty((16, 16), "bool")) == (truth[0] @ truth[1])).all()
