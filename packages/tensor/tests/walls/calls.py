"""One call of every operator that is declared, for tests of rules that hold for all of them.

Each takes two floating tensors of shape (3, 4) with elements between 0.5 and 2, on any device, and
returns a tensor.
"""

from __future__ import annotations

from typing import Any

import pytest

import facula_tensor as ft
import facula_tensor.extend
import facula_tensor.fft
import facula_tensor.functional
import facula_tensor.linalg
import facula_tensor.special as special
from facula_tensor._dispatch.namespaces import operators
from facula_tensor._dispatch.namespaces import recorded_ops as F


def index(x: Any) -> Any:
    """Positions along a dimension of three, on the device of `x`."""
    return ft.tensor([2, 0, 2], device=x.device)


def columns(x: Any) -> Any:
    """Two positions along a dimension of four for each row of `x`."""
    return ft.tensor([[3, 0], [1, 1], [2, 0]], device=x.device)


def classes(x: Any) -> Any:
    """A class for each row of `x`."""
    return ft.tensor([2, 0, 3], device=x.device)


def places(x: Any) -> Any:
    """A row for each element of `x`, which has twelve, some of them twice."""
    return ft.tensor([[0, 1, 2, 0], [1, 1, 0, 2], [2, 0, 0, 1]], device=x.device)


def corners(x: Any) -> Any:
    """Where in a plane of twelve elements four were found, one of them twice."""
    return ft.tensor([[0, 3], [8, 3]], device=x.device)


def tapped(x: Any) -> Any:
    """Where two taps for each of two outputs are, along a dimension of four, in one image: one of them nowhere."""
    return ft.tensor([[[0, 3], [-1, 3]]], device=x.device)


def sequences(x: Any) -> tuple:
    """`x` as one sequence of three steps, two targets, and their lengths."""
    return x.unsqueeze(1), ft.tensor([3, 1], device=x.device), ft.tensor([[3, 2, 0]], device=x.device)


def image(x: Any) -> Any:
    """`x` as one image of one channel."""
    return x.unsqueeze(0).unsqueeze(0)


STEPS = ((1, 1), (0, 0), (1, 1), 1)  # of a convolution: stride, padding, dilation, groups
WINDOWS = ((2, 2), (2, 2), (1, 0), False, None)  # of a mean: kernel, stride, padding, whether it counts, divisor
SHARES = (True, 0.5, 0.25, 7, 3)  # of attention: is_causal, scale, share of dropout, seed, offset
ELMAN = ("rnn_tanh", False)  # parameters of a recurrent layer
LOSS = ("mean", -100, 0.1)  # parameters of the losses by class


def square(x: Any) -> Any:
    """The first three columns of `x`, by themselves, with more on the diagonal: an invertible matrix."""
    return x[:, :3] + ft.eye(3, dtype=x.dtype, device=x.device)


def definite(x: Any) -> Any:
    """A positive definite matrix made of `x`."""
    x = x * 1  # seen at one moment
    return x @ x.mT + ft.eye(3, dtype=x.dtype, device=x.device)


def recurrent_grad(x: Any, y: Any) -> Any:
    """The gradient of a layer's weights, where `x` is the input, its first columns the outputs, and `y` the weights."""
    out, states = square(x).unsqueeze(0), square(y)
    operands = (x.unsqueeze(0), None, None, y, states, out, out, x[0, :0], None, out, None, None)
    return F.recurrent_grad(*operands, (*ELMAN, False, False, True, True))[0]


def mask(x: Any) -> Any:
    """A bool tensor of the shape of `x`."""
    return x.detach() > 1


def whole(x: Any) -> Any:
    """A tensor of integers."""
    return (x.detach() * 8).to(ft.int64)


def filled(x: Any) -> Any:
    """A copy of `x`, changed in place and then used."""
    copy = x * 1
    copy.copy_(x.sum(0))
    return copy


CALLS = {
    "abs": lambda x, y: ft.abs(x),
    "add": lambda x, y: x + y,
    "add_scaled": lambda x, y: ft.add(x, y, alpha=2.5),
    "all": lambda x, y: x.all(1),
    "amax": lambda x, y: x.amax(1),
    "amin": lambda x, y: x.amin(0),
    "answering": lambda x, y: F.answering(x.detach(), y) + x,
    "any": lambda x, y: x.any(),
    "argmax": lambda x, y: x.argmax(1),
    "argmin": lambda x, y: x.argmin(),
    "as_strided": lambda x, y: ft.as_strided(x, (2, 3), (4, 1), 1) if x.is_contiguous() else x.clone(),
    "as_strided_scatter": lambda x, y: F.as_strided_scatter(x, y[0, :2], ((2,), (1,), 1)),
    "beta_grad": lambda x, y: F.beta_grad(x.detach() / 2, y.detach(), 1.5),
    "binomial": lambda x, y: F.binomial((x.detach() * 9).floor(), y.detach() / 2, (1, 2)),
    "bitwise_and": lambda x, y: whole(x) & whole(y),
    "bitwise_left_shift": lambda x, y: whole(x) << whole(y),
    "bitwise_not": lambda x, y: ~whole(x),
    "bitwise_or": lambda x, y: whole(x) | whole(y),
    "bitwise_right_shift": lambda x, y: whole(x) >> whole(y),
    "bitwise_xor": lambda x, y: whole(x) ^ whole(y),
    "avg_pool2d": lambda x, y: F.avg_pool2d(x, (WINDOWS, (2, 2))),
    "avg_pool2d_grad": lambda x, y: F.avg_pool2d_grad(x[:2, :2], (WINDOWS, (3, 4))),
    "attention": lambda x, y: F.attention(x, y, y, None, SHARES)[0],
    "attention_grad": lambda x, y: F.attention_grad(x, x, y, y, None, y, y[:, 0].contiguous(), SHARES)[1],
    "batch_norm": lambda x, y: F.batch_norm(x, y[0], y[1], None, None, (0.1, 1e-5))[0],
    "batch_norm_eval": lambda x, y: F.batch_norm_eval(x, y[0], None, *y.detach()[1:], (1e-5,)),
    "batch_norm_grad": lambda x, y: F.batch_norm_grad(x, y, *y[:2], None)[0],
    "binary_cross_entropy": lambda x, y: F.binary_cross_entropy(x / 4, y / 4),
    "binary_cross_entropy_grad": lambda x, y: F.binary_cross_entropy_grad(x, x / 4, y / 4),
    "cat": lambda x, y: ft.cat([x, y, x], 1),
    "cholesky_ex": lambda x, y: ft.cholesky(definite(x)),
    "clamp": lambda x, y: x.clamp(0.2, 0.6),
    "clamp_max": lambda x, y: ft.clamp_max(x, y),
    "clamp_min": lambda x, y: ft.clamp_min(x, y),
    "clone": lambda x, y: x.clone(),
    "conjugate": lambda x, y: F.conjugate(x.to(ft.complex128)),
    "constant": lambda x, y: F.constant(x, y),
    "conv2d": lambda x, y: F.conv2d(image(x), image(y[:2, :2]), y[0, :1], (*STEPS, (2, 3))),
    "conv2d_input": lambda x, y: F.conv2d_input(image(x[:2, :3]), image(y[:2, :2]), (*STEPS, (3, 4))),
    "conv2d_weight": lambda x, y: F.conv2d_weight(image(x[:2, :3]), image(y), (*STEPS, (2, 2))),
    "cos": lambda x, y: x.cos(),
    "count_true": lambda x, y: x[mask(x)],
    "cross_entropy": lambda x, y: F.cross_entropy(x, classes(x), y.detach()[0], LOSS),
    "cross_entropy_grad": lambda x, y: F.cross_entropy_grad(x[0, 0], y, classes(x), None, LOSS),
    "ctc_loss": lambda x, y: F.ctc_loss(*sequences(x), (8, 0, 0))[0] * y,
    "ctc_loss_grad": lambda x, y: F.ctc_loss_grad(y[0, :1], *sequences(x), y[1, :1], x.new_zeros(1, 3, 17), (8, 0, 0)),
    "cummax": lambda x, y: x.cummax(0)[0],
    "cummin": lambda x, y: x.cummin(1)[0],
    "cumprod": lambda x, y: x.cumprod(1),
    "cumsum": lambda x, y: x.cumsum(0),
    "diagonal": lambda x, y: x.diagonal(1),
    "div": lambda x, y: x / y,
    "dropout": lambda x, y: F.dropout(x, (0.3, 1, 2)),
    "elu": lambda x, y: F.elu(x - 1, y),
    "eq": lambda x, y: x == y,
    "digamma": lambda x, y: ft.digamma(x),
    "erf": lambda x, y: ft.erf(x),
    "entr": lambda x, y: special.entr(x),
    "erfc": lambda x, y: ft.erfc(x),
    "erfcx": lambda x, y: special.erfcx(x),
    "erfinv": lambda x, y: ft.erfinv(x / 4),
    "exp": lambda x, y: x.exp(),
    "expand": lambda x, y: x.unsqueeze(0).expand(2, 3, 4),
    "expm1": lambda x, y: ft.expm1(x),
    "flip": lambda x, y: x.flip(0, 1),
    "floor_divide": lambda x, y: x // y,
    "fmod": lambda x, y: ft.fmod(x, y),
    "from_parts": lambda x, y: F.from_parts(x, y[0]),
    "gcd": lambda x, y: ft.gcd(whole(x), whole(y)),
    "ge": lambda x, y: x >= y,
    "fmax": lambda x, y: ft.fmax(x, y),
    "fmin": lambda x, y: ft.fmin(x, y),
    "gamma_share": lambda x, y: F.gamma_share(x, y.detach()),
    "gather": lambda x, y: x.gather(1, columns(x)),
    "gather_taps": lambda x, y: F.gather_taps(x[None], y[None, :2, :2], tapped(x), ()),
    "gather_back": lambda x, y: F.gather_back(x[:, :2], columns(x), ((3, 4), 1)),
    "gelu": lambda x, y: F.gelu(x),
    "gelu_grad": lambda x, y: F.gelu_grad(x, y),
    "gelu_tanh": lambda x, y: F.gelu_tanh(x),
    "gelu_tanh_grad": lambda x, y: F.gelu_tanh_grad(x, y),
    "group_norm": lambda x, y: F.group_norm(x, y[0], y[1], (2, 1e-5))[0],
    "group_norm_grad": lambda x, y: F.group_norm_grad(x, y, *y.reshape(2, 6), y[0].clone(), (2,))[0],
    "gt": lambda x, y: x > y,
    "hardsigmoid": lambda x, y: F.hardsigmoid(x),
    "hardswish": lambda x, y: F.hardswish(x),
    "hardtanh": lambda x, y: F.hardtanh(x, 0.2, 0.6),
    "huber": lambda x, y: F.huber(x - y, 0.5),
    "huber_slope": lambda x, y: F.huber_slope(x - y, 0.5),
    "imag_view": lambda x, y: x.to(ft.complex128).imag,
    "i0": lambda x, y: ft.i0(x),
    "i0e": lambda x, y: special.i0e(x),
    "i1": lambda x, y: special.i1(x),
    "i1e": lambda x, y: special.i1e(x),
    "imaginary_part": lambda x, y: F.imaginary_part(x.to(ft.complex128)),
    "index": lambda x, y: x[None, 1:, ::2],
    "index_back": lambda x, y: F.index_back(x, (ft.zeros(5, x.shape[1])._layout, (slice(1, 4), Ellipsis))),
    "index_select": lambda x, y: ft.index_select(x, 1, ft.tensor([2, 0, 2], device=x.device)),
    "inset": lambda x, y: F.inset(x, ((x.shape[0], x.shape[1] + 2), (x.shape[1] + 2, 1), 1, (), 0)),
    "isnan": lambda x, y: F.isnan(x),
    "kthvalue": lambda x, y: x.kthvalue(2)[0],
    "layer_norm": lambda x, y: F.layer_norm(x, y[0], y[1], (1, 1e-5))[0],
    "layer_norm_grad": lambda x, y: F.layer_norm_grad(x, y, y[:, 0].clone(), y[:, 1].clone(), y[0].clone(), (1,))[0],
    "lcm": lambda x, y: ft.lcm(whole(x), whole(y)),
    "le": lambda x, y: x <= y,
    "leaky_relu": lambda x, y: F.leaky_relu(x - 1, y),
    "linear": lambda x, y: F.linear(x, y, x[0, :3]),
    "linear_weight_grad": lambda x, y: F.linear_weight_grad(x, y),
    "log": lambda x, y: x.log(),
    "log1p": lambda x, y: ft.log1p(x),
    "log_ndtr": lambda x, y: special.log_ndtr(x),
    "log_sigmoid": lambda x, y: F.log_sigmoid(x),
    "log_sigmoid_grad": lambda x, y: F.log_sigmoid_grad(x, y),
    "log_softmax": lambda x, y: x.log_softmax(1),
    "log_softmax_grad": lambda x, y: F.log_softmax_grad(x, y, (1,)),
    "log_standard_gamma": lambda x, y: F.log_standard_gamma(x.detach(), (1, 2)),
    "logcumsumexp": lambda x, y: x.logcumsumexp(1),
    "logistic_loss": lambda x, y: F.logistic_loss(x - 1, y / 4, y),
    "logistic_slope": lambda x, y: F.logistic_slope(x - 1, y / 4, y),
    "logit": lambda x, y: ft.logit(x / 4),
    "logsumexp": lambda x, y: x.logsumexp(1),
    "lt": lambda x, y: x < y,
    "matmul": lambda x, y: x @ y.t(),
    "max_dim": lambda x, y: x.max(1).values,
    "max_pool2d": lambda x, y: ft.max_pool2d(image(x), 2),
    "max_pool2d_grad": lambda x, y: F.max_pool2d_grad(x[:2, :2], corners(x), (None, (3, 4))),
    "max_pool2d_pick": lambda x, y: F.max_pool2d_pick(x, corners(x), (None, (2, 2))),
    "maximum": lambda x, y: ft.maximum(x, y),
    "median_all": lambda x, y: x.median(),
    "median_dim": lambda x, y: x.median(0)[0],
    "min_dim": lambda x, y: x.min(0).values,
    "minimum": lambda x, y: ft.minimum(x, y),
    "mode": lambda x, y: x.mode(1)[0],
    "mish": lambda x, y: F.mish(x),
    "mul": lambda x, y: x * y,
    "nanmedian_all": lambda x, y: x.nanmedian(),
    "nanmedian_dim": lambda x, y: x.nanmedian(1)[0],
    "ndtr": lambda x, y: special.ndtr(x),
    "ndtri": lambda x, y: special.ndtri(x / 4),
    "nan_to_num": lambda x, y: ft.nan_to_num(x),
    "ne": lambda x, y: x != y,
    "neg": lambda x, y: -x,
    "nll_loss": lambda x, y: F.nll_loss(x, classes(x), y.detach()[0], LOSS),
    "nll_loss_grad": lambda x, y: F.nll_loss_grad(x[0, 0], y, classes(x), None, LOSS),
    "norm2": lambda x, y: x.norm(dim=0),
    "norm_p": lambda x, y: x.norm(3, 1),
    "overwrite": lambda x, y: filled(x),
    "permute": lambda x, y: x.permute(1, 0),
    "poisson": lambda x, y: F.poisson(x.detach() * 9, (1, 2)),
    "pow": lambda x, y: x**y,
    "prod": lambda x, y: x.prod(1),
    "put": lambda x, y: F.put(x, index(x), y, (0, True, False)),
    "real_part": lambda x, y: F.real_part(x.to(ft.complex128)),
    "real_view": lambda x, y: x.to(ft.complex128).real,
    "reciprocal": lambda x, y: x.reciprocal(),
    "recurrence": lambda x, y: F.recurrence(x, y, (1, False)),
    "recurrent": lambda x, y: F.recurrent(x.unsqueeze(0), None, None, y, y[:, :3], None, None, None, ELMAN)[0],
    "recurrent_grad": lambda x, y: recurrent_grad(x, y),
    "relu": lambda x, y: (x - 1).relu(),
    "relu_grad": lambda x, y: F.relu_grad(x, y),
    "remainder": lambda x, y: x % y,
    "resample": lambda x, y: facula_tensor.functional.interpolate(x[None], size=3, mode="linear"),
    "reverse_dims": lambda x, y: x.T,
    "rms_norm": lambda x, y: F.rms_norm(x, y[0], (1, 1e-5))[0],
    "rms_norm_grad": lambda x, y: F.rms_norm_grad(x, y, y[:, 0].clone(), y[0].clone(), (1,))[0],
    "roll": lambda x, y: x.roll((1, 2), (0, 1)),
    "rsqrt": lambda x, y: x.rsqrt(),
    "sample_dirichlet": lambda x, y: F.sample_dirichlet(x, (1, 2)),
    "search_sorted": lambda x, y: F.search_sorted(x, y, (False,)),
    "scatter": lambda x, y: x.scatter(1, columns(x), y[:, :2]),
    "scatter_taps": lambda x, y: F.scatter_taps(x[None, :, :2], y[None, :2, :2], tapped(x), (4,)),
    "scatter_extreme": lambda x, y: x.scatter_reduce(1, columns(x), y[:, :2], "amax"),
    "scatter_product": lambda x, y: x.scatter_reduce(1, columns(x), y[:, :2], "prod"),
    "select": lambda x, y: x[1],
    "sigmoid": lambda x, y: x.sigmoid(),
    "sigmoid_grad": lambda x, y: F.sigmoid_grad(x, y),
    "sign": lambda x, y: ft.sign(x),
    "silu": lambda x, y: F.silu(x),
    "silu_grad": lambda x, y: F.silu_grad(x, y),
    "sin": lambda x, y: x.sin(),
    "slice": lambda x, y: F.slice(x, 1, 1, 4, 2),
    "slice_back": lambda x, y: F.slice_back(x, (ft.zeros(5, 4)._layout, 0, 1, 1)),
    "softmax": lambda x, y: x.softmax(0),
    "softmax_grad": lambda x, y: F.softmax_grad(x, y, (0,)),
    "softplus": lambda x, y: F.softplus(x),
    "softplus_grad": lambda x, y: F.softplus_grad(x, y),
    "sort": lambda x, y: x.sort(0)[0],
    "softsign": lambda x, y: F.softsign(x),
    "sqrt": lambda x, y: x.sqrt(),
    "square": lambda x, y: x.square(),
    "squared_difference": lambda x, y: F.squared_difference(x, y),
    "squeeze": lambda x, y: x.unsqueeze(1).squeeze(1),
    "stack": lambda x, y: ft.stack([x, y, x], 1),
    "standard_gamma": lambda x, y: F.standard_gamma(x, (1, 2)),
    "standard_gamma_grad": lambda x, y: F.standard_gamma_grad(x.detach(), y.detach()),
    "sub": lambda x, y: x - y,
    "sum": lambda x, y: x.sum(1),
    "t": lambda x, y: x.t(),
    "take": lambda x, y: x[index(x)],
    "take_back": lambda x, y: F.take_back(x, index(x), ((5, 4), 0, 2)),
    "tanh": lambda x, y: x.tanh(),
    "tanh_grad": lambda x, y: F.tanh_grad(x, y),
    "tanhshrink": lambda x, y: F.tanhshrink(x),
    "tile": lambda x, y: F.tile(x, ((2, 1), (1, 3))),
    "to": lambda x, y: x.to(ft.float32),
    "to_device": lambda x, y: x.to("cpu" if str(x.device) != "cpu" else "meta"),
    "topk": lambda x, y: x.topk(2)[0],
    "transpose": lambda x, y: x.transpose(0, 1),
    "triangular_solve": lambda x, y: F.triangular_solve(square(x), square(y), (True, False)),
    "triangle": lambda x, y: x.tril(),
    "trunc_divide": lambda x, y: ft.div(x, y, rounding_mode="trunc"),
    "unfold_dim": lambda x, y: x.unfold(1, 2, 1),
    "unsqueeze": lambda x, y: x.unsqueeze(0),
    "var": lambda x, y: x.var(1),
    "view_as_complex": lambda x, y: ft.view_as_complex(ft.stack([x, y], -1)),
    "view_as_real": lambda x, y: ft.view_as_real(x.to(ft.complex128)),
    "view": lambda x, y: x.view(2, 6) if x.is_contiguous() else x.reshape(2, 6),
    "weigh_taps": lambda x, y: F.weigh_taps(x[None, :, :2], y[None], tapped(x), ()),
    "where": lambda x, y: ft.where(mask(x), x, y),
    "acos": lambda x, y: ft.acos(x / 4),
    "acosh": lambda x, y: ft.acosh(x + 1),
    "addcdiv": lambda x, y: ft.addcdiv(x, y, x, value=2),
    "addcmul": lambda x, y: ft.addcmul(x, y, x, value=2),
    "adjugate": lambda x, y: F.adjugate(square(x)),
    "adjugate_grad": lambda x, y: F.adjugate_grad(square(x), square(y).detach()),
    "asin": lambda x, y: ft.asin(x / 4),
    "asinh": lambda x, y: ft.asinh(x),
    "atan": lambda x, y: ft.atan(x),
    "atan2": lambda x, y: ft.atan2(x, y),
    "atanh": lambda x, y: ft.atanh(x / 4),
    "ceil": lambda x, y: ft.ceil(x),
    "copysign": lambda x, y: ft.copysign(x, y),
    "cosh": lambda x, y: ft.cosh(x),
    "det": lambda x, y: ft.det(square(x)),
    "eig": lambda x, y: ft.linalg.eig(square(x)).eigenvectors.abs(),
    "eigh": lambda x, y: ft.linalg.eigh(definite(x)).eigenvectors,
    "eigvals": lambda x, y: ft.linalg.eigvals(square(x)),
    "eigvalsh": lambda x, y: ft.linalg.eigvalsh(definite(x)),
    "exp2": lambda x, y: ft.exp2(x),
    "fft_complex": lambda x, y: ft.fft.fft(x.to(ft.complex128)),
    "fft_from_real": lambda x, y: ft.fft.rfft(x),
    "fft_to_real": lambda x, y: ft.fft.irfft(x.to(ft.complex128)),
    "floor": lambda x, y: ft.floor(x),
    "frac": lambda x, y: ft.frac(x),
    "hypot": lambda x, y: ft.hypot(x, y),
    "lgamma": lambda x, y: ft.lgamma(x),
    "inv_ex": lambda x, y: ft.linalg.inv(square(x)),
    "lerp": lambda x, y: ft.lerp(x, y, 0.3),
    "log10": lambda x, y: ft.log10(x),
    "log2": lambda x, y: ft.log2(x),
    "logaddexp": lambda x, y: ft.logaddexp(x, y),
    "logaddexp2": lambda x, y: ft.logaddexp2(x, y),
    "lu_factor_ex": lambda x, y: ft.linalg.lu_factor(square(x)).LU,
    "matrix_exp": lambda x, y: ft.matrix_exp(square(x)),
    "permutation_of": lambda x, y: F.permutation_of(ft.linalg.lu_factor(square(x.detach())).pivots, (3,)),
    "pinv": lambda x, y: ft.linalg.pinv(x),
    "qr": lambda x, y: ft.linalg.qr(x).R,
    "qr_r": lambda x, y: ft.linalg.qr(x.detach(), "r").R,
    "round": lambda x, y: ft.round(x),
    "sign_of": lambda x, y: ft.signbit(x),
    "sinc": lambda x, y: ft.sinc(x),
    "sinh": lambda x, y: ft.sinh(x),
    "slogdet": lambda x, y: ft.slogdet(square(x)).logabsdet,
    "solve_ex": lambda x, y: ft.linalg.solve(square(x), y),
    "svd": lambda x, y: ft.linalg.svd(x, full_matrices=False).U,
    "svdvals": lambda x, y: ft.linalg.svdvals(x),
    "tan": lambda x, y: ft.tan(x),
    "trigamma": lambda x, y: ft.polygamma(1, x),
    "trunc": lambda x, y: ft.trunc(x),
    "turned_sign": lambda x, y: F.turned_sign(square(x).to(ft.complex128), y[0, 0].detach().to(ft.complex128)),
    "xlog1py": lambda x, y: special.xlog1py(x, y),
    "xlogy": lambda x, y: ft.xlogy(x, y),
    "zeta": lambda x, y: ft.polygamma(2, x),
    "windows": lambda x, y: F.windows(x, ((2, x.shape[0], x.shape[1] - 1), (1, x.shape[1], 1), 0, (0,))),
}

# In place: the first is changed.
CHANGES = {
    "add_": lambda x, y: x.add_(y),
    "add_alpha": lambda x, y: x.add_(y, alpha=2),
    "add_number": lambda x, y: x.add_(2.5),
    "sub_": lambda x, y: x.sub_(y),
    "sub_alpha_row": lambda x, y: x.sub_(y[1], alpha=0.5),
    "square_": lambda x, y: x.square_(),
    "clamp_": lambda x, y: x.clamp_(0.7, 1.2),
    "mul_": lambda x, y: x.mul_(y),
    "mul_itself": lambda x, y: x.mul_(x),
    "div_": lambda x, y: x.div_(y),
    "pow_": lambda x, y: x.pow_(2),
    "exp_": lambda x, y: x.exp_(),
    "tanh_": lambda x, y: x.tanh_(),
    "relu_": lambda x, y: x.relu_(),
    "neg_": lambda x, y: x.neg_(),
    "copy_": lambda x, y: x.copy_(y),
    "copy_row": lambda x, y: x.copy_(y[0]),
    "fill_": lambda x, y: x.fill_(1.5),
    "zero_": lambda x, y: x.zero_(),
    "add_row": lambda x, y: x.add_(y[1]),
}


def declared() -> list[str]:
    """The operators that the package declares (tests and examples may declare more)."""
    return sorted(name for name, op in operators.items() if op.module.startswith("facula_tensor."))


every_operator = pytest.mark.parametrize("name", sorted(CALLS))
every_change = pytest.mark.parametrize("name", sorted(CHANGES))


def pair(
    device: str = "cpu", dtype: Any = ft.float64, shape: tuple = (3, 4), requires_grad: bool = True
) -> tuple[Any, Any]:
    """Two leaves of different elements between 0.5 and 2."""
    n = 1
    for size in shape:
        n *= size
    first = [0.5 + 1.5 * ((7 * i + 3) % (n + 1)) / (n + 1) for i in range(n)]
    second = [0.5 + 1.5 * ((5 * i + 1) % (n + 2)) / (n + 2) for i in range(n)]
    return tuple(
        ft.tensor(values, dtype=dtype, device=device).reshape(shape).requires_grad_(requires_grad)
        for values in (first, second)
    )


def differentiable(result: Any) -> bool:
    """Whether something can be differentiated from here."""
    return result.requires_grad and (result.dtype.is_floating_point or result.dtype.is_complex)


def total(result: Any) -> Any:
    """A real number to differentiate."""
    result = result.sum()
    return (result * F.conj(result)).abs() if result.dtype.is_complex else result
