"""Two Functions with derivatives of every order, and arguments for them."""

import numpy as np

from facula_autograd import Function, Variable


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
    """Two outputs, both saved, with setup_context."""

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
