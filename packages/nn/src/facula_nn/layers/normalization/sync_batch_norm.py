"""Batch normalization over the batches of several processes.

T. F. Chan, G. H. Golub, R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Function, Tensor, cat, float32, float64, is_grad_enabled, no_grad, stack, tensor, var_mean
from facula_tensor.extend.modules import batch_norm_gradients
from facula_tensor.extend.processes import exchange_with

from ... import functional as F
from ..._arguments import check_input
from ..._modules.module import Module
from .batch_norm import _BatchNorm

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike
    from facula_tensor.extend.processes import Exchange


def pooled_statistics(input: Tensor, exchange: Exchange) -> tuple[Tensor, Tensor, Tensor]:
    """Return each channel's mean and biased variance over the batches of all processes, and their size, in float64.

    Arguments:
        input: this process's batch (N, C, ...).
        exchange: the process group.
    """
    channels, dims = input.shape[1], (0, *range(2, input.ndim))
    count = input.numel() // max(1, channels)
    with no_grad():
        own = tensor([float(count), *[0.0] * (2 * channels)], dtype=float64)
        if count:
            variance, mean = var_mean(input.float() if input.element_size() < 4 else input, dims, correction=0)
            own = cat([own[:1], mean.double(), variance.double() * count])
        counts, means, squares = exchange.all_gather(own).split([1, channels, channels], 1)
        total = counts.sum()
        divisor = total.clamp(min=1)
        share = counts / divisor
        mean = (means * share).sum(0)
        variance = squares.sum(0) / divisor + ((means - mean).square() * share).sum(0)
    return mean, variance, total


class _Sum(Function):
    """The sum of the tensors of all processes. As each result depends on each tensor, gradients are added, too."""

    @staticmethod
    def forward(ctx: Any, own: Tensor, exchange: Exchange) -> Tensor:
        ctx.exchange = exchange
        total = own.clone()
        exchange.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _Sum.apply(grad, ctx.exchange), None


class _Normalize(Function):
    """Normalization by given statistics of `count` values per channel, of which this process has a part."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor,
        count: Tensor, eps: float, exchange: Exchange,
    ) -> Tensor:  # fmt: skip
        dtype = float32 if input.element_size() < 4 else input.dtype
        rounded, inverse = mean.to(dtype), (variance + eps).rsqrt()
        # add the rounding error of the mean, which may be large compared with small deviations
        shift = (rounded.double() - mean) * inverse
        if weight is not None:
            shift = shift * weight
        if bias is not None:
            shift = shift + bias
        ctx.save_for_backward(input, weight, rounded, variance.to(dtype), inverse.to(dtype))
        ctx.count, ctx.eps, ctx.exchange = count, eps, exchange
        factor = None if weight is None else weight.to(dtype)
        return F.batch_norm(input, rounded, variance.to(dtype), factor, shift.to(dtype), False, 0.0, eps)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        input, weight, mean, variance, inverse = ctx.saved_tensors
        if is_grad_enabled():
            gradients = recorded_gradients(grad, input, weight, ctx)
            needed = zip(ctx.needs_input_grad, (*gradients, *[None] * 5), strict=True)
            return tuple([gradient if is_needed else None for is_needed, gradient in needed])
        input = input.contiguous()
        factor = None if weight is None else weight.to(mean.dtype)
        gradients = batch_norm_gradients(grad, input, factor, mean, inverse, ctx.eps)
        if ctx.needs_input_grad[0]:
            # The mean and the variance also depend on the other processes' values, which the gradient so far lacks.
            of_input, *of_channels = gradients
            sums = stack(of_channels).double()
            change = sums / max(1, input.numel() // input.shape[1])
            ctx.exchange.all_reduce(sums)
            slope = inverse if factor is None else inverse * factor
            scale, shift = (change - sums / ctx.count).to(mean.dtype) * slope
            lacking = F.batch_norm(input, mean, variance, scale, shift, False, 0.0, ctx.eps)
            gradients = (of_input + lacking, *of_channels)
        needed = zip(ctx.needs_input_grad, (*gradients, *[None] * 5), strict=True)
        return tuple([gradient if is_needed else None for is_needed, gradient in needed])


def recorded_gradients(grad: Tensor, input: Tensor, weight: Tensor | None, ctx: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the input, the weight and the bias, from operators that have derivatives themselves.

    Arguments:
        grad: the gradient of the result.
        input: this process's batch (N, C, ...).
        weight: the weight, or None.
        ctx: the context of `_Normalize`.
    """
    dims, along = (0, *range(2, input.ndim)), (-1, *[1] * (input.ndim - 2))
    values, slopes = input.double(), grad.double()
    deviation = values - (_Sum.apply(values.sum(dims), ctx.exchange) / ctx.count).view(along)
    variance = _Sum.apply(deviation.square().sum(dims), ctx.exchange) / ctx.count
    inverse = (variance + ctx.eps).rsqrt()
    normal = deviation * inverse.view(along)
    own = stack([slopes.sum(dims), (slopes * normal).sum(dims)])
    mean, product = (_Sum.apply(own, ctx.exchange) / ctx.count).unbind()
    scale = inverse if weight is None else inverse * weight.double()
    of_input = (slopes - mean.view(along) - normal * product.view(along)) * scale.view(along)
    dtype = grad.dtype if weight is None else weight.dtype
    return of_input.to(input.dtype), own[1].to(dtype), own[0].to(dtype)


@boundary
class SyncBatchNorm(_BatchNorm):
    """Batch normalization of (N, C, ...) over the batches of all processes in a group.

    Training uses each channel's mean and variance over all batches, whose sizes may differ. All processes must call
    the layer, and run its backward pass, in the same order. The gradients of `weight` and `bias` are those of this
    process's batch, as in other layers; `DistributedDataParallel` averages them. Evaluation, and training without a
    process group, equal `BatchNorm1d` and its relatives, for at least 2 dimensions.

    ValueError if all batches together have one value per channel.

    Arguments:
        num_features: the number of channels.
        eps: the constant added to the variance.
        momentum: the weight of a batch in the running statistics; None for a cumulative mean.
        affine: whether to use a trainable weight and bias.
        track_running_stats: track running statistics and use them in evaluation.
        process_group: the process group; all processes if None.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
        bias: whether to add a trainable bias, too.

    >>> from facula_tensor import tensor
    >>> SyncBatchNorm(1, eps=1e-12)(tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def forward(self, input: Tensor) -> Tensor:
        """Normalize `input` (N, C, ...); training uses the statistics of all batches and updates the running ones."""
        exchange = exchange_with(self.process_group) if self.training else None
        if exchange is None:
            return super().forward(input)
        check_input("SyncBatchNorm", input)
        self._check_dims(input)
        if input.shape[1] != self.num_features:
            raise InvalidValueError(
                f"SyncBatchNorm: expected {self.num_features} channels; got an input of shape {tuple(input.shape)}"
            )
        mean, variance, count = pooled_statistics(input, exchange)
        # captures cannot read the size of all batches: it matters only if there are few values
        is_small = input.numel() < 2 * self.num_features
        if is_small and count == 1:
            raise InvalidValueError(
                "SyncBatchNorm: expected more than 1 value per channel when training; got 1 in all processes together"
            )
        is_empty = is_small and not count
        if self.track_running_stats:
            self._update(mean, variance, None if is_empty else count)
        if is_empty:  # all batches are
            return F.batch_norm(input, None, None, self.weight, self.bias, True, 0.0, self.eps)
        result: Tensor = _Normalize.apply(input, self.weight, self.bias, mean, variance, count, self.eps, exchange)
        return result

    def _update(self, mean: Tensor, variance: Tensor, count: Tensor | None) -> None:
        """Include a batch of `count` values per channel in the running statistics; None for an empty one."""
        batches = self.num_batches_tracked
        if batches is not None:
            batches.add_(1)
        if self.running_mean is None or self.running_var is None or count is None:
            return
        share = self.momentum
        if share is None:
            share = 0.0 if batches is None else 1 / int(batches)
        with no_grad():
            for running, of_batch in ((self.running_mean, mean), (self.running_var, variance * (count / (count - 1)))):
                running.copy_(running.double() * (1 - share) + of_batch * share)

    def _check_dims(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise InvalidValueError(
                f"SyncBatchNorm: expected at least 2 dimensions; got an input of shape {tuple(input.shape)}"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace each batch normalization in `module` by a SyncBatchNorm with the same parameters and buffers.

        Containers are modified in place; for a batch normalization, a new module is returned.

        Arguments:
            module: a batch normalization, or a module that contains some.
            process_group: the process group; all processes if None.

        >>> from facula_nn import BatchNorm2d, Sequential
        >>> SyncBatchNorm.convert_sync_batchnorm(Sequential(BatchNorm2d(2)))
        Sequential(
          (0): SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
        )
        """
        if not isinstance(module, Module):
            raise InvalidTypeError(f"convert_sync_batchnorm: expected a Module; got {type(module).__name__}")
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, device="meta", bias=module.bias is not None,
            )  # fmt: skip
            converted.weight, converted.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
