"""Functions: checks of users' `forward` and `backward`, and of their results."""

import gc
import weakref

import numpy as np
import pytest
from autograd_helpers import Box, alias, write_
from function_samples import Exp, SinCos, array

from facula_autograd import (
    Function,
    GradientError,
    MutationError,
    Variable,
    grad,
    once_differentiable,
    saved_tensors_hooks,
)
from facula_errors.testing import raises


def test_errors_name_the_function():
    class Wrong(Function):
        result = None

        @staticmethod
        def forward(ctx, x, factor):
            return Box(x.number)

        @staticmethod
        def backward(ctx, g):
            return Wrong.result(g)

    x = Box(3.0, True)
    for result, message in [
        (lambda g: g, "Wrong ... expected 2 gradients ... got 1"),
        (lambda g: (g, None, g), "Wrong ... expected 2 gradients ... got 3"),
        (lambda g: (g, g), "Wrong ... argument 1"),
        (lambda g: (1.0, None), "Wrong ... argument 0 ... float"),
        (lambda g: (Box("up"), None), "Wrong ... argument 0 ... text"),
    ]:
        Wrong.result = result
        with raises(GradientError, "Wrong.backward", message):
            Wrong.apply(x, 1).backward()
    Wrong.result = lambda g: (g, None, None)
    Wrong.apply(x, 1).backward()
    Wrong.result = lambda g: (None, None)
    Wrong.apply(x, 1).backward()
    assert x.grad.number == 1.0
    with raises(TypeError, "Wrong", "apply"):
        Wrong()
    with raises(NotImplementedError, "Function", "static method"):
        Function.apply(x)


def test_wrong_shapes():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return Variable(x.value.sum())

        @staticmethod
        def backward(ctx, g):
            return g

    with raises(GradientError, "Wrong.backward", "Wrong", "(2,)", "()"):
        Wrong.apply(array(1.0, 2.0)).backward()


def test_saved_values_are_checked():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return Box(x.number**2)

        @staticmethod
        def backward(ctx, g):
            x, nothing = ctx.saved_tensors
            assert nothing is None
            return g * x * Box(2.0)

    x = Box(3.0, True)
    y = Square.apply(x)
    write_(x.detach(), 5.0)
    with raises(MutationError, "backward of SquareBackward", "SquareBackward", "saved value 0", "write_ at"):
        y.backward()
    with saved_tensors_hooks(lambda v: v.number, Box):
        y = Square.apply(x)
    write_(x.detach(), 7.0)
    y.backward()
    assert x.grad.number == 10.0
    with raises(TypeError, "Bad", "save_for_backward"):
        type("Bad", (Function,), {"forward": staticmethod(lambda ctx, x: ctx.save_for_backward(3))}).apply(x)


def test_changing_the_incoming_gradient_is_an_error():
    class Careless(Function):
        @staticmethod
        def forward(ctx, x):
            return alias(x)

        @staticmethod
        def backward(ctx, g):
            return write_(g, 0.0)

    with raises(MutationError, "Careless.backward", "Careless"):
        Careless.apply(Box(3.0, True)).backward()


def test_once_differentiable():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * Box(3.0) * x * x

    x = Box(2.0, True)
    Cube.apply(x).backward()
    assert x.grad.number == 12.0
    (g,) = grad(Cube.apply(x), x, create_graph=True)
    assert g.number == 12.0
    with raises(GradientError, "Cube.backward", "Cube", "once_differentiable"):
        g.backward()


@pytest.mark.parametrize("function", [Exp, SinCos])
@pytest.mark.parametrize("differentiate", [False, True])
def test_no_cycles(function, differentiate):
    gc.collect()
    gc.disable()
    try:
        x = array(0.5)
        y = function.apply(x)
        y = y if isinstance(y, Variable) else y[0]
        if differentiate:
            y.sum().backward()
        gone = [weakref.ref(x), weakref.ref(y), weakref.ref(y.node)]
        del x, y
        assert [r() for r in gone] == [None] * 3
    finally:
        gc.enable()


def test_arguments_by_name_and_defaults():
    class Power(Function):
        @staticmethod
        def forward(ctx, x, scale=1.0):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return Box(x.number**2 * scale)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * Box(2.0 * ctx.scale)

    class Later(Function):
        @staticmethod
        def forward(x, scale=1.0, *, unused=None):
            return Box(x.number**2 * scale)

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.scale = inputs
            ctx.save_for_backward(x)
            assert ctx.needs_input_grad == (True, False)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * Box(2.0 * ctx.scale), None

    for function in (Power, Later):
        for call, expected in (
            (lambda x, function=function: function.apply(x, scale=5.0), 30.0),
            (lambda x, function=function: function.apply(x), 6.0),
        ):
            x = Box(3.0, True)
            call(x).backward()
            assert x.grad.number == expected
        with pytest.raises(TypeError, match="wrong"):
            function.apply(x, wrong=1)


def test_gradients_are_converted_to_shape_and_dtype():

    class Wide(Function):
        @staticmethod
        def forward(ctx, x):
            return Variable(x.value + np.zeros((3, 1)))

        @staticmethod
        def backward(ctx, g):
            return Variable(g.value.astype("f4"))

    x = Variable(np.ones(2), requires_grad=True)
    Wide.apply(x).sum().backward()
    assert x.grad.value.dtype == "f8"
    assert x.grad.value.tolist() == [3.0, 3.0]


def test_missing_methods_raise_named_errors():
    assert Function.generate_vmap_rule is False
    with raises(NotImplementedError, "Function", "vmap"):
        Function.vmap(None, (0,))
    with raises(NotImplementedError, "Function", "no forward mode"):
        Function.jvp(None)
