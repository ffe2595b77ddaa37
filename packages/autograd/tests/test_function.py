"""Custom functions: the semantics documented by PyTorch, and errors that name the function."""

import numpy as np
import pytest
from autograd_helpers import Box, write_
from function_samples import Exp, SinCos, array

from facula_autograd import (
    Function,
    GradientError,
    Variable,
    grad,
    gradcheck,
    gradgradcheck,
    is_grad_enabled,
    no_grad,
)
from facula_errors.testing import raises


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
    """Three outputs: one differentiable, one marked non-differentiable, and one that is not a value."""

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


def test_a_returned_operand_stays_without_gradient():
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
    with raises(GradientError, "Double_", "leaf"):
        Double_.apply(x)
    plain = Box(1.0)
    assert Double_.apply(plain) is plain

    class Forgets(Double_):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return Box(1.0)

    with raises(GradientError, "Forgets", "return it"):
        Forgets.apply(x * x)


def test_attributes_for_other_transforms_are_accepted():
    class Scaled(Function):
        generate_vmap_rule = False

        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)
            ctx.save_for_backward(inputs[1])

        @staticmethod
        def backward(ctx, g):
            assert ctx.needs_input_grad == (True, False)
            return g * ctx.saved_tensors[0], None

        @staticmethod
        def jvp(ctx, *tangents):
            return tangents[0]

        @staticmethod
        def vmap(info, in_dims, x, y):
            return Scaled.apply(x, y), 0

    x, y = Variable(2.0, requires_grad=True), Variable(3.0)
    Scaled.apply(x, y).backward()
    assert x.grad.value == 3.0
