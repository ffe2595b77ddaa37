"""`Tensor(...)` as in PyTorch; devices; where() of a condition alone; more dimensions than NumPy supports."""

import array
import gc
import pickle
from collections import deque
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import windowed


def test_the_forms_of_the_constructor():
    empty = ft.Tensor()
    assert (tuple(empty.shape), empty.dtype) == ((0,), ft.float32)
    assert ft.Tensor(2, 3).shape == (2, 3)
    assert ft.Tensor(ft.Size((2, 3))).shape == (2, 3)
    for data in ([1, 2], (1, 2), range(1, 3), np.array([1, 2])):
        made = ft.Tensor(data)
        assert made.dtype is ft.float32
        assert made.tolist() == [1, 2]
    whole = ft.tensor([1, 2])
    again = ft.Tensor(whole)
    assert again.dtype is ft.int64
    assert again.data_ptr() == whole.data_ptr()
    assert ft.Tensor([1.0], device="meta").is_meta


@pytest.mark.parametrize(
    "call",
    [
        lambda: ft.Tensor(2.5),
        lambda: ft.Tensor(True),
        lambda: ft.Tensor("x"),
        lambda: ft.Tensor(None),
        lambda: ft.Tensor([1], 2),
        lambda: ft.Tensor(2, "x"),
        lambda: ft.Tensor([1], dtype=ft.int64),
        lambda: ft.Tensor(ft.ones(2), ft.ones(2)),
    ],
)
def test_errors_name_other_arguments(call):
    with raises(TypeError, "Tensor"):
        call()


TYPED = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64", "IntTensor": "int32", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8",
    "BoolTensor": "bool",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
def test_constructors_of_one_dtype(name):
    kind, dtype = getattr(ft, name), getattr(ft, TYPED[name])
    for made, shape in ((kind(), (0,)), (kind(2, 3), (2, 3)), (kind(ft.Size((2, 1))), (2, 1)), (kind(4), (4,))):
        assert (type(made), made.dtype, made.shape) == (ft.Tensor, dtype, shape)
    for data in ([1, 0], (1, 0), range(1, -1, -1), np.array([1, 0])):
        assert kind(data).tolist() == [1, 0] and kind(data).dtype is dtype
    one = ft.ones(2, dtype=dtype)
    assert kind(one).data_ptr() == one.data_ptr() and kind.dtype is dtype
    assert isinstance(one, kind) and isinstance(ft.Parameter(one, requires_grad=False), kind)
    others = [getattr(ft, other) for other in TYPED if other != name]
    assert not any(isinstance(one, other) for other in others) and not isinstance(1, kind)
    assert not isinstance(ft.ones(2, dtype=dtype, device="meta"), kind)
    assert one.type() == f"torch.{name}" and one.type(None) == one.type() and one.type(kind) is one
    for other in (others[0], others[0].dtype, f"torch.{others[0].__name__}", f"facula.{others[0].__name__}"):
        assert isinstance(one.type(other), others[0])
    for wrong in (lambda: kind(2.5), lambda: kind("x"), lambda: kind([1], 2)):
        with raises(TypeError, name, "expected ... got ... use"):
            wrong()
    with raises(TypeError, others[0].__name__, "expected ... got ... use"):
        others[0](one)
    with raises(ValueError, name, "-1"):
        kind(-1)
    with raises(TypeError, name, "expected device 'cpu'"):
        kind([1], device="meta")
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_types_of_other_tensors():
    assert ft.ones(1, dtype=ft.complex64).type() == "torch.ComplexFloatTensor"
    assert ft.ones(1, dtype=ft.complex128).type() == "torch.ComplexDoubleTensor"
    assert ft.ones(1, dtype=ft.int8, device="meta").type() == "torch.meta.CharTensor"
    assert ft.ones(1).double().type(ft.Tensor).dtype is ft.float32
    for wrong in ("torch.WordTensor", 3):
        with raises(TypeError, "type"):
            ft.ones(1).type(wrong)
    with raises(RuntimeError, "type", "device 'cuda'"):
        ft.ones(1).type("torch.cuda.FloatTensor")


def test_subclasses_are_called_with_their_arguments():
    class Named(ft.Tensor):
        def __init__(self, data, name):
            self.name = name

    one = Named([1, 2], "x")
    assert (type(one), one.name, one.dtype) == (Named, "x", ft.float32)
    assert type(one + 1) is Named
    assert Named(2, name="x").shape == (2,)


def test_subclasses_support_the_forms_of_the_constructor():
    class Plain(ft.Tensor):
        pass

    for arguments in ((), (2, 3), (2, 99), (4,), ([1, 2],), (range(3),), (ft.Size((2, 1)),), (np.ones(2),)):
        made, wanted = Plain(*arguments), ft.Tensor(*arguments)
        assert (type(made), made.shape, made.dtype) == (Plain, wanted.shape, wanted.dtype)
    for wrong in ((5, "x"), (2.5,), (True,), ("x",), ([1], 2)):
        with raises(TypeError, "Plain"):
            Plain(*wrong)


def test_tensors_die_without_the_collector():
    from weakref import ref

    gc.disable()
    try:
        watched = ref(ft.Tensor(2, 3))
        assert watched() is None
        x = ft.ones(2) + 1
        watched = ref(x)
        del x
        assert watched() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["cpu:3", "meta:1"])
def test_missing_devices(name):
    with raises(ValueError, "device", value=f"index {name[-1]}"):
        ft.device(name)
    assert ft.device("cpu:0") is ft.device("cpu")


X = ft.ones(3)
OF_DATA = {"tensor": (ft.tensor, [2.0]), "new_tensor": (X.new_tensor, [2.0]),
           "frombuffer": (partial(ft.frombuffer, dtype=ft.float32), bytearray(8))}  # fmt: skip
CREATORS = {
    **{name: (getattr(ft, name), 3) for name in ("empty", "eye", "ones", "rand", "randn", "zeros")},
    **{f"{name}_like": (getattr(ft, f"{name}_like"), X) for name in ("empty", "ones", "rand", "randn", "zeros")},
    **{f"new_{name}": (getattr(X, f"new_{name}"), 3) for name in ("empty", "ones", "zeros")},
    **{f"{kind}_window": (getattr(windowed, f"{kind}_window"), 3)
       for kind in ("bartlett", "blackman", "hamming", "hann", "kaiser")},
    "arange": (ft.arange, 3.0), "asarray": (ft.asarray, X),
    "asarray of a variable": (ft.asarray, ft.ones(2, requires_grad=True)),
    "empty_permuted": (ft.empty_permuted, (2,), (0,)), "empty_strided": (ft.empty_strided, (2,), (1,)),
    "fft.fftfreq": (ft.fft.fftfreq, 3), "fft.rfftfreq": (ft.fft.rfftfreq, 3), "full": (ft.full, (2,), 1.0),
    "full_like": (ft.full_like, X, 2.0), "linspace": (ft.linspace, 0, 1, 3), "logspace": (ft.logspace, 0, 1, 3),
    "new_empty_strided": (X.new_empty_strided, (2,), (1,)), "new_full": (X.new_full, (2,), 1.0),
    "normal": (ft.normal, 0.0, 1.0, (2,)), "randint": (partial(ft.randint, dtype=ft.float32), 3, (2,)),
    "randint_like": (ft.randint_like, X, 3), "randperm": (partial(ft.randperm, dtype=ft.float32), 3),
    "scalar_tensor": (ft.scalar_tensor, 1.0), "tril_indices": (partial(ft.tril_indices, dtype=ft.float32), 2, 2),
    "triu_indices": (partial(ft.triu_indices, dtype=ft.float32), 2, 2), **OF_DATA,
}  # fmt: skip


@pytest.mark.parametrize("name", CREATORS)
def test_requires_grad_is_true_or_false_and_none_except_for_data(name):
    make, *arguments = CREATORS[name]
    for value in ("yes", 0, 1, 2):
        with raises(TypeError, name.split()[0], "expected True or False", value=repr(value)):
            make(*arguments, requires_grad=value)
    assert make(*arguments, requires_grad=True).requires_grad
    assert not make(*arguments, requires_grad=False).requires_grad
    if name in OF_DATA:
        with raises(TypeError, name, "expected True or False", value="None"):
            make(*arguments, requires_grad=None)
    else:
        assert make(*arguments, requires_grad=None).requires_grad is (name == "asarray of a variable")


@pytest.mark.parametrize("make", [ft.tril_indices, ft.triu_indices])
def test_options_of_indices_of_triangles(make):
    options = {"layout": ft.strided, "device": "cpu", "requires_grad": False, "pin_memory": False}
    assert make(2, 3, **options).equal(make(2, 3)) and make(2, 2, dtype="int32").dtype is ft.int32
    for wrong in ("x", "cpu"):
        with raises(TypeError, make.__name__, f"unknown dtype '{wrong}'"):
            make(2, 2, dtype=wrong)
    with raises(RuntimeError, make.__name__, "expected a floating-point or complex value", "int64"):
        make(2, 2, requires_grad=True)


def test_where_of_a_condition_alone():
    mask = ft.tensor([[0, 1, 0], [1, 1, 0]])
    expected = np.nonzero(mask.numpy())
    for got in (ft.where(mask), ft.nonzero(mask, as_tuple=True), mask.nonzero(as_tuple=True)):
        assert [result.tolist() for result in got] == [values.tolist() for values in expected]
    assert mask[ft.where(mask[:, 0])].tolist() == [[1, 1, 0]]
    assert ft.nonzero(mask).tolist() == np.argwhere(mask.numpy()).tolist()
    assert ft.nonzero(ft.tensor([0.0, float("nan"), -0.0, 1e-30])).tolist() == [[1], [3]]
    assert tuple(ft.nonzero(ft.tensor(5)).shape) == (1, 0)
    assert tuple(ft.nonzero(ft.tensor(0)).shape) == (0, 0)
    assert [positions.tolist() for positions in ft.where(ft.tensor(True))] == [[0]]
    assert tuple(ft.nonzero(ft.zeros(0, 3)).shape) == (0, 2)
    with raises(TypeError, "where", "condition alone"):
        ft.where(mask > 0, mask)
    with raises(NotImplementedError, "nonzero", "meta"):
        ft.nonzero(mask.to("meta"))


def test_where_of_two_numbers():
    mask = ft.tensor([True, False])
    assert ft.where(mask, 1, 2).tolist() == [1, 2]
    assert ft.where(mask, 1, 2).dtype is ft.int64
    assert ft.where(mask, 1, 2.5).dtype is ft.float32
    assert ft.where(mask, True, False).dtype is ft.bool


def test_softmax_into_a_tensor():
    x, out = ft.tensor([0.0, 0.0]), ft.empty(2)
    for function in (ft.softmax, ft.log_softmax):
        assert function(x, 0, out=out) is out
        assert out.tolist() == function(x, 0).tolist()
    scalar = ft.empty(())
    assert ft.softmax(ft.tensor(3.0), 0, out=scalar) is scalar
    assert scalar.item() == 1


def test_more_dimensions_than_numpy_supports():
    x = ft.ones((1,) * 70)
    assert "size=(1, 1," in repr(x)
    assert x.item() == 1
    nested = ft.arange(2).reshape((2,) + (1,) * 69).tolist()
    for _ in range(69):
        first, last = nested
        assert len(first) == 1
        nested = [first[0], last[0]]
    assert nested == [0, 1]


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_int_of_infinity_and_nan(value):
    with raises((OverflowError, ValueError), "int", "expected a finite"):
        int(ft.tensor(value))


def test_comparing_with_numbers_beyond_the_integer_range():
    with raises(OverflowError, "eq", "int64"):
        ft.eq(ft.arange(3), 2**70)
    assert (ft.arange(3, dtype=ft.uint8) < 300).all()


def test_sizes_must_be_integers():
    size = ft.Size([np.int64(2), 3])
    assert size == (2, 3) and type(size[0]) is int
    for made in (size[1:], size * 2, 2 * size, size + (1,), (1,) + size):
        assert type(made) is ft.Size
    assert size * 2 == (2, 3, 2, 3) and (1,) + size == (1, 2, 3)
    assert pickle.loads(pickle.dumps(size)) == size
    for wrong in ([1.5], ["a"], [None]):
        with raises(TypeError, "Size", "expected integers"):
            ft.Size(wrong)


class Table:
    """An object with `__array__`, like the tables of other libraries."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


class Own(Sequence):
    def __init__(self, *values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return self.values[place]


@pytest.mark.parametrize(
    ("data", "wanted", "dtype"),
    [
        (array.array("i", [1, 2]), [1, 2], ft.int64),
        (array.array("d", [1, 2]), [1, 2], ft.float32),
        (deque([1, 2]), [1, 2], ft.int64),
        (memoryview(b"ab"), [97, 98], ft.int64),
        (bytearray(b"ab"), [97, 98], ft.int64),
        (Own(1, 2.5), [1, 2.5], ft.float32),
        ([Own(1, 2), deque([3, 4])], [[1, 2], [3, 4]], ft.int64),
        (Table([1.0, 2.0]), [1, 2], ft.float64),
        ([Table([1, 2]), Table([3, 4])], [[1, 2], [3, 4]], ft.int64),
        ([ft.tensor(1), np.float32(2), 3], [1, 2, 3], ft.float32),
        (np.arange(41, dtype=np.uint8)[1:].view("f4")[:0], [], ft.float32),
        (np.arange(17, dtype=np.uint8)[1:].view("i8"), [0x0807060504030201, 0x100F0E0D0C0B0A09], ft.int64),
        (range(2), [0, 1], ft.int64),
    ],
)
def test_sources_of_elements(data, wanted, dtype):
    for make in (ft.tensor, ft.as_tensor):
        assert (make(data).tolist(), make(data).dtype) == (wanted, dtype)
    assert ft.tensor(data, dtype=ft.float64).dtype is ft.float64
    if not isinstance(data, np.ndarray) or data.flags.aligned:
        assert (ft.Tensor(data).tolist(), ft.Tensor(data).dtype) == (wanted, ft.float32)


@pytest.mark.parametrize("data", ["ab", b"ab", {1: 2}, {1}, None, iter([1]), [["a"]], [None]])
def test_invalid_sources_of_elements(data):
    for make in (ft.tensor, ft.as_tensor):
        with raises(TypeError, make.__name__, "expected numbers or sequences of them"):
            make(data)


BITS = [
    ("float32", (2, 4), ["int32", "float32", "int16", "uint8", "float64", "complex64"]),
    ("int64", (3, 2), ["int32", "float64", "complex128", "bfloat16"]),
    ("uint8", (2, 8), ["int8", "int16", "float64"]),
    ("bool", (3,), ["uint8", "int8"]),
    ("float64", (0, 2), ["float32", "int64"]),
]


@pytest.mark.parametrize(("old", "shape", "others"), BITS)
def test_bits_viewed_as_another_dtype(old, shape, others):
    values = np.arange(np.prod(shape)).reshape(shape).astype(old)
    for new in others:
        seen = ft.tensor(values).view(getattr(ft, new))
        assert seen.dtype is getattr(ft, new)
        back = seen.view(getattr(ft, old))
        assert (tuple(back.shape), back.tolist()) == (shape, values.tolist())
        if new != "bfloat16":
            assert np.array_equal(seen.numpy(), values.view(new))


def test_bits_are_shared_and_have_no_gradient():
    x = ft.ones(4)
    x.view(ft.int32)[0] = 0
    assert x.tolist() == [0, 1, 1, 1]
    assert x._version == 1
    assert not ft.ones(4, requires_grad=True).view(ft.int32).requires_grad
    assert ft.ones(4, 3)[:, :2].view(ft.int16).stride() == (6, 1)
    assert ft.tensor([0, 1], dtype=ft.uint8).view(ft.bool).tolist() == [False, True]
    for wrong, said in (
        (lambda: ft.tensor(1.0).view(ft.float64), "at least 1 dimension"),
        (lambda: ft.ones(3).view(ft.float64), "a multiple of 2 elements ... (3,)"),
        (lambda: ft.ones(4)[1:3].view(ft.float64), "storage_offset 1"),
        (lambda: ft.ones(4, 4).t().view(ft.int16), "stride 1 ... (1, 4)"),
        (lambda: ft.tensor([2], dtype=ft.uint8).view(ft.bool), "bytes of 0 and 1"),
    ):
        with raises(ValueError, "view", said):
            wrong()


def test_deprecated_methods():
    x = ft.arange(6.0).double()
    assert x.new(2, 3).shape == (2, 3) and x.new(ft.Size((4,))).shape == (4,) and x.new().shape == (0,)
    for data in ([1, 2], (1, 2), np.array([1, 2])):
        assert x.new(data).dtype is ft.float64 and x.new(data).tolist() == [1, 2]
    assert x.new(x).data_ptr() == x.data_ptr() and ft.ones(1, device="meta").new(2).is_meta
    for wrong, text in ((("a",), "lengths ... got str"), ((1.5,), "got float"), ((ft.ones(1),), "got float32")):
        with raises(TypeError, "new", text):
            x.new(*wrong)
    with pytest.warns(UserWarning, match="resize: reshape has taken its place"):
        assert x.resize(2, 3).data_ptr() == x.data_ptr()
    with pytest.warns(UserWarning, match="resize_as: reshape has taken its place"):
        assert x.resize_as(ft.ones(3, 2)).shape == (3, 2)
    with pytest.warns(UserWarning, match="resize"), raises(ValueError, "resize", "6 elements", "(7,)", "use resize_"):
        x.resize(7)
    assert x.to_dense() is x and x.to_dense(ft.float32).dtype is ft.float32


def test_instances_over_the_memory_of_a_tensor():
    class Kept(ft.Tensor):
        pass

    x = ft.ones(2, requires_grad=True)
    made = ft.Tensor._make_subclass(Kept, x * 2)
    assert type(made) is Kept and not made.requires_grad and type(made + 1) is Kept
    parameter = ft.Tensor._make_subclass(ft.Parameter, x, True)
    assert type(parameter) is ft.Parameter and parameter.is_leaf and parameter.requires_grad
    assert parameter.data_ptr() == x.data_ptr()
    with raises(TypeError, "_make_subclass", "expected a subclass of Tensor", value="<class 'int'>"):
        ft.Tensor._make_subclass(int, x)
    with raises(TypeError, "_make_subclass", "expected data to be a Tensor", value="list"):
        ft.Tensor._make_subclass(Kept, [1.0])
