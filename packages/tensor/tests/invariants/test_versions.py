"""Versions: a change of a saved tensor through any alias is detected, and the error names all three places."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from samples import SAMPLES, differentiable, pair, total

import facula_tensor as ft
from facula_autograd import MutationError, saved_tensors_hooks
from facula_autograd.extend import Node
from facula_errors.testing import raises


def line() -> int:
    return sys._getframe(1).f_lineno


def update(tensor):
    with ft.no_grad():
        tensor -= 0.1 * tensor


# How another tensor over the same memory is made; if it shares the version (contract 1.4).
ALIASES = {
    "itself": (lambda x: x, True),
    "view": (lambda x: x.view(-1), True),
    "select": (lambda x: x[1], True),
    "transposed view of a view": (lambda x: x[1:].t(), True),
    "detach": (lambda x: x.detach(), True),
    "view of detach": (lambda x: x.detach()[0], True),
    "no_grad view": (lambda x: no_grad_view(x), True),
    "data": (lambda x: x.data, False),
    "from_numpy": (lambda x: ft.from_numpy(x.detach().numpy()), False),
    "from_dlpack": (lambda x: ft.from_dlpack(np.from_dlpack(x.detach())), False),
}


def no_grad_view(x):
    with ft.no_grad():
        return x[:, 1:]


CHANGES = {
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(x.detach().clone()),
    "exp_": lambda x: x.exp_(),
    "copy_": lambda x: x.copy_(ft.zeros(x.shape)),
    "fill_": lambda x: x.fill_(2),
    "zero_": lambda x: x.zero_(),
    "uniform_": lambda x: x.uniform_(),
    "random_": lambda x: x.random_(),
    "setitem": lambda x: x.__setitem__(0, 1.0),
    "setitem of a mask": lambda x: x.__setitem__(x > 0, 1.0),
    "setitem of positions": lambda x: x.__setitem__(ft.tensor([0]), ft.ones(1, dtype=x.dtype)),
    "out=": lambda x: ft.add(x, 1, out=x),
    "optimizer": update,
    "iadd": lambda x: x.__iadd__(1),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("made", ["before", "after"])
def test_changes_through_aliases(alias, change, made):
    make, shares = ALIASES[alias]
    x, y = pair()
    a = x * 1
    early = make(a)
    out = a * y
    target = early if made == "before" else make(a)
    with ft.no_grad():
        CHANGES[change](target)
    if shares:
        with raises(
            MutationError,
            "backward of mul",
            "'input'",
            f"mul saved it at {__file__}:",
            f"changed in place since, last by ... {__file__}:",
        ):
            out.sum().backward()
    else:
        out.sum().backward()


def test_changes_before_the_save_are_allowed():
    x, y = pair()
    a = x * 1
    a.add_(1)
    a[0] = 5.0
    out = a * y
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[1:], y.detach().numpy()[1:])
    assert not x.grad[0].numpy().any()


@pytest.mark.parametrize(("name", "arguments"), [
    ("exp", ()), ("tanh", ()), ("sigmoid", ()), ("sqrt", ()), ("amax", (1,)), ("amin", ()), ("max", ()),
    ("logsumexp", (0,)), ("norm", (2, 1)), ("norm", (3,)), ("median", ()), ("cumprod", (0,)), ("logcumsumexp", (1,)),
])  # fmt: skip
def test_results_are_saved_with_their_versions(name, arguments):
    x, _ = pair()
    out = getattr(x, name)(*arguments)
    out.detach().add_(1)
    with raises(MutationError, "backward of ...", "its result ... saved it at"):
        out.sum().backward()


@pytest.mark.parametrize("name", ["amax", "logsumexp", "norm"])
def test_operands_are_saved_with_results(name):
    x, _ = pair()
    a = x * 1
    out = getattr(a, name)(dim=1)
    a.detach().add_(1)
    with raises(MutationError, f"backward of {name}...", "its operand 'input' ... saved it at"):
        out.sum().backward()


def test_a_leaf_with_replaced_memory():
    """Differentiating with the new elements would silently be wrong."""
    w, x = pair()
    out = w * x
    w.data = ft.zeros(3, 4, dtype=ft.float64)
    with pytest.raises(MutationError):
        out.sum().backward()


def test_the_error_has_fields_and_names_lines():
    x, y = pair()
    a = x * 1
    saved = line() + 1
    out = a * y
    changed = line() + 1
    a.mul_(2)
    with pytest.raises(MutationError) as caught:
        out.sum().backward()
    error = caught.value
    assert error.operator == "mul"
    assert error.forward == f"{__file__}:{saved} (test_the_error_has_fields_and_names_lines)"
    assert error.mutation == f"mul_ at {__file__}:{changed} (test_the_error_has_fields_and_names_lines)"
    assert "clone()" in str(error)


def nodes_of(tensor):
    """Return all nodes of a graph."""
    seen, stack = [], [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and node not in seen:
            seen.append(node)
            stack.extend(edge for edge, _ in node.next_functions)
    return seen


WAYS = {
    "function": lambda x: ft.exp(x),
    "method": lambda x: x.exp(),
    "dunder": lambda x: x + 1,
    "reflected": lambda x: 2 - x,
    "in place": lambda x: (x * 1).add_(1),
    "mean": lambda x: x.mean(1),
    "stack": lambda x: ft.stack([x, x]),
    "split": lambda x: x.split(2)[0],
    "index": lambda x: x[ft.tensor([0, 1])],
    "mask": lambda x: x[x > 1],
    "slice": lambda x: x[1:, 1],
    "iterate": lambda x: next(iter(x)),
    "matmul vector": lambda x: x @ ft.ones(4, dtype=ft.float64),
    "unbind": lambda x: x.unbind()[1],
    "broadcast": lambda x: x * ft.ones(2, 1, 1, dtype=ft.float64),
    "promote": lambda x: x.float() * x,
    "flatten": lambda x: x.flatten(),
    "clamp": lambda x: x.clamp(0.6, 1.0),
    "setitem": lambda x: assigned(x),
    "under hooks": lambda x: hooked(x),
    "inside enable_grad": lambda x: enabled(x),
}


def assigned(x):
    a = x * 1
    a[0] = x[1]
    return a


def hooked(x):
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        return x.exp() * x


@ft.enable_grad()
def enabled(x):
    with ft.no_grad():
        with ft.enable_grad():
            return x.exp()


@pytest.mark.parametrize("way", WAYS)
def test_errors_name_lines_of_the_user(way):
    x, _ = pair()
    out = WAYS[way](x)
    assert nodes_of(out)
    for node in nodes_of(out):
        assert node.where.startswith(f"{__file__}:"), node


def test_lines_of_operators_in_a_thread():
    x, _ = pair()
    found = []

    def work():
        with ft.no_grad():
            x.exp()
        found.append((line() + 1, (x.exp() * 2).grad_fn.where))
        found[-1] = (line() - 1, found[-1][1])

    thread = threading.Thread(target=work)
    with ft.no_grad():  # the mode of another thread does not apply to this one
        thread.start()
        thread.join()
    ((number, where),) = found
    assert where == f"{__file__}:{number} (work)"


def test_every_operators_node_knows_its_line():
    for name, sample in SAMPLES.items():
        out = sample(*[leaf * 1 for leaf in sample.leaves()])
        if differentiable(out):
            for node in nodes_of(total(out)):
                assert "/facula_" not in node.where, (name, node)
