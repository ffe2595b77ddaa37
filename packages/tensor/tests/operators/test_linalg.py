"""Linear algebra: errors, `info`, names of results, and behaviour that the matrix does not cover."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import grad, gradgradcheck
from facula_errors.testing import raises
from facula_tensor import linalg

NAN, INF = float("nan"), float("inf")
SINGULAR = ft.tensor([[1.0, 2.0], [2.0, 4.0]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.cholesky(-ft.eye(3)), "linalg.cholesky: positive definite ... order 1 is not positive"),
        (lambda: linalg.cholesky(ft.stack([ft.eye(3), ft.eye(3) - 1])), "linalg.cholesky: cholesky: matrix [1] ..."),
        (lambda: ft.eye(2).sub(1).cholesky(), "cholesky: expected a positive definite"),
        (lambda: linalg.inv(SINGULAR), "linalg.inv: singular (pivot 2 of its elimination is 0)"),
        (lambda: ft.stack([ft.eye(2), SINGULAR]).view(1, 2, 2, 2).inverse(), "inverse: matrix [0, 1] ... pivot 2"),
        (lambda: linalg.lu_factor(SINGULAR), "linalg.lu_factor: pivot 2"),
        (lambda: linalg.pinv(ft.full((2, 3), NAN)), "linalg.pinv: converges"),
        (lambda: linalg.solve(SINGULAR, ft.ones(2)), "linalg.solve: pivot 2"),
        (lambda: linalg.svd(ft.full((2, 3), NAN)), "linalg.svd: converges"),
        (lambda: linalg.svdvals(ft.full((2, 3), NAN)), "linalg.svdvals: converges"),
        (lambda: linalg.eigh(ft.stack([ft.eye(2), ft.full((2, 2), NAN)])), "linalg.eigh: matrix [1] ... converges"),
        (lambda: linalg.eigvalsh(ft.full((2, 2), NAN)), "linalg.eigvalsh: converges"),
        (lambda: linalg.cholesky(ft.tensor([[1.0, 0.0], [NAN, 1.0]])), "linalg.cholesky: minor of order 2"),
        (lambda: linalg.cond(ft.tensor([[NAN, 1.0], [1.0, 2.0]])), "linalg.cond: converges"),
        (lambda: linalg.norm(ft.full((2, 2), NAN), 2), "linalg.norm: converges"),
        (lambda: linalg.eigvals(ft.full((2, 2), float("inf"))), "linalg.eigvals: infinite"),
    ],
)
def test_matrices_without_a_result(call, words):
    with raises(linalg.LinAlgError, words) as raised:
        call()
    assert isinstance(raised.value, RuntimeError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.inv(ft.ones(3)), "linalg.inv: at least 2 dimensions; got shape (3,)"),
        (lambda: linalg.det(ft.ones(2, 3)), "linalg.det: square matrices (..., n, n); got shape (2, 3)"),
        (lambda: linalg.solve(ft.ones(3, 3), ft.ones(2, 2)), "linalg.solve: 3 rows beside A (3, 3); got shape (2, 2)"),
        (lambda: linalg.solve(ft.eye(3), ft.ones(3), left=False), "linalg.solve: matrices where left is False"),
        (lambda: linalg.solve(ft.eye(3), ft.ones(3).double()), "linalg.solve: got float32 and float64"),
        (
            lambda: linalg.solve_triangular(ft.eye(3), ft.ones(2, 4), upper=True, left=False),
            "linalg.solve_triangular: 3 columns beside A",
        ),
        (lambda: linalg.qr(ft.ones(2, 2), "raw"), "linalg.qr: 'reduced', 'complete' or 'r'; got 'raw'"),
        (lambda: linalg.eigh(ft.ones(2, 2), "X"), "linalg.eigh: UPLO to be 'L' or 'U'; got 'X'"),
        (lambda: linalg.svd(ft.ones(2, 2).half()), "linalg.svd: not defined for float16"),
        (lambda: linalg.qr(ft.ones(2, 2), out=(ft.ones(2, 2),)), "linalg.qr: 2 tensors (Q, R)"),
        (lambda: linalg.matrix_power(ft.ones(2, 3), 2), "linalg.matrix_power: square ... got shape (2, 3)"),
        (lambda: linalg.multi_dot([ft.ones(2, 3), ft.ones(2, 3)]), "linalg.multi_dot: columns of the factor before"),
        (lambda: linalg.multi_dot([]), "linalg.multi_dot: expected a list of matrices"),
        (lambda: linalg.tensorinv(ft.ones(2, 3), 1), "linalg.tensorinv: got ind 1 and shape (2, 3)"),
        (lambda: linalg.lu_solve(ft.eye(2), ft.tensor([1, 3]), ft.ones(2, 1)), "linalg.lu_solve: pivots ... got 3"),
        (lambda: linalg.lstsq(ft.ones(2, 2), ft.ones(2, 2), driver="x"), "linalg.lstsq: gelsd, gelss; got 'x'"),
        (lambda: ft.renorm(ft.ones(3), 2, 0, 1), "renorm: at least 2 dimensions"),
        (lambda: ft.cholesky_solve(ft.ones(2, 1), ft.eye(3)), "cholesky_solve: got shapes (2, 1) and (3, 3)"),
    ],
)
def test_errors(call, words):
    with raises((ValueError, TypeError), words):
        call()


def test_undetermined_results_have_no_derivative():
    for mode, shape in (("complete", (3, 2)), ("r", (2, 2))):
        with raises(NotImplementedError, "qr", "use mode='reduced'"):
            linalg.qr(ft.ones(*shape, requires_grad=True), mode).R.sum().backward()


def test_info_in_place_of_errors():
    stack = ft.stack([ft.eye(2), SINGULAR, ft.zeros(2, 2)])
    inverse, info = linalg.inv_ex(stack)
    assert info.tolist() == [0, 2, 1] and info.dtype is ft.int32
    assert inverse[0].tolist() == [[1, 0], [0, 1]] and inverse[1:].isnan().all()
    assert linalg.solve_ex(stack, ft.ones(2, 1)).info.tolist() == [0, 2, 1]
    assert linalg.cholesky_ex(ft.tensor([[1.0, 0.0], [0.0, -1.0]])).info.item() == 2
    with raises(linalg.LinAlgError, "linalg.inv_ex", "matrix [1]"):
        linalg.inv_ex(stack, check_errors=True)


def test_results_have_names():
    values, vectors = found = linalg.eigh(ft.eye(2))
    assert found.eigenvalues is values and found[1] is vectors
    assert repr(found).startswith("facula.return_types.linalg_eigh(\neigenvalues=tensor([1., 1.])")
    out = ft.empty(0), ft.empty(0)
    assert linalg.qr(ft.eye(3), out=out).Q is out[0] and out[1].shape == (3, 3)


def test_results_do_not_share_memory():
    values, vectors = linalg.eigh(ft.eye(2))
    values.zero_()
    assert vectors.abs().sum() == 2
    S = ft.eye(3, requires_grad=True).svd().S
    S.mul_(2).sum().backward()


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_empty(shape):
    x = ft.ones(*shape)
    for function in (linalg.inv, linalg.cholesky, linalg.eigvalsh, linalg.svdvals):
        assert function(x).shape in (shape, shape[:-1])
    assert linalg.det(x).tolist() == ([] if shape[0] == 0 and len(shape) > 2 else ft.ones(*shape[:-2]).tolist())
    assert linalg.solve(x, x).shape == shape and linalg.eigh(x).eigenvectors.shape == shape
    assert [part.shape for part in linalg.qr(x)] == [shape, shape]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_gradient_of_a_determinant_that_is_0(rank):
    """The gradient of a polynomial: cofactors, and second-order minors."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4, rank)) @ rng.standard_normal((rank, 4))
    x = ft.tensor(values, requires_grad=True)
    linalg.det(x).backward()
    signs = (-1.0) ** np.add.outer(np.arange(4), np.arange(4))
    cofactors = [[np.linalg.det(np.delete(np.delete(values, i, 0), j, 1)) for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(x.grad.numpy(), signs * cofactors, atol=1e-10)
    assert gradgradcheck(linalg.det, (x,))


def test_the_third_derivative_of_a_determinant():
    x = ft.tensor(np.random.default_rng(1).standard_normal((3, 3)), requires_grad=True)

    def slope(x):
        (first,) = grad(linalg.det(x), x, create_graph=True)
        return first * first

    assert gradgradcheck(slope, (x,))


def test_equal_singular_values_have_a_gradient():
    for function in (linalg.svdvals, lambda x: linalg.svd(x).S, linalg.eigvalsh, lambda x: linalg.eigh(x).eigenvalues):
        x = ft.eye(3, requires_grad=True)
        function(x).sum().backward()
        assert x.grad.tolist() == ft.eye(3).tolist()


def test_only_one_triangle_is_read():
    x = ft.tensor([[2.0, NAN], [1.0, 3.0]])
    assert linalg.cholesky(x).isfinite().all() and linalg.eigvalsh(x).isfinite().all()
    assert linalg.cholesky(x.mT, upper=True).isfinite().all() and linalg.eigvalsh(x.mT, "U").isfinite().all()
    assert linalg.solve_triangular(x, ft.ones(2, 1), upper=False).isfinite().all()


def test_tolerances_and_ranks():
    x = ft.stack([ft.eye(2), SINGULAR, ft.zeros(2, 2)])
    assert linalg.matrix_rank(x).tolist() == [2, 1, 0]
    assert linalg.matrix_rank(x, hermitian=True).tolist() == [2, 1, 0]
    assert linalg.matrix_rank(x, atol=ft.tensor([2.0, 0.0, 0.0]), rtol=1e-5).tolist() == [0, 1, 0]
    assert linalg.pinv(x, atol=6.0).tolist() == ft.zeros(3, 2, 2).tolist()
    assert linalg.matrix_rank(ft.ones(2, 0, 3)).tolist() == [0, 0] and linalg.pinv(ft.ones(0, 3)).shape == (3, 0)


def test_least_squares():
    a, b = ft.tensor([[1.0], [1.0]]), ft.tensor([1.0, 3.0])
    found = linalg.lstsq(a, b, driver="gelsd")
    assert found.solution.tolist() == pytest.approx([2.0]) and found.residuals.tolist() == pytest.approx([2.0])
    assert found.rank.item() == 1 and found.singular_values.tolist() == pytest.approx([2**0.5])
    assert linalg.lstsq(a, b).residuals.numel() == 0 and linalg.lstsq(a, b, driver="gels").rank.numel() == 0


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(40, 20), (2, 40, 20), (20, 20), (100, 70)])
def test_least_squares_of_many_columns(dtype, shape):
    """Those of full rank are solved by QR; values and gradients are those of the pseudo-inverse."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(*shape[:-1], n)).astype(dtype) for n in (shape[-1], 3))
    a = ft.tensor(a * (1 + 0.5j) if dtype == "complex128" else a, requires_grad=True)
    b = ft.tensor(b, requires_grad=True)
    found = linalg.lstsq(a, b, driver="gelsd")
    np.testing.assert_allclose(found.solution.detach().numpy(), np.linalg.pinv(a.detach().numpy()) @ b.detach().numpy())
    assert (found.rank == shape[-1]).all() and found.rank.shape == shape[:-2]
    g = ft.tensor(rng.normal(size=found.solution.shape).astype(dtype))
    (linalg.pinv(a) @ b).backward(g)
    wanted, a.grad, b.grad = (a.grad, b.grad), None, None
    found.solution.backward(g)
    for one, other in zip((a.grad, b.grad), wanted, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6, atol=1e-9)


def test_least_squares_of_dependent_columns():
    """The solution is the one of least norm."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(2, 40, 20))
    a[1, :, 3] = a[1, :, 5]
    b = rng.normal(size=(2, 40, 1))
    found = linalg.lstsq(ft.tensor(a), ft.tensor(b))
    np.testing.assert_allclose(found.solution.numpy(), np.linalg.pinv(a) @ b, atol=1e-12)
    assert found.rank.tolist() == [20, 19]


def test_conditions_of_singular_matrices():
    assert linalg.cond(ft.zeros(2, 2), 1).item() == float("inf")
    assert linalg.cond(SINGULAR.double()).item() > 1e15


def test_exponentials_of_all_sizes():
    x = ft.tensor([[[0.0, 1.0], [-1.0, 0.0]]], dtype=ft.float64) * ft.tensor([0.0, 1e-8, 1.0, 100.0]).view(4, 1, 1)
    angle = np.array([0.0, 1e-8, 1.0, 100.0])
    np.testing.assert_allclose(ft.matrix_exp(x)[:, 0, 0].numpy(), np.cos(angle), atol=1e-12)
    np.testing.assert_allclose(ft.matrix_exp(x)[:, 0, 1].numpy(), np.sin(angle), atol=1e-12)
    assert ft.matrix_exp(ft.stack([ft.eye(2), ft.full((2, 2), NAN)]))[0].isfinite().all()
    assert ft.matrix_exp(ft.ones(0, 0)).shape == (0, 0)


def test_products_in_the_cheapest_order():
    a, b, c = ft.ones(1000, 1), ft.ones(1, 1000), ft.ones(1000)
    assert linalg.multi_dot([a, b, c]).tolist() == [1000.0] * 1000


def test_products_of_numbers_and_norms_by_position():
    assert ft.linalg.vecdot(ft.tensor(2.0), ft.tensor(3.0)).item() == 6.0
    got = ft.ones(2, 4).norm(2, 1, False, ft.float64)
    assert got.dtype is ft.float64 and got.tolist() == [2.0, 2.0]


def test_infinite_elements_are_not_errors():
    """Values are NaN, as in PyTorch. Other matrices of the batch keep their values, and NaN is an error."""
    x = ft.stack([ft.tensor([[INF, 1.0], [1.0, 2.0]]), ft.eye(2)])
    for values in (linalg.svdvals(x), linalg.eigvalsh(x), linalg.svd(x).S, linalg.eigh(x).eigenvalues):
        assert values[0].isnan().all() and values[1].tolist() == [1.0, 1.0]
    assert linalg.pinv(x)[0].isnan().all() and linalg.pinv(x)[1].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    for order in (2, -2, "nuc"):
        assert linalg.norm(x[0], order).isnan() and linalg.cond(x[0], order).isnan()
    assert linalg.matrix_rank(x).tolist() == [0, 2]
    assert linalg.eigvalsh(ft.tensor([[1.0, NAN], [0.0, 2.0]])).tolist() == [1.0, 2.0]  # the lower triangle is read


@pytest.mark.parametrize("order", [1, "fro", "nuc"])
def test_condition_numbers_of_singular_matrices(order):
    """They are infinite, and leave the other matrices of the batch as they are."""
    x = ft.stack([ft.zeros(2, 2), ft.tensor([[4.0, 0.0], [0.0, 1.0]])])
    found = linalg.cond(x, order)
    assert found[0].item() == INF
    np.testing.assert_allclose(found[1].item(), np.linalg.cond(x[1].numpy(), order), rtol=1e-6)


def test_nan_as_a_pivot_changes_nothing():
    x = ft.stack([ft.tensor([[NAN, 1.0], [1.0, 2.0]]), 2 * ft.eye(2)])
    for found in (linalg.inv(x), linalg.solve(x, ft.eye(2).expand(2, 2, 2))):
        assert found[0].isnan().all() and found[1].tolist() == [[0.5, 0.0], [0.0, 0.5]]
