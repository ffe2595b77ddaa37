"""Batch normalisation, and its common base class with instance normalisation.

S. Ioffe and C. Szegedy, Batch Normalization: Accelerating Deep Network Training, ICML 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty, int64, ones, zeros
from facula_tensor.extend.modules import counted_batch_norm

from ... import functional as F
from ... import init
from ..._arguments import check_input, check_lengths
from ..variant import Variant

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType, StateDict


@boundary
class ChannelNorm(Variant):
    """Base class with per-channel state: a weight and a bias if `affine`, and running statistics if they are tracked.

    Arguments:
        num_features: the number of channels.
        eps: the constant added to the variance.
        momentum: the weight of a batch in the running statistics; None for a cumulative mean.
        affine: whether to use a trainable weight.
        track_running_stats: track running statistics and use them in evaluation.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
        bias: whether to add a trainable bias, too.
    """

    _repr_items = "num_features, eps=, momentum=, affine=, bias=, track_running_stats="
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
        empty(0, **place)  # validates device and dtype even if there is no state
        self.register_parameter("weight", Parameter(empty(num_features, **place)) if affine else None)
        self.register_parameter("bias", Parameter(empty(num_features, **place)) if affine and bias else None)
        track = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **place) if track else None)
        self.register_buffer("running_var", ones(num_features, **place) if track else None)
        self.register_buffer("num_batches_tracked", zeros((), dtype=int64, device=device) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running statistics to mean 0 and variance 1."""
        if self.running_mean is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)  # type: ignore[union-attr]
            self.num_batches_tracked.zero_()  # type: ignore[union-attr]

    def reset_parameters(self) -> None:
        """Reset the running statistics, the weight to 1 and the bias to 0."""
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
        """Keep the module's batch count (0 if it is new) if the state, written by an old program, has none."""
        if self.num_batches_tracked is not None:
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, *rest)


@boundary
class _BatchNorm(ChannelNorm):
    """Base class: subtract each channel's mean, divide by its deviation; if `affine`, scale by `weight`, add `bias`."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalise `input` (N, C, ...); training uses the batch's statistics and updates the running ones."""
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
class BatchNorm1d(_BatchNorm, dims=(2, 3)):
    """Batch normalisation of each channel of (N, C) or (N, C, L).

    Training uses each channel's mean and variance in the batch. It moves `running_mean` and `running_var` towards them
    by `momentum` (None: computes their mean over all batches); evaluation uses these. State: `weight`, `bias`,
    `running_mean`, `running_var`, `num_batches_tracked`. ValueError for other numbers of dimensions.

    Arguments:
        num_features: the number of channels.
        eps: the constant added to the variance.
        momentum: the weight of a batch in the running statistics; None for a cumulative mean.
        affine: whether to use a trainable weight and bias.
        track_running_stats: track running statistics and use them in evaluation.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
        bias: whether to add a trainable bias, too.

    >>> from facula_tensor import tensor
    >>> BatchNorm1d(1, eps=1e-12)(tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """


@boundary
class BatchNorm2d(_BatchNorm, dims=(4,)):
    """Batch normalisation of each channel of images (N, C, H, W); otherwise like `BatchNorm1d`.

    Arguments: those of `BatchNorm1d`.
    """


@boundary
class BatchNorm3d(_BatchNorm, dims=(5,)):
    """Batch normalisation of each channel of volumes (N, C, D, H, W); otherwise like `BatchNorm1d`.

    Arguments: those of `BatchNorm1d`.
    """
