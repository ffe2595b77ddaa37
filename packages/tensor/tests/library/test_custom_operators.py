"""Operators of functions on whole tensors: `custom_op` and its registrations."""

import gc
import weakref

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.testing import raises
from facula_tensor import library
from facula_tensor.testing import Samples, check_operator


@library.custom_op("test::logistic", mutates_args=())
def logistic(x):
    return 1 / (1 + (-x).exp())


logistic.register_autograd(
    lambda ctx, g: g * ctx.saved_tensors[0] * (1 - ctx.saved_tensors[0]),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
)


@logistic.register_fake
def _(x):
    return ft.empty_like(x)


library.register_fake("test::logistic")(lambda x: ft.empty_like(x))


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_a_function_of_tensors_passes_the_matrix():
    samples = Samples(dtypes=("float32", "float64"), gradient=("float64",), meta=True)
    check_operator(logistic, samples, reference=lambda x: 1 / (1 + np.exp(-x)))


def called(function, *args, backward=None, fake=None, **kwargs):
    """Define an operator for one call, and return its result after a backward pass."""
    op = library.custom_op("test::made", function)
    if backward is not None:
        op.register_autograd(backward)
    if fake is not None:
        op.register_fake(fake)
    result = op(*args, **kwargs)
    if result.requires_grad:
        result.sum().backward()
    return result


X = ft.ones(2, requires_grad=True)
CALLS_REFUSED = {
    "too many": (lambda: called(lambda x: x, X, X), InvalidTypeError, "made: too many positional"),
    "an unknown name": (lambda: called(lambda x: x, X, y=1), InvalidTypeError, "made: 'y'"),
    "no gradient": (
        lambda: called(lambda x: x + 1, X),
        UnsupportedError,
        "made: 'made' has no gradient ... register_autograd",
    ),
    "an argument": (lambda: called(lambda x: x, X), ArgumentError, "made: returned an argument ... clone"),
    "a view": (lambda: called(lambda x: x[:1], X), ArgumentError, "made: view"),
    "a string": (lambda: called(lambda x: "x", X), InvalidTypeError, "made: give tensors ... got str"),
    "two that share memory": (lambda: called(lambda x: (x + 1, y := x + 2, y[0]), X), ArgumentError, "made: share"),
    "two gradients": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: (g, g)),
        ArgumentError,
        "made: expected backward to return 1 gradients, one an argument; got 2",
    ),
    "a number": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: 3.0),
        InvalidTypeError,
        "made: expected backward to return tensors and None; got float",
    ),
    "a gradient's shape": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: g.sum()),
        ArgumentError,
        "made: expected backward to return a gradient like its argument float32 (2,); got float32 ()",
    ),
    "the meta device": (
        lambda: called(lambda x: x + 1, ft.empty(2, device="meta")),
        UnsupportedError,
        "made: meta device ... register_fake",
    ),
    "a gradient built otherwise": (
        lambda: called(lambda xs: xs[0] + 1, [X, X], backward=lambda ctx, g: [g, g, g]),
        ArgumentError,
        "made: expected backward to return the gradient of 'xs' built like it, list(*, *); got list(*, *, *)",
    ),
    "a gradient of a number": (
        lambda: called(lambda x, n: x + n, X, 2, backward=lambda ctx, g: (g, g)),
        ArgumentError,
        "made: expected backward to return None for an argument that is no tensor",
    ),
    "a device without a function": (
        lambda: library.custom_op("test::made", lambda x: x, device_types="cuda")(ft.ones(1)),
        UnsupportedError,
        "made: has a function for cuda, and none for cpu; give it one by register_kernel",
    ),
    "no device": (
        lambda: library.custom_op("test::made", lambda x: x, device_types=3),
        InvalidTypeError,
        "custom_op: expected device_types to be a name, a list of names or None; got 3",
    ),
    "a tensor by name alone": (
        lambda: library.custom_op("test::made", lambda x, *, y: x + y)(X, y=X),
        InvalidTypeError,
        "made: expected tensors that can be given by position ... 'y', which is keyword-only",
    ),
    "a rule that is none": (
        lambda: library.register_vmap(logistic_by_hand, 3),
        ArgumentError,
        "register_vmap: expected an operator",
    ),
    "any number": (lambda: library.numpy_op(lambda *x: x), ArgumentError, "numpy_op: without *args"),
    "no signature": (lambda: library.custom_op("a::b", int), InvalidTypeError, "custom_op: Python ... got <class"),
    "no name": (lambda: library.custom_op("a b", abs), ArgumentError, "custom_op: expected a name"),
    "no function": (lambda: library.numpy_op(3), InvalidTypeError, "numpy_op: expected a function"),
    "strings": (
        lambda: library.numpy_op(lambda x: np.array(["a"]))(ft.ones(1)),
        InvalidTypeError,
        "lambda: expected its function to return numbers; got <U1",
    ),
    "an unknown operator": (
        lambda: library.register_fake("none", ft.empty_like),
        ArgumentError,
        "register_fake: expected an operator",
    ),
}


@pytest.mark.parametrize("what", CALLS_REFUSED)
def test_invalid_calls_are_rejected(what):
    call, error, message = CALLS_REFUSED[what]
    with raises(error, message):
        call()


def test_a_gradient_of_another_dtype_is_converted():
    x = ft.ones(2, requires_grad=True)
    called(lambda x: x + 1, x, backward=lambda ctx, g: g.double() * 3)
    assert x.grad.dtype is ft.float32 and x.grad.tolist() == [3.0, 3.0]


def test_calls_keep_no_references(cumulate):
    x = ft.randn(4, dtype=ft.float64, requires_grad=True)
    gc.disable()
    try:
        for op in (cumulate, logistic):
            result = op(x)
            result.sum().backward()
            gone = weakref.ref(result)
            del result
            assert gone() is None
    finally:
        gc.enable()


def test_arguments_without_a_gradient_get_none():
    weigh = library.custom_op("test::weigh", lambda x, w: x * w)
    weigh.register_autograd(
        lambda ctx, g: (g * ctx.saved_tensors[0], None),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[1]),
    )
    x, w = ft.ones(2, requires_grad=True), ft.full((2,), 3.0, requires_grad=True)
    weigh(x, w).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and w.grad is None


def test_custom_operators_call_overrides_of_subclasses():
    seen = []

    class Asked(ft.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, args, kwargs or {})

    x = ft.ones(2).as_subclass(Asked)
    fused = library.fuse(logistic_by_hand)
    assert type(logistic(x)) is type(fused(x)) is Asked
    assert {"logistic", "logistic_by_hand"} <= set(seen)


def logistic_by_hand(x):
    return 1 / (1 + ft.exp(-x))
