"""Batch normalisation, and what normalisation of instances shares with it.

S. Ioffe and C. Szegedy, Batch Normalization: Accelerating Deep Network Training, ICML 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty, int64, ones, zeros
from facula_tensor.extend import counted_batch_norm

from ... import functional as F
from ... import init
from ..._arguments import check_input, check_lengths
from ..._modules.module import Module

if TYPE_CHECKING:
    from facula_tensor.extend import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType, StateDict


@boundary
class ChannelNorm(Module):
    """Numbers for each channel: where `affine`, a weight and a bias; running statistics, where they are tracked.

    Arguments:
        num_features: the number of channels.
        eps: what is added to the variance.
        momentum: the share of a batch in running statistics; None for the mean of all batches.
        affine: whether there is a weight.
        track_running_stats: keep running statistics, and use them in evaluation.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
        bias: whether there is a bias, too.
    """

    _repr_items = "num_features, eps=, momentum=, affine=, bias=, track_running_stats="
    dims: tuple[int, ...]  # the numbers of dimensions that the input may have
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        check_lengths(type(self).__name__, num_features=num_features)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        empty(0, **place)  # which refuses devices and dtypes that are none, where nothing is kept
        self.register_parameter("weight", Parameter(empty(num_features, **place)) if affine else None)
        self.register_parameter("bias", Parameter(empty(num_features, **place)) if affine and bias else None)
        track = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **place) if track else None)
        self.register_buffer("running_var", ones(num_features, **place) if track else None)
        self.register_buffer("num_batches_tracked", zeros((), dtype=int64, device=device) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget all batches: mean 0, variance 1."""
        if self.running_mean is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)  # type: ignore[union-attr]
            self.num_batches_tracked.zero_()  # type: ignore[union-attr]

    def reset_parameters(self) -> None:
        """Forget all batches; weight 1 and bias 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_dims(self, input: Tensor) -> None:
        if input.ndim not in self.dims:
            expected = " or ".join(map(str, self.dims))
            raise InvalidValueError(
                f"{type(self).__name__}: expected {expected} dimensions; got an input of shape {tuple(input.shape)}"
            )

    def _load_from_state_dict(self, state_dict: StateDict, prefix: str, *rest: Any) -> None:
        """A state without a count, as old programs wrote it, leaves the module's count as it is (new: 0)."""
        if self.num_batches_tracked is not None:
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, *rest)


@boundary
class _BatchNorm(ChannelNorm):
    """Each channel less its mean, divided by its deviation; then, where `affine`, times `weight` plus `bias`."""

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, ...): in training by the batch's own statistics, which the running ones follow."""
        check_input(type(self).__name__, input)
        self._check_dims(input)
        mean, variance, count = self.running_mean, self.running_var, self.num_batches_tracked
        if not self.training:
            use_batch = mean is None
            return F.batch_norm(input, mean, variance, self.weight, self.bias, use_batch, 0.0, self.eps)
        if not self.track_running_stats:
            mean = variance = count = None
        momentum = self.momentum
        if momentum is None and mean is not None and variance is not None and count is not None:
            out = counted_batch_norm(input, mean, variance, count, self.weight, self.bias, self.eps)
        else:
            share = 0.0 if momentum is None else momentum
            out = F.batch_norm(input, mean, variance, self.weight, self.bias, True, share, self.eps)
        if count is not None:
            count.add_(1)
        return out


@boundary
class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L), channel by channel.

    In training each channel's mean and variance are the batch's, and `running_mean` and `running_var` move towards
    them by `momentum` (None: they are the mean over all batches); in evaluation those are used. State: `weight`,
    `bias`, `running_mean`, `running_var`, `num_batches_tracked`. ValueError for other numbers of dimensions.

    Arguments:
        num_features: the number of channels.
        eps: what is added to the variance.
        momentum: the share of a batch in running statistics; None for their mean.
        affine: whether there is a weight, and a bias.
        track_running_stats: keep running statistics, and use them in evaluation.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
        bias: whether there is a bias, too.

    >>> from facula_tensor import tensor
    >>> BatchNorm1d(1, eps=1e-12)(tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """

    dims = (2, 3)


@boundary
class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images (N, C, H, W), channel by channel; else as `BatchNorm1d`.

    Arguments:
        num_features: the number of channels.
        eps: what is added to the variance.
        momentum: the share of a batch in running statistics; None for their mean.
        affine: whether there is a weight, and a bias.
        track_running_stats: keep running statistics, and use them in evaluation.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
        bias: whether there is a bias, too.
    """

    dims = (4,)


@boundary
class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes (N, C, D, H, W), channel by channel; else as `BatchNorm1d`.

    Arguments:
        num_features: the number of channels.
        eps: what is added to the variance.
        momentum: the share of a batch in running statistics; None for their mean.
        affine: whether there is a weight, and a bias.
        track_running_stats: keep running statistics, and use them in evaluation.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
        bias: whether there is a bias, too.
    """

    dims = (5,)


@boundary
class SyncBatchNorm(_BatchNorm):
    """Batch normalization of (N, C, ...) over the batches of all processes of a group, of which there is one so far.

    So it equals `BatchNorm1d` and its relatives, for any number of dimensions from 2 on. NotImplementedError for a
    group of more processes.

    Arguments:
        num_features: the number of channels.
        eps: what is added to the variance.
        momentum: the share of a batch in running statistics; None for their mean.
        affine: whether there is a weight, and a bias.
        track_running_stats: keep running statistics, and use them in evaluation.
        process_group: a group of one process, or None.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

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
    ) -> None:
        size = process_group.size() if hasattr(process_group, "size") else 1
        if size > 1:
            raise UnsupportedError(
                f"SyncBatchNorm: expected a process_group of one process; got one of {size}, whose statistics would "
                "have to be exchanged; train in one process, or use BatchNorm2d, whose statistics are each process's"
            )
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def _check_dims(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise InvalidValueError(
                f"SyncBatchNorm: expected at least 2 dimensions; got an input of shape {tuple(input.shape)}"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """`module` with a SyncBatchNorm, of the same parameters and buffers, in place of each batch normalization.

        Containers are changed in place; a batch normalization itself is returned as a new module.

        Arguments:
            module: a batch normalization, or what contains some.
            process_group: a group of one process, or None.

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
                process_group, device="meta",
            )  # fmt: skip
            converted.weight, converted.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
