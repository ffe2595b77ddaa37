"""einsum and tensordot against NumPy: equations, subscript lists, gradients, errors."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

EQUATIONS = [
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->", (2, 3), (3, 4)),
    ("ba", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ijj->ji", (2, 3, 3)),
    ("iij,jk->ik", (2, 2, 3), (3, 4)),
    ("ii,ij->j", (3, 3), (3, 4)),
    ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
    ("...ij,...kj->...ik", (1, 2, 3), (5, 4, 3)),
    ("...i->i...", (2, 3, 4)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("bij,bjk->kbi", (5, 2, 3), (5, 3, 4)),
    ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("i,j->ij", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("bi,bj->bij", (2, 3), (2, 4)),
    ("bi,bj->jib", (2, 3), (2, 4)),
    ("ab,cd->abcd", (2, 3), (4, 5)),
    ("i,i", (3,), (3,)),
    ("bi,bi->b", (2, 3), (2, 3)),
    ("ij,ij->j", (2, 3), (2, 3)),
    ("ij,kj->k", (2, 3), (4, 3)),
    ("ij,ij,ij->ij", (2, 3), (2, 3), (2, 3)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("a,b,c,d->dcba", (2,), (3,), (4,), (5,)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("bn,anm,bm->ba", (2, 3), (4, 3, 5), (2, 5)),
    ("qkd,qvd,kvq->dq", (2, 3, 4), (2, 5, 4), (3, 5, 2)),
    (",->", (), ()),
    (" i j , j ", (2, 3), (3,)),
    ("ij,jk", (2, 0), (0, 3)),
    ("ij,jk->ik", (2, 1), (1, 3)),
]


def operands(shapes, kind=float):
    rng = np.random.default_rng(len(shapes))
    return [np.asarray(rng.integers(-3, 4, shape) if kind is int else rng.standard_normal(shape)) for shape in shapes]


@pytest.mark.parametrize("kind", [float, int])
@pytest.mark.parametrize(("equation", "shapes"), [(case[0], case[1:]) for case in EQUATIONS])
def test_values(equation, shapes, kind):
    arrays = operands(shapes, kind)
    expected = np.einsum(equation.replace(" ", ""), *arrays)
    tensors = [ft.tensor(array) for array in arrays]
    turned = [x.permute(*reversed(range(x.ndim))).contiguous().permute(*reversed(range(x.ndim))) if x.ndim else x
              for x in tensors]  # fmt: skip
    for given in (tensors, turned):
        got = ft.einsum(equation, *given)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("equation", "shapes"), [(case[0], case[1:]) for case in EQUATIONS if "0" not in str(case[1:])]
)
def test_gradients(equation, shapes):
    tensors = [ft.tensor(array, requires_grad=True) for array in operands(shapes)]
    assert gradcheck(lambda *given: ft.einsum(equation, *given), tensors)
    if len(shapes) < 3:
        assert gradgradcheck(lambda *given: ft.einsum(equation, *given), tensors)


def test_dimensions_of_length_one_broadcast():
    x, y = ft.tensor([[2.0], [3.0]]), ft.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ft.einsum("ij,jk->ik", x, y).tolist() == [[8.0, 12.0], [12.0, 18.0]]


def test_an_ellipsis_may_be_summed():
    assert ft.einsum("...i->i", ft.ones(2, 3, 4)).tolist() == [6.0] * 4
    assert ft.einsum("...->", ft.ones(2, 3)).item() == 6.0


def test_other_ways_to_call():
    a, b = (ft.tensor(operand) for operand in operands([(2, 3), (3, 4)]))
    wanted = a @ b
    assert ft.allclose(ft.einsum("ij,jk->ik", [a, b]), wanted)
    assert ft.allclose(ft.einsum(a, [0, 1], b, [1, 2], [0, 2]), wanted)
    assert ft.allclose(ft.einsum(a, [0, 1], b, [1, 2]), wanted)
    assert ft.allclose(ft.einsum(a, [..., 7], b, [7, 2], [..., 2]), wanted)


def test_the_order_of_products_is_by_size():
    """A vector at the end is multiplied first, which avoids a matrix of the two long dimensions."""
    n = 3000
    x = ft.einsum("ik,kj,j->i", ft.ones(n, 1), ft.ones(1, n), ft.ones(n))
    assert x.shape == (n,) and x[0].item() == n


def test_the_result_is_new():
    x = ft.ones(2, 3)
    assert ft.einsum("ij->ij", x) is not x


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ij->ijj", (2, 3)), "'j' ... twice"),
        (("ij->k", (2, 3)), "'k'"),
        (("i.j", (2, 3)), "got '.' for operand 0"),
        (("ij", (2, 3, 4)), "got 2 for operand 0 of shape (2, 3, 4)"),
        (("ij,jk", (2, 3)), "got 1 for 2"),
        (("ij,jk", (2, 3), (4, 5)), "one length; got lengths 3 and 4"),
        (("ii", (2, 3)), "one length"),
        (("......", (2, 3)), "one ellipsis"),
        (("i1", (2, 3)), "got '1'"),
    ],
)
def test_errors(arguments, message):
    equation, *shapes = arguments
    with raises(ValueError, "einsum", message):
        ft.einsum(equation, *[ft.ones(shape) for shape in shapes])


def test_other_types_are_rejected():
    with raises(TypeError, "einsum"):
        ft.einsum()
    with raises(TypeError, "einsum", "expected a Tensor", value="int"):
        ft.einsum("i", 3)
    with raises(TypeError, "einsum", "list of numbers"):
        ft.einsum(ft.ones(2), 3)
    with raises(RuntimeError, "einsum", "int64 and float32"):
        ft.einsum("ij,jk", ft.ones(2, 2, dtype=ft.int64), ft.ones(2, 2))


@pytest.mark.parametrize(
    ("shapes", "dims"),
    [
        (((2, 3, 4), (4, 3, 5)), ([2, 1], [0, 1])),
        (((2, 3), (3, 4)), 1),
        (((2, 3), (3, 4)), 0),
        (((2, 3), (2, 3)), 2),
        (((2, 3, 4), (5, 3)), ([1], [-1])),
    ],
)
def test_tensordot(shapes, dims):
    a, b = operands(shapes)
    got = ft.tensordot(ft.tensor(a), ft.tensor(b), dims=dims)
    np.testing.assert_allclose(got.numpy(), np.tensordot(a, b, dims), rtol=1e-12)
    assert gradcheck(
        lambda x, y: ft.tensordot(x, y, dims), [ft.tensor(operand, requires_grad=True) for operand in (a, b)]
    )
    out = ft.empty(0, dtype=ft.float64)
    assert ft.allclose(ft.tensordot(ft.tensor(a), ft.tensor(b), dims, out=out), got)


def test_tensordot_errors():
    a, b = ft.ones(2, 3), ft.ones(4, 5)
    for dims in (1, 3, ([0], [0]), ([0, 1], [0]), ([2], [0])):
        with raises(ValueError, "tensordot"):
            ft.tensordot(a, b, dims)


def test_integers_keep_their_dtype_if_lengths_broadcast():
    x = ft.full((2, 1, 3), 2, dtype=ft.int32)
    got = ft.tensordot(x, x, 2)
    assert got.dtype is ft.int32 and got.tolist() == [[24] * 3] * 2
