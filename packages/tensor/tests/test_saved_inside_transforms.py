"""Values saved for a gradient inside transforms, and then changed in place."""

import pytest

from facula_autograd import Function, MutationError
from facula_tensor import allclose, equal, float64, functional, manual_seed, ones, tensor
from facula_tensor.func import grad, hessian, jacfwd, jvp, linearize, vmap
from facula_tensor.functional import dropout


def changed_after(x):
    z = x * 1.0
    y = z * x
    z.add_(1)
    return (y * y).sum()


def changed_by_a_view(x):
    z = x * 1.0
    y = z * x
    z[:1].mul_(3)
    return (y * y).sum()


def changed_under_its_alias(x):
    z = x * 1.0
    other = z.detach()
    y = z * x
    other.add_(1)
    return (y * y).sum()


def changed_before(x):
    z = x * 1.0
    z.add_(1)
    z[:1].mul_(3)
    y = z * x
    return (y * y).sum()


POINT = tensor([0.8, 0.4], dtype=float64)
NESTED = {
    "vmap of grad": lambda f: vmap(grad(f))(POINT.unsqueeze(0)),
    "vmap of vmap of grad": lambda f: vmap(vmap(grad(f)))(POINT.reshape(1, 1, 2)),
    "jvp of grad": lambda f: jvp(grad(f), (POINT,), (ones(2, dtype=float64),))[1],
    "jacfwd of grad": lambda f: jacfwd(grad(f))(POINT),
    "hessian": lambda f: hessian(f)(POINT),
    "grad of grad": lambda f: grad(lambda x: grad(f)(x).sum())(POINT),
    "grad of jvp": lambda f: grad(lambda x: jvp(f, (x,), (x,))[1])(POINT),
}


@pytest.mark.parametrize("name", NESTED)
def test_saved_values_changed_inside_transforms(name):
    """Wrapped tensors share the version of the tensor that they wrap."""
    for program in (changed_after, changed_by_a_view, changed_under_its_alias):
        with pytest.raises(MutationError):
            NESTED[name](program)

    def twin(x):
        z = (x + 1) * tensor([3.0, 1.0], dtype=float64)
        return (z * x).square().sum()

    assert allclose(NESTED[name](changed_before), NESTED[name](twin))


INPLACE = "relu relu6 elu selu celu leaky_relu hardtanh hardswish hardsigmoid silu mish".split()
NESTED_GRADIENTS = {
    "grad of vmap": lambda f: grad(lambda x: vmap(f)(x).sum())(POINT.unsqueeze(0))[0],
    "grad of vmap of vmap": lambda f: grad(lambda x: vmap(vmap(f))(x).sum())(POINT.reshape(1, 1, 2))[0, 0],
    "backward of vmap": lambda f: _gradient(lambda x: vmap(f)(x.unsqueeze(0)).sum()),
    "vmap of grad": lambda f: vmap(grad(f))(POINT.unsqueeze(0))[0],
    "grad of jvp": lambda f: grad(lambda x: jvp(lambda y: f(y), (x,), (ones(2, dtype=float64),))[0])(POINT),
}


def _gradient(f):
    x = POINT.clone().requires_grad_()
    f(x).backward()
    return x.grad


@pytest.mark.parametrize("name", INPLACE)
@pytest.mark.parametrize("transform", NESTED_GRADIENTS)
def test_activations_in_place_save_a_copy_inside_transforms(name, transform):
    activation = getattr(functional, name)
    gradient = NESTED_GRADIENTS[transform](lambda x: activation(x * 1.5 - 0.9, inplace=True).square().sum())
    assert allclose(gradient, _gradient(lambda x: activation(x * 1.5 - 0.9).square().sum()))


class Square(Function):
    """x squared, which saves its argument."""

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return t * 2 * ctx.saved_tensors[0]


def changed_argument(x):
    y = x.sin() * x
    x[:1].mul_(2)
    return (y * x).sum()


def changed_result(x):
    y = x.exp()
    z = y * 2
    y.detach().add_(1)
    return (y * z).sum()


def changed_constant(x):
    mask = ones(2, dtype=float64)
    y = x * mask
    mask[0] = 0
    return (y * x * mask).sum()


def changed_for_a_function(x):
    z = x * 1.0
    y = Square.apply(z)
    z.add_(1)
    return (y * z).sum()


def changed_after_a_draw(x):
    z = x * 1.0
    y = dropout(z * x, 0.5)
    z.add_(1)
    return (y * z).sum()


IN_PLACE = [
    changed_after, changed_by_a_view, changed_under_its_alias, changed_before, changed_argument, changed_result,
    changed_constant, changed_for_a_function, changed_after_a_draw,
]  # fmt: skip


@pytest.mark.parametrize("program", IN_PLACE)
def test_linearize_of_functions_with_in_place_changes(program):
    """The function runs once, and its derivative equals that of forward mode."""
    calls = []

    def counted(x):
        calls.append(x)
        return program(x)

    given = POINT.clone()
    manual_seed(0)
    output, push = linearize(counted, given)
    for along in (ones(2, dtype=float64), POINT):
        primal = POINT.clone()
        manual_seed(0)
        wanted, tangent = jvp(program, (primal,), (along,))
        assert equal(output, wanted) and allclose(push(along), tangent) and equal(primal, given)
    assert len(calls) == 1


def test_linearize_inside_transforms():
    for program in (changed_by_a_view, changed_argument):
        pushed = lambda x: linearize(program, x * 1.0)[1](x)
        forward = lambda x: jvp(program, (x * 1.0,), (x,))[1]
        for transform in (jacfwd, lambda f: vmap(f, in_dims=0)):
            point = POINT.unsqueeze(0) if transform is not jacfwd else POINT
            assert allclose(transform(pushed)(point), transform(forward)(point))
        with pytest.raises(MutationError):  # of values that the surrounding tape saved
            grad(pushed)(POINT)


def test_linearize_at_a_point_that_is_changed_later():
    point = POINT.clone()
    _, push = linearize(lambda x: (x * x).sum(), point)
    point.add_(1)
    with pytest.raises(MutationError):
        push(POINT)
