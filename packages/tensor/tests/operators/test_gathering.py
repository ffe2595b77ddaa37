"""gather and the scatter family: behaviour that the matrix does not cover."""

import pytest

import facula_tensor as ft
from facula_autograd import gradgradcheck
from facula_errors.testing import raises

X = [[1.0, 2.0], [3.0, 4.0]]


def test_one_and_zero_dimensions():
    number, index = ft.tensor(3.0), ft.tensor([0, 0])
    assert number.gather(0, index).tolist() == [3.0, 3.0]
    assert ft.tensor([3.0]).gather(0, ft.tensor(0)).item() == 3.0
    assert number.scatter_add(0, index, ft.tensor([1.0, 2.0])).item() == 6.0
    assert number.clone().scatter_(0, ft.tensor(0), 7.0).item() == 7.0


@pytest.mark.parametrize("dtype", [ft.int64, ft.uint8])
def test_an_empty_index_changes_nothing(dtype):
    x, nothing = ft.tensor(X), ft.empty(0, dtype=dtype)
    assert x.gather(0, nothing).shape == (0,)
    assert x.scatter_add(0, nothing, x).tolist() == X and x.clone().scatter_(0, nothing, 1.0).tolist() == X


@pytest.mark.parametrize("value", [0.0, -0.0, 1, 1.5, float("nan"), float("inf")])
def test_numbers_scattered_repeatedly(value):
    for _ in range(3):
        x = ft.zeros(3).scatter_(0, ft.tensor([1]), value)
        assert str(x[1].item()) == str(float(value)) and x._version == 1


def test_values_from_the_tensor_itself():
    x = ft.tensor([1.0, 2.0, 3.0])
    assert x.scatter_add_(0, ft.tensor([2, 0]), x[1:]).tolist() == [4.0, 2.0, 5.0]


def test_in_place_scatters_keep_earlier_gradients():
    x = ft.tensor([2.0, 3.0], requires_grad=True)
    y = ft.tensor([5.0, 7.0], requires_grad=True)
    for name, wanted in (("prod", [35.0, 1.0]), ("amax", [0.0, 1.0])):
        target = x * 1
        target.scatter_reduce_(0, ft.tensor([0, 0]), y, name)
        target.sum().backward()
        assert x.grad.tolist() == wanted
        x.grad = None


def test_extremes_share_their_gradient():
    x, y = ft.tensor([1.0, 5.0], requires_grad=True), ft.tensor([1.0, 1.0, 2.0], requires_grad=True)
    x.scatter_reduce(0, ft.tensor([0, 0, 1]), y, "amax").sum().backward()
    assert x.grad.tolist() == pytest.approx([1 / 3, 1]) and y.grad.tolist() == pytest.approx([1 / 3, 1 / 3, 0])


def test_products_with_zeros():
    x = ft.tensor([0.0, 2.0, 3.0], dtype=ft.float64, requires_grad=True)
    y = ft.tensor([5.0, 0.0, 0.0, 7.0], dtype=ft.float64, requires_grad=True)
    index = ft.tensor([0, 1, 2, 2])
    x.scatter_reduce(0, index, y, "prod").sum().backward()
    assert x.grad.tolist() == [5.0, 0.0, 0.0] and y.grad.tolist() == [0.0, 2.0, 21.0, 0.0]
    assert gradgradcheck(lambda a, b: a.scatter_reduce(0, index[:1], b[:1], "prod"), (x, y))


def test_sums_do_not_depend_on_threads():
    from facula_cpu import get_num_threads, set_num_threads

    values, index = ft.rand(200_000), ft.randint(0, 50, (200_000,))
    before, found = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        found.append(ft.zeros(50).scatter_add(0, index, values))
        found.append(ft.zeros(50, 400).scatter_add(0, index.view(-1, 400), values.view(-1, 400))[:, 0])
    set_num_threads(before)
    assert (found[0] == found[2]).all() and (found[1] == found[3]).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, i: x.gather(0, i + 1), IndexError, "gather: index[1, 0] = 2 ... size 2"),
        (lambda x, i: x.gather(0, i - 1), IndexError, "gather: index[0, 0] = -1 ... 0 to 1"),
        (lambda x, i: x.scatter_(0, i - 1, x * 2), IndexError, "scatter_: index[0, 0] = -1"),
        (lambda x, i: x.scatter_add_(0, i + 5, x * 2), IndexError, "scatter_add_: index[0, 0] = 5"),
        (lambda x, i: x.gather(2, i), IndexError, "gather: dim is 2"),
        (lambda x, i: x.gather(0, i.short()), TypeError, "gather: int16"),
        (lambda x, i: x.gather(0, i.expand(2, 2, 2)), ValueError, "gather: index (2, 2, 2)"),
        (lambda x, i: x.gather(0, ft.zeros(2, 3, dtype=ft.int64)), ValueError, "gather: (2, 3)"),
        (lambda x, i: x.scatter(0, i, x.double()), TypeError, "scatter: float64"),
        (lambda x, i: x.scatter(0, i, x[:1]), ValueError, "scatter: src (1, 2)"),
        (lambda x, i: x.scatter(0, i, 1j), TypeError, "scatter: complex"),
        (lambda x, i: x.scatter(0, i), ValueError, "scatter: src or value"),
        (lambda x, i: x.scatter(0, i, x, reduce="mul"), ValueError, "scatter: multiply"),
        (lambda x, i: x.scatter_reduce(0, i, x, "max"), ValueError, "scatter_reduce: amax"),
        (
            lambda x, i: x.to(ft.complex64).scatter_reduce(0, i, x.to(ft.complex64), "amax"),
            TypeError,
            "scatter_reduce: complex64",
        ),
        (lambda x, i: x[:, :1].expand(2, 2).scatter_(0, i, 1.0), RuntimeError, "scatter_: share one place"),
        (lambda x, i: x.clone().requires_grad_().scatter_(0, i, 1.0), RuntimeError, "scatter_: leaf"),
    ],
)
def test_errors_change_nothing(call, error, text):
    x, index = ft.tensor(X), ft.tensor([[0, 0], [1, 1]])
    for _ in range(2):
        with raises(error, text):
            call(x, index)
    assert x.tolist() == X and x._version == 0
