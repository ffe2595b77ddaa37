"""What `inspect`, `help` and editors see of operators, and that a surplus argument is never swallowed."""

import inspect
import pydoc

import pytest

import facula_tensor as ft
import facula_tensor.functional as functional

FUNCTIONS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in (ft, functional)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
METHODS = {
    f"Tensor.{name}": function
    for name, function in vars(ft.Tensor).items()
    if inspect.isfunction(function) and not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS | METHODS))
def test_users_see_their_own_arguments(name):
    function = (FUNCTIONS | METHODS)[name]
    for parameter in inspect.signature(function).parameters:
        assert not parameter.startswith("_") or parameter == "_stacklevel"  # which PyTorch's softmax has
        assert parameter not in ("parameters", "operands") or name == "facula_tensor.result_type"
    assert function.__doc__


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (ft.relu, "input, *, out"),
        (ft.mul, "input, other, *, out"),
        (ft.add, "input, other, *, alpha, out"),
        (ft.Tensor.add_, "self, other, *, alpha"),
        (ft.Tensor.mul_, "self, other"),
        (ft.Tensor.exp_, "self"),
        (ft.Tensor.__add__, "self, other"),
        (ft.Tensor.__neg__, "input, *, out"),
        (ft.Tensor.eq_, "self, other"),
        (ft.Tensor.logical_not_, "self"),
        (ft.t, "input"),
        (ft.Tensor.view, "input, *shape"),
        (ft.where, "condition, input, other, *, out"),
    ],
)
def test_some_of_them(function, names):
    shown, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        shown.append(("*" if parameter.kind is parameter.VAR_POSITIONAL else "") + parameter.name)
    assert ", ".join(shown) == names


def test_help():
    text = pydoc.render_doc(ft.relu, renderer=pydoc.plaintext)
    assert "relu(input: 'Tensor', *, out: 'Tensor | None' = None) -> 'Tensor'" in text
    assert "or 0 where it is negative" in text


@pytest.mark.parametrize("surplus", [0, None, False, (1,), [], 3])
def test_a_surplus_argument_is_refused(surplus):
    x = ft.ones(3)
    x.relu()  # the quick path knows the plan by now
    x.exp_()
    for call in (
        lambda: ft.relu(x, surplus),
        lambda: x.relu(surplus),
        lambda: x.exp_(surplus),
        lambda: ft.mul(x, x, surplus),
        lambda: x.mul_(x, surplus),
        lambda: x.add_(x, surplus),
        lambda: x.sub_(1, surplus),
        lambda: x.eq_(x, surplus),
        lambda: x.logical_not_(surplus),
    ):
        with pytest.raises(TypeError):
            call()
    assert x.tolist() == ft.ones(3).exp().tolist()
    assert x._version == 1


def test_alpha_is_given_by_name():
    x = ft.ones(2)
    assert x.add_(x, alpha=2).tolist() == [3, 3]
    assert ft.sub(x, 1, alpha=3).tolist() == [0, 0]
    for call in (lambda: ft.mul(x, x, alpha=2), lambda: x.mul_(x, alpha=2)):
        with pytest.raises(TypeError, match="alpha"):
            call()
