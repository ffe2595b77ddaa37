"""Calls of what layers and losses are made of."""

from __future__ import annotations

from typing import Any

import facula_tensor as ft
import facula_tensor.functional
from facula_tensor.extend import recorded_ops as F

from .operands import square


def classes(x: Any) -> Any:
    """A class for each row of `x`."""
    return ft.tensor([2, 0, 3], device=x.device)


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


def recurrent_grad(x: Any, y: Any) -> Any:
    """The gradient of a layer's weights, where `x` is the input, its first columns the outputs, and `y` the weights."""
    out, states = square(x).unsqueeze(0), square(y)
    operands = (x.unsqueeze(0), None, None, y, states, out, out, x[0, :0], None, out, None, None)
    return F.recurrent_grad(*operands, (*ELMAN, False, False, True, True))[0]


LAYERS = {
    "attention": lambda x, y: F.attention(x, y, y, None, SHARES)[0],
    "attention_grad": lambda x, y: F.attention_grad(x, x, y, y, None, y, y[:, 0].contiguous(), SHARES)[1],
    "avg_pool2d": lambda x, y: F.avg_pool2d(x, (WINDOWS, (2, 2))),
    "avg_pool2d_grad": lambda x, y: F.avg_pool2d_grad(x[:2, :2], (WINDOWS, (3, 4))),
    "batch_norm": lambda x, y: F.batch_norm(x, y[0], y[1], None, None, (0.1, 1e-5))[0],
    "batch_norm_counted": lambda x, y: F.batch_norm_counted(
        x, y[0], y[1], None, None, ft.tensor(2, device=x.device), (1e-5,)
    )[0],
    "batch_norm_eval": lambda x, y: F.batch_norm_eval(x, y[0], None, *y.detach()[1:], (1e-5,)),
    "batch_norm_grad": lambda x, y: F.batch_norm_grad(x, y, *y[:2], None)[0],
    "conv2d": lambda x, y: F.conv2d(image(x), image(y[:2, :2]), y[0, :1], (*STEPS, (2, 3))),
    "conv2d_input": lambda x, y: F.conv2d_input(image(x[:2, :3]), image(y[:2, :2]), (*STEPS, (3, 4))),
    "conv2d_weight": lambda x, y: F.conv2d_weight(image(x[:2, :3]), image(y), (*STEPS, (2, 2))),
    "cross_entropy": lambda x, y: F.cross_entropy(x, classes(x), y.detach()[0], LOSS),
    "cross_entropy_grad": lambda x, y: F.cross_entropy_grad(x[0, 0], y, classes(x), None, LOSS),
    "ctc_loss": lambda x, y: F.ctc_loss(*sequences(x), (8, 0, 0))[0] * y,
    "ctc_loss_grad": lambda x, y: F.ctc_loss_grad(y[0, :1], *sequences(x), y[1, :1], x.new_zeros(1, 3, 17), (8, 0, 0)),
    "dropout": lambda x, y: F.dropout(x, (0.3, 1, 2)),
    "gather_taps": lambda x, y: F.gather_taps(x[None], y[None, :2, :2], tapped(x), ()),
    "group_norm": lambda x, y: F.group_norm(x, y[0], y[1], (2, 1e-5))[0],
    "group_norm_grad": lambda x, y: F.group_norm_grad(x, y, *y.reshape(2, 6), y[0].clone(), (2,))[0],
    "layer_norm": lambda x, y: F.layer_norm(x, y[0], y[1], (1, 1e-5))[0],
    "layer_norm_grad": lambda x, y: F.layer_norm_grad(x, y, y[:, 0].clone(), y[:, 1].clone(), y[0].clone(), (1,))[0],
    "max_pool2d": lambda x, y: ft.max_pool2d(image(x), 2),
    "max_pool2d_grad": lambda x, y: F.max_pool2d_grad(x[:2, :2], corners(x), (None, (3, 4))),
    "max_pool2d_pick": lambda x, y: F.max_pool2d_pick(x, corners(x), (None, (2, 2))),
    "nll_loss": lambda x, y: F.nll_loss(x, classes(x), y.detach()[0], LOSS),
    "nll_loss_grad": lambda x, y: F.nll_loss_grad(x[0, 0], y, classes(x), None, LOSS),
    "recurrent": lambda x, y: F.recurrent(x.unsqueeze(0), None, None, y, y[:, :3], None, None, None, ELMAN)[0],
    "recurrent_grad": lambda x, y: recurrent_grad(x, y),
    "resample": lambda x, y: facula_tensor.functional.interpolate(x[None], size=3, mode="linear"),
    "rms_norm": lambda x, y: F.rms_norm(x, y[0], (1, 1e-5))[0],
    "rms_norm_grad": lambda x, y: F.rms_norm_grad(x, y, y[:, 0].clone(), y[0].clone(), (1,))[0],
    "scatter_taps": lambda x, y: F.scatter_taps(x[None, :, :2], y[None, :2, :2], tapped(x), (4,)),
    "weigh_taps": lambda x, y: F.weigh_taps(x[None, :, :2], y[None], tapped(x), ()),
}
