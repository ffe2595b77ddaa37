"""Printing of tensors with all options, and the display in notebooks: the same text as in PyTorch."""

from html.parser import HTMLParser

import pytest

import facula_tensor as ft
from facula_errors.testing import raises

INF, NAN = float("inf"), float("nan")

PRINTED = [
    (3.5, {}, "tensor(3.5000)"),
    ([1, -22, 333], {}, "tensor([  1, -22, 333])"),
    ([True, True], {}, "tensor([True, True])"),
    ([True, False], {}, "tensor([ True, False])"),
    ([1.0, 2.5], {}, "tensor([1.0000, 2.5000])"),
    ([1.0, INF, NAN], {}, "tensor([1., inf, nan])"),
    ([0.0, -0.0, NAN], {}, "tensor([0., -0., nan])"),
    ([0.001, 10.5], {}, "tensor([1.0000e-03, 1.0500e+01])"),
    ([1e-5, 1e-5], {}, "tensor([1.0000e-05, 1.0000e-05])"),
    ([1.0, 1001.0], {}, "tensor([1.0000e+00, 1.0010e+03])"),
    ([1e9, 1.0], {}, "tensor([1.0000e+09, 1.0000e+00])"),
    ([0.25, -1e-3], {"sci_mode": False}, "tensor([ 0.2500, -0.0010])"),
    ([1.0, 2.0], {"sci_mode": True}, "tensor([1.0000e+00, 2.0000e+00])"),
    ([1.12345, -2.0], {"precision": 2}, "tensor([ 1.12, -2.00])"),
    ([1.5, -2.25], {"precision": 0}, "tensor([ 2, -2])"),
    ([1 + 2j, -1.5 - 22j], {}, "tensor([ 1.0000+2.j, -1.5000-22.j])"),
    ([1 + 2j, 3 - 4j], {}, "tensor([1.+2.j, 3.-4.j])"),
    (
        list(range(30)),
        {},
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])",
    ),
    (
        list(range(30)),
        {"linewidth": 40},
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,\n"
        "         8,  9, 10, 11, 12, 13, 14, 15,\n"
        "        16, 17, 18, 19, 20, 21, 22, 23,\n"
        "        24, 25, 26, 27, 28, 29])",
    ),
    (list(range(30)), {"threshold": 10}, "tensor([ 0,  1,  2,  ..., 27, 28, 29])"),
    (list(range(30)), {"threshold": 10, "edgeitems": 1}, "tensor([ 0,  ..., 29])"),
    (
        [[1, 2, 3]] * 9,
        {"threshold": 5, "edgeitems": 2},
        "tensor([[1, 2, 3],\n        [1, 2, 3],\n        ...,\n        [1, 2, 3],\n        [1, 2, 3]])",
    ),
    (
        [[[1.5, 2], [3, 4]], [[5, 6], [7, 8]]],
        {},
        "tensor([[[1.5000, 2.0000],\n"
        "         [3.0000, 4.0000]],\n"
        "\n"
        "        [[5.0000, 6.0000],\n"
        "         [7.0000, 8.0000]]])",
    ),
    (
        [[[0.5] * 9] * 9] * 2,
        {"profile": "short", "threshold": 20},
        "tensor([[[0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         ...,\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50]],\n"
        "\n"
        "        [[0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         ...,\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50],\n"
        "         [0.50, 0.50,  ..., 0.50, 0.50]]])",
    ),
    ([], {}, "tensor([])"),
    ([[], []], {}, "tensor([], size=(2, 0))"),
]


@pytest.mark.parametrize(("data", "options", "wanted"), PRINTED)
def test_elements(data, options, wanted):
    with ft.printoptions(**options):
        assert repr(ft.tensor(data)) == wanted
    assert ft.get_printoptions()["linewidth"] == 80


def test_text_after_the_elements():
    assert repr(ft.arange(22.0, dtype=ft.float64)) == (
        "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
        "        14., 15., 16., 17., 18., 19., 20., 21.], dtype=facula.float64)"
    )
    assert repr(ft.ones(13, dtype=ft.float64, requires_grad=True)) == (
        "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],\n       dtype=facula.float64, requires_grad=True)"
    )
    assert repr(ft.ones(2, device="meta")) == "tensor(..., device='meta', size=(2,))"
    assert repr(ft.ones(1, dtype=ft.bfloat16)) == "tensor([1.], dtype=facula.bfloat16)"
    assert repr(ft.ones(1, requires_grad=True) * 2) == "tensor([2.], grad_fn=<mul>)"
    assert repr(ft.zeros(0, 3, dtype=ft.int64)) == "tensor([], size=(0, 3), dtype=facula.int64)"
    assert repr(ft.Parameter(ft.ones(1))) == "Parameter containing:\ntensor([1.], requires_grad=True)"


def test_options_are_read_and_restored():
    before = ft.get_printoptions()
    assert before == {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    try:
        ft.set_printoptions(precision=2, sci_mode=True)
        assert repr(ft.tensor(3.0)) == "tensor(3.00e+00)"
        ft.set_printoptions(edgeitems=1)  # the magnitudes of numbers decide on exponents again
        assert repr(ft.tensor(2.5)) == "tensor(2.50)"
        ft.set_printoptions(profile="full")
        assert ft.get_printoptions()["threshold"] == INF
        assert "..." not in repr(ft.zeros(1001))
        block = ft.printoptions(profile="short")
        with block, block:
            assert ft.get_printoptions()["edgeitems"] == 2
        assert ft.get_printoptions()["edgeitems"] == 3
        for wrong in ({"precision": "a"}, {"threshold": 2.5}, {"linewidth": True}, {"profile": 3}):
            with raises((TypeError, ValueError), "set_printoptions", f"expected {next(iter(wrong))}"):
                ft.set_printoptions(**wrong)
    finally:
        ft.set_printoptions(**before)
    assert ft.get_printoptions() == before


def test_only_shown_elements_are_read():
    assert repr(ft.ones(1).expand(1 << 40)) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


class Page(HTMLParser):
    """The text of an HTML page; checks that each opened element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.texts = [], 0, []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert tag != "script"
        self.open.append(tag)
        self.cells += tag == "td"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize(
    ("x", "cells", "says"),
    [
        (ft.tensor(1.5), 1, "Tensor, shape (), float32, cpu"),
        (ft.arange(3), 3, "Tensor, shape (3,), int64, cpu"),
        (ft.ones(2, 3, requires_grad=True), 6, "float32, cpu, requires_grad"),
        (ft.ones(2, 3, requires_grad=True) * 2, 6, "grad_fn mul"),
        (ft.ones(2, dtype=ft.complex64), 2, "1.+0.j"),
        (ft.ones(100, 100), 49, "Tensor, shape (100, 100)"),
        (ft.ones(2000), 7, "Tensor, shape (2000,)"),
        (ft.ones(2, 2, 2), 8, "[1, :, :]"),
        (ft.ones(20, 10, 30), 6 * 7 * 7, "[19, :, :]"),
        (ft.ones(9, 9, 2, 9), 8 * 2 * 7, "[1, 1, :, :]"),
        (ft.zeros(0, 3), 0, "shape (0, 3)"),
        (ft.ones(2, device="meta"), 0, "float32, meta"),
        (ft.ones((1,) * 70), 0, "float32"),
    ],
)
def test_in_a_notebook(x, cells, says):
    page = Page(x._repr_html_())
    assert page.cells == cells
    assert says in " ".join(page.texts)


def test_class_names_are_escaped():
    class Odd(ft.Tensor):
        pass

    Odd.__name__ = "<b>&"
    assert "&lt;b&gt;&amp;, shape" in Odd(2)._repr_html_()
