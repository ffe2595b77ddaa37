"""Gradients cost few launches: `launches.txt` lists those of every differentiable operator, forward and backward."""

from __future__ import annotations

import re

from launches import COMMAND, table, written
from samples import launched

import facula_tensor as ft

UPDATE = (
    f"if the change is intended, run `{COMMAND}` with the packages' sources on PYTHONPATH, and review the difference"
)

# Operators whose backward pass takes more than 3 launches for each one of the forward pass, and 2.
ABOVE = {
    "a step of a backward pass: only second derivatives run its gradient": """
        cross_entropy_grad log_softmax_grad recurrence softmax_grad""",
    "products of matrices, cheaper than the decomposition": "eig matrix_exp pinv qr svd",
    "equal elements share the gradient, and are counted": "median_all median_dim nanmedian_all",
    "a product needs another rule if an element is 0": "prod scatter_product",
    "no kernel of its own: rarely used": "logcumsumexp scatter_extreme",
}


def count(side: str) -> int:
    """Return the number of launches in half of an entry, without copies of indices to the device."""
    launches = re.findall(r"(\d*) ?([a-z]\w*)", side)
    return sum([int(times or 1) for times, kernel in launches if kernel not in ("none", "copy_across")])


def test_launches_are_as_written():
    found, expected = table(), written()
    changed = [
        f"{name}: {found.get(name, 'not found')} (written: {expected.get(name, 'no line')})"
        for name in sorted({*found, *expected})
        if found.get(name) != expected.get(name)
    ]
    assert not changed, "\n".join(["the launches of operators changed:", *changed, UPDATE])


def test_gradients_take_few_launches():
    allowed = {name for names in ABOVE.values() for name in names.split()}
    many = set()
    for name, entry in written().items():
        forward, backward = map(count, entry.split(" / "))
        if backward > 3 * forward + 2:
            many.add(name)
    assert many <= allowed, f"write the gradients of {sorted(many - allowed)} as one program or kernel, or add a reason"
    assert allowed <= many, f"{sorted(allowed - many)}: no longer above the bound; remove the reason"


def test_norms_of_long_rows_are_one_launch():
    x = ft.ones(2, 600)
    for p in (1, float("inf"), -float("inf")):
        assert launched(lambda p=p: x.norm(p, 1)) == {"norm_p"}
        assert "norm_p" not in launched(lambda p=p: x.norm(p, 0))
