"""The functions of networks as type checkers see them. Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from ._core.types import AnyTensor, DTypeLike, Data, DeviceLike, Dims, Extremes, Frexp, Index, Lengths, MemoryFormat, NamedResults, Number, Operand, Scalar, SupportsDLPack
from ._core.tensor import Tensor
from ._creation.generator import Generator

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
]

def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None) -> Tensor:
    """Compute the means of windows that divide sequences into `output_size` parts, as evenly as possible."""
def adaptive_avg_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None) -> Tensor:
    """Compute the means of windows that divide images into `output_size` parts, as evenly as possible."""
def adaptive_avg_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None) -> Tensor:
    """Compute the means of windows that divide volumes into `output_size` parts, as evenly as possible."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: Literal[False] = False) -> Tensor:
    """Compute the maxima of windows that divide sequences, those of `adaptive_avg_pool1d`."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool1d` and return the indices as well."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maxima of windows that divide images, those of `adaptive_avg_pool2d`."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool2d` and return the indices as well."""
@overload
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maxima of windows that divide volumes, those of `adaptive_avg_pool3d`."""
@overload
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: builtins.int | Sequence[builtins.int | None] | None, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool3d` and return the indices as well."""
def affine_grid(theta: Tensor, size: Lengths, align_corners: builtins.bool | None = None) -> Tensor:
    """Return the grid for `grid_sample` of affine maps from output points, from -1 to 1, to input points."""
def alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """In training, set each element to selu's limit with probability `p`, then restore mean and variance."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """Compute the mean of each window of sequences; integers are truncated towards 0."""
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """Compute the mean of each window of images; integers are truncated towards 0."""
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """Compute the mean of each window of volumes; integers are truncated towards 0."""
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: builtins.bool = False, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Normalize each channel of input (n, channels, ...) to mean 0 and variance 1; multiply by `weight`, add `bias`."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute input1 @ weight[k] @ input2 + bias[k] for each feature k."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute -(target log(input) + (1 - target) log(1 - input)) of probabilities; logarithms are at least -100."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """Compute `binary_cross_entropy` of sigmoid(input), without overflow."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """Replace negative elements x by alpha * (exp(x / alpha) - 1). J. T. Barron, 2017."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """`celu` in place: changes `input` and returns it. Arguments: those of `celu`."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Interleave the channels of `groups` groups: (N, C, ...), C a multiple of `groups`."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of sequences with filters, called a convolution in networks."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of images with filters, called a convolution in networks."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] | builtins.str = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """Compute the cross-correlation of volumes with filters, called a convolution in networks."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv1d`, plus a bias: it enlarges what `conv1d` reduces."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv2d`, plus a bias: it enlarges what `conv2d` reduces."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Compute the transpose of the linear map `conv3d`, plus a bias: it enlarges what `conv3d` reduces."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute 1 - cos of the two inputs' angle where target is 1, and max(0, cos - margin) where it is -1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: builtins.bool | None = None, ignore_index: builtins.int = -100, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """Compute -log(softmax(input)) at the target class."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[builtins.int] | builtins.int, target_lengths: Tensor | Sequence[builtins.int] | builtins.int, blank: builtins.int = 0, reduction: builtins.str = 'mean', zero_infinity: builtins.bool = False) -> Tensor:
    """Compute the negative log probability of `targets`, summed over all alignments with the sequences."""
def dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """In training, set each element to 0 with probability `p` and divide the others by 1 - p."""
def dropout1d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """In training, set each channel of sequences to 0 with probability `p` and divide the others by 1 - p."""
def dropout2d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """In training, set each channel of images to 0 with probability `p` and divide the others by 1 - p."""
def dropout3d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """In training, set each channel of volumes to 0 with probability `p` and divide the others by 1 - p."""
def elu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """Replace negative elements x by alpha * (exp(x) - 1)."""
def elu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """`elu` in place: changes `input` and returns it. Arguments: those of `elu`."""
def embedding(input: Tensor, weight: Tensor, padding_idx: builtins.int | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2.0, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False) -> Tensor:
    """Select the rows of `weight` at the indices in `input`."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2.0, scale_grad_by_freq: builtins.bool = False, mode: builtins.str = 'mean', sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False, padding_idx: builtins.int | None = None) -> Tensor:
    """Reduce the rows of `weight` in each bag of indices by their sum, mean or maximum."""
def feature_alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """Apply `alpha_dropout` to whole channels."""
def fold(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Sum the columns of `unfold` into images: (N, C · window, windows) to (N, C, H, W)."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | builtins.float, full: builtins.bool = False, eps: builtins.float | Tensor = 1e-06, reduction: builtins.str = 'mean') -> Tensor:
    """Compute (log(var) + (input - target)**2 / var) / 2 with var at least `eps`; gradients ignore that bound."""
def gelu(input: Tensor, approximate: builtins.str = 'none') -> Tensor:
    """Compute x times the cumulative normal distribution at x. D. Hendrycks, K. Gimpel, 2016."""
def glu(input: Tensor, dim: builtins.int = -1) -> Tensor:
    """Multiply the first half of `input` along `dim` by the sigmoid of the second; ValueError if the length is odd."""
def grid_sample(input: Tensor, grid: Tensor, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool | None = None) -> Tensor:
    """Sample the images or volumes `input` at the points of `grid`."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalize each of `num_groups` channel groups of each example (n, channels, ...) to mean 0 and variance 1."""
def gumbel_softmax(logits: Tensor, tau: builtins.float | Tensor = 1, hard: builtins.bool = False, eps: builtins.float = 1e-10, dim: builtins.int = -1) -> Tensor:
    """Return softmax((logits + noise) / tau) along `dim`, with noise from a standard Gumbel distribution."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Tensor:
    """Replace elements within `lambd` of 0 by 0."""
def hardsigmoid(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute relu6(x + 3) / 6 of each element: a piecewise linear sigmoid."""
def hardswish(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute x * relu6(x + 3) / 6 of each element. A. Howard and others: Searching for MobileNetV3, 2019."""
def hardtanh(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """Clamp each element to the bounds; no gradient flows at a bound."""
def hardtanh_(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0) -> Tensor:
    """`hardtanh` in place: changes `input` and returns it. Arguments: those of `hardtanh`."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1.0, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute `input` where target is 1, and max(0, margin - input) where it is -1; shapes broadcast."""
def huber_loss(input: Tensor, target: Tensor, reduction: builtins.str = 'mean', delta: builtins.float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Compute half the square of differences below `delta`, linear beyond; ValueError unless delta > 0."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: builtins.bool = True, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Normalize each channel of each example to mean 0 and variance 1; multiply by `weight`, add `bias`."""
def interpolate(input: Tensor, size: Lengths | None = None, scale_factor: builtins.float | Sequence[builtins.float] | None = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None, antialias: builtins.bool = False) -> Tensor:
    """Resize `input`: (N, C, length), (N, C, height, width) or (N, C, depth, height, width)."""
def kl_div(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', log_target: builtins.bool = False) -> Tensor:
    """Compute target (log(target) - input), for log probabilities `input`; 0 where target is 0."""
def l1_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Compute abs(input - target) of each element; `weight` as in `mse_loss`."""
def layer_norm(input: Tensor, normalized_shape: SupportsIndex | Sequence[builtins.int], weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Normalize the last dimensions, `normalized_shape`, to mean 0 and variance 1; multiply by `weight`, add `bias`."""
def leaky_relu(input: Tensor, negative_slope: builtins.float = 0.01, inplace: builtins.bool = False) -> Tensor:
    """Multiply negative elements by `negative_slope`."""
def leaky_relu_(input: Tensor, negative_slope: builtins.float = 0.01) -> Tensor:
    """`leaky_relu` in place: changes `input` and returns it. Arguments: those of `leaky_relu`."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `input @ weight.T + bias`: input (..., inputs), weight (outputs, inputs), bias (outputs,); one dtype."""
def local_response_norm(input: Tensor, size: builtins.int, alpha: builtins.float | Tensor = 0.0001, beta: builtins.float | Tensor = 0.75, k: builtins.float | Tensor = 1.0) -> Tensor:
    """Divide each element of (n, channels, ...) by (k + alpha * m) ** beta."""
def log_softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """The logarithm of softmax along a dimension."""
def logsigmoid(input: Tensor) -> Tensor:
    """Compute log(sigmoid(x)) of each element, without overflow."""
def lp_pool1d(input: Tensor, norm_type: builtins.float | Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of sequences."""
def lp_pool2d(input: Tensor, norm_type: builtins.float | Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of images."""
def lp_pool3d(input: Tensor, norm_type: builtins.float | Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of volumes."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute max(0, -target (input1 - input2) + margin); `target` is 1 if input1 should be greater, else -1."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of sequences."""
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `max_pool1d` and return the indices as well."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of images."""
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def max_pool2d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `max_pool2d` and return the indices as well."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Compute the maximum of each window of volumes."""
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, *, return_indices: Literal[True]) -> builtins.tuple[Tensor, Tensor]:
    ...
@overload
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor | builtins.tuple[Tensor, Tensor]:
    ...
def max_pool3d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True) -> builtins.tuple[Tensor, Tensor]:
    """Compute `max_pool3d` and return the indices as well."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Sequence[builtins.int] | None = None) -> Tensor:
    """Place the results of `max_pool1d` at their original positions, among zeros."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Sequence[builtins.int] | None = None) -> Tensor:
    """Place the results of `max_pool2d` at their original positions, among zeros."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Sequence[builtins.int] | None = None) -> Tensor:
    """Place the results of `max_pool3d` at their original positions, among zeros."""
def mish(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute x * tanh(softplus(x)) of each element. D. Misra: Mish, 2019."""
def mse_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', weight: Tensor | None = None) -> Tensor:
    'Compute (input - target)**2 of each element; with `weight`, times it, and "mean" divides by the sum of weights.'
def multi_margin_loss(input: Tensor, target: Tensor, p: builtins.int = 1, margin: builtins.float = 1.0, weight: Tensor | None = None, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute the mean over classes of max(0, margin - input at the target + input)**p, 0 for the target itself."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Sum max(0, 1 - input at a target + input elsewhere) over targets and other classes, and divide by C."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute the mean over classes of `binary_cross_entropy_with_logits`: (N, C) to (N)."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: builtins.bool | None = None, ignore_index: builtins.int = -100, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute the negative entry of the target class."""
def normalize(input: Tensor, p: builtins.float = 2.0, dim: builtins.int | builtins.tuple[builtins.int, ...] = 1, eps: builtins.float | Tensor = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide `input` by its p-norm along `dim`. Half precisions are computed in float32."""
def one_hot(input: Tensor, num_classes: builtins.int = -1) -> Tensor:
    """Encode class numbers as vectors with a 1 at the class and 0 elsewhere: int64 (*) to int64 (*, num_classes)."""
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = 'constant', value: builtins.float | None = None) -> Tensor:
    """Add elements before and after dimensions of `input`; negative numbers remove elements."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """Compute the p-norm of x1 - x2 + eps along the last dimension."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """Compute the p-norms of the differences of all pairs of rows (N, M): N (N - 1) / 2 numbers, the upper triangle."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Rearrange channels to pixels: (..., C · r², H, W) to (..., C, H · r, W · r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """Rearrange pixels to channels: (..., C, H · r, W · r) to (..., C · r², H, W), the inverse of `pixel_shuffle`."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool = True, full: builtins.bool = False, size_average: builtins.bool | None = None, eps: builtins.float = 1e-08, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute exp(input) - target input, for counts `target` and logarithms of their expectations; shapes broadcast."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by `weight`: one number, or one for each channel (dimension 1)."""
def relu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Replace negative elements by 0; `inplace` modifies and returns `input`."""
def relu6(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Clamp each element to the range from 0 to 6."""
def relu_(input: Tensor) -> Tensor:
    """Replace negative elements by 0 in place."""
def rms_norm(input: Tensor, normalized_shape: SupportsIndex | Sequence[builtins.int], weight: Tensor | None = None, eps: builtins.float | None = None) -> Tensor:
    """Divide the last dimensions, `normalized_shape`, by the root of the mean of their squares plus `eps`."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """Multiply negative elements by a slope, which is random in training. B. Xu and others, 2015."""
def rrelu_(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False) -> Tensor:
    """`rrelu` in place: changes `input` and returns it. Arguments: those of `rrelu`."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: builtins.float = 0.0, is_causal: builtins.bool = False, scale: builtins.float | None = None, enable_gqa: builtins.bool = False) -> Tensor:
    """Compute softmax(scale · query @ key.T + attn_mask) @ value, with memory linear in the lengths."""
def selu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute `elu` with scales that preserve mean 0 and variance 1 across layers. G. Klambauer and others, 2017."""
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / (1 + exp(-x)) for each element, without overflow."""
def silu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """Compute x * sigmoid(x) of each element."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean', beta: builtins.float = 1.0) -> Tensor:
    """Compute `huber_loss` with delta = beta, divided by beta; `l1_loss` for beta = 0. ValueError unless beta >= 0."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute log(1 + exp(-target input)) for targets 1 and -1, without overflow; ValueError if shapes differ."""
def softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension."""
def softmin(input: Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """softmax(-x) along a dimension."""
def softplus(input: Tensor, beta: builtins.float = 1, threshold: builtins.float = 20) -> Tensor:
    """Compute log(1 + exp(beta * x)) / beta of each element; returns x where beta * x is above `threshold`."""
def softshrink(input: Tensor, lambd: builtins.float = 0.5) -> Tensor:
    """Shift each element towards 0 by `lambd`; elements within `lambd` of 0 become 0."""
def softsign(input: Tensor) -> Tensor:
    """Compute x / (1 + abs(x)) of each element."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic tangent of each element."""
def tanhshrink(input: Tensor) -> Tensor:
    """Compute x - tanh(x) of each element."""
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """Replace elements that are not greater than `threshold` by `value`."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """`threshold` in place: changes `input` and returns it. Arguments: those of `threshold`."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2, eps: builtins.float = 1e-06, swap: builtins.bool = False, size_average: builtins.bool | None = None, reduce: builtins.bool | None = None, reduction: builtins.str = 'mean') -> Tensor:
    """Compute max(0, d(anchor, positive) - d(anchor, negative) + margin), d being `pairwise_distance` of norm `p`."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: builtins.float | Tensor = 1.0, swap: builtins.bool = False, reduction: builtins.str = 'mean') -> Tensor:
    """Compute `triplet_margin_loss` with any distance function of two tensors; `pairwise_distance` by default."""
def unfold(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Copy the windows of images to columns: (N, C, H, W) to (N, C · window, windows), or without N."""
