"""`// % divmod & | ^ ~ << >>` and their errors; `-` and `**` for unsupported operands."""

import pytest

import facula_tensor as ft
from facula_errors.testing import raises

WHOLE = ft.tensor([7, -7, 1])
MASK = ft.tensor([True, False, True])


def test_quotients_and_remainders():
    assert (WHOLE // 2).tolist() == [3, -4, 0]
    assert (WHOLE % 3).tolist() == [1, 2, 1]
    assert (20 // WHOLE).tolist() == [2, -3, 20]
    assert (20 % WHOLE).tolist() == [6, -1, 0]
    assert [result.tolist() for result in divmod(WHOLE, 3)] == [[2, -3, 0], [1, 2, 1]]
    assert [result.tolist() for result in divmod(20, WHOLE)] == [[2, -3, 20], [6, -1, 0]]
    assert (WHOLE // 2.0).dtype is ft.float32
    assert (MASK // 2).dtype is ft.int64
    x = WHOLE.clone()
    x //= 2
    x %= 3
    assert x.tolist() == [0, 2, 0]


def test_rounding_modes():
    assert ft.div(WHOLE, 2, rounding_mode="trunc").tolist() == [3, -3, 0]
    assert ft.div(WHOLE, 2, rounding_mode="floor").tolist() == [3, -4, 0]
    assert ft.div(WHOLE, 2).tolist() == [3.5, -3.5, 0.5]
    assert WHOLE.clone().div_(2, rounding_mode="trunc").tolist() == [3, -3, 0]
    assert WHOLE.clone().divide_(2, rounding_mode="floor").tolist() == [3, -4, 0]
    out = ft.empty(3)
    assert ft.div(WHOLE, 2, rounding_mode="floor", out=out) is out
    with raises(ValueError, "div", "rounding_mode"):
        ft.div(WHOLE, 2, rounding_mode="up")


@pytest.mark.parametrize("divisor", [0, False, ft.tensor([1, 0, 1]), ft.tensor(0)])
def test_integers_are_not_divided_by_zero(divisor):
    before = WHOLE.tolist()
    for divide in (ft.floor_divide, ft.remainder, ft.fmod):
        with raises(ZeroDivisionError, divide.__name__, "divided by zero"):
            divide(WHOLE, divisor)
    with raises(RuntimeError, "floor_divide_", "zero"):  # as in PyTorch
        WHOLE.floor_divide_(divisor)
    with pytest.raises(ZeroDivisionError):
        ft.div(WHOLE, divisor, rounding_mode="trunc")
    assert WHOLE.tolist() == before
    assert (WHOLE.float() // divisor).isinf().any()


def test_each_call_checks_for_zeros():
    """A cached plan must not skip the check for the values of another call."""
    ones, zeros = ft.ones(3, dtype=ft.int64), ft.zeros(3, dtype=ft.int64)
    for _ in range(3):
        assert (WHOLE // ones).tolist() == WHOLE.tolist()
        with pytest.raises(ZeroDivisionError):
            WHOLE // zeros
        assert (WHOLE**2).tolist() == [49, 49, 1]
        with raises(ValueError, "pow", "-1"):
            WHOLE**-1


def test_the_gradients_of_remainders():
    x = ft.tensor([7.5, -7.5], requires_grad=True)
    y = ft.tensor([2.0, 2.0], requires_grad=True)
    (x % y).sum().backward()
    assert x.grad.tolist() == [1, 1]
    assert y.grad.tolist() == [-3, 4]
    z = ft.tensor([7.5, -7.5], requires_grad=True)
    (z // 2).sum().backward()
    assert z.grad.tolist() == [0, 0]


def test_bits():
    assert (WHOLE & 3).tolist() == [3, 1, 1]
    assert (3 & WHOLE).tolist() == [3, 1, 1]
    assert (WHOLE | MASK).tolist() == [7, -7, 1]
    assert (WHOLE ^ -1).tolist() == (~WHOLE).tolist() == [-8, 6, -2]
    assert (WHOLE << 1).tolist() == [14, -14, 2]
    assert (1 << ft.tensor([0, 3, 64])).tolist() == [1, 8, 0]
    assert (WHOLE >> 1).tolist() == [3, -4, 0]
    assert (WHOLE >> 100).tolist() == [0, -1, 0]
    assert (MASK & True).dtype is ft.bool
    assert (MASK & 1).dtype is ft.int64
    assert (MASK & ~MASK).tolist() == [False] * 3
    assert (MASK ^ MASK).tolist() == [False] * 3
    x = WHOLE.clone()
    x &= 6
    x |= 8
    x ^= 1
    x <<= 2
    x >>= 1
    assert x.tolist() == [((((number & 6) | 8) ^ 1) << 2) >> 1 for number in WHOLE.tolist()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ft.ones(2) & 1, "bitwise_and: float32"),
        (lambda: WHOLE | 1.5, "bitwise_or: float32"),
        (lambda: ~ft.ones(2), "bitwise_not: float32"),
        (lambda: MASK << MASK, "bitwise_left_shift: bool"),
        (lambda: MASK // MASK, "floor_divide: bool"),
        (lambda: MASK - MASK, "sub: bool"),
        (lambda: MASK - 2, "sub: bool"),
        (lambda: 2 - MASK, "sub: bool"),
        (lambda: WHOLE - MASK, "sub: bool"),
        (lambda: WHOLE - True, "sub: bool"),
        (lambda: WHOLE.clone().sub_(True), "sub_: bool"),
        (lambda: MASK**-1, "pow"),
        (lambda: WHOLE**-2, "pow: int64"),
        (lambda: WHOLE.clone().pow_(-2), "pow_: int64"),
        (lambda: WHOLE // "a", "floor_divide: str"),
    ],
)
def test_errors(call, message):
    with raises((TypeError, RuntimeError), message):
        call()


def test_supported_powers():
    assert (2 ** ft.tensor([3, -1])).tolist() == [8, 0]
    assert (WHOLE.float() ** -1).tolist()[2] == 1
    assert (WHOLE**-1.0).dtype is ft.float32


@pytest.mark.parametrize("rows", [3, 7, 2, 50])
def test_zeros_are_found_in_any_number_of_rows(rows):
    """Operands of different layouts, whose plans do not depend on the number of rows."""
    x = ft.arange(rows * 4).view(rows, 4)
    for divisor in (ft.ones(4, rows, dtype=ft.int64).t(), ft.ones(rows, 1, dtype=ft.int64), ft.ones(4, dtype=ft.int64)):
        assert (x // divisor).tolist() == x.tolist()
        divisor[-1] = 0
        with pytest.raises(ZeroDivisionError):
            x // divisor


def test_bits_of_an_unsigned_dtype_and_any_number():
    """Only the bits within the dtype count, as for Python integers."""
    values = [0, 5, 200, 255]
    x = ft.tensor(values, dtype=ft.uint8)
    for number in (-1, -32, 300, -1000, 2**40 + 7, 3):
        expected = [value & number for value in values]
        assert (x & number).tolist() == (number & x).tolist() == expected
        changed = x.clone()
        changed &= number
        assert changed.tolist() == ft.bitwise_and(x, number, out=ft.empty_like(x)).tolist() == expected
    with raises(OverflowError, "bitwise_or", "-32 does not fit uint8"):
        x | -32
    with raises(OverflowError, "bitwise_and", "300 does not fit int8"):
        x.to(ft.int8) & 300
