"""Arguments and results of operators on whole tensors: several results, lists, numbers, in-place changes, batches."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import (
    CheckpointPolicy,
    MutationError,
    checkpoint,
    create_selective_checkpoint_contexts,
    grad,
    gradcheck,
    gradgradcheck,
    no_grad,
)
from facula_errors import ArgumentError, InvalidTypeError, OperationError, UnsupportedError
from facula_errors.testing import raises
from facula_tensor import func, library

POINT = [0.5, -1.0, 2.0]


def point(**kwargs):
    return ft.tensor(POINT, dtype=ft.float64, **kwargs)


# ------------------------------------------------------------------------------------------------- several results
@library.custom_op("test::polar", mutates_args=())
def polar(x: ft.Tensor, y: ft.Tensor, scale: float = 1.0, *, name: str = "") -> tuple[ft.Tensor, ft.Tensor]:
    return (x * x + y * y).sqrt() * scale, ft.atan2(y, x)


def keep_polar(ctx, inputs, keyword_only_inputs, output):
    x, y, ctx.scale = inputs
    ctx.name = keyword_only_inputs["name"]
    ctx.save_for_backward(x, y, output[0])


def polar_backward(ctx, radius, angle):
    x, y, r = ctx.saved_tensors
    r2 = x * x + y * y
    scaled = radius * ctx.scale**2 / r
    return scaled * x - angle * y / r2, scaled * y + angle * x / r2, None


polar.register_autograd(polar_backward, setup_context=keep_polar)


def by_hand(x, y, scale=1.0):
    return (x * x + y * y).sqrt() * scale, ft.atan2(y, x)


def test_several_results_have_gradients_of_any_order():
    x, y = point(requires_grad=True), point().flip(0).requires_grad_()
    found, wanted = polar(x, y, 2.0, name="r"), by_hand(x, y, 2.0)
    assert type(found) is tuple and all([ft.equal(a, b) for a, b in zip(found, wanted, strict=True)])
    assert gradcheck(lambda x, y: polar(x, y, scale=2.0), (x, y))
    assert gradgradcheck(lambda x, y: polar(x, y, scale=2.0), (x, y))
    for which in (0, 1):  # the gradient of the other result is zeros
        assert ft.allclose(grad(polar(x, y)[which].sum(), x)[0], grad(by_hand(x, y)[which].sum(), x)[0])


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_several_results_in_every_transform():
    x, y, d = point(), point().flip(0), point() * 0.25
    rows = ft.stack([x, y, d])
    for transform in (
        lambda f: func.jvp(f, (x, y), (d, x))[1],
        lambda f: func.jacrev(lambda x: f(x, y)[1])(x),
        lambda f: func.jacfwd(lambda x: f(x, y)[0])(x),
        lambda f: func.hessian(lambda x: (f(x, y)[0] * f(x, y)[1]).sum())(x),
        lambda f: func.vmap(lambda x: f(x, y)[1])(rows),
        lambda f: func.vmap(func.grad(lambda x: (f(x, y)[0] * x).sum()))(rows),
        lambda f: func.grad(lambda y: func.vmap(lambda x: f(x, y)[0])(rows).sum())(y),
        lambda f: func.vmap(lambda x: func.jvp(lambda x: f(x, y), (x,), (d,))[1][1])(rows),
        lambda f: func.jvp(func.grad(lambda x: f(x, y)[1].sum()), (x,), (d,))[1],
    ):
        found, wanted = transform(polar), transform(by_hand)
        for a, b in zip(*[result if type(result) is tuple else (result,) for result in (found, wanted)], strict=True):
            assert ft.allclose(a, b)


def test_types_of_results():
    sort = library.custom_op("test::sort", lambda x: (x.sort().values, 3, None, [x * 2, x.argsort()]))
    seen = []

    def backward(ctx, *grads):
        seen.extend(grads)
        return grads[0] + grads[3][0]

    sort.register_autograd(backward)
    x = point(requires_grad=True)
    values, three, nothing, (twice, places) = sort(x)
    assert (three, nothing, twice.tolist(), places.tolist()) == (3, None, [1.0, -2.0, 4.0], [1, 0, 2])
    assert values.requires_grad and not places.requires_grad
    twice.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]
    assert seen[0].tolist() == [0.0] * 3 and seen[1] is seen[2] is None and type(seen[3]) is list
    assert library.custom_op("test::one", lambda n: ft.ones(n))(3).tolist() == [1.0] * 3  # no tensor argument


def test_a_list_of_tensors():
    @library.custom_op("test::weighted", mutates_args=())
    def weighted(tensors, weights, bias=None):
        total = sum([t * w for t, w in zip(tensors, weights, strict=True)])
        return total if bias is None else total + bias

    needs = []

    def setup(ctx, inputs, output):
        ctx.weights, ctx.biased = inputs[1], inputs[2] is not None
        needs.append((ctx.needs_input_grad, bool(ctx.needs_input_grad)))

    weighted.register_autograd(
        lambda ctx, g: ([g * w if used else None for w, used in zip(ctx.weights, ctx.needs_input_grad[0], strict=True)],
                        None, g if ctx.biased else None),
        setup_context=setup,
    )  # fmt: skip
    a, b, bias = point(requires_grad=True), point(), point(requires_grad=True)
    weighted([a, b], [2.0, 3.0]).sum().backward()
    assert a.grad.tolist() == [2.0] * 3 and b.grad is None
    assert needs == [(([True, False], False, False), True)]
    weighted((a, b), weights=[2.0, 3.0], bias=bias).sum().backward()
    assert a.grad.tolist() == [4.0] * 3 and bias.grad.tolist() == [1.0] * 3
    tangent = func.jvp(lambda a, b: weighted([a, b], [2.0, 3.0]), (a, b), (b, b))[1]
    assert ft.allclose(tangent, b * 5)


# ------------------------------------------------------------------------------------------------- changes in place
@library.custom_op("test::fill_sine", mutates_args={"out"})
def fill_sine(x, *, out):
    np.sin(x.numpy(), out=out.numpy())


@library.custom_op("test::bump_", mutates_args=("x",))
def bump_(x, by=1):
    x.add_(by)
    return x


def test_a_change_in_place_is_counted():
    x, out = point(), ft.zeros(3, dtype=ft.float64)
    saved = point(requires_grad=True) * out
    assert fill_sine(x, out=out) is None
    assert out.tolist() == np.sin(POINT).tolist() and (x._version, out._version) == (0, 1)
    with raises(MutationError, "backward of mul", "fill_sine"):
        saved.sum().backward()
    assert bump_(x) is x and x.tolist() == [1.5, 0.0, 3.0]
    every = library.custom_op("test::every", lambda x, y: None, mutates_args="unknown")
    before = x._version, out._version
    every(x, out)
    assert (x._version, out._version) == (before[0] + 1, before[1] + 1)
    several = library.custom_op("test::several", lambda xs: [x.mul_(2) for x in xs] and None, mutates_args=["xs"])
    several([x, out[:1]])
    assert x.tolist() == [3.0, 0.0, 6.0] and out[0] == 2 * np.sin(0.5)


def test_statistics_may_be_updated_from_values_that_require_gradients():
    x, mean = point(requires_grad=True) * 1, ft.zeros((), dtype=ft.float64)
    follow = library.custom_op("test::follow", lambda x, mean: mean.add_(x.mean()) and None, mutates_args={"mean"})
    follow(x, mean)
    assert mean == 0.5 and not mean.requires_grad
    func.grad(lambda x: follow(x, mean) or x.sum())(point())
    assert mean == 1.0


def read_only():
    array = np.ones(2)
    array.flags.writeable = False
    return ft.from_numpy(array)


MUTATIONS_REFUSED = {
    "a leaf": (lambda: bump_(point(requires_grad=True)), OperationError, "bump_: of which a gradient"),
    "a result": (lambda: bump_(point(requires_grad=True) * 1), OperationError, "bump_: of which a gradient"),
    "a value of grad": (lambda: func.grad(lambda x: bump_(x).sum())(point()), OperationError, "bump_: a gradient"),
    "a dual tensor": (lambda: func.jvp(bump_, (point(),), (point(),)), OperationError, "bump_: a tangent"),
    "read-only memory": (lambda: bump_(read_only()), OperationError, "bump_: the tensor cannot be written"),
    "not a tensor": (lambda: bump_(3), InvalidTypeError, "bump_: expected 'x', which it changes ... got int"),
    "another argument": (
        lambda: library.custom_op("test::made", lambda x, y: x.add_(1) + y, mutates_args=["y"])(point(), point()),
        ArgumentError,
        "made: its function changed the argument float64 (3,), which mutates_args does not name",
    ),
    "an unknown name": (
        lambda: library.custom_op("test::made", lambda x: x, mutates_args={"y"}),
        ArgumentError,
        "custom_op: expected mutates_args to name arguments of ... got 'y'",
    ),
    "a name alone": (
        lambda: library.custom_op("test::made", lambda x: x, mutates_args="x"),
        InvalidTypeError,
        "custom_op: expected mutates_args to be a tuple, list or set of names, or 'unknown'",
    ),
    "a gradient": (
        lambda: bump_.register_autograd(lambda ctx, g: g),
        OperationError,
        "register_autograd: expected an operator that changes no argument in place; bump_ does",
    ),
    "an unbatched tensor": (
        lambda: func.vmap(lambda x, y: bump_(y, x), in_dims=(0, None))(point(), point()),
        UnsupportedError,
        "bump_: changes a tensor in place that is not batched",
    ),
}


@pytest.mark.parametrize("what", MUTATIONS_REFUSED)
def test_invalid_changes_are_rejected(what):
    call, error, message = MUTATIONS_REFUSED[what]
    with raises(error, message):
        call()


def test_a_leaf_may_be_changed_under_no_grad():
    x = point(requires_grad=True)
    with no_grad():
        bump_(x)
    assert x.tolist() == [1.5, 0.0, 3.0] and x.is_leaf


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_a_batch_is_changed_in_place():
    rows = ft.arange(6.0).reshape(2, 3)
    func.vmap(lambda x: bump_(x) * 1)(rows)
    assert rows.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


# ------------------------------------------------------------------------------------------------- rules and kernels
def test_a_batching_rule_is_called_once():
    calls = []

    @library.custom_op("test::scaled", mutates_args=())
    def scaled(xs, w, *, by=1.0):
        calls.append(tuple(w.shape))
        return xs[0] * w * by, [xs[1] * 1]

    scaled.register_autograd(
        lambda ctx, g, h: ([g * ctx.saved_tensors[0] * ctx.by, h[0]], None),
        setup_context=lambda ctx, inputs, named, output: (
            ctx.save_for_backward(inputs[1]),
            setattr(ctx, "by", named["by"]),
        ),
    )

    @library.register_vmap("test::scaled")
    def rule(info, in_dims, xs, w, *, by):
        seen.append((info.batch_size, info.randomness, in_dims))
        return scaled([x if d is None else x.movedim(d, 0) for x, d in zip(xs, in_dims[0], strict=True)], w, by=by), (
            0,
            [None if in_dims[0][1] is None else 0],
        )

    seen = []
    x, y, w = ft.randn(3, 4), ft.randn(4), ft.randn(4)
    found, (other,) = func.vmap(lambda x: scaled([x, y], w, by=2.0), in_dims=1, out_dims=(0, [None]))(x.t())
    assert seen == [(3, "error", ([0, None], None))] and calls == [(4,)]
    assert ft.allclose(found, x * w * 2) and ft.equal(other, y)
    slopes = func.vmap(func.grad(lambda x: scaled([x, y], w, by=2.0)[0].sum()))(x)
    assert ft.allclose(slopes, (w * 2).expand(3, 4))
    leaf = x.clone().requires_grad_()
    func.vmap(lambda x: scaled([x, y], w)[0])(leaf).sum().backward()
    assert ft.allclose(leaf.grad, w.expand(3, 4)) and len(calls) == 3


WRONG_RULES = {
    "no pair": (lambda info, in_dims, x: x, "ruled: a pair (output, out_dims); got Tensor"),
    "too many places": (lambda info, in_dims, x: (x + 1, (0, 0)), "ruled: out_dims built like its output"),
    "another length": (lambda info, in_dims, x: (x[:1] + 1, 0), "ruled.vmap: expected 3 elements along dimension 0"),
}


@pytest.mark.parametrize("what", WRONG_RULES)
def test_invalid_batching_rules_are_rejected(what):
    rule, message = WRONG_RULES[what]
    op = library.custom_op("test::ruled", lambda x: x + 1)
    op.register_vmap(rule)
    with raises(InvalidTypeError, message):
        func.vmap(op)(ft.ones(3))


def test_a_function_for_each_device():
    op = library.custom_op("test::placed", lambda x: x * 2)
    assert op(ft.ones(1)).tolist() == [2.0]
    library.register_kernel("test::placed", "cpu")(lambda x: x * 3)
    op.register_kernel(["cuda", "mps"], lambda x: x * 4)  # kept for a machine with this device
    assert op(ft.ones(1)).tolist() == [3.0]
    for wrong, name in (("meta", "register_kernel"), ("nowhere", "device 'nowhere'"), ((), "register_kernel")):
        with raises((ArgumentError, RuntimeError, TypeError), name):
            op.register_kernel(wrong, abs)


@pytest.mark.parametrize("kept", [False, True])
def test_a_checkpoint_recomputes_or_keeps_the_result(kept):
    calls = []

    @library.custom_op("test::counted", mutates_args=())
    def counted(x):
        calls.append(x)
        return x.exp(), [x * 2]

    counted.register_autograd(
        lambda ctx, g, h: g * ctx.saved_tensors[0] + h[0] * 2,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output[0]),
    )

    def policy(ctx, op, *args):
        return CheckpointPolicy.MUST_SAVE if kept and op == counted else CheckpointPolicy.PREFER_RECOMPUTE

    def function(x):
        first, (second,) = counted(x)
        return (first * second).sum()

    x = point(requires_grad=True)
    contexts = {"context_fn": lambda: create_selective_checkpoint_contexts(policy)}
    checkpoint(function, x, use_reentrant=False, **contexts).backward()
    assert ft.allclose(x.grad, 2 * x.exp() * (x + 1)) and len(calls) == (1 if kept else 2)
