"""Folding of batch normalisation, in evaluation mode, into the preceding layer."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeVar

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary, published
from facula_tensor import Parameter, Tensor

from .._modules.module import Module

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

__dir__ = published(__name__)

Layer = TypeVar("Layer", bound=Module)


@boundary
def fuse_conv_bn_eval(conv: Layer, bn: Module, transpose: bool = False) -> Layer:
    """Return a convolution equivalent to a convolution and the batch norm after it, both in evaluation mode.

    RuntimeError if one of them is in training mode.

    Arguments:
        conv: the convolution, in evaluation mode.
        bn: the batch norm after it, in evaluation mode.
        transpose: whether `conv` is a transposed convolution.

    Returns:
        A copy of `conv` that includes the batch norm.

    >>> from facula_nn import BatchNorm2d, Conv2d
    >>> fuse_conv_bn_eval(Conv2d(1, 2, 3, bias=False).eval(), BatchNorm2d(2).eval()).bias.shape
    facula.Size([2])
    """
    return _fused("fuse_conv_bn_eval", conv, bn, transpose)


@boundary
def fuse_linear_bn_eval(linear: Layer, bn: Module) -> Layer:
    """Return a linear layer equivalent to a linear layer and the batch norm after it, both in evaluation mode.

    RuntimeError if one of them is in training mode, ValueError if the widths differ and bn has more than one feature.
    """
    outputs, features = linear.out_features, bn.num_features
    if features not in (1, outputs):
        raise InvalidValueError(
            f"fuse_linear_bn_eval: expected bn of {outputs} features, as linear gives, or of 1; got {features}"
        )
    return _fused("fuse_linear_bn_eval", linear, bn, False)


@boundary
def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias of a convolution fused with a batch norm of these statistics, weights and biases.

    Arguments:
        conv_w: the convolution's weight.
        conv_b: its bias; zeros if None.
        bn_rm: the batch norm's running mean.
        bn_rv: its running variance.
        bn_eps: the constant added to the variance.
        bn_w: its weight; ones if None.
        bn_b: its bias; zeros if None.
        transpose: whether the convolution is transposed.

    Returns:
        The weight and the bias of the fused layer.
    """
    scale = (bn_rv + bn_eps).rsqrt()
    if bn_w is not None:
        scale = scale * bn_w
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    shift = -bn_rm if conv_b is None else conv_b - bn_rm
    bias = shift * scale if bn_b is None else shift * scale + bn_b
    weight = (conv_w * scale.reshape(shape)).to(conv_w.dtype)
    wants = conv_b.requires_grad if conv_b is not None else conv_w.requires_grad
    dtype = conv_w.dtype if conv_b is None else conv_b.dtype
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(bias.to(dtype).detach(), wants)


@boundary
def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias of a linear layer fused with a batch norm of these statistics, weights and biases.

    Arguments:
        linear_w: the linear layer's weight.
        linear_b: its bias; zeros if None.
        bn_rm: the batch norm's running mean.
        bn_rv: its running variance.
        bn_eps: the constant added to the variance.
        bn_w: its weight; ones if None.
        bn_b: its bias; zeros if None.

    Returns:
        The weight and the bias of the fused layer.
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _fused(operation: str, layer: Layer, bn: Any, transpose: bool) -> Layer:
    """Return a copy of a layer with the batch norm folded into its weight and bias.

    Arguments:
        operation: the operation's name, with which errors begin.
        layer: the convolution or linear layer.
        bn: the batch norm after it.
        transpose: whether the layer is a transposed convolution.
    """
    if layer.training or bn.training:
        raise OperationError(f"{operation}: expected both layers in evaluation mode; call .eval() on them first")
    if bn.running_mean is None or bn.running_var is None:
        raise OperationError(f"{operation}: expected a batch norm that tracks its statistics; got none in {bn!r}")
    fused = deepcopy(layer)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused
