"""Cases of operators that no public function's sample launches: gradients, draws with a seed, parts of layers."""

from __future__ import annotations

from math import erf

import numpy as np
from case import Case, always

import facula_tensor as ft
from facula_tensor.extend import recorded_ops as F
from facula_tensor.extend import recurrent_layer
from facula_tensor.testing._matrix import _in_double_precision

assert recurrent_layer  # this import loads the operators of recurrent layers
WIDE = ("float32", "float64")
PAIR = ((3, 4), (3, 4))
phi = np.vectorize(lambda x: (1 + erf(x / 2**0.5)) / 2, otypes=[float])


def private(name, function, reference=None, *shapes, **given):
    """Make a case of an operator without a public function. Its reference defaults to its own values in float64.

    By default it takes two tensors of shape (3, 4), with elements between 0.5 and 2.
    """
    shapes = shapes or PAIR
    given = {
        "dtypes": WIDE, "domain": (0.5, 2.0), "gradient": ("float64",), "rejects": False, "loose": 10,
        "layouts": ("contiguous", "transposed"), **given,
    }  # fmt: skip
    reference = reference or _in_double_precision(function)
    return Case(f"operator {name}", function, reference, arity=len(shapes), shapes=shapes, **given)


def first_index(x):
    """Return -1 for each element."""
    return (x.detach() * 0).to(ft.int64) - 1


def by_slope(name, slope):
    """Make a case of the gradient of an elementwise function: the gradient of its result times its slope."""
    return private(name, getattr(F, name), lambda g, x: g * slope(x), elementwise=True, numbers=False)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def bell(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def gelu_tanh_slope(x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return (1 + np.tanh(inner)) / 2 + x / 2 * (1 - np.tanh(inner) ** 2) * slope


ELEMENTWISE = [
    by_slope("relu_grad", lambda out: out > 0),
    by_slope("sigmoid_grad", lambda out: out * (1 - out)),
    by_slope("tanh_grad", lambda out: 1 - out * out),
    by_slope("silu_grad", lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    by_slope("gelu_grad", lambda x: phi(x) + x * bell(x)),
    by_slope("gelu_tanh_grad", gelu_tanh_slope),
    private("alpha_dropped", lambda x, y: F.alpha_dropped(y.detach() > 1, x, 2.0, 0.5, -1.0),
            lambda x, y: np.where(y > 1, -1.0, 2 * x + 0.5)),
    private("cubic_slope", F.cubic_slope, lambda x, g, norm: g * (x / norm * abs(x / norm)), *PAIR, (3, 4)),
    *[
        private(f"norm_p of order {p}", lambda x, p=p: F.norm_p(F.neg(x), ((1,), False, p)),
                lambda x, fold=fold: fold(abs(x), 1), (3, 4), distinct=True)
        for p, fold in ((1.0, np.sum), (np.inf, np.max), (-np.inf, np.min))
    ],
    private("decisive_slope", lambda x, share: F.decisive_slope(x, abs(x).amax(-1, True).detach(), share),
            lambda x, share: np.where(abs(x) == abs(x).max(-1, keepdims=True), np.sign(x) * share, 0), distinct=True),
    private("is_decisive", lambda x: F.is_decisive(x, abs(x).amin(-1, True)),
            lambda x: abs(x) == abs(x).min(-1, keepdims=True), (3, 4), gradient=(),
            result=lambda dtype: "bool"),
    private("signed", F.signed, lambda g, x: g * np.sign(x), elementwise=True, numbers=False),
    private("grad_per_norm", F.grad_per_norm, lambda g, norm: g / norm, elementwise=True, numbers=False),
    private("power_slope", lambda g, x: F.power_slope(g, x, 2, 3, 2.5), lambda g, x: g * (x / 2) ** 2.5 / 3),
    private("pow_grad", lambda g, x: F.pow_grad(g, x, 2.5, 1.5), lambda g, x: g * 2.5 * x**1.5),
    private("window_root", lambda x: F.window_root(x, 4, 2.5), lambda x: (x * 4) ** 2.5, (3, 4), domain=(0.1, 3)),
    private("window_root_grad", lambda g, x: F.window_root_grad(g, x, 4, 2.5, 1.5),
            lambda g, x: g * 10 * (4 * x) ** 1.5, *PAIR, domain=(0.1, 3)),
    private("larger_grad", lambda g, x, y: F.larger_grad(g, x.detach(), y.detach()),
            lambda g, x, y: g * (0.5 * (x >= y) + 0.5 * (x > y)), *PAIR, (3, 4), gradient=("float64",)),
    private("binary_cross_entropy_grad", F.binary_cross_entropy_grad, lambda g, x, y: g * (x - y) / (x * (1 - x)),
            *PAIR, (3, 4), domain=(0.1, 0.9)),
    private("are_probabilities", F.are_probabilities, lambda x, y: (x <= 1) & (y <= 1), gradient=(),
            result=always("bool")),
    private("probability_loss", F.probability_loss, lambda x, y: -y * np.log(x) - (1 - y) * np.log(1 - x), *PAIR,
            domain=(0.1, 0.9)),
    private("huber_slope", lambda x, y: F.huber_slope(x, y, 0.5), lambda x, y: np.clip(x - y, -0.5, 0.5)),
    private("smooth_l1", lambda x, y: F.smooth_l1(x, y, 0.5),
            lambda x, y: np.where(abs(x - y) < 0.5, (x - y) ** 2, abs(x - y) - 0.25)),
    private("smooth_l1_slope", lambda x, y: F.smooth_l1_slope(x, y, 0.5), lambda x, y: np.clip(2 * (x - y), -1, 1)),
    by_slope("hardsigmoid_grad", lambda x: np.where(abs(x) < 3, 1 / 6, 0)),
    by_slope("hardswish_grad", lambda x: np.where(x < 3, x / 3 + 0.5, 1)),
    private("elu_grad", lambda g, x: F.elu_grad(g, x - 1.25, 1.5),
            lambda g, x: g * np.where(x > 1.25, 1, 1.5 * np.exp(x - 1.25))),
    private("celu_grad", lambda g, x: F.celu_grad(g, x - 1.25, 1.5),
            lambda g, x: g * np.exp(np.minimum(x - 1.25, 0) / 1.5)),
    by_slope("log_sigmoid_grad", lambda x: sigmoid(-x)),
    private("mish_slope", F.mish_slope, None, (3, 4)),
    private("softplus_slope", lambda x: F.softplus_slope(x, 2, 3.0),
            lambda x: np.where(x > 1.5, 1, sigmoid(2 * x)), (3, 4)),
    private("log1p_exp", F.log1p_exp, lambda x: np.log1p(np.exp(-abs(x))), (3, 4), domain=(-3, 3)),
    private("logistic_slope", F.logistic_slope, lambda x, y: sigmoid(x) - y),
    private("weighted_logistic_loss", F.weighted_logistic_loss,
            lambda x, y, w: (1 - y) * x + (1 + (w - 1) * y) * np.log1p(np.exp(-x)), *PAIR, (3, 4)),
    private("weighted_logistic_slope", F.weighted_logistic_slope,
            lambda x, y, w: (1 - y) * sigmoid(x) - w * y * sigmoid(-x), *PAIR, (3, 4)),
    private("gaussian", F.gaussian, lambda x, y, v: (np.log(v) + (x - y) ** 2 / v) / 2, *PAIR, (3, 4)),
    private("all_true", lambda x: F.all_true(x > 0.25), lambda x: x > 0.25, (3, 4), gradient=(),
            result=always("bool")),
    private("answering", lambda x, y: F.answering(x.detach() * 0, y) + x, lambda x, y: np.copy(x), second=False),
    private("is_extreme", lambda x, y: F.is_extreme(x, y.detach() * 0 + x), lambda x, y: x == x, gradient=(),
            result=always("bool")),
    private("scaled_distance", F.scaled_distance, lambda x, y, z: (x - y) * z, *PAIR, (3, 4)),
    private("scaled_exp", F.scaled_exp, lambda x, y, z: np.exp(x - y) * z, *PAIR, (3, 4)),
    private("product_difference", F.product_difference, lambda x, y, z, w: x * z - y * w, *PAIR, *PAIR),
    private("cumprod_grad", lambda x, g: F.cumprod_grad(x, g, x.detach().cumprod(1), (1,)), gradient=()),
    private("extreme_grad", lambda g, x: F.extreme_grad(g, x.detach().cummax(1)[1], (1,)), gradient=()),
    private("extreme_shares", lambda x, g: F.extreme_shares(x, x.detach().amax(1, True), g[:, :1], (1, False)),
            gradient=()),
    private("first_position", lambda x, y: F.first_position(first_index(x), 4), lambda x, y: np.full(x.shape, 3),
            gradient=(), result=always("int64")),
    private("next_position", lambda x, y: F.next_position(first_index(x) + 2, first_index(y), 4),
            lambda x, y: np.full(x.shape, 7), gradient=(), result=always("int64")),
    private("constant", F.constant, lambda x, y: np.copy(x), second=False),
]  # fmt: skip


def put_in_zeros(shape, *index):
    """Make a reference that adds an array to zeros at an index."""

    def reference(x, *_):
        result = np.zeros(shape, x.dtype)
        np.add.at(result, index, x)
        return result

    return reference


def tensor_on(x, places):
    return ft.tensor(places, device=x.device)


def layout_of(x, *shape):
    return ft.zeros(shape, dtype=x.dtype, device=x.device)._layout


def recurrence(factor, x):
    """Compute the sums x[0], x[1] + factor[1] * x[0], ... along the second dimension."""
    result = x.copy()
    for k in range(1, x.shape[1]):
        result[:, k] += factor[:, k] * result[:, k - 1]
    return result


ROWS, COLUMNS = [2, 0, 2], [[3, 0], [1, 1], [2, 0]]
MOVED = [
    private("index", lambda x: F.index(x, (slice(1, 4), Ellipsis)), lambda x: x[1:4].copy(), (5, 4)),
    private("take_back", lambda x: F.take_back(x, tensor_on(x, ROWS), ((5, 4), 0, 2)),  # position 2 is padding
            lambda x: put_in_zeros((5, 4), 0)(x[1]), (3, 4)),
    private("gather_back", lambda x: F.gather_back(x, tensor_on(x, COLUMNS), ((3, 4), 1)),
            put_in_zeros((3, 4), [[0], [1], [2]], COLUMNS), (3, 2)),
    private("to_device", lambda x: ft.zeros_like(x.to("meta"), device=x.device) + x, np.copy, (3, 4)),
    private("softmax_grad", lambda g, out: F.softmax_grad(g, out, (0,)),
            lambda g, out: out * (g - (g * out).sum(0, keepdims=True))),
    private("log_softmax_grad", lambda g, out: F.log_softmax_grad(g, out, (1,)),
            lambda g, out: g - np.exp(out) * g.sum(1, keepdims=True)),
    private("nanmedian_all", lambda x: x.nanmedian(), lambda x: np.sort(x, None)[5], (3, 4), distinct=True),
    private("recurrence", lambda factor, x: F.recurrence(factor, x, (1, False)), recurrence),
    private("linear_weight_grad", F.linear_weight_grad, lambda g, x: g.T @ x),
]  # fmt: skip


def minors(x):
    """Compute the adjugate of a matrix, its transposed cofactors."""
    n = len(x)
    return np.array([
        [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, j, 0), i, 1)) for j in range(n)] for i in range(n)
    ])  # fmt: skip


MATRICES = [
    private("adjugate", F.adjugate, minors, (3, 3)),
    private("adjugate_grad", lambda x: F.adjugate_grad(x, x.detach()), None, (3, 3), gradient=()),
    private("turned_sign", lambda z: ft.linalg.slogdet(z).sign, lambda z: np.linalg.slogdet(z)[0], (3, 3),
            dtypes=("complex64", "complex128"), gradient=("complex128",)),
]  # fmt: skip

STEPS = ((1, 1), (0, 0), (1, 1), 1)  # of a convolution: stride, padding, dilation, groups
WINDOWS = ((2, 2), (2, 2), (1, 0), False, None)  # of a mean: kernel, stride, padding, count_include_pad, divisor
GREATEST = ((2, 2), (1, 1), (0, 0), (1, 1))  # of a maximum: kernel, stride, padding, dilation
HEIGHTS = [[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]]  # elements of a plane
SHARES = (True, 0.5, 0.0, 7, 3)  # of attention: is_causal, scale, dropout probability, seed, offset
LOSS = ("mean", -100, 0.1)  # parameters of the losses by class
ELMAN = ("rnn_tanh", False)  # parameters of a recurrent layer
CLASSES = [2, 0, 3]
CORNERS = [[0, 3], [8, 3]]  # positions of four maxima, one repeated, in a plane of twelve elements
TAPS = [[[0, 3], [-1, 3]]]  # positions of two taps for each of two outputs along four elements; -1 is outside
ONCE = {"layouts": ("contiguous",), "gradient": (), "loose": 100}  # kernels of gradients without derivatives


def image(x):
    return x[None, None]


def ctc_loss_grad(g, x, losses):
    lengths = tensor_on(x, [3, 1]), tensor_on(x, [[3, 2, 0]])
    return F.ctc_loss_grad(g, x[:, None], *lengths, losses, x.new_zeros(1, 3, 17), (8, 0, 0))


def recurrent_grad(x, w, h):
    """Return the gradient of a layer's weights. The first columns of its input also serve as outputs and gradients."""
    out = (x[:, :3] * 1)[None]
    operands = (x[None], None, None, w, h, out, out, x[0, :0], None, out, None, None)
    return F.recurrent_grad(*operands, (*ELMAN, False, False, True, True))[0]


LAYERS = [
    private("attention_grad", lambda g, q, k, v, out, sums: F.attention_grad(g, q, k, v, None, out, sums, SHARES)[1],
            None, *PAIR, *PAIR, (3, 4), (3,), **ONCE),
    private("avg_pool2d_grad", lambda g: F.avg_pool2d_grad(g, (WINDOWS, (3, 4))), None, (2, 2)),
    private("batch_norm_counted",
            lambda x, w, b: F.batch_norm_counted(x, w, b, None, None, tensor_on(x, 2), (1e-5,))[0],
            None, (3, 4), (4,), (4,)),
    private("batch_norm_grad", lambda *xs: F.batch_norm_grad(*xs)[0], None, *PAIR, (4,), (4,), (4,), **ONCE),
    private("local_response_norm_grad", lambda *xs: F.local_response_norm_grad(*xs, (3, 0.5, 0.75, 1.0)), None,
            *[(2, 3, 2)] * 2, **ONCE),
    private("group_norm_grad", lambda *xs: F.group_norm_grad(*xs, (2,))[0], None, *PAIR, (6,), (6,), (4,), **ONCE),
    private("layer_norm_grad", lambda *xs: F.layer_norm_grad(*xs, (1,))[0], None, *PAIR, (3,), (3,), (4,), **ONCE),
    private("unit_rows_grad", lambda g, x: F.unit_rows_grad(g, *F.unit_rows(x, (1, 1e-12)), (1,)), None, *PAIR, **ONCE),
    private("cosine_rows_grad", lambda g, x, y: F.cosine_rows_grad(g, x, y, *F.cosine_rows(x, y, (1, 1e-8)), (1,)),
            None, (3,), *PAIR, **ONCE),
    private("rms_norm_grad", lambda *xs: F.rms_norm_grad(*xs, (1,))[0], None, *PAIR, (3,), (4,), **ONCE),
    private("conv2d_weight", lambda g, x: F.conv2d_weight(image(g), image(x), (*STEPS, (2, 2))), None, (2, 3), (3, 4)),
    private("cross_entropy_grad", lambda g, x: F.cross_entropy_grad(g, x, tensor_on(x, CLASSES), None, LOSS), None,
            (), (3, 4)),
    private("nll_loss_grad", lambda g, x: F.nll_loss_grad(g, x, tensor_on(x, CLASSES), None, LOSS), None, (), (3, 4)),
    private("ctc_loss_grad", ctc_loss_grad, None, (1,), (3, 4), (1,), gradient=()),
    private("max_pool2d_grad", lambda g: F.max_pool2d_grad(g, tensor_on(g, CORNERS), (None, (3, 4))), None, (2, 2),
            dtypes=("float64",)),
    private("max_pool2d_pick", lambda x: F.max_pool2d_pick(x, tensor_on(x, CORNERS), (None, (2, 2))),
            lambda x: x.ravel()[CORNERS], (3, 4), dtypes=("float64",)),
    private("max_pool2d", lambda x: F.max_pool2d(x, (GREATEST, (2, 3)))[0],
            lambda x: np.maximum(np.maximum(x[:2, :3], x[:2, 1:]), np.maximum(x[1:, :3], x[1:, 1:])), (3, 4)),
    private("max_pool2d_values", lambda x: F.max_pool2d_values(x, (GREATEST, (2, 3))),
            lambda x: np.maximum(np.maximum(x[:2, :3], x[:2, 1:]), np.maximum(x[1:, :3], x[1:, 1:])), (3, 4)),
    private("max_pool2d_values_grad",
            lambda g: F.max_pool2d_values_grad(g, tensor_on(g, HEIGHTS).to(g.dtype), (GREATEST, (3, 4))), None, (2, 3)),
    private("recurrent", lambda x, w, h: F.recurrent(x[None], None, None, w, h, None, None, None, ELMAN)[0], None,
            *PAIR, (3, 3)),
    private("recurrent_grad", recurrent_grad, None, *PAIR, (3, 3), **ONCE),
    private("scatter_taps", lambda x, w: F.scatter_taps(x, w, tensor_on(x, TAPS), (4,)), None, (1, 3, 2), (1, 2, 2)),
    private("weigh_taps", lambda g, x: F.weigh_taps(g, x, tensor_on(x, TAPS), ()), None, (1, 3, 2), (1, 3, 4)),
]  # fmt: skip


def draw(name, function, *shapes, **given):
    """Make a case of draws with a fixed seed, which differ between dtypes."""
    given = {"dtypes": ("float64",), "batching": False, "gradient": (), **given}
    return private(name, function, None, *shapes, **given)


DRAWS = [
    draw("binomial", lambda n, p: F.binomial((n.detach() * 9).floor(), p.detach() / 2, (1, 2))),
    draw("poisson", lambda rate: F.poisson(rate.detach() * 9, (1, 2)), (3, 4)),
    draw("standard_gamma", lambda x: F.standard_gamma(x, (1, 2)), (3, 4)),
    draw(
        "standard_gamma_grad",
        lambda x: F.standard_gamma_grad(x.detach() * 0 + 1.5, x),
        (3, 4),
        gradient=("float64",),
        second=False,
    ),
    draw("log_standard_gamma", lambda x: F.log_standard_gamma(x.detach(), (1, 2)), (3, 4)),
    draw("sample_dirichlet", lambda x: F.sample_dirichlet(x, (1, 2)), (3, 4)),
    draw("beta_grad", lambda x, y: F.beta_grad(x.detach() / 2, y.detach(), 1.5)),
    draw("gamma_share", lambda x: F.gamma_share(x.detach() * 0 + 1.5, x), (3, 4), gradient=("float64",)),
    draw("dropout", lambda x: F.dropout(x, (0.3, 1, 2)), (3, 4), gradient=("float64",)),
]

PRIVATE = [*ELEMENTWISE, *MOVED, *MATRICES, *LAYERS, *DRAWS]
