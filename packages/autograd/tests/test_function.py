"""Custom functions: PyTorch's documented meaning, and errors that name the function."""

import gc
import weakref

import numpy as np
import pytest
from autograd_toys import Box, alias, write_

from facula_autograd import (
    Function,
    GradientError,
    MutationError,
    Variable,
    grad,
    gradcheck,
    gradgradcheck,
    is_grad_enabled,
    no_grad,
    once_differentiable,
    saved_tensors_hooks,
)


class Exp(Function):
    """Saves its own output."""

    @staticmethod
    def forward(ctx, x):
        y = Variable(np.exp(x.value))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class SinCos(Function):
    """Two outputs, both saved, in the form with setup_context."""

    @staticmethod
    def forward(x):
        return Variable(np.sin(x.value)), Variable(np.cos(x.value))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, g_sin, g_cos):
        sin, cos = ctx.saved_tensors
        return g_sin * cos - g_cos * sin


def array(*numbers):
    return Variable(np.array(numbers), requires_grad=True)


def test_own_output_with_second_and_third_derivatives():
    x = array(0.5, -1.0)
    assert gradcheck(Exp.apply, x)
    assert gradgradcheck(Exp.apply, x)
    (g,) = grad(Exp.apply(x).sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x, create_graph=True)
    np.testing.assert_allclose(h.value, np.exp(x.value))
    np.testing.assert_allclose(grad(h.sum(), x)[0].value, np.exp(x.value))


def test_several_outputs():
    x = array(0.5, -1.0)
    assert gradcheck(SinCos.apply, x)
    assert gradgradcheck(SinCos.apply, x)
    sin, cos = SinCos.apply(x)
    assert sin.grad_fn is not cos.grad_fn
    assert sin.grad_fn.next_functions[0][0].name() == "SinCosBackward"
    cos.sum().backward()  # no gradient for sin: zeros
    np.testing.assert_allclose(x.grad.value, -np.sin(x.value))


def test_call_site_is_the_line_of_apply():
    y = Exp.apply(array(1.0))
    assert "test_call_site_is_the_line_of_apply" in y.grad_fn.where
    assert "test_call_site_is_the_line_of_apply" in SinCos.apply(array(1.0))[0].grad_fn.where


def test_ctx():
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.factor = factor
            ctx.needs = ctx.needs_input_grad
            assert not is_grad_enabled()
            return Box(x.number * factor + y.number)

        @staticmethod
        def backward(ctx, g):
            assert ctx.needs == (True, False, False)
            assert not is_grad_enabled()
            return Box(g.number * ctx.factor), None, Box(99.0)

    x = Box(3.0, True)
    Scale.apply(x, 4.0, Box(1.0)).backward()
    assert x.grad.number == 4.0


def test_no_recording_when_nothing_is_wanted():
    with no_grad():
        assert not Exp.apply(array(1.0)).requires_grad
    assert not Exp.apply(Variable(np.ones(1))).requires_grad


class Split(Function):
    """Three outputs: differentiable, marked, and not a value at all."""

    materialize = True
    seen = None

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(Split.materialize)
        mask, twin = Box(1.0), Box(x.number)
        ctx.mark_non_differentiable(mask)
        return Box(x.number * 2), mask, "text", twin

    @staticmethod
    def backward(ctx, *grads):
        Split.seen = [None if g is None else g.number for g in grads]
        return grads[0]


@pytest.mark.parametrize(("materialize", "seen"), [(True, [1.0, 0.0, None, 0.0]), (False, [1.0, None, None, None])])
def test_materialized_gradients(materialize, seen):
    Split.materialize = materialize
    x = Box(3.0, True)
    double, mask, text, twin = Split.apply(x)
    assert text == "text"
    assert not mask.requires_grad
    assert twin.requires_grad
    double.backward()
    assert Split.seen == seen


def test_integer_outputs_are_not_differentiable():
    class Max(Function):
        @staticmethod
        def forward(ctx, x):
            return Box(x.number), Box(0)

        @staticmethod
        def backward(ctx, g, g_index):
            return g

    value, index = Max.apply(Box(3.0, True))
    assert value.requires_grad
    assert not index.requires_grad
    value.backward()


def test_inputs_returned_as_outputs_are_new_values():
    class Identity(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * Box(2.0)

    x = Box(3.0, True)
    y = Identity.apply(x)
    assert y is not x
    assert y.cell is x.cell
    assert x.is_leaf
    y.backward()
    assert x.grad.number == 2.0


def test_an_operand_returned_as_it_is_stays_without_gradient():
    class Second(Function):
        @staticmethod
        def forward(ctx, x, y):
            return y

        @staticmethod
        def backward(ctx, g):
            return g, g

    x, plain = Box(3.0, True), Box(2.0)
    out = Second.apply(x, plain)
    assert out.requires_grad
    assert plain.node is None


def test_one_output_reached_in_two_ways():
    x = array(0.5, -1.0)
    sin, cos = SinCos.apply(x)
    (saved_cos,) = grad(sin.sum(), x, create_graph=True)
    (second,) = grad((saved_cos * cos).sum(), x, create_graph=True)
    np.testing.assert_allclose(second.value, -np.sin(2 * x.value))
    np.testing.assert_allclose(grad(second.sum(), x)[0].value, -2 * np.cos(2 * x.value))


class Double_(Function):
    @staticmethod
    def forward(ctx, x):
        write_(x, x.number * 2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * Box(2.0)


def test_in_place():
    x = Box(3.0, True)
    h = x * Box(1.0)
    out = Double_.apply(h)
    assert out is h
    (h * Box(5.0)).backward()
    assert x.grad.number == 10.0
    with pytest.raises(GradientError, match=r"Double_.*leaf"):
        Double_.apply(x)
    plain = Box(1.0)
    assert Double_.apply(plain) is plain

    class Forgets(Double_):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return Box(1.0)

    with pytest.raises(GradientError, match=r"Forgets.*return it"):
        Forgets.apply(x * x)


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
        (lambda g: g, "Wrong.*expected 2 gradients.*got 1"),
        (lambda g: (g, None, g), "Wrong.*expected 2 gradients.*got 3"),
        (lambda g: (g, g), "Wrong.*argument 1"),
        (lambda g: (1.0, None), "Wrong.*argument 0.*float"),
        (lambda g: (Box("up"), None), "Wrong.*argument 0.*text"),
    ]:
        Wrong.result = result
        with pytest.raises(GradientError, match=message):
            Wrong.apply(x, 1).backward()
    Wrong.result = lambda g: (g, None, None)
    Wrong.apply(x, 1).backward()
    Wrong.result = lambda g: (None, None)
    Wrong.apply(x, 1).backward()
    assert x.grad.number == 1.0
    with pytest.raises(TypeError, match="apply"):
        Wrong()
    with pytest.raises(NotImplementedError, match="static method"):
        Function.apply(x)


def test_wrong_shapes():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return Variable(x.value.sum())

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(GradientError, match=r"Wrong.*\(2,\).*\(\)"):
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
    with pytest.raises(MutationError, match=r"SquareBackward.*saved value 0.*write_ at"):
        y.backward()
    with saved_tensors_hooks(lambda v: v.number, Box):
        y = Square.apply(x)
    write_(x.detach(), 7.0)
    y.backward()
    assert x.grad.number == 10.0
    with pytest.raises(TypeError, match="save_for_backward"):
        type("Bad", (Function,), {"forward": staticmethod(lambda ctx, x: ctx.save_for_backward(3))}).apply(x)


def test_changing_the_incoming_gradient_is_an_error():
    class Careless(Function):
        @staticmethod
        def forward(ctx, x):
            return alias(x)

        @staticmethod
        def backward(ctx, g):
            return write_(g, 0.0)

    with pytest.raises(MutationError, match="Careless"):
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
    with pytest.raises(GradientError, match=r"Cube.*once_differentiable"):
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


def test_gradients_are_brought_to_shape_and_dtype():
    import numpy as np

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


def test_what_is_not_there_says_so():
    assert Function.generate_vmap_rule is False
    with pytest.raises(NotImplementedError, match="vmap"):
        Function.vmap(None, (0,))
    with pytest.raises(NotImplementedError, match="forward-mode"):
        Function.jvp(None)
