"""`facula_tensor.func` and `forward_ad`: arguments, results, and errors."""

from __future__ import annotations

import copy
import pickle
import threading
from collections import defaultdict, deque

import pytest

import facula_tensor as ft
from facula_allocator import default_host_allocator
from facula_autograd import Function, GradientError, no_grad
from facula_autograd import grad as tape_grad
from facula_errors.testing import raises
from facula_tensor import forward_ad
from facula_tensor.func import (
    debug_unwrap,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)
from facula_tensor.functional import dropout

X = ft.tensor([1.0, 2.0, 3.0], dtype=ft.float64)
ONE = ft.tensor(1.0)


def listed(tree):
    """Convert tensors in a tree to lists of numbers."""
    if isinstance(tree, dict):
        return {key: listed(part) for key, part in tree.items()}
    if isinstance(tree, (tuple, list)):
        parts = [listed(part) for part in tree]
        return parts if type(tree) is list else tuple(parts)
    return tree.tolist()


def test_arguments_and_results_are_trees():
    def f(d, n):
        return (d["a"] ** n).sum() + d["b"][0].sum() * 2

    d = {"a": X, "b": [X]}
    assert listed(grad(f)(d, 2)) == {"a": [2, 4, 6], "b": [[2, 2, 2]]}
    assert listed(grad(lambda n, d: f(d, n), argnums=-1)(2, d)) == listed(grad(f)(d, 2))
    assert listed(grad(lambda x, k, y: (x * y * k).sum(), argnums=(0, 2))(X, 2, X)) == ([2, 4, 6], [2, 4, 6])
    assert listed(grad_and_value(f)(d, 2)) == ({"a": [2, 4, 6], "b": [[2, 2, 2]]}, 26)
    value, aux = value_and_grad(lambda x: (x.sum(), {"twice": x * 2}), has_aux=True)(X)[0]
    assert listed((value, aux)) == (6, {"twice": [2, 4, 6]})
    assert not aux["twice"].requires_grad
    output, slope = jvp(lambda d: ({"s": d["a"].sum()}, [d["b"] * d["a"]]), ({"a": X, "b": X},), ({"a": X, "b": X},))
    assert listed((output, slope)) == (({"s": 6}, [[1, 4, 9]]), ({"s": 6}, [[2, 8, 18]]))
    output, pull, aux = vjp(lambda x, y: ((x * y, x), y * 3), X, X + 1, has_aux=True)
    assert listed(pull((X, X))) == listed(pull(X, X)) == ([3, 8, 15], [1, 4, 9])
    _, pull_dict = vjp(lambda x: {"a": x * 2, "b": x * 3}, X)
    assert listed(pull_dict({"b": X * 0, "a": X})) == ([2, 4, 6],)  # for any order of the keys
    assert listed(aux) == [6, 9, 12]
    output, push = linearize(lambda x, y: {"p": x * y}, X, X)
    assert listed((output, push(X, X), push(X, X * 0))) == ({"p": [1, 4, 9]}, {"p": [2, 8, 18]}, {"p": [1, 4, 9]})
    for jacobian in (jacrev, jacfwd):
        blocks = jacobian(lambda x, y: {"s": x.sum() * y, "x": x}, argnums=(1, 0))(X[:2], X[2])
        assert listed(blocks) == {"s": (3, [3, 3]), "x": ([0, 0], [[1, 0], [0, 1]])}
        found, aux = jacobian(lambda x: (x[:1] * 2, x), has_aux=True)(X)
        assert listed((found, aux)) == ([[2, 0, 0]], [1, 2, 3])
    assert listed(hessian(lambda x, y: (x * y).prod(), argnums=(0, 1))(X[:1], X[1:2])) == (
        ([[0]], [[1]]),
        ([[1]], [[0]]),
    )


def test_deques_and_defaultdicts_are_trees():
    """Results create default entries like the arguments, and have the same maximum length."""
    found = grad(lambda d: d["a"].sum() * d["b"].sum())(defaultdict(lambda: X, a=X, b=X))
    assert listed({**found}) == {"a": [6] * 3, "b": [6] * 3}
    assert found["c"] is X
    found = vmap(lambda d: deque([d[0] * 2], 3))(deque([X]))
    assert (type(found), found.maxlen, listed([*found])) == (deque, 3, [[2, 4, 6]])


def test_inspecting_tensors_inside_a_transform():
    seen = []

    def look(x):
        seen[:] = [debug_unwrap(x).tolist(), debug_unwrap(x, recurse=False).shape]
        return x

    vmap(lambda x: jvp(look, (x,), (x,)))(ft.stack([X, X]))
    assert seen == [[X.tolist()] * 2, (3,)]
    assert debug_unwrap(X) is X
    assert grad(functionalize(lambda x: x.clone().mul_(2).sum()))(X).tolist() == [2, 2, 2]


def test_gradients_flow_through_a_transform():
    w = X.clone().requires_grad_()
    found = grad(lambda x: (x**2 * w).sum())(X)
    assert found.requires_grad
    (second,) = tape_grad(found.sum(), w)
    assert second.tolist() == [2, 4, 6]
    value, found = value_and_grad(lambda x: (x * x).sum())(w)
    assert listed(tape_grad((value, found), w, (ft.tensor(1.0, dtype=ft.float64), X))) == ([4, 8, 12],)
    _, slope = jvp(lambda x: x**3, (w,), (X,))
    assert tape_grad(slope.sum(), w)[0].tolist() == (6 * X * X).tolist()
    with ft.no_grad():
        assert not grad(lambda x: (x * w).sum())(w).requires_grad
    assert listed(grad(lambda x: (x * _without(lambda: x * x)).sum())(X)) == [1, 4, 9]
    assert not grad(lambda x: (x * x).sum())(X).requires_grad


def _without(function):
    with ft.no_grad():
        return function()


def test_dual_levels():
    with forward_ad.dual_level() as outer:
        start = X.clone()
        x = forward_ad.make_dual(start, X * 2)
        with forward_ad.dual_level():
            y = forward_ad.make_dual(x, X * 3)
            primal, tangent = forward_ad.unpack_dual(y * y)
            assert tangent.shape == (3,)
            assert listed(forward_ad.unpack_dual(tangent, level=outer).tangent) == [12, 48, 108]
        assert forward_ad.unpack_dual(primal).tangent.tolist() == [4, 16, 36]
        assert (y + 1).tolist() == [2, 3, 4]  # its own level has ended
        x.mul_(2)
        assert listed(forward_ad.unpack_dual(x)) == ([2, 4, 6], [4, 8, 12])
    assert start.tolist() == [2, 4, 6]  # the dual tensor shares its memory
    assert forward_ad.unpack_dual(x).tangent is None
    number = forward_ad.enter_dual_level()
    with raises(RuntimeError, "exit_dual_level", "innermost"):
        forward_ad.exit_dual_level(level=number + 1)
    forward_ad.exit_dual_level(level=number)
    with raises(RuntimeError, "exit_dual_level", "no level is entered"):
        forward_ad.exit_dual_level()


def test_gradients_of_dual_tensors_are_dual():
    """As in PyTorch: forward over reverse, and reverse over forward, with one call of the function."""
    w = X.clone().requires_grad_()
    with forward_ad.dual_level():
        x = forward_ad.make_dual(w, X)
        y = (x[1:] * ft.tanh(x)[:-1]).sum() * x.exp().sum()
        for by in (x, w):
            (g,) = tape_grad(y, by, retain_graph=True)
            assert forward_ad.unpack_dual(g).tangent is not None
        (over,) = tape_grad(forward_ad.unpack_dual(y).tangent, w, retain_graph=True)
    curvature = hessian(lambda x: (x[1:] * ft.tanh(x)[:-1]).sum() * x.exp().sum())(X) @ X
    for found in (forward_ad.unpack_dual(g).tangent, forward_ad.UnpackedDualTensor(over, None).primal):
        assert found is None or ft.allclose(found, curvature)


class Cube(Function):
    """k x cubed, with all methods that transforms use."""

    @staticmethod
    def forward(x, k):
        return x**3 * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x * ctx.k, None

    @staticmethod
    def jvp(ctx, t, _):
        (x,) = ctx.saved_tensors
        return t * 3 * x * x * ctx.k


class Older(Function):
    """The exponential; forward has the context as an argument."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(x)
        return x.exp()

    @staticmethod
    def jvp(ctx, t):
        return t * ctx.saved_tensors[0].exp()


class Backward(Function):
    """A function without forward mode."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_user_functions_in_any_order():
    two = ft.tensor(2.0)
    kinds = {"r": grad, "f": lambda f: lambda x: jvp(f, (x,), (ONE,))[1]}
    for orders in ("r", "f", "rr", "rf", "fr", "ff", "rrr", "frf", "fff"):
        function = lambda x: Cube.apply(x, 2.0)
        for kind in orders:
            function = kinds[kind](function)
        assert function(two).item() == {1: 24, 2: 24, 3: 12}[len(orders)]
    assert jvp(Older.apply, (ONE * 0,), (ONE,))[1].item() == 1


@pytest.mark.parametrize("function", [lambda d: Cube.apply(d, 2.0), lambda d: Cube.apply(Cube.apply(d, 2.0) * d, 0.5)])
def test_user_functions_whose_primals_require_gradients(function):
    """Dual tensors of a Function have nodes like others: the gradient is dual, and tangents have one."""
    x = X.clone().requires_grad_()
    curvature = hessian(lambda x: function(x).sum())(X) @ X
    with forward_ad.dual_level():
        y = function(forward_ad.make_dual(x, X))
        (g,) = tape_grad(y.sum(), x, retain_graph=True)
        found = forward_ad.unpack_dual(g)
        (over,) = tape_grad(forward_ad.unpack_dual(y).tangent.sum(), x)
        assert ft.allclose(found.primal, grad(lambda x: function(x).sum())(X))
        assert ft.allclose(found.tangent, curvature) and ft.allclose(over, curvature)
        with no_grad():
            assert function(forward_ad.make_dual(x, X)).node is None
        with raises(RuntimeError, "Older", "expected setup_context"):
            Older.apply(forward_ad.make_dual(x, X))


def test_random_numbers_and_threads():
    """A value and its tangent use one draw; threads have separate levels."""
    for draw in (dropout, lambda x: x * ft.rand_like(x)):
        assert ft.equal(*jvp(draw, (X,), (X,)))
    assert jvp(lambda x: x.clone().normal_(), (X,), (X,))[1].tolist() == [0, 0, 0]
    wrong = []

    def work(k):
        for _ in range(20):
            a = ft.tensor(float(k))
            found = grad(lambda x: x * jvp(lambda y: x * y, (x,), (ONE,))[1])(a)
            if found.item() != 2 * k:
                wrong.append((k, found))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def dual(function):
    return lambda: jvp(function, (X.clone(),), (X,))


REFUSED = [
    (lambda: grad(lambda x: x)(X), ValueError, "grad: one real number ... got float64 (3,); take its sum"),
    (lambda: grad(lambda x: (x.sum(), x.sum()))(X), ValueError, "grad: got tuple(*, *)"),
    (lambda: grad(lambda x: 3.0)(X), TypeError, "grad: what the function returns ... got float"),
    (lambda: grad(lambda x: x.sum())(ft.arange(3)), TypeError, "grad: floating or complex ... int64"),
    (lambda: grad(lambda x: x.sum())("text"), TypeError, "grad: arguments to differentiate by ... str"),
    (lambda: grad(lambda x: x.sum(), argnums=1)(X), ValueError, "grad: within 1 positional"),
    (lambda: grad(lambda x: x.sum(), argnums="x")(X), TypeError, "grad: argnums"),
    (lambda: grad(lambda x: x.sum(), argnums=(0, 0))(X), ValueError, "grad: each once"),
    (lambda: grad(lambda x: x.sum(), has_aux=True)(X), TypeError, "grad: (output, aux)"),
    (lambda: grad(3), TypeError, "grad: a function"),
    *[(lambda f=f: f(3), TypeError, f"{f.__name__}: a function") for f in (hessian, jacfwd, jacrev, functionalize)],
    *[(lambda f=f: f(3, X), TypeError, f"{f.__name__}: a function") for f in (vjp, linearize)],
    (lambda: jvp(3, (X,), (X,)), TypeError, "jvp: expected a function"),
    (lambda: functionalize(ft.sin, remove="views"), ValueError, "functionalize: remove 'mutations'"),
    (lambda: jacrev(lambda x: x * 1j)(X), RuntimeError, "jacrev: expected real outputs; got complex128"),
    (lambda: jacfwd(lambda x: x * x)(X * 1j), RuntimeError, "jacfwd: expected real inputs"),
    (lambda: hessian(lambda x: x.abs().sum())(X * 1j), RuntimeError, "jacfwd: expected real inputs"),
    (lambda: jvp(lambda x: x, X, (X,)), TypeError, "jvp: primals to be a tuple"),
    (lambda: jvp(lambda x: x, (X,), (X[:1],)), ValueError, "jvp: tangent of the primal's shape"),
    (lambda: jvp(lambda x: x, (X,), ([X],)), ValueError, "jvp: built like"),
    (lambda: jvp(lambda x: ft.ones(1), (X,), (X,), strict=True), GradientError, "jvp: output 0 does not"),
    (lambda: vjp(lambda x: (x, x), X)[1](X), ValueError, "vjp: built like tuple(*, *)"),
    (lambda: vjp(lambda x: x, X)[1](X[:1]), ValueError, "vjp: a cotangent of the output's shape"),
    (lambda: vjp(lambda x: x, X)[1](X * 1j), RuntimeError, "vjp: complex only where that is"),
    (lambda: jacrev(lambda x: x, chunk_size=0), ValueError, "jacrev: chunk_size"),
    (lambda: jacfwd(lambda x: x, randomness="some"), ValueError, "jacfwd: randomness"),
    (lambda: forward_ad.make_dual(X, X), RuntimeError, "make_dual: dual_level"),
    (lambda: forward_ad.make_dual(X, X, level="s"), TypeError, "make_dual: expected level to be an int or None"),
    (lambda: grad(grad(Older.apply))(ONE), NotImplementedError, "Older: expected setup_context"),
    (dual(Backward.apply), NotImplementedError, "Backward: has no forward-mode derivative; define jvp"),
    (dual(lambda x: x.numpy()), NotImplementedError, "numpy: inside a transform"),
    (dual(lambda x: pickle.dumps(x)), NotImplementedError, "pickle: inside a transform"),
    (dual(lambda x: x.untyped_storage().data_ptr()), NotImplementedError, "extent: inside a transform"),
    (dual(lambda x: x.__dlpack__()), NotImplementedError, "__dlpack__: inside a transform"),
    (dual(lambda x: x.data_ptr()), NotImplementedError, "data_ptr: inside a transform"),
    (dual(lambda x: copy.deepcopy(x)), NotImplementedError, "deepcopy: inside a transform"),
    (dual(lambda x: x.resize_(4)), NotImplementedError, "resize_: inside a transform"),
    (dual(lambda x: ft.exp(x, out=ft.zeros(3))), NotImplementedError, "exp: out= is not supported inside a transform"),
    (dual(lambda x: setattr(x, "data", X)), NotImplementedError, "data: inside a transform"),
    (lambda: grad(lambda x: x.add_(1).sum())(X), RuntimeError, "add_: this tensor is a leaf"),
    (
        lambda: grad(lambda y: grad(lambda x: (x.add_(1) * y).sum())(X).sum())(X),
        RuntimeError,
        "add_: this tensor is a leaf",
    ),
    (dual(lambda x: ft.zeros(3, requires_grad=True).copy_(x)), RuntimeError, "copy_: this tensor is a leaf"),
    (dual(lambda x: ft.zeros(3, dtype=ft.int64).add_(x)), TypeError, "add_: the result is float64"),
    (dual(lambda x: x[0].add_(x)), ValueError, "add_: the result would be"),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_errors(call, kind, words):
    with raises(kind, words):
        call()


def test_values_are_read_as_constants():
    def f(x):
        assert x.sum().item() == 6
        assert bool((x > 0).all())
        assert x.tolist() == [1, 2, 3]
        assert "level=" in repr(x)
        assert (x.detach() * 1).node is None
        assert (x.stride(), x.storage_offset(), x.is_contiguous()) == ((1,), 0, True)
        return x * float(x[1]) * x.data.sum() + ft.zeros_like(x, dtype=ft.int64) + x.new_ones(3)

    assert jvp(f, (X,), (X,))[1].tolist() == [12, 24, 36]
    assert jacrev(f)(X.clone().requires_grad_()).diagonal().tolist() == [12, 12, 12]


COPIES = [ft.tensor, lambda x: x.new_tensor(x), lambda x: ft.tensor(x, dtype=ft.float32), lambda x: x.clone().detach_()]


@pytest.mark.parametrize("copied", COPIES)
def test_copies_are_constants(copied):
    def f(x):
        return copied(x) * 2 + x

    assert jvp(f, (X,), (X,))[1].tolist() == X.tolist()
    assert jvp(grad(lambda x: (f(x) * x).sum()), (X,), (X,))[1].tolist() == (2 * X).tolist()
    assert grad(lambda x: f(x).sum())(X).tolist() == [1, 1, 1]


@pytest.mark.parametrize("given", [ft.float32, ft.bfloat16, ft.int64])
def test_tangents_and_cotangents_are_converted_to_the_primals_dtype(given):
    along = (X * 2).to(given)
    assert jvp(lambda x: x * x, (X,), (along,))[1].tolist() == [4, 16, 36]
    assert vjp(lambda x: x * x, X)[1](along)[0].tolist() == [4, 16, 36]
    assert linearize(lambda x: x * x, X)[1](along).dtype is ft.float64
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(forward_ad.make_dual(X, along)).tangent.dtype is ft.float64


def test_a_dual_tensor_after_its_level():
    """The primal and its memory remain; inference mode carries no tangent."""
    with forward_ad.dual_level():
        x = forward_ad.make_dual(X.clone(), X)
        with ft.inference_mode():
            assert forward_ad.unpack_dual(x * 2).tangent is None
        y = x * 2
        part = y[1:]
    assert y.numpy().tolist() == pickle.loads(pickle.dumps(y)).tolist() == copy.deepcopy(y).tolist() == [2, 4, 6]
    assert part.data_ptr() == y.data_ptr() + 8
    assert ft.from_dlpack(y).tolist() == [2, 4, 6]
    assert "level" not in repr(y)


def test_chunks_of_a_jacobian_bound_its_memory():
    def peak(chunk_size):
        allocator.trim()
        allocator.reset_peak_memory_stats()
        before = allocator.statistics()["reserved_bytes"]
        rows = jacrev(lambda x: x * weights, chunk_size=chunk_size)(ONE)
        assert ft.equal(rows, weights)
        return allocator.memory_stats()["reserved_bytes.all.peak"] - before

    allocator, weights = default_host_allocator(), ft.arange(2000.0)
    assert peak(None) > 2000 * 2000 * 4, "all unit vectors"
    assert peak(16) < 2000 * 2000
