"""Sorts and related operators: NaN, zeros, equal elements, long lines, errors. The matrix covers ordinary values."""

import pickle

import numpy as np
import pytest

import facula_tensor as ft
from facula_cpu.extend import at_level, levels
from facula_errors.testing import raises
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


@pytest.mark.parametrize("n", [5000, 150_000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_long_lines_with_clusters(dtype, n):
    """Most elements are in few of the parts that a long line is divided into, some of them equal."""
    rng = np.random.default_rng(n)
    x = np.where(rng.random(n) < 0.9, 2**20 + rng.integers(0, 2**16, n), rng.integers(-(2**62), 2**62, n)).astype(dtype)
    for descending in (False, True):
        values, places = ft.tensor(x).sort(descending=descending, stable=True)
        wanted = np.argsort(~x if dtype == "int64" and descending else -x if descending else x, kind="stable")
        assert np.array_equal(places.numpy(), wanted)
        assert np.array_equal(values.numpy(), x[wanted])


@pytest.mark.parametrize("order", ["up", "down", "equal"])
def test_topk_of_sorted_lines(order):
    x = {"up": np.arange(3000), "down": np.arange(3000)[::-1], "equal": np.zeros(3000)}[order].astype("f4")
    for k in (5, 100, 2000):
        assert np.array_equal(ft.tensor(x.copy()).topk(k).values.numpy(), np.sort(x)[::-1][:k])


def test_pairs():
    values, places = ft.empty(0), ft.empty(0, dtype=ft.int64)
    result = ft.sort(ft.tensor([3, 1, 2]).to(ft.float32), out=(ft.empty(3), ft.empty(3, dtype=ft.int64)))
    assert repr(result).startswith("facula.return_types.sort(") and result[1].tolist() == [1, 2, 0]
    with raises(TypeError, "topk", "expected out to be two tensors"):
        ft.topk(ft.ones(3), 1, out=values)
    with raises(ValueError, "topk", "expected k from 0 to 3, the elements along dim 0", value=4):
        ft.ones(3).topk(4)
    with raises(IndexError, "sort"):
        ft.ones(3).sort(1)
    with raises(TypeError, "sort", "complex numbers have no order"):
        ft.ones(3, dtype=ft.complex64).sort()
    assert places.numel() == 0


def test_gradients_of_equal_elements_follow_the_indices():
    x = ft.tensor([[2.0, 2.0, 1.0]], requires_grad=True)
    x.topk(1).values.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0]]


def test_variance_is_stable_and_its_errors():
    x = ft.tensor([1e8 + i for i in (0.0, 1.0, 2.0)] * 2000, dtype=ft.float64)
    assert x.var(correction=0).item() == pytest.approx(2 / 3, rel=1e-10)
    wide = ft.tensor(np.tile([[1e4], [1e4 + 1]], (700, 3)).astype("f4"))
    assert np.allclose(wide.var(0, correction=0).numpy(), 0.25) and wide.var(correction=0).item() == 0.25
    assert ft.tensor([1.0]).var().isnan().item() and ft.tensor([1.0, 2.0]).var(correction=3).isinf().item()
    assert ft.zeros(0).var().isnan().item()
    assert ft.tensor([1.0, 3.0]).var(False).item() == 1.0
    with raises(TypeError, "std", "not defined for int64", "convert with .float()"):
        ft.arange(3).std()
    with raises(TypeError, "var", "expected unbiased or correction", value="both"):
        ft.ones(3).var(unbiased=True, correction=1)


def test_gradient_of_a_standard_deviation_of_no_elements():
    x = ft.tensor([2.0, 2.0], requires_grad=True)
    x.std().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    x = ft.tensor([1.0, 3.0], requires_grad=True)
    deviation, mean = ft.std_mean(x, correction=0)
    (deviation + mean).backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_scans_of_nan_zero_and_many_elements():
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
    with raises(TypeError, "cumsum", "expected dim to be an integer"):
        y.cumsum()


def test_gradient_of_running_products_through_zeros():
    x = ft.tensor([2.0, 0.0, 3.0, 0.0, 5.0], requires_grad=True)
    x.cumprod(0).sum().backward()
    assert x.grad.tolist() == [1.0, 8.0, 0.0, 0.0, 0.0]


def test_running_products_have_the_same_bits_in_any_layout_and_at_every_level():
    def draw():
        return ft.from_numpy(np.exp(2j * np.pi * rng.random((40, 33))))

    rng = np.random.default_rng(0)
    x, g = draw(), draw()
    wanted = None
    for level in levels():
        with at_level(level):
            for values in (x, x.t().contiguous().t(), ft.stack([x, g], 2)[:, :, 0]):
                values = values.detach().requires_grad_()
                products = values.cumprod(0)
                products.backward(g)
                found = [one.detach().contiguous().numpy().tobytes() for one in (products, values.grad)]
                wanted = wanted or found
                assert found == wanted


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(1, 7), (2, 1), (4, 6), (8, 3), (9, 4), (19, 33), (37, 18), (10, 1024)])
def test_scans_along_lines_add_and_multiply_in_order(dtype, shape):
    rng = np.random.default_rng(shape)
    x, g = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    if dtype != "int64":
        x[0, 0], x[-1, -1], x[-1, 0], g[0, -1] = -0.0, np.inf, np.nan, -0.0
    wide = np.float64 if dtype == "float32" else dtype
    sums, products = (f.accumulate(x.astype(wide), 1).astype(dtype) for f in (np.add, np.multiply))
    wanted = [sums, products]
    if dtype != "int64":
        s, back = np.full(shape[0], -0.0), np.empty(shape, wide)
        for i in reversed(range(shape[1])):
            with np.errstate(invalid="ignore"):
                s = g[:, i] + (x[:, i + 1] * s if i + 1 < shape[1] else 0 * s)
                back[:, i] = s * products[:, i - 1] if i else s
        wanted += [np.add.accumulate(g[:, ::-1].astype(wide), 1)[:, ::-1], back]
    for level in levels():
        with at_level(level):
            for copy in (lambda a: a.copy(), lambda a: np.repeat(a, 2, 1)[:, ::2], lambda a: a.T.copy().T):
                values, gradient = ft.from_numpy(copy(x)), ft.from_numpy(copy(g))
                found = [values.cumsum(1), values.cumprod(1), *backwards(values, gradient)]
                for one, other in zip(found, wanted, strict=True):
                    np.testing.assert_array_equal(one.numpy(), other.astype(dtype))
                if dtype != "int64":
                    assert np.signbit(one.numpy()[0, -1]) == np.signbit(other[0, -1])


@pytest.mark.parametrize("shape", [(1, 16), (3, 17), (9, 200), (20, 64)])
def test_gradients_of_running_extremes_are_sums_of_blocks(shape):
    rng = np.random.default_rng(shape)
    x, g = rng.standard_normal(shape).astype("float32"), rng.integers(-9, 9, shape).astype("float32")
    places = np.array([[line[: i + 1].argmax() for i in range(len(line))] for line in x])
    wanted = np.zeros_like(x)
    np.add.at(wanted, (np.arange(len(x))[:, None], places), g)
    for level in levels():
        with at_level(level):
            for dim, of in ((1, lambda a: a), (0, lambda a: a.T.copy()), (1, lambda a: np.repeat(a, 2, 1)[:, ::2])):
                leaf = ft.from_numpy(of(x)).requires_grad_()
                leaf.cummax(dim).values.backward(ft.from_numpy(of(g)))
                np.testing.assert_array_equal(leaf.grad.numpy(), wanted.T if dim == 0 else wanted)


def backwards(x, g):
    """Yield the gradients of running sums and products along lines."""
    if x.dtype.is_floating_point:
        for name in ("cumsum", "cumprod"):
            leaf = x.detach().requires_grad_()
            getattr(leaf, name)(1).backward(g)
            yield leaf.grad


def test_running_sums_of_exponentials_at_infinity():
    x = ft.tensor([float("-inf"), 0.0, float("-inf"), 1000.0], requires_grad=True)
    out = x.logcumsumexp(0)
    assert out.tolist() == [float("-inf"), 0.0, 0.0, 1000.0]
    out[3].backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_norms_of_zeros_and_of_further_orders():
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
    assert linalg.norm(ft.tensor([[3.0, 0.0], [0.0, 4.0]]), 2).item() == 4.0
    assert [
        linalg.matrix_norm(ft.ones(shape), p).item() for shape in ((0, 3), (3, 0)) for p in (1, float("inf"), 2)
    ] == [0.0] * 6
    with raises(TypeError, "norm", "not defined for int64"):
        ft.arange(3).norm()
    with raises(ValueError, "linalg.matrix_norm", "expected at least 2 dimensions"):
        linalg.matrix_norm(ft.ones(2))


def test_medians_and_modes():
    x = ft.tensor([[3.0, NAN, 1.0, 2.0], [4.0, 4.0, 1.0, 1.0]])
    assert x.median(1).indices.tolist()[0] == 1 and x.median().isnan().item()
    assert x.nanmedian(1).values.tolist() == [2.0, 1.0] and x.nanmedian().item() == 2.0
    assert x.mode(1).values.tolist() == [1.0, 1.0] and x.mode(1).indices.tolist() == [2, 3]
    assert ft.zeros(0).median().isnan().item() and ft.full((2,), NAN).nanmedian(0).indices.item() == 0
    for dtype in ("uint8", "int16", "int64"):  # as in PyTorch
        nothing = ft.zeros(0, dtype=getattr(ft, dtype))
        assert nothing.median().item() == nothing.nanmedian().item() == np.iinfo(dtype).min
    long = ft.tensor(np.random.default_rng(0).permutation(3001).astype("f4"))
    assert long.median().item() == 1500 and long.kthvalue(7).values.item() == 6
    y = ft.tensor([1.0, 2.0, 2.0, 9.0], requires_grad=True)
    y.median().backward()
    assert y.grad.tolist() == [0.0, 0.5, 0.5, 0.0]
    with raises(ValueError, "kthvalue", "expected k from 1 to 4, the elements along dim 0", value=5):
        y.kthvalue(5)
    with raises(ValueError, "median", "expected at least one element along dim 1"):
        ft.zeros(2, 0).median(1)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int64", "float16", "float32", "float64"])
def test_positions_in_sorted_sequences(dtype):
    lines = np.sort(np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 9, (2, 7)).astype(dtype), -1)
    values = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 11, (2, 5)).astype(dtype)
    for side in ("left", "right"):
        wanted = np.stack([np.searchsorted(a, b, side) for a, b in zip(lines, values, strict=True)])
        got = ft.searchsorted(ft.tensor(lines), ft.tensor(values), side=side)
        assert got.dtype is ft.int64 and np.array_equal(got.numpy(), wanted)
        first = ft.bucketize(ft.tensor(values), ft.tensor(lines[0]), right=side == "right", out_int32=True)
        assert first.dtype is ft.int32 and np.array_equal(first.numpy(), np.searchsorted(lines[0], values, side))


def test_searchsorted_special_cases_and_errors():
    shuffled = ft.tensor([3.0, 1.0, 2.0])
    assert ft.searchsorted(shuffled, 2.5, sorter=shuffled.argsort()).item() == 2
    assert ft.searchsorted(ft.tensor([1.0, 2.0]), ft.tensor([NAN])).tolist() == [2]
    with raises(ValueError, "searchsorted", "expected indices of sorter from 0 to 2"):
        ft.searchsorted(shuffled, 2.5, sorter=ft.tensor([0, 1, 3]))
    with raises(ValueError, "searchsorted", "expected side and right to agree"):
        ft.searchsorted(shuffled, 1.0, side="left", right=True)
    with raises(ValueError, "searchsorted", "expected a sorted sequence of one dimension"):
        ft.searchsorted(ft.zeros(2, 3), ft.zeros(3, 3))


def test_searches_of_any_number_of_dimensions():
    """A plan for one number of dimensions, from the first call of a rank, serves all others correctly."""
    for dims in [(), (2,), (3, 2), (2,), (), (1, 3, 2)]:
        lines = np.sort(np.random.default_rng(len(dims)).standard_normal((*dims, 7)))
        values = lines[..., ::3] + 0.01
        found = ft.searchsorted(ft.tensor(lines), ft.tensor(values)).numpy()
        rows = zip(lines.reshape(-1, 7), values.reshape(-1, 3), strict=True)
        np.testing.assert_array_equal(found.reshape(-1, 3), [np.searchsorted(*row) for row in rows])


def test_bincount():
    x = ft.tensor([1, 3, 1], dtype=ft.uint8)
    assert x.bincount().tolist() == [0, 2, 0, 1] and x.bincount(minlength=6).shape == (6,)
    weighted = x.bincount(ft.tensor([0.5, 1.0, 2.0]))
    assert weighted.dtype is ft.float32 and weighted.tolist() == [0.0, 2.5, 0.0, 1.0]
    assert x.bincount(ft.tensor([1, 2, 3])).dtype is ft.float64
    assert ft.zeros(0, dtype=ft.int64).bincount().shape == (0,)
    with raises(ValueError, "bincount", "expected no negative numbers", value=-1):
        ft.tensor([-1]).bincount()
    with raises(TypeError, "bincount", "expected integers", value="float32"):
        ft.ones(2).bincount()


def test_distinct_elements_and_slices():
    x = np.array([[1, 2, 1], [0, 5, 0], [1, 2, 1], [0, 4, 9]])
    for axis in (None, 0, 1):
        wanted = np.unique(x, return_inverse=True, return_counts=True, axis=axis)
        got = ft.unique(ft.tensor(x), return_inverse=True, return_counts=True, dim=axis)
        for ours, theirs in zip(got, wanted, strict=True):
            assert np.array_equal(ours.numpy(), theirs.reshape(tuple(ours.shape)))
    assert ft.tensor(x).t().unique().tolist() == [0, 1, 2, 4, 5, 9]
    values, back, counts = ft.tensor([1, 1, 0, 0, 0, 1]).unique_consecutive(True, True)
    assert (values.tolist(), back.tolist(), counts.tolist()) == ([1, 0, 1], [0, 0, 1, 1, 1, 2], [2, 3, 1])
    assert ft.zeros(0).unique(return_counts=True)[1].tolist() == []
    assert ft.tensor([NAN, NAN]).unique().shape == (2,)


@pytest.mark.parametrize(
    "name", ["sort", "topk", "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin", "max", "min"]
)
def test_results_with_names_can_be_pickled(name):
    x = ft.tensor([[3.0, 1.0, 2.0], [1.0, 5.0, 4.0]])
    given = (1, 1) if name == "kthvalue" else (2, 1) if name == "topk" else (1,)
    result = getattr(x, name)(*given)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) and repr(again) == repr(result)
