"""torchvision operators that facula implements: `torchvision::nms` and `torchvision::roi_align` with its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import facula
from facula_errors import ArgumentError
from facula_tensor.library import custom_op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula import Tensor

    Array = np.ndarray[Any, Any]


@custom_op("torchvision::nms")
def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the indices of boxes, by decreasing score, that overlap no earlier box by more than a threshold.

    Arguments:
        dets: (N, 4), the corners x1, y1, x2, y2.
        scores: (N,).
        iou_threshold: the limit of the intersection's area divided by the union's.
    """
    if dets.ndim != 2 or dets.shape[1] != 4 or scores.shape != dets.shape[:1]:
        raise ArgumentError(
            f"nms: expected boxes (N, 4) and scores (N,); got {tuple(dets.shape)} and {tuple(scores.shape)}"
        )
    order = scores.argsort(descending=True, stable=True).numpy()
    x1, y1, x2, y2 = _computed(dets).numpy()[order].T
    areas = (x2 - x1) * (y2 - y1)
    left = np.ones(len(order), bool)
    kept = []
    for i in range(len(order)):
        if not left[i]:
            continue
        kept.append(i)
        later = slice(i + 1, None)
        width = np.minimum(x2[i], x2[later]) - np.maximum(x1[i], x1[later])
        height = np.minimum(y2[i], y2[later]) - np.maximum(y1[i], y1[later])
        common = width.clip(0) * height.clip(0)
        with np.errstate(invalid="ignore"):  # boxes without an area
            overlap = common / (areas[i] + areas[later] - common)
        left[later] &= ~(overlap.astype("f8") > iou_threshold)
    return facula.from_numpy(order[kept])


@custom_op("torchvision::roi_align")
def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """Return means of linearly interpolated samples in a grid of bins per region (He et al., Mask R-CNN, 2017).

    Bilinear weights are products of a row weight and a column weight. So the bins of a region are `rows @ image @
    columns.T`, where the matrices contain the mean weights of each row and column of the image.

    Arguments:
        input: images (N, C, H, W).
        rois: regions (K, 5): the image's index, and the corners x1, y1, x2, y2.
        spatial_scale: the factor that multiplies the corners.
        pooled_height, pooled_width: the number of bins.
        sampling_ratio: samples along each side of a bin; 0 or less for about one per pixel.
        aligned: place pixel centres at .5; otherwise, a region is at least one pixel wide and high.

    Returns:
        Tensor: (K, C, pooled_height, pooled_width).
    """
    pixels = _computed(input)
    result = pixels.new_zeros(len(rois), input.shape[1], pooled_height, pooled_width)
    for k, region in enumerate(
        _regions(input.shape, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned)
    ):
        result[k] = (
            region.row_weights @ pixels[region.image, :, region.rows, region.columns] @ region.column_weights.t()
        )
    return result.to(input.dtype)


@custom_op("torchvision::_roi_align_backward")
def roi_align_backward(
    grad: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """Return the gradient with respect to the images: each bin's gradient, spread by the weights of `roi_align`."""
    slopes, shape = _computed(grad), (batch_size, channels, height, width)
    result = slopes.new_zeros(shape)
    for slope, region in zip(
        slopes,
        _regions(shape, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned),
        strict=True,
    ):
        result[region.image, :, region.rows, region.columns] += region.row_weights.t() @ slope @ region.column_weights
    return result.to(grad.dtype)


class Region(NamedTuple):
    """The part of an image that contributes to the bins of a region, and its weights in each bin."""

    image: int
    rows: slice
    columns: slice
    row_weights: Tensor  # (bins, rows)
    column_weights: Tensor


def _regions(
    shape: tuple[int, ...],
    rois: Tensor,
    scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Iterator[Region]:
    """Yield each region of `rois` in images of this shape."""
    if len(shape) != 4 or rois.ndim != 2 or rois.shape[1] != 5:
        raise ArgumentError(
            f"roi_align: expected images (N, C, H, W) and regions (K, 5); got {tuple(shape)} and {tuple(rois.shape)}"
        )
    values = _computed(rois).numpy()
    if len(values) and not (values[:, 0].min() >= 0 and values[:, 0].max() < shape[0]):
        raise ArgumentError(f"roi_align: expected indices of {shape[0]} images in rois[:, 0]; got {values[:, 0]}")
    corners = values[:, 1:] * values.dtype.type(scale) - values.dtype.type(0.5 if aligned else 0)
    for image, (x1, y1, x2, y2) in zip(values[:, 0], corners, strict=True):
        across, down = x2 - x1, y2 - y1
        if not aligned:
            across, down = max(across, values.dtype.type(1)), max(down, values.dtype.type(1))
        rows, row_weights = _side(y1, down, pooled_height, sampling_ratio, shape[2])
        columns, column_weights = _side(x1, across, pooled_width, sampling_ratio, shape[3])
        yield Region(int(image), rows, columns, facula.from_numpy(row_weights), facula.from_numpy(column_weights))


def _side(start: Any, size: Any, bins: int, sampling_ratio: int, length: int) -> tuple[slice, Array]:
    """Return the pixels along one side of a region that samples read, and their mean weights in each bin."""
    samples = sampling_ratio if sampling_ratio > 0 else max(int(np.ceil(size / bins)), 0)
    step = size / bins
    within = (np.arange(samples, dtype=start.dtype) + start.dtype.type(0.5)) * step / max(samples, 1)
    at = (start + np.arange(bins, dtype=start.dtype) * step)[:, None] + within
    inside = (at >= -1) & (at <= length)  # a sample farther outside is 0
    at = at.clip(0, length - 1)
    low = at.astype(np.int64)
    high = np.minimum(low + 1, length - 1)
    first, end = (int(low.min()), int(high.max()) + 1) if samples else (0, 0)
    weights = np.zeros((bins, end - first), start.dtype)
    for pixel, share in ((low, 1 - (at - low)), (high, at - low)):
        np.add.at(weights, (np.arange(bins)[:, None], pixel - first), inside * share / samples)
    return slice(first, end), weights


def _computed(tensor: Tensor) -> Tensor:
    """Return the tensor in the dtype of the computation: float32 for half types."""
    return tensor if tensor.dtype == facula.float64 else tensor.float()


def _keep_roi_align(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    image, rois, *ctx.options = inputs
    ctx.shape = image.shape
    ctx.save_for_backward(rois)


def _roi_align_vjp(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    scale, height, width, *sampling = ctx.options
    (rois,) = ctx.saved_tensors
    return roi_align_backward(grad, rois, scale, height, width, *ctx.shape, *sampling), *[None] * 6


def _keep_roi_align_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.options = (*inputs[2:5], *inputs[-2:])
    ctx.save_for_backward(inputs[1])


def _roi_align_backward_vjp(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return roi_align(grad, *ctx.saved_tensors, *ctx.options), *[None] * 10


roi_align.register_autograd(_roi_align_vjp, setup_context=_keep_roi_align)
roi_align_backward.register_autograd(_roi_align_backward_vjp, setup_context=_keep_roi_align_backward)


@roi_align.register_fake
def _(input: Tensor, rois: Tensor, spatial_scale: float, height: int, width: int, *sampling: object) -> Tensor:
    return input.new_empty(len(rois), input.shape[1], height, width)


@roi_align_backward.register_fake
def _(grad: Tensor, rois: Tensor, scale: float, pooled_height: int, pooled_width: int, *rest: int) -> Tensor:
    return grad.new_empty(rest[:4])
