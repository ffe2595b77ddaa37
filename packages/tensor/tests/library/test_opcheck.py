"""`opcheck` compares an operator's declaration with its behaviour, for arguments of the program."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors import ArgumentError
from facula_errors.testing import raises
from facula_tensor import library

EVERY = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def made(function, fake=None, backward=None, **kwargs):
    op = library.custom_op("test::checked", function, **kwargs)
    op.register_fake(fake or (lambda *args: ft.empty_like(args[0])))
    if backward is not None:
        op.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, output))
    return op


def point():
    return ft.tensor([[0.5, 1.0], [2.0, 3.0]], dtype=ft.float64, requires_grad=True)


def test_correct_operators_pass():
    root = made(lambda x: x.sqrt(), backward=lambda ctx, g: g / ctx.saved_tensors[1] / 2)
    assert library.opcheck(root, (point(),)) == dict.fromkeys(EVERY, "SUCCESS")
    assert library.opcheck("test::checked", (ft.ones(3),), {}, test_utils=["test_schema"]) == {"test_schema": "SUCCESS"}
    change = made(lambda x: x.add_(1) and None, mutates_args={"x"}, fake=lambda x: None)
    assert library.opcheck(change, (ft.ones(1),), raise_exception=False) == dict.fromkeys(EVERY, "SUCCESS")
    by_array = library.numpy_op(lambda x: np.exp(x))  # with a gradient that is differentiable once
    slope = library.numpy_op(lambda g, y: g * y)
    by_array.register_autograd(
        lambda ctx, g: slope(g, *ctx.saved_tensors),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
    )
    library.opcheck(by_array, (point(),), test_utils=[EVERY[0], EVERY[1], EVERY[3]])
    two = made(
        lambda xs, n: (xs[0] * n, xs[1].long()),
        fake=lambda xs, n: (ft.empty_like(xs[0]), ft.empty_like(xs[1], dtype=ft.int64)),
        backward=lambda ctx, g, h: ([g * 2, None], None),
    )
    two.setup_context = None
    library.opcheck(two, ([point(), point().detach()], 2.0))


def writes_unseen(x):
    x.numpy()[:] = 0
    return x.clone()


WRONG = {
    "a change": ({"function": writes_unseen}, "test_schema", "opcheck: it changed the argument float64 (2, 2)"),
    "a gradient's shape": (
        {"function": lambda x: x * 2, "backward": lambda ctx, g: g[0]},
        "test_autograd_registration",
        "checked: a gradient like its argument",
    ),
    "a shape": (
        {"function": lambda x: x * 2, "fake": lambda x: ft.empty_like(x[0])},
        "test_faketensor",
        "opcheck: said that a result is float64 (2,); the function gave float64 (2, 2)",
    ),
    "strides": (
        {"function": lambda x: x * 2, "fake": lambda x: ft.empty_like(x).t()},
        "test_faketensor",
        "opcheck: said that a result is",
    ),
    "a number of results": (
        {"function": lambda x: (x * 2, x * 3)},
        "test_faketensor",
        "opcheck: register_fake returned *; the function returned tuple(*, *)",
    ),
    "a gradient": (
        {"function": lambda x: x * x, "backward": lambda ctx, g: g * 3 * ctx.saved_tensors[0]},
        "test_aot_dispatch_dynamic",
        "checked: first_derivatives",
    ),
    "other strides": (
        {"function": lambda x: ft.as_strided(x, (2, 2), (2, 1)) * 1},
        "test_aot_dispatch_dynamic",
        "checked: values: checked transposed",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_declarations_fail(what):
    arguments, test, message = WRONG[what]
    op = made(**arguments)
    with raises((AssertionError, ArgumentError), message):
        library.opcheck(op, (point(),), test_utils=test)
    found = library.opcheck(op, (point(),), raise_exception=False)
    assert (
        isinstance(found[test], Exception) and found["test_schema" if test != "test_schema" else EVERY[1]] == "SUCCESS"
    )


def test_an_operator_without_a_fake_fails():
    op = library.custom_op("test::checked", lambda x: x + 1)
    with raises(NotImplementedError, "checked", "register_fake"):
        library.opcheck(op, (ft.ones(1),))
    with raises(ArgumentError, "opcheck", "expected test_utils among test_schema"):
        library.opcheck(op, (ft.ones(1),), test_utils="test_everything")
