"""Values that are saved for a gradient inside transforms, and changed in place."""

import pytest

from facula_autograd import MutationError
from facula_tensor import allclose, equal, float64, ones, tensor
from facula_tensor.func import grad, hessian, jacfwd, jvp, linearize, vmap


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
def test_saved_values_that_are_changed_inside_transforms(name):
    """Wrapped tensors have the versions of what they wrap."""
    for program in (changed_after, changed_by_a_view, changed_under_its_alias):
        with pytest.raises(MutationError):
            NESTED[name](program)

    def twin(x):
        z = (x + 1) * tensor([3.0, 1.0], dtype=float64)
        return (z * x).square().sum()

    assert allclose(NESTED[name](changed_before), NESTED[name](twin))


def test_linearize_of_what_changes_in_place():
    for program in (changed_after, changed_by_a_view, changed_before):
        output, push = linearize(program, POINT)
        for along in (ones(2, dtype=float64), POINT):
            wanted, tangent = jvp(program, (POINT,), (along,))
            assert equal(output, wanted) and allclose(push(along), tangent)
    point = POINT.clone()
    _, push = linearize(changed_after, point)
    point.add_(1)
    with pytest.raises(MutationError):
        push(POINT)
    along = jacfwd(lambda x: linearize(changed_by_a_view, x)[1](x))(POINT)
    assert allclose(along, jacfwd(lambda x: jvp(changed_by_a_view, (x,), (x,))[1])(POINT))
