"""Custom Functions on tensors: changes in place, and results that share memory with arguments."""

from __future__ import annotations

import pytest

import facula_autograd as ag
import facula_tensor as ft
from facula_errors.testing import raises


class Twice(ag.Function):
    """2 x, in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


class TwiceAndSum(ag.Function):
    """2 x, in place, and y + 2 x."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x, y + x

    @staticmethod
    def backward(ctx, g, h):
        return (g + h) * 2, h


class Tenfold(ag.Function):
    """The identity, with ten times the gradient."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


class Rest(ag.Function):
    """x without its first element."""

    @staticmethod
    def forward(ctx, x):
        return x[1:]

    @staticmethod
    def backward(ctx, g):
        return ft.cat([ft.zeros(1, dtype=g.dtype), g])


def start():
    x = ft.tensor([1.0, 2.0, 3.0], dtype=ft.float64, requires_grad=True)
    return x, x * 1


def family(change):
    """Return the gradients through a tensor and two views of it, after `change(tensor, view)`."""
    x, base = start()
    part = base[1:]
    column = base.view(3, 1)
    change(base, part)
    for result in (part * part, column * base.view(3, 1), base.exp()):
        result.sum().backward(retain_graph=True)
    return x.grad.tolist()


def test_views_follow_a_functions_change():
    assert family(lambda base, part: Twice.apply(base)) == family(lambda base, part: base.mul_(2))
    assert family(lambda base, part: Twice.apply(part)) == family(lambda base, part: part.mul_(2))
    y = ft.ones(3, dtype=ft.float64)
    assert family(lambda base, part: TwiceAndSum.apply(base, y)) == family(lambda base, part: base.mul_(2))


def test_two_results_and_views_of_a_changed_tensor():
    x, base = start()
    y = ft.ones(3, dtype=ft.float64, requires_grad=True)
    part = base[1:]
    changed, total = TwiceAndSum.apply(base, y)
    assert changed is base
    (part.sum() * 2 + total.sum() + (changed * changed).sum()).backward()
    assert x.grad.tolist() == [10.0, 22.0, 30.0]
    assert y.grad.tolist() == [1.0, 1.0, 1.0]


def test_views_require_gradients_once_their_base_does():
    base = ft.ones(3)
    part = base[1:]
    TwiceAndSum.apply(base, ft.ones(3, requires_grad=True))
    assert part.requires_grad
    assert base.requires_grad


def test_changing_a_view_of_a_leaf_is_an_error():
    x, _ = start()
    with raises(RuntimeError, "Twice", "this tensor is a view of a leaf"):
        Twice.apply(x[1:])


def test_retained_gradients_follow_the_change():
    x, base = start()
    base.retain_grad()
    Twice.apply(base)
    (base * 3).sum().backward()
    assert base.grad.tolist() == [3.0] * 3
    assert x.grad.tolist() == [6.0] * 3


@pytest.mark.parametrize("of_base", [True, False])
def test_retained_gradients_of_views_follow_a_change(of_base):
    _, base = start()
    part, row = base[1:], base[:2]
    part.retain_grad()
    row.retain_grad()
    (base if of_base else part).mul_(2)
    (part * 3 + row).sum().backward()
    assert (part.grad.tolist(), row.grad.tolist()) == ([3.0] * 2, [1.0] * 2)


@pytest.mark.parametrize("function", [Tenfold, Rest])
def test_a_result_that_aliases_an_argument_cannot_be_changed(function):
    x, base = start()
    y = function.apply(base)
    assert y is not base
    with raises(RuntimeError, "mul_", "result of a Function", "clone"):
        y.mul_(2)
    assert base.tolist() == [1.0, 2.0, 3.0]
    y.sum().backward()
    assert x.grad.tolist()[1:] == [10.0 if function is Tenfold else 1.0] * 2


@pytest.mark.parametrize("function", [Tenfold, Rest])
def test_using_the_result_after_a_change_of_the_argument_is_an_error(function):
    x, base = start()
    y = function.apply(base)
    base.mul_(2)
    base.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2.0] * 3
    with raises(ag.GradientError, f"backward of {function.__name__}Backward", "shares memory", __file__):
        (y * 3).sum().backward()


def test_gradients_are_converted_to_shape_and_dtype():
    class Wide(ag.Function):
        @staticmethod
        def forward(ctx, x, row):
            return x + row

        @staticmethod
        def backward(ctx, g):
            return g, g.to(ft.float32)

    x, row = ft.ones(4, 3, dtype=ft.float64, requires_grad=True), ft.ones(1, 3, dtype=ft.float64, requires_grad=True)
    Wide.apply(x, row).sum().backward()
    assert row.grad.dtype is ft.float64
    assert row.grad.tolist() == [[4.0, 4.0, 4.0]]

    class Forgets(Wide):
        @staticmethod
        def backward(ctx, g):
            return g[:3], None

    with raises(
        ag.GradientError, "Forgets.backward", "argument 0", "expected float64 (4, 3) on cpu", value="float64 (3, 3)"
    ):
        Forgets.apply(x, row).sum().backward()


def test_initial_gradients_of_a_pass():
    x = ft.ones(2, requires_grad=True)
    (x * 1).backward(ft.ones(2, dtype=ft.float64))
    (x * 1).backward([ft.ones(2, dtype=ft.int64)])
    assert x.grad.dtype is ft.float32
    assert x.grad.tolist() == [2.0, 2.0]
    for wrong in (ft.ones(3), ft.ones(1), ft.ones(2, dtype=ft.complex64)):
        with raises(ag.GradientError, "backward", "the output is float32 (2,)"):
            (x * 1).backward(wrong)
    z = ft.tensor(1j, requires_grad=True)
    with raises(ag.GradientError, "backward", "real scalar"):
        (z * 1).backward()
    assert z.grad is None


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck_of_mixed_operands(fast):
    def make(*shape, dtype=ft.float64):
        return (ft.arange(1.0, 1.0 + ft.zeros(shape).numel()) / 7).to(dtype).reshape(shape).requires_grad_()

    z, x = make(2, 3, dtype=ft.complex128), make(3)
    counts = ft.tensor([1, 2, 3])
    for check in (ag.gradcheck, ag.gradgradcheck):
        assert check(lambda z, x, n: (z * x * z, [x > 0], n * x)[::2], (z, x, counts), fast_mode=fast)
        assert check(lambda z, x: [z * x, x.exp()], (z, x), fast_mode=fast)
        assert check(lambda x, k, nothing: x**k, (x, 3, None), fast_mode=fast)
        assert check(lambda a, x: (a * x).sum(0), (make(0, 3), x), fast_mode=fast)
        assert check(lambda a: a.sum() * 2, (make(0, 3, dtype=ft.complex128),), fast_mode=fast)
    assert ag.gradcheck(lambda z: z.abs(), (z,), fast_mode=fast)
    with raises(ag.GradcheckError, "gradcheck", "output 0 (complex128 (2, 3))", "input 0 (complex128 (2, 3)) is wrong"):
        ag.gradcheck(lambda z: z * z.detach(), (z,), fast_mode=fast)


class Square(ag.Function):
    """x squared, with an error of `off[MODE]` in the derivative of each mode."""

    off = {"backward": 0.0, "jvp": 0.0, "vmap": 0.0}  # noqa: RUF012

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return Scaled.apply(g * ctx.saved_tensors[0] * (2 + Square.off["backward"]))

    @staticmethod
    def jvp(ctx, t):
        return Scaled.apply(t * ctx.saved_tensors[0] * (2 + Square.off["jvp"]))


class Scaled(ag.Function):
    """The identity, except for batches."""

    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g.clone()

    @staticmethod
    def jvp(ctx, t):
        return t.clone()

    @staticmethod
    def vmap(info, in_dims, x):
        return x * (1 + Square.off["vmap"]), in_dims[0]


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    ("way", "asked", "words"),
    [
        ("backward", {}, "by backward"),
        ("jvp", {"check_forward_ad": True}, "by forward mode"),
        ("jvp", {"check_forward_ad": True, "check_backward_ad": False}, "by forward mode"),
        ("vmap", {"check_batched_grad": True}, "the gradients of output 0 with respect to input 0 to be the same in a"),
        ("vmap", {"check_forward_ad": True, "check_batched_forward_grad": True}, "the tangents of output 0 by input 0"),
    ],
)
def test_gradcheck_detects_errors_in_each_mode(monkeypatch, fast, way, asked, words):
    x = (ft.arange(1.0, 7.0, dtype=ft.float64) / 3).reshape(2, 3).requires_grad_()
    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert ag.gradcheck(Square.apply, x, fast_mode=fast, **every)
    monkeypatch.setitem(Square.off, way, 0.01)
    with raises(ag.GradcheckError, "gradcheck", words):
        ag.gradcheck(Square.apply, x, fast_mode=fast, **asked)
    monkeypatch.undo()
    monkeypatch.setitem(Square.off, "jvp", 0.01)
    if "check_forward_ad" not in asked:
        assert ag.gradcheck(Square.apply, x, fast_mode=fast, **asked)


def test_gradcheck_of_all_modes_at_once():
    def make(*shape, dtype=ft.float64):
        return (ft.arange(1.0, 1.0 + ft.zeros(shape).numel()) / 7).to(dtype).reshape(shape).requires_grad_()

    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    for z in (make(2, 3), make(2, 3, dtype=ft.complex128)):
        assert ag.gradcheck(lambda z, x, k: (z * x.exp(), [3], x.sum() ** k)[::2], (z, make(3), 2), **every)
        assert ag.gradgradcheck(
            lambda z, x: z * z * x.exp(), (z, make(3)), check_fwd_over_rev=True, check_batched_grad=True
        )
    with raises(ag.GradcheckError, "gradcheck", "by forward mode"):
        ag.gradgradcheck(lambda x: x * x.detach() * x, make(3), check_fwd_over_rev=True, check_rev_over_rev=False)


def test_checkpoints_repeat_random_draws():
    def noisy(x, w):
        return ((x @ w).tanh() * ft.rand(4, 4, dtype=ft.float64)).exp()

    results = []
    for call in (noisy, lambda *operands: ag.checkpoint(noisy, *operands)):
        ft.manual_seed(3)
        x, w = (ft.ones(4, 4, dtype=ft.float64).mul_(k).requires_grad_() for k in (0.1, 0.2))
        out = call(x * 2, w)
        ft.rand(7)
        out.sum().backward()
        results.append([out.tolist(), x.grad.tolist(), w.grad.tolist(), ft.rand(1).item()])
    assert results[0] == results[1]
    assert results[0][0][0][0] != results[0][0][1][1]
