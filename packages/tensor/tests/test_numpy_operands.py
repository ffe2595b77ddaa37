"""NumPy arrays and numbers as operands: on either side, the result is a tensor with its gradient."""

import operator

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises

ARRAY = np.array([1.0, 2.0, 4.0])
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    divmod,
]


def values(result):
    return [output.tolist() for output in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("apply", BINARY, ids=lambda function: function.__name__)
@pytest.mark.parametrize("other", [ARRAY, ARRAY[::-1], np.float32(2), np.float64(3), np.int64(2), np.array(3.0)])
def test_either_side(apply, other):
    tensor = ft.tensor([3.0, 1.0, 2.0])
    array = tensor.numpy().astype(np.result_type(other, np.float32))
    for got, expected in [(apply(tensor, other), apply(array, other)), (apply(other, tensor), apply(other, array))]:
        for result in got if isinstance(got, tuple) else (got,):
            assert type(result) is ft.Tensor
        np.testing.assert_allclose(values(got), values(expected), rtol=1e-6)


@pytest.mark.parametrize("apply", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift])
@pytest.mark.parametrize("other", [np.array([1, 2, 3]), np.int8(2)])
def test_bits_on_either_side(apply, other):
    tensor = ft.tensor([3, 1, 2])
    for got, expected in [
        (apply(tensor, other), apply(tensor.numpy(), other)),
        (apply(other, tensor), apply(other, tensor.numpy())),
    ]:
        assert type(got) is ft.Tensor
        assert got.tolist() == expected.tolist()


def test_products_of_matrices():
    left, right = np.arange(6.0).reshape(2, 3), ft.ones(3, 2, dtype=ft.float64)
    assert (left @ right).tolist() == (left @ right.numpy()).tolist()
    assert (right @ left).tolist() == (right.numpy() @ left).tolist()
    assert type(left @ right) is ft.Tensor


def test_arrays_promote_and_numbers_do_not():
    half = ft.ones(3, dtype=ft.float16)
    assert (half * ARRAY).dtype is ft.float64
    assert (half * np.float64(2)).dtype is ft.float16
    assert (np.float64(2) * half).dtype is ft.float16
    assert (ft.ones(2, 3) + np.ones(3, np.float32)).dtype is ft.float32


@pytest.mark.parametrize("number", [np.float64(2), np.float16(2), np.int64(2), np.uint8(2)])
def test_functions_that_promote_by_themselves_accept_numpy_numbers(number):
    x, whole = ft.tensor([1.5, 2.0]), ft.tensor([1, 2])
    for operand in (x, whole, ft.tensor(1.5), ft.int16):
        assert (
            ft.result_type(operand, number) is ft.result_type(number, operand) is ft.result_type(operand, number.item())
        )
    assert ft.float_power(x, number).tolist() == [2.25, 4.0]
    assert ft.float_power(number, whole).tolist() == [2.0, 4.0]
    assert x.double().float_power_(number).tolist() == [2.25, 4.0]
    assert ft.isin(x, number).tolist() == [False, True]
    assert ft.isin(number, x).item() is True
    with raises(TypeError, "result_type", "expected tensors, dtypes and numbers", "str"):
        ft.result_type(x, "2")


def test_in_place():
    x = ft.ones(3)
    same = x
    x += ARRAY
    assert same is x
    assert x.dtype is ft.float32
    assert x.tolist() == [2, 3, 5]
    array = ARRAY.copy()
    array += x
    assert array.tolist() == [3, 5, 9]


def test_gradients_are_independent_of_later_changes_of_an_array():
    x = ft.tensor([1.0, 1.0, 1.0], dtype=ft.float64, requires_grad=True)
    batch = ARRAY.copy()
    total = (x * batch + np.sqrt(2.0) * x + np.float32(1) - x).sum()
    batch[:] = -1
    total.backward()
    np.testing.assert_allclose(x.grad.numpy(), ARRAY + np.sqrt(2.0) - 1)


def test_arrays_are_not_copied_without_a_gradient():
    big = np.zeros(1 << 16)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    assert (ft.ones(3) + frozen).tolist() == [2, 2, 2]
    from facula_tensor._core.foreign import operand_of

    assert operand_of(big, copy=False).data_ptr() == big.ctypes.data


def test_numpys_functions():
    x = ft.tensor([1.0, 2.0, 4.0])
    assert type(np.asarray(x)) is np.ndarray
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert type(np.sin(x)) is ft.Tensor
    np.testing.assert_allclose(np.sin(x).tolist(), np.sin(x.numpy()))
    assert np.add(ARRAY, x).dtype is ft.float64
    assert np.sum(x).item() == 7
    assert np.mean(ft.ones(2, 3), axis=1).tolist() == [1, 1]
    with raises(RuntimeError, "__array__", "detach"):
        np.sin(ft.ones(2, requires_grad=True))


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "max", "min", "any", "all", "argmax", "argmin"])
def test_axis_is_dim(name):
    x = ft.tensor([[1.0, 0.0, 3.0], [0.0, 5.0, 6.0]])
    for named, given in [({"axis": 1}, {"dim": 1}), ({"axis": 0, "keepdims": True}, {"dim": 0, "keepdim": True})]:
        for call in (getattr(x, name), lambda name=name, x=x, **kw: getattr(ft, name)(x, **kw)):
            got, wanted = call(**named), call(**given)
            if isinstance(wanted, tuple):
                got, wanted = got.values, wanted.values
            assert got.shape == wanted.shape
            assert got.tolist() == wanted.tolist()
    with raises(TypeError, name, "got both"):
        getattr(x, name)(0, axis=1)


@pytest.mark.parametrize("name", ["sum", "prod", "amax", "argmax", "any", "var", "norm", "logsumexp"])
def test_numbers_of_numpy_name_a_dimension(name):
    x = ft.tensor([[1.0, 0.0, 3.0], [0.0, 5.0, 6.0]])
    for at in (np.int64(1), np.int8(-1)):
        assert getattr(x, name)(dim=at).tolist() == getattr(x, name)(dim=1).tolist()
    assert x.sum(axis=np.int64(0)).tolist() == x.sum(0).tolist()
    with raises(TypeError, "sum", "both"):
        x.sum(np.int64(0), axis=1)


@pytest.mark.parametrize("array", [np.array(["x"] * 3), np.array([None] * 3), np.zeros(3, "M8[s]")])
def test_arrays_of_other_types_are_rejected(array):
    for apply in (lambda: ft.ones(3) + array, lambda: array + ft.ones(3)):
        with raises(TypeError, "add", "dtype"):
            apply()
    with raises(TypeError, "add_", "dtype"):
        ft.ones(3).add_(array)
    with raises(TypeError, "add"):
        ft.add(ARRAY, ARRAY)
