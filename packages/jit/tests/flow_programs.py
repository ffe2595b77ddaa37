"""Programs with tensor-dependent control flow, and arguments that cover all of their paths."""

from itertools import product

from facula_autograd import grad
from facula_jit import cond, scan, while_loop
from facula_tensor import manual_seed, rand, tensor

SIGNS = list(product((-1.0, 1.0), repeat=2))
ORDER = [0, 3, 1, 1, 2, 0, 3, 2]


def signed(number):
    """Return two vectors with signs that select different branches in each call."""
    manual_seed(number)
    a, b = SIGNS[ORDER[number % len(ORDER)]]
    return rand(4) * a, rand(4) * b


def nested(x, y):
    def positive(x, y):
        return cond(y.sum() > 0, lambda: x * y, lambda: x - y), x.exp()

    return cond(x.sum() > 0, positive, lambda x, y: (y.sin(), x * 3), (x, y))


def counted(x, y):
    def inner(n, h):
        return while_loop(lambda k, h: k < n, lambda k, h: (k + 1, h + y), (tensor(0), h))[1]

    limit = (y.sum() > 0).long() * 3
    return while_loop(lambda n, h: n < limit, lambda n, h: (n + 1, inner(n, h) * 0.5), (tensor(0), x))


def mixed(x, y):
    """A condition in a loop in a condition; the loop body ends with a condition."""

    def step(n, h):
        return n + 1, cond(h.sum() > n, lambda h: h / 2, lambda h: h + y.abs(), (h,))

    return cond(x.sum() > 0, lambda: while_loop(lambda n, h: n < 4, step, (tensor(0), x))[1], lambda: x * y)


def swapped(x, y):
    return while_loop(lambda n, a, b: n.abs() < 3 + (y > 0).sum(), lambda n, a, b: (n + 1, b, a + b), (tensor(0), x, y))


def collatz(x, y):
    start = (x.abs().sum() * 10).long() + 1
    return while_loop(
        lambda n, steps: n != 1,
        lambda n, steps: (cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), steps + 1),
        (start, tensor(0)),
    )


def drawn_before(x, y):
    """Random draws before and after a loop."""
    noise = rand(4)
    _, found = while_loop(lambda n, h: n < (x > 0).sum() + 1, lambda n, h: (n + 1, h * noise), (tensor(0), y))
    return found, rand(2)


def below(limit):
    return lambda h: h.abs().sum() < limit if hasattr(h, "abs") else h < limit


FUNCTIONS = {
    "nested": nested,
    "loops": counted,
    "mixed": mixed,
    "swapped": swapped,
    "collatz": collatz,
    "empty step": lambda x, y: while_loop(lambda h: h.sum() > 99, lambda h: (h,), (x + y,))[0] * 2,
    "operand itself": lambda x, y: cond(x.sum() > 0, lambda x: x, lambda x: x[:], (x,)) + y,
    "nothing": lambda x, y: (cond(x.sum() > 0, lambda: None, lambda: None), x + y),
    "draws before": drawn_before,
    "same draws": lambda x, y: (cond(x.sum() > 0, lambda: rand(4), lambda: y.clone().normal_()), rand(2)),
    "no tensors": lambda x, y: cond(True, lambda: x, lambda: y) * while_loop(below(3), lambda n: (n + 1,), (0,))[0],
    "scan": lambda x, y: scan(lambda h, row: (cond(row > 0, lambda: h + row, lambda: h * row), h), y, x),
}


def gradients(function, inside):
    """Return a function of two vectors, differentiated inside it or outside."""
    weights = [tensor([1.0, 2.0, -1.0, 0.5]).requires_grad_() for _ in range(2)]

    def loss(x, y):
        return function(x, y, *weights)

    def whole(call, x, y):
        for weight in weights:
            weight.grad = None
        out = call(x, y)
        if not inside:
            out.sum().backward()
        return out.detach(), *[weight.grad.clone() for weight in weights]

    def step(x, y):
        for weight in weights:
            weight.grad = None
        out = loss(x, y)
        out.sum().backward()
        return out.detach()

    return (step if inside else loss), whole


DIFFERENTIABLE = {
    "operands": lambda x, y, v, w: cond(x.sum() > 0, lambda v, w: (v * x).exp() * w, lambda v, w: v * w * y, (v, w)),
    "leaves": lambda x, y, v, w: cond(x.sum() > 0, lambda: (v * x).exp() * w, lambda: (v + w).sin() * y),
    "history": lambda x, y, v, w: _with_history(x, y, v * w, w),
    "nested": lambda x, y, v, w: cond(
        x.sum() > 0, lambda: cond(y.sum() > 0, lambda: v * w, lambda: v / w), lambda: (v * x).tanh() * w
    ),
    "views": lambda x, y, v, w: _views(x, v * w),
    "one value as two tensors": lambda x, y, v, w: _passed_on(x, v * w),
    "one result of two": lambda x, y, v, w: cond(x.sum() > 0, lambda: (v * w, x * 2), lambda: (v + w, y * w))[0],
    "scan": lambda x, y, v, w: scan(lambda h, a: (cond(a > 0, lambda: h * v, lambda: h + w), h), v * w, x)[0],
    "second order": lambda x, y, v, w: _penalty(x, y, v, w),
}


def _passed_on(x, h):
    a, b = cond(x.sum() > 0, lambda: (h * 2, h.mean() + x), lambda: (h + 1, (h * h).tanh()))
    return a * b


def _views(x, h):
    return cond(x.sum() > 0, lambda: h[1:], lambda: h[:3] * 2).sum() + cond(x.sum() > 0, lambda: h, lambda: h + 1)


def _with_history(x, y, h, w):
    return cond(x.sum() > 0, lambda h: h.exp() * (h * w), lambda h: h + w, (h,)) + cond(
        y.sum() > 0, lambda: h * w, lambda: h.sin() + w
    )


def _penalty(x, y, v, w):
    out = cond(x.sum() > 0, lambda v: (v * w).exp() * w, lambda v: (v * v * w).sin(), (v,))
    (g,) = grad(out.sum(), v, create_graph=True)
    return out + g * y
