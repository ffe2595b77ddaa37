"""`cond`, `while_loop`, `scan`, `associative_scan` and `map` equal the corresponding Python code."""

import pytest
from jit_toys import same

from facula_autograd import gradcheck, gradgradcheck
from facula_errors import UnsupportedError
from facula_errors.testing import raises
from facula_jit import associative_scan, cond, map, scan, while_loop
from facula_tensor import (
    arange,
    complex64,
    cumsum,
    float64,
    manual_seed,
    no_grad,
    ones,
    randn,
    stack,
    tensor,
    where,
    zeros,
)
from facula_tensor.func import grad, jacfwd, vmap


def double(*shape):
    return randn(*shape, dtype=float64, requires_grad=True)


def branchy(x, y):
    out = cond((x.sum() > 0), lambda t: {"a": t["x"].exp() * y, "b": [t["y"]]},
               lambda t: {"a": t["x"].sin() * 2, "b": [t["y"] * t["x"]]}, ({"x": x, "y": y},))  # fmt: skip
    return out["a"] + out["b"][0]


def looped(x, y):
    _, found = while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, (h * y).tanh()), (tensor(0), x))
    return found


def scanned(x, y):
    carry, ys = scan(lambda h, row: ((h + row * y).tanh(), (h * row).sin()), x[0], x, reverse=True)
    return carry + ys.sum(0)


FUNCTIONS = {
    "cond": lambda x, y: branchy(x[0], y) + branchy(-x[1], y),
    "while_loop": lambda x, y: looped(x[0], y),
    "scan": scanned,
    "associative_scan": lambda x, y: associative_scan(lambda a, b: a * b, x * y, 0),
    "generic": lambda x, y: associative_scan(lambda a, b: a @ b, x.reshape(3, 2, 2) * y[0], 0, True, "generic"),
    "map": lambda x, y: map(lambda row, w: (row * w).cumsum(0), x, y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_to_second_order(name):
    manual_seed(3)
    x, y = double(3, 4), double(4)
    assert gradcheck(FUNCTIONS[name], (x, y))
    assert gradgradcheck(FUNCTIONS[name], (x, y))


def test_cond_runs_one_function():
    ran = []

    def note(name):
        return lambda x: (ran.append(name), x + 1)[1]

    for pred in (True, False, tensor(True), tensor([[False]])):
        assert cond(pred, note("true"), note("false"), (ones(2),)).tolist() == [2.0, 2.0]
    assert ran == ["true", "false", "true", "false"]
    assert cond(tensor(True), lambda: zeros(1), lambda: ones(1)).tolist() == [0.0]


# Outputs in PyTorch's documentation.
def test_documented_answers():
    def add(x, y):
        total = x + y
        return total, total.clone()

    last, sums = scan(add, zeros(1), arange(5).unsqueeze(1))
    assert (last.tolist(), sums.tolist()) == ([10.0], [[0.0], [1.0], [3.0], [6.0], [10.0]])
    xs, const = [randn(2, 3), randn(2, 3)], randn(2, 3)
    assert same(map(lambda pair: pair[0] + pair[1] + const, xs), stack([xs[0][k] + xs[1][k] + const for k in range(2)]))
    found = while_loop(lambda n, x: n.sum() < 10, lambda n, x: (n + 1, x.sin()), (zeros(1), ones(2)))
    x = ones(2)
    for _ in range(10):
        x = x.sin()
    assert same(found, (tensor([10.0]), x))


@pytest.mark.parametrize("length", range(1, 12))
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_are_loops(length, reverse):
    manual_seed(length)
    xs = {"a": randn(2, length, dtype=float64), "b": (randn(3, length, 2, dtype=float64),)}
    order = range(length)[::-1] if reverse else range(length)
    carry, ys = 0.0, {}
    for place in order:
        carry = carry * 0.5 + xs["a"][:, place]
        ys[place] = carry * 2
    found, out = scan(
        lambda h, x: (h * 0.5 + x["a"], {"y": h * 1.0 + 2 * x["a"], "b": x["b"][0]}), zeros(2, dtype=float64), xs,
        dim=1, reverse=reverse,
    )  # fmt: skip
    assert (found - carry).abs().max() < 1e-12
    assert out["b"].shape == (length, 3, 2) and same(out["b"], xs["b"][0].movedim(1, 0).contiguous())
    found = associative_scan(lambda a, b: {"a": a["a"] + b["a"], "b": (a["b"][0] * b["b"][0],)}, xs, 1, reverse)
    a = xs["a"].flip(1) if reverse else xs["a"]
    wanted = cumsum(a, 1).flip(1) if reverse else cumsum(a, 1)
    assert (found["a"] - wanted).abs().max() < 1e-12


def test_inside_transforms():
    manual_seed(0)
    xs = randn(5, 3)

    def chosen(x):
        return cond(x.sum() > 0, lambda x: x.exp(), lambda x: x * x, (x,))

    assert same(vmap(chosen)(xs), stack([chosen(x) for x in xs]))
    assert same(vmap(grad(lambda x: chosen(x).sum()))(xs), stack([grad(lambda x: chosen(x).sum())(x) for x in xs]))
    assert same(jacfwd(chosen)(xs[0]), jacfwd(lambda x: x.exp() if x.sum() > 0 else x * x)(xs[0]))
    assert same(vmap(lambda x: cond(True, lambda x: x + 1, lambda x: x, (x,)))(xs), xs + 1)

    def halved(x):
        return while_loop(lambda n, x: x.abs().sum() > 0.1, lambda n, x: (n + 1, x / 2), (tensor(0), x))

    counts, found = vmap(halved)(xs)
    one_by_one = [halved(x) for x in xs]
    assert counts.tolist() == [int(n) for n, _ in one_by_one] and same(found, stack([x for _, x in one_by_one]))

    def total(x):
        return scan(lambda h, y: (h + y, h), tensor(0.0), x)[0]

    assert same(vmap(total)(xs), stack([total(x) for x in xs]))


def test_a_gradient_flows_through_the_one_that_ran():
    x = tensor([0.0, 1.0], requires_grad=True)
    cond(x.sum() > 5, lambda x: x.log(), lambda x: x * 2, (x,)).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]  # where() would give nan: 0 times the gradient of log(0)
    with no_grad():
        assert not while_loop(lambda x: x.sum() < 9, lambda x: (x + 1,), (x,))[0].requires_grad


x3 = ones(3)
BAD = {
    "pred": (lambda: cond(1, abs, abs, (x3,)), TypeError, "cond: expected pred to be a bool"),
    "pred dtype": (lambda: cond(tensor(1.0), abs, abs, (x3,)), TypeError, "cond: dtype bool; got float32"),
    "pred shape": (lambda: cond(x3 > 0, abs, abs, (x3,)), ValueError, "cond: one element; got bool"),
    "function": (lambda: cond(True, abs, None, (x3,)), TypeError, "cond: false_fn to be a function; got NoneType"),
    "operands": (lambda: cond(True, abs, abs, x3), TypeError, "cond: operands to be a tuple or list; got Tensor"),
    "leaf": (lambda: cond(True, abs, abs, ("a",)), TypeError, "cond: operands ... got str 'a'"),
    "result": (lambda: cond(True, lambda x: "a", abs, (x3,)), TypeError, "cond: the result of true_fn ... got str"),
    "shapes": (lambda: vmap(lambda x: cond(x > 0, lambda x: x, lambda x: x.expand(2), (x,)))(x3), ValueError,
               "cond: result of true_fn and the result of false_fn ... float32 () and float32 (2,) at leaf 0"),
    "built": (lambda: vmap(lambda x: cond(x > 0, lambda x: x, lambda x: [x], (x,)))(x3), ValueError,
              "cond: the same structure; got * and list(*)"),
    "carried": (lambda: while_loop(abs, abs, x3), TypeError, "while_loop: carried_inputs to be a tuple or list"),
    "cond_fn": (lambda: while_loop(lambda x: 3, abs, (x3,)), TypeError, "while_loop: result of cond_fn ... got int 3"),
    "body": (lambda: while_loop(lambda x: True, lambda x: x, (x3,)), TypeError, "while_loop: body_fn to return a"),
    "step shape": (lambda: while_loop(lambda x: True, lambda x: (x[:2],), (x3,)), ValueError,
                   "while_loop: carried_inputs and the result of body_fn ... float32 (3,) and float32 (2,)"),
    "step dtype": (lambda: while_loop(lambda x: True, lambda x: (x.to(complex64),), (x3,)), ValueError,
                   "while_loop: complex64"),
    "step count": (lambda: while_loop(lambda x: True, lambda x: (x, x), (x3,)), ValueError, "while_loop: the same"),
    "scan pair": (lambda: scan(lambda h, x: h, x3[0], x3), TypeError, "scan: combine_fn to return"),
    "scan carry": (lambda: scan(lambda h, x: (x3, x), x3[0], x3), ValueError, "scan: init and the carry of combine_fn"),
    "scan results": (lambda: scan(lambda h, x: (h + 1, x3 if h > 1 else x), x3[0], x3), ValueError, "scan: slice 0"),
    "scan dim": (lambda: scan(abs, x3[0], x3, dim=1), ValueError, "scan: to have a dimension 1"),
    "scan lengths": (lambda: scan(abs, x3[0], (x3, ones(2))), ValueError, "scan: of one length along dimension 0"),
    "scan empty": (lambda: scan(abs, x3[0], ones(0)), ValueError, "scan: at least one slice"),
    "scan nothing": (lambda: scan(abs, x3[0], ()), ValueError, "scan: at least one tensor in xs"),
    "scan numbers": (lambda: scan(abs, 0.0, x3), TypeError, "scan: init to be tensors, in"),
    "reverse": (lambda: scan(abs, x3[0], x3, reverse=1), TypeError, "scan: reverse to be a bool"),
    "mode": (lambda: associative_scan(abs, x3, 0, combine_mode="x"), ValueError, "associative_scan: 'pointwise' or"),
    "combined": (lambda: associative_scan(lambda a, b: a.sum(), x3, 0), ValueError, "associative_scan: slices and the"),
    "map": (lambda: map(lambda x: 1, x3), TypeError, "map: the result of f for slice 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_errors(name):
    call, kind, message = BAD[name]
    with raises(kind, message):
        call()


def test_a_batched_condition_is_read_by_cond_alone():
    with raises(UnsupportedError, "bool", "inside vmap"):
        vmap(lambda x: x if x > 0 else -x)(x3)
    assert same(vmap(lambda x: cond(x > 0, lambda: x, lambda: -x))(x3 - 2), where(x3 - 2 > 0, x3 - 2, 2 - x3))
