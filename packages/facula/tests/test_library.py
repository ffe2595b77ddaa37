"""`facula.library`: a program that registers an operator as PyTorch's documentation does."""

import numpy as np

import facula as torch


@torch.library.custom_op("mylib::numpy_sin", mutates_args=())
def numpy_sin(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.cpu().numpy()))


@numpy_sin.register_fake
def _(x):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    (x,) = inputs
    ctx.save_for_backward(x)


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * x.cos()


torch.library.register_autograd("mylib::numpy_sin", backward, setup_context=setup_context)


def test_an_operator_registered_as_pytorchs_are():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    y = numpy_sin(x)
    assert torch.allclose(y, x.sin()) and repr(y.grad_fn).count("numpy_sin")
    assert torch.autograd.gradcheck(numpy_sin, (x,)) and torch.autograd.gradgradcheck(numpy_sin, (x,))
    assert numpy_sin(torch.empty(2, device="meta")).shape == (2,)
    tangent = torch.func.jvp(numpy_sin, (x.detach(),), (torch.ones(3, dtype=torch.float64),))[1]
    assert torch.allclose(tangent, x.detach().cos())


def test_what_facula_adds_is_there():
    assert torch.fuse is torch.library.fuse
    swish = torch.fuse(lambda x: x * torch.sigmoid(x))
    assert torch.allclose(swish(torch.ones(2)), torch.nn.functional.silu(torch.ones(2)))
