"""What rows cannot say of sorts and what is near them: NaN, zeros, equal elements, long lines, refusals."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_tensor import linalg

NAN = float("nan")


def test_nan_is_greatest_and_equal_elements_keep_their_order():
    x = ft.tensor([NAN, 1.0, -0.0, 0.0, NAN, float("-inf"), float("inf"), -0.0])
    assert x.sort().indices.tolist() == [5, 2, 3, 7, 1, 6, 0, 4]
    assert x.sort(descending=True).indices.tolist() == [0, 4, 6, 1, 2, 3, 7, 5]
    assert x.topk(3).indices.tolist() == [0, 4, 6]
    assert x.topk(2, largest=False).indices.tolist() == [5, 2]
    kept = x.sort().values
    assert (1 / kept[1:4]).tolist() == [float("-inf"), float("inf"), float("-inf")]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16", "uint8"])
@pytest.mark.parametrize("n", [48, 49, 600, 5000])
def test_long_lines(dtype, n):
    x = (np.random.default_rng(n).standard_normal((n, 2)) * 50).astype(dtype)
    values, places = ft.tensor(x).sort(0)
    wanted = np.argsort(x, 0, kind="stable")
    assert np.array_equal(places.numpy(), wanted) and np.array_equal(values.numpy(), np.take_along_axis(x, wanted, 0))
    for k in (1, 16, 17, n // 3, n):
        top, at = ft.tensor(x).topk(k, 0)
        assert np.array_equal(top.numpy(), np.sort(x, 0)[::-1][:k])
        assert np.array_equal(np.take_along_axis(x, at.numpy(), 0), top.numpy())
        low = ft.tensor(x).topk(k, 0, largest=False, sorted=False).values
        assert np.array_equal(np.sort(low.numpy(), 0), np.sort(x, 0)[:k])


@pytest.mark.parametrize("order", ["up", "down", "equal"])
def test_first_k_of_ordered_lines(order):
    x = {"up": np.arange(3000), "down": np.arange(3000)[::-1], "equal": np.zeros(3000)}[order].astype("f4")
    for k in (5, 100, 2000):
        assert np.array_equal(ft.tensor(x.copy()).topk(k).values.numpy(), np.sort(x)[::-1][:k])


def test_pairs():
    values, places = ft.empty(0), ft.empty(0, dtype=ft.int64)
    result = ft.sort(ft.tensor([3, 1, 2]).to(ft.float32), out=(ft.empty(3), ft.empty(3, dtype=ft.int64)))
    assert repr(result).startswith("facula.return_types.sort(") and result[1].tolist() == [1, 2, 0]
    with pytest.raises(TypeError, match="topk: expected out to be two tensors"):
        ft.topk(ft.ones(3), 1, out=values)
    with pytest.raises(ValueError, match="topk: expected k from 0 to 3, the elements along dim 0; got 4"):
        ft.ones(3).topk(4)
    with pytest.raises(IndexError, match="sort"):
        ft.ones(3).sort(1)
    with pytest.raises(TypeError, match="sort: complex numbers have no order"):
        ft.ones(3, dtype=ft.complex64).sort()
    assert places.numel() == 0


def test_gradients_of_equal_elements_go_where_the_indices_say():
    x = ft.tensor([[2.0, 2.0, 1.0]], requires_grad=True)
    x.topk(1).values.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0]]


def test_variance_is_stable_and_says_what_it_cannot():
    x = ft.tensor([1e8 + i for i in (0.0, 1.0, 2.0)] * 2000, dtype=ft.float64)
    assert x.var(correction=0).item() == pytest.approx(2 / 3, rel=1e-10)
    wide = ft.tensor(np.tile([[1e4], [1e4 + 1]], (700, 3)).astype("f4"))
    assert np.allclose(wide.var(0, correction=0).numpy(), 0.25) and wide.var(correction=0).item() == 0.25
    assert ft.tensor([1.0]).var().isnan().item() and ft.tensor([1.0, 2.0]).var(correction=3).isinf().item()
    assert ft.zeros(0).var().isnan().item()
    assert ft.tensor([1.0, 3.0]).var(False).item() == 1.0
    with pytest.raises(TypeError, match=r"std: not defined for int64; convert with .float\(\)"):
        ft.arange(3).std()
    with pytest.raises(TypeError, match="var: expected unbiased or correction; got both"):
        ft.ones(3).var(unbiased=True, correction=1)


def test_gradient_of_a_standard_deviation_of_nothing():
    x = ft.tensor([2.0, 2.0], requires_grad=True)
    x.std().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    x = ft.tensor([1.0, 3.0], requires_grad=True)
    deviation, mean = ft.std_mean(x, correction=0)
    (deviation + mean).backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_scans_of_nan_zero_and_many():
    x = ft.tensor([1.0, NAN, 3.0])
    assert x.cummax(0).indices.tolist() == [0, 1, 1] and x.cummin(0).indices.tolist() == [0, 1, 1]
    assert ft.tensor([2, 2, 1]).cummax(0).indices.tolist() == [0, 1, 1]
    big = ft.ones(1 << 20) * 0.1
    assert big.cumsum(0)[-1].item() == pytest.approx(0.1 * (1 << 20), rel=1e-6)
    assert ft.tensor([100, 100], dtype=ft.uint8).cumsum(0, dtype=ft.uint8).tolist() == [100, 200]
    assert ft.tensor([200, 100], dtype=ft.uint8).cumsum(0, dtype=ft.uint8).tolist() == [200, 44]
    y = ft.tensor([1.0, 2.0])
    assert y.cumsum_(0) is y and y.tolist() == [1.0, 3.0]
    assert ft.zeros(0, 3).cumsum(0).shape == (0, 3)
    with pytest.raises(TypeError, match="cumsum: expected dim to be an integer"):
        y.cumsum()


def test_gradient_of_running_products_through_zeros():
    x = ft.tensor([2.0, 0.0, 3.0, 0.0, 5.0], requires_grad=True)
    x.cumprod(0).sum().backward()
    assert x.grad.tolist() == [1.0, 8.0, 0.0, 0.0, 0.0]


def test_running_sums_of_exponentials_at_infinity():
    x = ft.tensor([float("-inf"), 0.0, float("-inf"), 1000.0], requires_grad=True)
    out = x.logcumsumexp(0)
    assert out.tolist() == [float("-inf"), 0.0, 0.0, 1000.0]
    out[3].backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_norms_of_nothing_and_of_orders_without_a_way():
    x = ft.zeros(3, requires_grad=True)
    for p in (0.5, 1, 1.5, 2, 3):
        (slope,) = [ft.norm(x, p).backward() or x.grad.clone()]
        assert slope.tolist() == [0.0, 0.0, 0.0], p
    assert ft.norm(ft.tensor([3.0, 0.0]), 0).item() == 1.0
    assert ft.norm(ft.tensor([1e200, 1e200], dtype=ft.float64) / 1e200).item() == pytest.approx(2**0.5)
    assert ft.norm(ft.full((2,), 3e19)).item() == pytest.approx(3e19 * 2**0.5)
    assert linalg.norm(ft.tensor([[1.0, -2.0], [3.0, 4.0]]), float("inf")).item() == 7.0
    assert ft.logsumexp(ft.full((2,), float("-inf")), 0).item() == float("-inf")
    assert ft.logsumexp(ft.zeros(0), 0).item() == float("-inf")
    assert ft.dist(ft.ones(2), ft.zeros(2), 1).item() == 2.0
    with pytest.raises(NotImplementedError, match=r"linalg\.norm: ord=2 needs singular values"):
        linalg.norm(ft.ones(2, 2), 2)
    with pytest.raises(TypeError, match="norm: not defined for int64"):
        ft.arange(3).norm()
    with pytest.raises(ValueError, match=r"linalg\.matrix_norm: expected at least 2 dimensions"):
        linalg.matrix_norm(ft.ones(2))
