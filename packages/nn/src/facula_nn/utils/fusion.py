"""Batch normalisation in evaluation, folded into the layer before it."""

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
    """A copy of a convolution that does what it and the batch norm after it do, both in evaluation mode.

    `transpose`: `conv` is a transposed one. RuntimeError where either is training.

    Arguments:
        conv: the convolution, in evaluation mode.
        bn: the batch norm after it, in evaluation mode.
        transpose: whether `conv` is a transposed one.

    Returns:
        A copy of `conv` that does the work of both.

    >>> from facula_nn import BatchNorm2d, Conv2d
    >>> fuse_conv_bn_eval(Conv2d(1, 2, 3, bias=False).eval(), BatchNorm2d(2).eval()).bias.shape
    facula.Size([2])
    """
    return _fused("fuse_conv_bn_eval", conv, bn, transpose)


@boundary
def fuse_linear_bn_eval(linear: Layer, bn: Module) -> Layer:
    """A copy of a linear layer that does what it and the batch norm after it do, both in evaluation mode.

    RuntimeError where either is training, ValueError where the widths differ and bn has not one feature.
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
    """Weight and bias of a convolution followed by a batch norm of these means, variances, weights and biases.

    Arguments:
        conv_w: the convolution's weight.
        conv_b: its bias; zeros if None.
        bn_rm: the batch norm's running mean.
        bn_rv: its running variance.
        bn_eps: what is added to that.
        bn_w: its weight; ones if None.
        bn_b: its bias; zeros if None.
        transpose: whether it is a transposed one.

    Returns:
        The weight and the bias of both together.
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
    """Weight and bias of a linear layer followed by a batch norm of these means, variances, weights and biases.

    Arguments:
        linear_w: the linear layer's weight.
        linear_b: its bias; zeros if None.
        bn_rm: the batch norm's running mean.
        bn_rv: its running variance.
        bn_eps: what is added to that.
        bn_w: its weight; ones if None.
        bn_b: its bias; zeros if None.

    Returns:
        The weight and the bias of both together.
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _fused(operation: str, layer: Layer, bn: Any, transpose: bool) -> Layer:
    """A copy of a layer with the batch norm in its weight and bias.

    Arguments:
        operation: how errors begin.
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
