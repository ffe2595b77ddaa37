"""Floor and truncating division, remainders, bitwise operators and shifts, against Python's integers."""

import math

import numpy as np
import pytest
from kernel_helpers import INTEGERS, compute, run, widen

from facula_storage import LaunchError
from facula_storage.extend import STATUS_DIVISOR

INF, NAN = math.inf, math.nan


def toward_zero(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


QUOTIENTS = {
    "floor_divide": lambda x, y: x // y,
    "trunc_divide": toward_zero,
    "remainder": lambda x, y: x % y,
    "fmod": lambda x, y: x - y * toward_zero(x, y),
}
BITWISE = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


def pairs(name):
    """Return all pairs of small numbers and of both ends of the range."""
    ends = np.iinfo(name)
    some = [*range(-8, 9), 100, ends.min, ends.min + 1, ends.max - 1, ends.max]
    some = [one for one in some if ends.min <= one <= ends.max]
    x, y = np.meshgrid(np.array(some, name), np.array(some, name))
    return x.ravel(), y.ravel()


def wrapped(numbers, name):
    """Reduce Python integers to the dtype's low bits."""
    bits = np.dtype(name).itemsize * 8
    return np.array([one % (1 << bits) for one in numbers], np.uint64).astype(f"uint{bits}").view(name)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("operator", QUOTIENTS)
def test_integer_division_and_remainders(operator, name):
    x, y = pairs(name)
    x, y = x[y != 0], y[y != 0]
    wanted = wrapped([QUOTIENTS[operator](int(a), int(b)) for a, b in zip(x, y, strict=True)], name)
    np.testing.assert_array_equal(run(operator, x, y), wanted)
    for divisor in (-1, 3):
        if divisor > 0 or name != "uint8":
            np.testing.assert_array_equal(run(operator, x, divisor), run(operator, x, np.full_like(x, divisor)))


def refused(operator, x, y):
    with pytest.raises(LaunchError) as caught:
        run(operator, x, y)
    assert caught.value.args[0] == STATUS_DIVISOR


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("operator", QUOTIENTS)
def test_zero_divisors_are_refused(operator, name):
    """Check every position of the zero, and any strides and broadcasting of the divisor."""
    x = np.ones((3, 4, 5), name)
    for place in ((0, 0, 0), (1, 2, 3), (2, 3, 4)):
        y = np.ones((3, 4, 5), name)
        y[place] = 0
        for a, b in (
            (x, y),
            (x.T, y.T.copy()),
            (x[:, ::2], y[:, place[1] % 2 :: 2]),
            (x, y.transpose(0, 2, 1).copy().transpose(0, 2, 1)),
        ):
            refused(operator, a, b)
        refused(operator, x, y[place[0], :, place[2]][:, None])
        refused(operator, x, y[:, :, place[2], None][:, :1] if not place[1] else y[:, place[1], None])
    refused(operator, x, 0)
    refused(operator, x, np.zeros((), name))
    assert run(operator, x[:0], 0).size == 0
    assert run(operator, x[:0], np.zeros((1, 1, 5), name)).size == 0


def test_a_zero_divisor_leaves_the_output_unchanged():
    x = np.arange(200_000)
    before, y = x.copy(), np.ones_like(x)
    y[-1] = 0
    with pytest.raises(LaunchError):
        compute("floor_divide", (x, y), (x,))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", INTEGERS)
def test_bitwise(name):
    x, y = pairs(name)
    for operator, reference in BITWISE.items():
        np.testing.assert_array_equal(run(operator, x, y), reference(x, y))
    np.testing.assert_array_equal(run("bitwise_not", x), ~x)


@pytest.mark.parametrize("name", INTEGERS)
def test_shifts(name):
    x, y = pairs(name)
    bits = np.dtype(name).itemsize * 8
    left = [int(a) << int(b) if 0 <= b < bits else 0 for a, b in zip(x, y, strict=True)]
    right = [int(a) >> (int(b) if 0 <= b < bits else bits) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(run("bitwise_left_shift", x, y), wrapped(left, name))
    np.testing.assert_array_equal(run("bitwise_right_shift", x, y), wrapped(right, name))


@pytest.mark.parametrize("name", ["float32", "float64", "float16"])
@pytest.mark.parametrize("operator", ["floor_divide", "remainder", "fmod"])
def test_floating_division_and_remainders(operator, name):
    """Compare with NumPy, also for divisors of 0 and infinity."""
    some = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 0.7, 3.0, -7.5, 1000.25, 60000.0, INF, -INF, NAN]
    x, y = (one.ravel() for one in np.meshgrid(np.array(some, name), np.array(some, name)))
    with np.errstate(all="ignore"):
        wanted = getattr(np, operator)(widen(x), widen(y)).astype(name)
        got = run(operator, x, y)
    finite = np.isfinite(y) & (y != 0)
    np.testing.assert_array_equal(got[finite], wanted[finite])
    np.testing.assert_array_equal(got[~finite & np.isfinite(wanted)], wanted[~finite & np.isfinite(wanted)])


def test_floor_division_when_the_quotient_rounds_up():
    """Check that 1 // 0.1 is 9 although 1 / 0.1 rounds to 10."""
    assert run("floor_divide", np.array([1.0]), np.array([0.1])).tolist() == [9.0]
    assert run("trunc_divide", np.array([-7.0, 7.0]), np.array([2.0, 2.0])).tolist() == [-3.0, 3.0]
