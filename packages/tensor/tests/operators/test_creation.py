"""New tensors, conversion from and to Python and NumPy, and printing of tensors."""

import numpy as np
import pytest
from case import ALL
from elements import DTYPES, values_of

import facula_tensor as ft
from facula_errors.testing import raises

INFERRED = [
    (True, "bool", ()),
    (3, "int64", ()),
    (2.5, "float32", ()),
    (1j, "complex64", ()),
    ([], "float32", (0,)),
    ([[], []], "float32", (2, 0)),
    ([True, False], "bool", (2,)),
    ([True, 2], "int64", (2,)),
    ([1, 2.5], "float32", (2,)),
    ([1, 1j], "complex64", (2,)),
    ([[1, 2], (3, 4)], "int64", (2, 2)),
    (range(3), "int64", (3,)),
    (np.float64(1), "float64", ()),
    (np.arange(3, dtype=np.int16), "int16", (3,)),
    (np.ones((2, 1), ">f4"), "float32", (2, 1)),
]


@pytest.mark.parametrize(("data", "dtype", "shape"), INFERRED, ids=lambda parameter: repr(parameter).replace("\n", ""))
def test_inferred(data, dtype, shape):
    made = ft.tensor(data)
    assert made.dtype.name == dtype
    assert tuple(made.shape) == shape
    expected = np.array(list(data) if isinstance(data, range) else data)
    assert np.array_equal(values_of(made), expected.astype(values_of(made).dtype))


@pytest.mark.parametrize("dtype", ALL)
def test_filled(dtype):
    wanted = DTYPES[dtype]
    made = {
        0: [ft.zeros(2, 3, dtype=wanted), ft.zeros((2, 3), dtype=wanted), ft.zeros_like(ft.empty(2, 3), dtype=wanted)],
        1: [
            ft.ones([2, 3], dtype=wanted),
            ft.ones_like(ft.empty(2, 3, dtype=wanted)),
            ft.full((2, 3), 1, dtype=wanted),
        ],
    }
    made[1].append(ft.zeros(1, dtype=wanted).new_ones(2, 3))
    for value, tensors in made.items():
        for tensor in tensors:
            assert tensor.dtype is wanted
            assert np.array_equal(values_of(tensor), np.full((2, 3), value, values_of(tensor).dtype))
    assert ft.empty(0, 3, dtype=wanted).numel() == 0
    assert np.array_equal(values_of(ft.eye(2, 3, dtype=wanted)), np.eye(2, 3))


@pytest.mark.parametrize("arguments", [(5,), (2, 7), (7, 2, -2), (0, 1, 0.25), (1.5,), (3, 3), (-2, 2), (0, 10, 3)])
def test_arange(arguments):
    made = ft.arange(*arguments)
    assert made.dtype.name == ("float32" if any(isinstance(argument, float) for argument in arguments) else "int64")
    assert np.allclose(values_of(made), np.arange(*arguments))


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 50])
def test_linspace(steps):
    assert np.allclose(values_of(ft.linspace(-1, 2.5, steps, dtype=ft.float64)), np.linspace(-1, 2.5, steps))


def test_the_default_dtype():
    ft.set_default_dtype(ft.float64)
    try:
        assert ft.tensor(1.5).dtype is ft.float64
        assert ft.zeros(1).dtype is ft.float64
        assert ft.tensor(1j).dtype is ft.complex128
        assert (ft.tensor([1]) / 2).dtype is ft.float64
    finally:
        ft.set_default_dtype(ft.float32)
    with raises(TypeError, "set_default_dtype", "int64"):
        ft.set_default_dtype(ft.int64)


def test_memory_is_shared_with_numpy_both_ways():
    array = np.arange(6.0).reshape(2, 3)
    for shared in (
        ft.from_numpy(array),
        ft.as_tensor(array),
        ft.from_dlpack(array),
        ft.frombuffer(array, dtype=ft.float64),
    ):
        assert shared.data_ptr() == array.ctypes.data
        assert shared.numpy().ctypes.data == array.ctypes.data
    assert ft.tensor(array).data_ptr() != array.ctypes.data
    turned = ft.from_numpy(array.T)
    turned[0, 1] = 9
    assert array[1, 0] == 9


def test_conversion_to_numbers():
    assert ft.tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert type(ft.tensor(3).item()) is int
    assert type(ft.tensor(True).item()) is bool
    assert type(ft.tensor(1.5, dtype=ft.bfloat16).item()) is float
    assert ft.tensor([1 + 2j]).item() == 1 + 2j
    assert (int(ft.tensor(2.7)), float(ft.tensor(2)), bool(ft.tensor(0.0)), complex(ft.tensor(2))) == (
        2,
        2.0,
        False,
        2 + 0j,
    )
    assert 2 in ft.arange(3)
    assert 5 not in ft.arange(3)


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_casts(source, target):
    values = np.array([0, 1, 1, 0]) if source == "bool" else np.array([0, 1, 5, 100])
    made = ft.tensor(values).to(DTYPES[source]).to(DTYPES[target])
    assert made.dtype.name == target
    expected = values.astype(bool) if target == "bool" or source == "bool" else values
    assert np.array_equal(values_of(made), expected.astype(values_of(made).dtype))


def test_to_returns_itself_if_nothing_changes():
    x = ft.ones(2)
    assert x.to(ft.float32) is x
    assert x.to("cpu") is x
    assert x.float() is x
    assert x.contiguous() is x
    assert x.to(x) is x
    assert x.to(ft.float32, copy=True) is not x
    assert x.to("meta").is_meta


def test_memory_formats():
    x = ft.arange(2 * 3 * 4 * 5).view(2, 3, 4, 5)
    for last in (x.contiguous(memory_format=ft.channels_last), x.clone(memory_format=ft.channels_last)):
        assert last.stride() == (60, 1, 15, 3)
        assert (last == x).all()
    assert last.contiguous(memory_format=ft.channels_last) is last
    assert last.contiguous().stride() == x.stride()


def test_aliases_are_the_same_functions():
    assert ft.multiply is ft.mul
    assert ft.concat is ft.cat
    assert ft.Tensor.subtract_ is ft.Tensor.sub_
    assert ft.Tensor.greater_equal is ft.Tensor.ge


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (lambda: ft.tensor([1.0, 2.0]), "tensor([1., 2.])"),
        (lambda: ft.tensor([1.5, float("nan"), float("inf")]), "tensor([1.5000,    nan,    inf])"),
        (lambda: ft.tensor([1, -20]), "tensor([  1, -20])"),
        (lambda: ft.tensor([True, False]), "tensor([ True, False])"),
        (lambda: ft.tensor([]), "tensor([])"),
        (lambda: ft.zeros(2, 0), "tensor([], size=(2, 0))"),
        (lambda: ft.tensor(3, dtype=ft.int8), "tensor(3, dtype=facula.int8)"),
        (lambda: ft.tensor([1e-9, 1.0]), "tensor([1.0000e-09, 1.0000e+00])"),
        (lambda: ft.tensor(2.0, requires_grad=True), "tensor(2., requires_grad=True)"),
        (lambda: ft.tensor(2.0, requires_grad=True) * 2, "tensor(4., grad_fn=<mul>)"),
        (lambda: ft.zeros(2, 3, device="meta"), "tensor(..., device='meta', size=(2, 3))"),
        (lambda: ft.ones(2, dtype=ft.bfloat16), "tensor([1., 1.], dtype=facula.bfloat16)"),
    ],
)
def test_printing(tensor, text):
    assert repr(tensor()) == text


def test_large_tensors_print_their_corners():
    text = repr(ft.arange(10_000).view(100, 100))
    assert "..." in text
    assert "9999" in text
    assert len(text) < 1000


@pytest.mark.parametrize("make", [ft.empty, ft.zeros, ft.ones, ft.rand, ft.randn])
def test_size_by_keyword(make):
    for size in ((2, 3), [2, 3], ft.Size((2, 3))):
        assert tuple(make(size=size).shape) == (2, 3)
    assert tuple(make(size=()).shape) == ()
    for wrong in ((lambda: make(2, size=(3,))), lambda: make(size="ab"), lambda: make(size=(2.5,))):
        with raises(TypeError, make.__name__, "expected integers"):
            wrong()


@pytest.mark.parametrize("dtype", [ft.bool, ft.uint8, ft.int32, ft.int64, ft.float16, ft.float32, ft.complex64])
def test_repeated_calls_accept_or_reject_the_same_numbers(dtype):
    for number in (0, 1, 0.0, 1.0, -0.0, True, False, 2, -1, 300, 2.5, 1 << 40, 1 << 63, 10**400, float("nan"), 1j, 0j):
        try:
            expected = repr(ft.empty(2).to(dtype).fill_(number))
        except (TypeError, ValueError, OverflowError) as error:
            for _ in range(2):
                with pytest.raises(type(error)):
                    ft.full((2,), number, dtype=dtype)
        else:
            assert [repr(ft.full((2,), number, dtype=dtype)) for _ in range(3)] == [expected] * 3


def test_size_by_keyword_in_other_functions():
    x = ft.tensor([1], dtype=ft.int8)
    for new in (x.new_empty, x.new_zeros, x.new_ones):
        assert new(size=(2, 3)).shape == new(2, 3).shape == new((2, 3)).shape
        assert new(size=(1,)).dtype is ft.int8
    assert x.new_full(size=(2,), fill_value=5).tolist() == x.new_full((2,), 5).tolist() == [5, 5]
    assert ft.full(size=(2,), fill_value=5).tolist() == [5, 5]
    assert ft.randint(high=1, size=(2,)).tolist() == [0, 0]


def test_explicit_strides():
    x = ft.empty_strided((2, 3), (1, 2), dtype=ft.int64)
    assert (x.shape, x.stride(), x.dtype) == ((2, 3), (1, 2), ft.int64)
    x.fill_(3)
    assert x.tolist() == [[3, 3, 3], [3, 3, 3]]
    assert ft.ones(1, dtype=ft.float64).new_empty_strided((2,), (5,)).dtype is ft.float64
    assert ft.empty_permuted((2, 3, 4), (0, 2, 1)).stride() == (12, 1, 3)
    for wrong in (((2,), (1, 1)), ((-1,), (1,)), ((2,), (-1,))):
        with raises(ValueError, "empty_strided", "as many strides as lengths, none negative"):
            ft.empty_strided(*wrong)
    with raises(ValueError, "empty_permuted", "physical_layout to name each"):
        ft.empty_permuted((2, 3), (0, 0))


def test_asarray_shares_memory_if_possible():
    array = np.arange(3.0)
    ft.asarray(array)[0] = 5
    assert array[0] == 5
    x = ft.ones(2, requires_grad=True)
    assert ft.asarray(x) is x
    assert not ft.asarray(x, requires_grad=False).requires_grad
    assert ft.asarray(x, copy=True).data_ptr() != x.data_ptr()
    assert ft.asarray([1, 2]).dtype is ft.int64
    assert ft.asarray(bytearray(b"ab"), dtype=ft.uint8).tolist() == [97, 98]
    assert ft.asarray(np.arange(3)[::-1]).tolist() == [2, 1, 0]
    for data, options in (([1], {}), (array, {"dtype": ft.float32})):
        with raises(ValueError, "asarray", "since copy=False"):
            ft.asarray(data, copy=False, **options)


def test_rows_of_powers_and_the_inclusive_range():
    assert ft.logspace(0, 3, 4, base=2).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert ft.logspace(0, 2, 3, dtype=ft.int64).tolist() == [1, 10, 100]
    assert ft.logspace(0, 2, 0).shape == (0,)
    with pytest.warns(UserWarning, match="arange"):
        assert ft.range(1, 3).tolist() == [1.0, 2.0, 3.0]
    assert ft.scalar_tensor(3).dtype is ft.float32
    assert ft.randint_like(ft.ones(50, dtype=ft.int16), 3, 5).unique().tolist() == [3, 4]
    assert ft.typename(ft.ones(1)) == ft.ones(1).type()


def test_a_file_as_memory(tmp_path):
    path = tmp_path / "numbers"
    np.arange(4, dtype=np.float32).tofile(path)
    x = ft.from_file(path, size=4)
    x[0] = 9
    assert x.tolist() == [9.0, 1.0, 2.0, 3.0]
    assert np.fromfile(path, np.float32)[0] == 0
    ft.from_file(path, shared=True, size=6).fill_(2)
    assert np.fromfile(path, np.float32).tolist() == [2.0] * 6
    with raises(ValueError, "from_file", "expected 28 bytes"):
        ft.from_file(path, size=7)
