"""Leaves that a captured function creates and returns, and attributes that the program adds to such tensors."""

import warnings

import pytest
from jit_toys import same

from facula_autograd import grad
from facula_jit import capture, load, save
from facula_tensor import full, no_grad, ones, randn, tensor

WEIGHT = randn(3, requires_grad=True)


def leaf(x):
    return x.clone().requires_grad_()


def leaf_of_a_view(x):
    return x.mul_(2)[1:].detach().requires_grad_()


def leaf_of_the_program(x):
    return WEIGHT.detach().requires_grad_(), x * 2


def leaf_and_result(x):
    w = x.clone().requires_grad_()
    return w, (w * WEIGHT).sum(), (x * WEIGHT).sum()


def leaf_and_weight(x):
    return WEIGHT, (x * WEIGHT).sum(), x.clone().requires_grad_()


def with_attributes(x):
    w = x * 2
    w.tag = 3.0
    return w


def with_hook(x):
    w = x.clone().requires_grad_()
    w.register_hook(lambda g: g * 10)
    return w


def with_gradient(x):
    w = x.clone().requires_grad_()
    (w * WEIGHT).sum().backward()
    return w


RESULTS = [
    leaf, leaf_of_a_view, leaf_of_the_program, leaf_and_result, leaf_and_weight, with_attributes, with_hook,
    with_gradient,
]  # fmt: skip


def _described(result):
    """Return the visible properties of tensors, and of a backward pass through each."""
    for output in result if isinstance(result, tuple) else (result,):
        yield output.tolist(), output.is_leaf, output.requires_grad, getattr(output, "tag", 7.0), output is WEIGHT
        if output.requires_grad and output.is_leaf:
            (output * 2).sum().backward()
            yield output.grad.tolist()
            output.grad = None
    if isinstance(result, tuple):
        ends = [output for output in result if output.is_leaf and output.requires_grad]
        for root in [output for output in result if not output.is_leaf]:
            found = grad(root, [*ends, WEIGHT], allow_unused=True, retain_graph=True)
            yield [None if gradient is None else gradient.tolist() for gradient in found]


@pytest.mark.parametrize("options", [{}, {"check": 0}, {"on_break": "split"}])
@pytest.mark.parametrize("program", RESULTS)
def test_new_leaves_are_as_in_eager_code(program, options):
    captured = capture(program, **options)
    with warnings.catch_warnings(action="ignore"):
        for number in range(6):
            WEIGHT.grad = None
            expected = list(_described(program(full((3,), number + 1.0))))
            WEIGHT.grad = None
            assert list(_described(captured(full((3,), number + 1.0)))) == expected, number
    if program in (leaf, leaf_of_a_view, leaf_and_weight):
        assert "replayed" in captured.report()


def test_a_new_leaf_is_one_in_a_file(tmp_path):
    captured = capture(leaf)
    captured(ones(3)), captured(ones(3))
    save(captured, tmp_path / "leaf.facula")
    found = load(tmp_path / "leaf.facula")(ones(3) * 2)
    assert found.is_leaf and found.requires_grad and found.tolist() == [2.0] * 3
    (found * 3).sum().backward()
    assert found.grad.tolist() == [3.0] * 3


def signs(x):
    x = x.clone().requires_grad_()
    (x * WEIGHT).exp().sum().backward()
    return x.grad


def adversarial(x):
    x = x.detach().clone()
    x.requires_grad = True
    loss = (x * WEIGHT).exp().sum()
    WEIGHT.grad = None
    loss.backward()
    return x.detach() + 0.1 * x.grad.sign()


def hooked(x):
    x, found = x.clone().requires_grad_(), []
    x.register_hook(found.append)
    (x * WEIGHT).sum().backward()
    return found[0] * 2


def descends(x):
    w = tensor([1.0, 2.0, 3.0], requires_grad=True)
    print(end="")
    for _ in range(3):
        (w * x).exp().sum().backward()
        with no_grad():
            w -= 0.01 * w.grad
            w.grad = None
    return w.detach()


def tagged(x):
    w = x.clone()
    w.tag = 3.0
    print(end="")
    return w * getattr(w, "tag", 7.0)


@pytest.mark.parametrize("program", [signs, adversarial, hooked, descends, tagged])
def test_leaves_stay_leaves_between_pieces(program):
    captured = capture(program, on_break="split")
    for number in range(8):
        WEIGHT.grad = None
        expected = program(full((3,), number / 4))
        WEIGHT.grad = None
        assert same(captured(full((3,), number / 4)), expected), number
