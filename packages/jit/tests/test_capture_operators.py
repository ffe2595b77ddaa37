"""Operator families under `capture` and in files: results, gradients, changed arguments and draws equal those of eager
code.
"""

import warnings

import pytest
from jit_toys import saved

import facula_tensor as ft
from facula_autograd import grad
from facula_jit import capture
from facula_tensor import functional as F
from facula_tensor import special
from facula_tensor.fft import ifft, rfft
from facula_tensor.linalg import qr, slogdet

INDEX = ft.tensor([2, 0, 2])
MASK = ft.tensor([[True, False, True, False]] * 3)


def numbers(*shape, dtype=ft.float64):
    """Return numbers between 0.25 and 1 that differ between calls."""
    return (ft.rand(*shape, dtype=ft.float64) * 0.75 + 0.25).to(dtype)


def two():
    return numbers(3, 4), numbers(3, 4)


def image():
    return numbers(2, 2, 6, 6), numbers(4, 2, 3, 3)


REPLAYED = {  # the function, and its arguments
    "elementwise": (lambda x, y: special.xlogy(x, y).lerp(x.atan2(y), 0.3).clamp(0.1, 0.9), two),
    "mixed dtypes": (lambda x, y: x * y.float() + y.half(), two),
    "integers": (lambda x, y: (x * 9).long() // (y * 9).int() % 4 & 7, two),
    "complex numbers": (lambda x, y: ft.complex(x, y).conj().angle(), two),
    "comparisons": (lambda x, y: ft.where(x > y, x, 2.0).masked_fill(x < 0.5, 0), two),
    "of strided operands": (lambda x, y: x.t().exp() + y[:, ::2].sum(1), two),
    "of broadcast operands": (lambda x, y: x.expand(2, 3, 4) * y[0] + y[:, :1], two),
    "of no dimensions": (lambda x, y: (x.sum() * y.mean()).exp(), two),
    "of no elements": (lambda x, y: ft.cat([x[:0] @ y.t(), x.narrow(1, 0, 0).sum(1)[None].expand(1, 3)]), two),
    "reductions": (lambda x, y: (x.var(1), x.logsumexp(0), y.norm(3, 1), x.amax(0), x.median(1)), two),
    "scans": (lambda x, y: (x.cumsum(0), y.logcumsumexp(1), x.cummax(1), y.cumprod(0)), two),
    "sorts": (lambda x, y: (x.sort(1), y.topk(2), x.argsort(0), y.kthvalue(2)), two),
    "products": (lambda x, y: (x @ y.t(), ft.einsum("ij,kj->ik", x, y), ft.addr(x, x[:, 0], y[0])), two),
    "stacks of matrices": (lambda x, y: (x[None] * y[:, None]).bmm(x.t().expand(3, 4, 3)), two),
    "joins": (lambda x, y: ft.stack([ft.cat([x, y], 1)[:, :4], y.roll((1, 2), (0, 1))]).chunk(2), two),
    "moves": (lambda x, y: x.flip(1) + y.rot90(2) + x.repeat(2, 1)[1:4] + y.tile(2)[:, 3:7], two),
    "windows": (lambda x, y: x.unfold(1, 2, 1).sum(2) + F.pad(y, (1, 2), value=2.0)[:, :3], two),
    "diagonals": (lambda x, y: ft.diag_embed(x) + ft.block_diag(y[:, :3], y[:1, :1])[None, :, :], two),
    "triangles": (lambda x, y: (x.tril() + y.triu(1), ft.tril_indices(4, 3, -1), ft.triu_indices(3, 5, 1)), two),
    "indices": (lambda x, y: x[INDEX] + y.gather(0, INDEX[:, None].expand(3, 4)) + x[:, INDEX].sum(), two),
    "indices from a list": (lambda x, y: x[[2, 0]] + y[1:, [3, 1, 0, 0]], two),
    "scatters": (lambda x, y: x.scatter_add(0, INDEX[:, None].expand(3, 4), y).index_add(0, INDEX, y, alpha=2), two),
    "host data": (lambda x, y: x * ft.tensor([1.0, 2.0, 3.0, 4.0]) + ft.arange(4) + ft.linspace(0, 1, 4) + y, two),
    "losses": (lambda x, y: (F.huber_loss(x, y), F.binary_cross_entropy(x, y), F.kl_div(x, y)), two),
    "losses of classes": (lambda x, y: F.cross_entropy(x, INDEX) + F.nll_loss(y, INDEX, reduction="sum"), two),
    "norms": (lambda x, y: (F.layer_norm(x, (4,), y[0]), F.rms_norm(y, (4,)), F.group_norm(x, 2)), two),
    "activations": (lambda x, y: (F.gelu(x), F.silu(y), F.softmax(x, 0), F.elu(y - 1), F.glu(x)), two),
    "convolution": (lambda x, y: F.conv2d(x, y, padding=1), image),
    "pooling": (lambda x, y: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 1, 1), F.interpolate(x, size=4)), image),
    "attention": (
        lambda x, y: F.scaled_dot_product_attention(x, y[:2, :1, :, 0:1].expand(2, 2, 3, 6), x[:, :, :3]),
        image,
    ),
    "attention of strided heads": (
        lambda x, y: F.scaled_dot_product_attention(x.transpose(1, 2), *[x.exp().transpose(1, 2)] * 2).mT,
        image,
    ),
    "decompositions": (lambda x, y: (qr(x), slogdet(y[:, 1:])), two),
    "Fourier transforms": (lambda x, y: (rfft(x), ifft(y).real), two),
    "dropout": (lambda x, y: F.dropout(x) + F.dropout2d(y[None, None], 0.25)[0, 0], two),
    "draws": (lambda x, y: (ft.rand(2) + x[0, :2], ft.randn_like(y), ft.randint(9, (3,)), ft.normal(x, y)), two),
}

CHANGES = {  # in-place changes of x, which update its version
    "arithmetic": lambda x, y: x.add_(y).mul_(2).addcmul_(x, y, value=0.5),
    "assignment where a mask is true": lambda x, y: x.__setitem__(y > 0.5, 3.0) or x.__setitem__(MASK, y[0, 0]) or x,
    "of a row": lambda x, y: x[1].sub_(y[0]),
    "assignment": lambda x, y: x.__setitem__((slice(None), 1), y[:, 0]) or x,
    "filling": lambda x, y: x.masked_fill_(MASK, 3.0).fill_(2.0).copy_(y),
    "scatter": lambda x, y: x.index_add_(0, INDEX, y),
    "draws": lambda x, y: (x.normal_(), y.uniform_(1, 2), x.mul(y)),
    "out=": lambda x, y: ft.add(x * 2, y, out=x),
}


def leaves(tree):
    """Return the tensors in tuples."""
    return [tree] if isinstance(tree, ft.Tensor) else [leaf for part in tree for leaf in leaves(part)]


def described(tree):
    """Return all visible properties of tensors, except views of uninitialized memory."""
    return [
        (leaf.dtype, leaf.shape, leaf.stride(), leaf.requires_grad, leaf.detach().contiguous().numpy().tobytes())
        for leaf in leaves(tree)
    ]


def gradients(result, args):
    """Return the existing gradients of the arguments."""
    roots = [leaf for leaf in leaves(result) if leaf.requires_grad]
    wanted = [arg for arg in args if arg.requires_grad]
    given = [ft.full_like(root, 0.5) for root in roots]
    found = grad(roots, wanted, given, allow_unused=True) if roots else [None for _ in wanted]
    return [ft.zeros(0) if gradient is None else gradient for gradient in found]


def with_gradients(function):
    def both(*args):
        result = function(*args)
        return [leaf.detach().clone() for leaf in leaves(result)], gradients(result, args)

    return both


def compare(function, make, requires_grad=False, after=None, replays=2, folder=None):
    """Compare three calls of a function with its capture, on separate arguments, and one of its file if there is
    a folder.
    """
    captured = capture(function)
    for number in range(3 if folder is None else 4):
        seen = []
        for call in (function, captured if number < 3 else saved(captured, folder)):
            ft.manual_seed(number)
            args = [arg.requires_grad_() if requires_grad else arg for arg in make()]
            result = call(*args)
            found = described(result), [[arg is part for arg in args] for part in leaves(result)]
            more = None if after is None else [tensor.tolist() for tensor in after(result, args)]
            seen.append((found, more, described(args), [arg._version for arg in args], ft.get_rng_state().tolist()))
        assert seen[0] == seen[1], number
    counts = [replay.served for kind in captured._entries.values() for replay in kind.replays]
    assert sum(counts) == replays, captured.report()
    return captured


@pytest.mark.parametrize("name", REPLAYED)
def test_an_operator(name, tmp_path):
    compare(*REPLAYED[name], folder=tmp_path)


@pytest.mark.parametrize("name", REPLAYED)
def test_gradients_inside(name, tmp_path):
    function, make = REPLAYED[name]
    compare(with_gradients(function), make, requires_grad=True, folder=tmp_path)


@pytest.mark.parametrize("name", REPLAYED)
def test_gradients_outside(name):
    compare(*REPLAYED[name], requires_grad=True, after=gradients)


@pytest.mark.parametrize("name", CHANGES)
def test_changes_in_place(name):
    compare(CHANGES[name], two)


WRITTEN = {  # functions that cannot be replayed, and the text of the report
    "sizes that follow from elements": (lambda x, y: x[x > 0.5].sum(), "nonzero reads elements"),
    "another shape": (lambda x, y: x.t_() + 0, "changes its shape, memory or node in place"),
    "other memory": (lambda x, y: setattr(x, "data", y * 2) or x + 0, "changes its shape, memory or node in place"),
    "a gradient that is asked for": (
        lambda x, y: x.requires_grad_().detach(),
        "requires_grad of an argument is changed",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_functions_that_run_eagerly(name):
    function, reason = WRITTEN[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert reason in compare(function, two, replays=0).report()


def test_the_grad_of_an_argument():
    def fill(x, y):
        x.grad = None
        (x * y).sum().backward()
        return x.detach()[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(fill, two, requires_grad=True, after=lambda _, args: [arg.grad for arg in args], replays=0)


def test_a_graph_that_ends_in_an_argument():
    def change(x, y):
        x.mul_(y)
        return y.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(
            change,
            lambda: [operand.requires_grad_() * 1 for operand in two()],
            after=lambda _, args: [args[0]],
            replays=0,
        )


def test_a_leaf_through_a_view_of_the_same_shape():
    weight = numbers(1, 4).requires_grad_()
    captured = capture(lambda x: ft.cat([x, weight.expand(1, 4)]))
    for other in (None, None, numbers(1, 4)):
        if other is not None:
            weight.data = other
        x = numbers(3, 4)
        result = captured(x)
        assert result.tolist() == [*x.tolist(), *weight.tolist()]
        assert grad([result.sum()], [weight])[0].tolist() == [[1.0] * 4]


class Strict:
    """An object with fixed attribute names."""

    def __init__(self):
        self.factor = 2

    def __getattr__(self, name):
        raise ValueError(name)


STRICT = Strict()


def test_an_object_with_fixed_attribute_names():
    compare(lambda x, y: x * y * STRICT.factor, two)


# ------------------------------------------------------------------------------------------------ shared memory
def apart():
    return ft.arange(4.0), ft.arange(4.0) * 2


def once():
    x = ft.arange(4.0)
    return x, x


def shifted():
    x = ft.arange(5.0)
    return x[:4], x[1:]


def shifted_back():
    return shifted()[::-1]


def outcome(function, args):
    """Return the results and effects of a call, or the type of its error."""
    try:
        result = function(*args)
    except RuntimeError as error:
        return type(error).__name__, described(args)
    return described(result), described(args), [arg is result for arg in args]


@pytest.mark.parametrize("function", [lambda x, y: x.add_(1) * y, lambda x, y: x.copy_(y), lambda x, y: y])
@pytest.mark.parametrize("order", ["abcd", "bacd", "cdab", "dcba"])
def test_arguments_that_share_memory(function, order):
    makers = {"a": apart, "b": once, "c": shifted, "d": shifted_back}
    captured = capture(function)
    for letter in order + order:
        assert outcome(captured, makers[letter]()) == outcome(function, makers[letter]()), letter


def change_then_use(result, args):
    """Change a result in place, and return the gradient of an argument that may be its base."""
    (result[0] if isinstance(result, tuple) else result).mul_(2)
    return grad([(args[0] * args[0]).sum()], [args[0]], allow_unused=True)


VIEWS = {
    "a view": lambda x, y: x[0],
    "a view of other strides": lambda x, y: x.t()[1:],
    "a detached view": lambda x, y: x.detach().view(-1),
    "views twice": lambda x, y: (x[0], x[1]),
    "the argument's elements as they are": lambda x, y: x.view(3, 4),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("changed", [0, 1])
def test_a_view_of_an_argument_changes_with_it(name, changed):
    def use(result, args):
        views = result if isinstance(result, tuple) else (result,)
        (args[0] if changed else views[0]).mul_(2)
        total = (args[0] * args[0]).sum() + sum([(view * view).sum() for view in views])
        return [total, *grad([total], [LEAVES[-1]])]

    def make():
        LEAVES.append(numbers(3, 4).requires_grad_())
        return LEAVES[-1] * 1, numbers(3, 4)

    compare(VIEWS[name], make, after=use)


LEAVES: list[ft.Tensor] = []


def test_a_duplicate_result():
    def use(result, args):
        result[0].mul_(2)
        return gradients(result[1][0], args)

    compare(lambda x, y: (lambda z: (z, (z,)))(x * y), two, requires_grad=True, after=use)
