"""Margin and likelihood losses: one row and none, ties, bounds, and errors."""

import math

import numpy as np
import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad
from facula_errors.testing import raises


def test_deprecated_arguments_for_the_reduction():
    x, y = ft.tensor([2.0, 0.25]), ft.tensor([1, -1])
    assert F.hinge_embedding_loss(x, y, reduce=False).tolist() == [2, 0.75]
    assert F.hinge_embedding_loss(x, y, size_average=False).item() == 2.75
    assert F.soft_margin_loss(x * 0, y, size_average=True).item() == pytest.approx(math.log(2))


def test_one_row_and_none():
    row = ft.tensor([0.1, 0.2, 0.4, 0.8])
    assert F.multilabel_margin_loss(row, ft.tensor([3, 0, -1, 1]), reduction="none").item() == pytest.approx(0.85)
    assert F.multi_margin_loss(row, ft.tensor(3), reduction="none").shape == ()
    assert F.multi_margin_loss(row, ft.tensor([3]), reduction="none").tolist() == pytest.approx([0.325])
    assert F.multilabel_margin_loss(row, ft.tensor([-1, 0, 1, 2])).item() == 0
    assert F.cosine_embedding_loss(row, row * 2, ft.tensor(1)).item() == pytest.approx(0, abs=1e-6)
    for loss in (F.multi_margin_loss, F.multilabel_margin_loss):  # a single class
        alone = loss(ft.tensor(0.5), ft.tensor(0), reduction="none")
        assert alone.shape == () and alone.item() == 0
    nothing = ft.zeros(0, 3)
    assert F.multi_margin_loss(nothing, ft.zeros(0, dtype=ft.int64), reduction="sum").item() == 0
    assert F.multilabel_margin_loss(nothing, ft.zeros(0, 3, dtype=ft.int64), reduction="none").shape == (0,)


# slopes at kinks of a maximum, and at a length of 0
TIES = [
    (lambda x: F.hinge_embedding_loss(x, ft.tensor([-1, -1]), reduction="sum"), [1.0, 2.0], [-1.0, 0.0]),
    (lambda x: F.margin_ranking_loss(x, ft.tensor([1.0, 2.0]), ft.tensor([1.0, -1.0])), [1.0, 2.0], [-0.5, 0.5]),
    (lambda x: F.multi_margin_loss(x, ft.tensor(1), reduction="sum"), [0.0, 1.0, 0.5], [0.0, -1 / 3, 1 / 3]),
    (lambda x: F.cosine_embedding_loss(x, ft.tensor([1.0, 0.0]), ft.tensor(1)), [0.0, 0.0], [-1e6, 0.0]),
    (lambda x: F.triplet_margin_loss(x, x.detach(), ft.tensor([3.0, 0.0]), 9.0, eps=0), [0.0, 0.0], [1.0, 0.0]),
    (lambda x: F.gaussian_nll_loss(ft.zeros(2), ft.zeros(2), x, eps=0.5, reduction="sum"), [0.0, 1.0], [1.0, 0.5]),
]


@pytest.mark.parametrize("case", range(len(TIES)))
def test_slopes_at_ties(case):
    loss, at, wanted = TIES[case]
    x = ft.tensor(at, requires_grad=True)
    np.testing.assert_allclose(grad(loss(x), x)[0].tolist(), wanted, rtol=1e-5)


def test_no_overflow_and_bounds():
    far = ft.tensor([-1000.0, 1000.0], requires_grad=True)
    loss = F.soft_margin_loss(far, ft.tensor([1.0, 1.0]), reduction="none")
    assert loss.tolist() == [1000, 0]
    assert grad(loss.sum(), far)[0].tolist() == [-1, 0]
    assert F.gaussian_nll_loss(ft.tensor([1.0]), ft.tensor([3.0]), 0.5).item() == pytest.approx((math.log(0.5) + 8) / 2)
    var = ft.zeros(2)
    F.gaussian_nll_loss(ft.ones(2), ft.ones(2), var)
    assert var.tolist() == [0, 0]


ONES = ft.ones(2, 3)
REFUSED = {
    "reduction": (
        lambda: F.hinge_embedding_loss(ONES, ONES, reduction="max"),
        ValueError,
        "hinge_embedding_loss: 'max'",
    ),
    "dims": (
        lambda: F.margin_ranking_loss(ONES, ONES, ONES[0]),
        ValueError,
        "margin_ranking_loss: number of dimensions ... target (3,)",
    ),
    "cosine": (
        lambda: F.cosine_embedding_loss(ONES, ONES, ft.tensor(1)),
        ValueError,
        "cosine_embedding_loss: (N, D) ... target ()",
    ),
    "margin": (lambda: F.triplet_margin_loss(ONES, ONES, ONES, 0), ValueError, "triplet_margin_loss: margin ... got 0"),
    "triplet": (lambda: F.triplet_margin_loss(ONES, ONES[0], ONES), ValueError, "triplet_margin_loss: positive (3,)"),
    "p": (lambda: F.multi_margin_loss(ONES, ft.tensor([0, 1]), 3), ValueError, "multi_margin_loss: p ... got 3"),
    "class": (lambda: F.multi_margin_loss(ONES, ft.tensor([0, 3])), IndexError, "multi_margin_loss: from ... got 3"),
    "rows": (lambda: F.multi_margin_loss(ONES, ft.tensor([0])), ValueError, "multi_margin_loss: target of shape (2,)"),
    "weight": (
        lambda: F.multi_margin_loss(ONES, ft.tensor([0, 1]), weight=ft.ones(2)),
        ValueError,
        "multi_margin_loss: weight of shape (3,) ... (2,)",
    ),
    "label": (
        lambda: F.multilabel_margin_loss(ONES, ft.tensor([[0, 1, 2], [-1, -2, 0]])),
        IndexError,
        "multilabel_margin_loss: from 0 to 2, or -1 for the end; got -2",
    ),
    "labels": (
        lambda: F.multilabel_margin_loss(ONES, ft.tensor([0, 1, 2])),
        ValueError,
        "multilabel_margin_loss: input's shape (2, 3)",
    ),
    "label dtype": (lambda: F.multilabel_margin_loss(ONES, ONES), TypeError, "multilabel_margin_loss: got float32"),
    "input dtype": (
        lambda: F.multi_margin_loss(ONES.long(), ft.tensor([0, 1])),
        TypeError,
        "multi_margin_loss: floating ... int64",
    ),
    "var": (lambda: F.gaussian_nll_loss(ONES, ONES, ft.ones(3)), ValueError, "gaussian_nll_loss: var of input's shape"),
    "negative": (lambda: F.gaussian_nll_loss(ONES, ONES, -ONES), ValueError, "gaussian_nll_loss: at least 0; got -1.0"),
    "soft": (lambda: F.soft_margin_loss(ONES, ONES[0]), ValueError, "soft_margin_loss: (2, 3) ... (3,)"),
    "number": (
        lambda: F.multilabel_soft_margin_loss(ft.tensor(1.0), ft.tensor(1.0)),
        ValueError,
        "multilabel_soft_margin_loss: got a number",
    ),
    "foreign": (lambda: F.poisson_nll_loss([1.0], ONES), TypeError, "poisson_nll_loss: list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors(name):
    action, kind, text = REFUSED[name]
    with raises(kind, text):
        action()


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("hinge_embedding_loss", "ab"),
        ("margin_ranking_loss", "aba"),
        ("margin_ranking_loss", "aab"),
        ("triplet_margin_loss", "aba"),
        ("triplet_margin_loss", "aab"),
        ("triplet_margin_with_distance_loss", "aba"),
        ("poisson_nll_loss", "ab"),
        ("gaussian_nll_loss", "aba"),
        ("multilabel_soft_margin_loss", "ab"),
        ("cosine_similarity", "ab"),
        ("pairwise_distance", "ab"),
    ],
)
def test_broadcast_errors_name_the_called_function(name, operands):
    given = {"a": ft.ones(2, 3), "b": ft.ones(2, 4)}
    with raises(ValueError, name, "shapes", "do not broadcast: dimension -1"):
        getattr(F, name)(*(given[letter] for letter in operands))


def test_cosine_embedding_loss_names_itself_in_errors():
    with raises(ValueError, "cosine_embedding_loss", "shapes"):
        F.cosine_embedding_loss(ft.ones(2, 3), ft.ones(2, 4), ft.ones(2))


@pytest.mark.parametrize("p", [0.5, 1.5])
def test_elements_of_zero_leave_norms_of_small_exponents_finite_gradients(p):
    for made in (
        lambda x: ft.functional.pairwise_distance(x, ft.zeros(2, 2, dtype=ft.float64), p=p, eps=0),
        lambda x: ft.functional.normalize(x, p=p),
        lambda x: ft.cdist(x, ft.zeros(1, 2, dtype=ft.float64), p=p),
    ):
        x = ft.tensor([[0.0, 0.0], [0.0, 4.0]], dtype=ft.float64, requires_grad=True)
        made(x).sum().backward()
        assert x.grad.isfinite().all()
    x = ft.tensor([[0.0, 4.0]], dtype=ft.float64, requires_grad=True)
    ft.functional.pairwise_distance(x, x.detach() * 0, p=p, eps=0).sum().backward()
    assert x.grad.tolist() == [[0, pytest.approx(1)]]


def test_cosines_of_huge_vectors_are_no_nan():
    """Lengths are sums in double precision, and vectors are divided by them before they are multiplied."""
    x = ft.tensor([[1e30, 1e30], [0.0, 0.0], [3e15, 4e15]], requires_grad=True)
    found = F.cosine_similarity(x, x)
    assert found.tolist() == pytest.approx([1, 0, 1])
    found.sum().backward()
    assert not x.grad.isnan().any()
    assert F.cosine_similarity(ft.tensor(2.0), ft.tensor(-3.0), dim=0).item() == -1


def test_normalized_vectors_of_one_number_are_exact():
    x = ft.arange(-50, 50).reshape(100, 1) / 7 + 0.01
    for dtype in (ft.float32, ft.float64, ft.float16, ft.bfloat16):
        assert F.normalize(x.to(dtype)).tolist() == x.sign().tolist()


@pytest.mark.parametrize("dims", [1, (1, 2), 2, 0])
def test_gradients_of_normalized_vectors_shorter_than_eps(dims):
    """The divisor is then constant."""
    rng = np.random.default_rng(1)
    x = ft.tensor(rng.standard_normal((2, 3, 4)) * 1e-3, requires_grad=True)
    g = ft.tensor(rng.standard_normal((2, 3, 4)))
    F.normalize(x, dim=dims, eps=0.5).backward(g)
    np.testing.assert_allclose(x.grad.numpy(), g.numpy() / 0.5, rtol=1e-14)


def test_rows_beyond_the_range_of_squares_are_normalized():
    x = ft.tensor([[3e30, -4e30], [3e-14, 4e-14]])
    np.testing.assert_allclose(F.normalize(x).numpy(), [[0.6, -0.8], [0.03, 0.04]], rtol=3e-7)
    np.testing.assert_allclose(F.normalize(x, eps=1e-30).numpy(), [[0.6, -0.8], [0.6, 0.8]], rtol=3e-7)
