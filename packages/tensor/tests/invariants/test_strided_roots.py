"""In-place changes through views of non-contiguous tensors, and their gradients to order two."""

from __future__ import annotations

import pytest

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

F64 = ft.float64


def table():
    return ft.arange(12, dtype=F64).view(3, 4) / 7


ROOTS = {
    "in order": lambda: table(),
    "transposed": lambda: table().t().detach(),
    "with gaps": lambda: table()[:, ::2].detach(),
    "transposed, with gaps": lambda: table()[1:, 1:].t().detach(),
    "one column": lambda: table()[1:2].t().detach(),
    "inner dimensions exchanged": lambda: (
        ft.arange(24, dtype=F64).view(2, 3, 4).transpose(1, 2).detach()[:, :, 1:].detach()
    ),
}


def changed(root, x, y):
    """Apply a chain of views of `root`, sibling views and changes."""
    row, corner = root[0], root[:, :1]
    row.mul_(x[: row.shape[-1]])
    root.add_(1)
    corner.mul_(y)
    root[-1] = root[-1].clone() * row.sum()
    return root.exp().sum() + (row * row).sum() + (corner * 3).sum()


def operands():
    x = ft.tensor([1.5, -0.5, 0.25, 2.0], dtype=F64, requires_grad=True)
    return x, ft.tensor([0.75], dtype=F64, requires_grad=True)


@pytest.mark.parametrize("name", ROOTS)
def test_changes_against_numeric_gradients(name):
    assert gradcheck(lambda x, y: changed(ROOTS[name](), x, y), operands())
    assert gradgradcheck(lambda x, y: changed(ROOTS[name](), x, y), operands())


@pytest.mark.parametrize("name", ROOTS)
def test_changes_equal_those_of_a_contiguous_root(name):
    """The same program on the same elements in contiguous memory: equal values and gradients."""
    answers = []
    for prepare in (lambda root: root, lambda root: root.contiguous()):
        x, y = operands()
        out = changed(prepare(ROOTS[name]()), x, y)
        out.backward()
        answers.append((out.tolist(), x.grad.tolist(), y.grad.tolist()))
    for answer, other in zip(*answers, strict=True):
        assert answer == pytest.approx(other, rel=1e-12)


def test_gradients_through_any_strides_of_a_strided_tensor():
    x, _ = operands()
    places = table().t().detach()

    def seen(x):
        strided = (places * x[:3]).t().contiguous().t()  # strides (1, 4)
        assert not strided.is_contiguous()
        return (strided.as_strided((2, 2, 3), (1, 1, 4)) ** 2).sum()

    assert gradcheck(seen, (x,))
    assert gradgradcheck(seen, (x,))


def test_overlapping_elements_are_rejected():
    x, _ = operands()
    with raises(NotImplementedError, "as_strided", "contiguous()"):
        x.expand(2, 4).as_strided((4,), (1,))
