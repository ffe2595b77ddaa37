"""Conversion of values, including tensors, to TensorBoard's protocol buffers."""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_tensor import Tensor

if TYPE_CHECKING:
    from tensorboard.compat.proto.summary_pb2 import Summary

    from ..._types import AnyValue

COLUMNS = 8  # of adjacent images


def array(operation: str, value: object) -> np.ndarray:
    """Return a tensor, an array, a number or a sequence of them as a NumPy array; half precision as float32."""
    if isinstance(value, (list, tuple)):
        return np.array([array(operation, element) for element in value])
    if isinstance(value, Tensor):
        value = value.detach()
        value = (value.float() if value.is_floating_point() and value.itemsize < 4 else value).cpu().numpy()
    found = np.asarray(value)
    if found.dtype.kind not in "biuf":
        raise InvalidTypeError(f"{operation}: expected numbers; got {type(value).__name__} {value!r:.60}")
    return found


def number(operation: str, value: object) -> float:
    """Return a single number."""
    found = array(operation, value)
    if found.size != 1:
        raise InvalidValueError(f"{operation}: expected a single number; got shape {found.shape}")
    return float(found.reshape(()))


def scalar(tag: str, value: float) -> Summary:
    """Return the summary of a number."""
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary(value=[Summary.Value(tag=tag, simple_value=value)])


def histogram(tag: str, value: np.ndarray, bins: AnyValue = "tensorflow", max_bins: int | None = None) -> Summary:
    """Count the values between bounds: `bins` is NumPy's, or "tensorflow" for bounds that grow by a tenth."""
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    value = value.astype(np.float64).reshape(-1)
    if not value.size or not np.isfinite(value).all():
        raise InvalidValueError(f"add_histogram: expected values that are finite, one at least; got {value!r:.60}")
    if isinstance(bins, str) and bins == "tensorflow":
        growing = 1e-12 * 1.1 ** np.arange(775)
        bins = np.concatenate([-growing[::-1], [0.0], growing])
    counts, limits = np.histogram(value, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = -(-len(counts) // max_bins)
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.flatnonzero(counts)
    first, last = (filled[0], filled[-1] + 1) if len(filled) else (0, 1)
    first = max(first - 1, 0)  # an empty one, whose right bound is the left bound of the first nonempty one
    proto = HistogramProto(
        min=value.min(),
        max=value.max(),
        num=len(value),
        sum=value.sum(),
        sum_squares=np.square(value).sum(),
        bucket_limit=limits[first + 1 : last + 1].tolist(),
        bucket=counts[first:last].tolist(),
    )
    return Summary(value=[Summary.Value(tag=tag, histo=proto)])


def in_order(operation: str, pixels: np.ndarray, dataformats: str, wanted: str) -> np.ndarray:
    """Permute the dimensions named by `dataformats` into the order `wanted`; missing ones get length 1."""
    names = dataformats.upper()
    if len(names) != pixels.ndim or len(set(names)) != len(names) or not set(names) <= set(wanted):
        raise InvalidValueError(
            f"{operation}: expected dataformats to name the dimensions, each of {wanted!r} once; got {dataformats!r} "
            f"for shape {pixels.shape}"
        )
    pixels = pixels.transpose([names.index(name) for name in wanted if name in names])
    for place, name in enumerate(wanted):
        if name not in names:
            pixels = np.expand_dims(pixels, place)
    return pixels


def image(operation: str, value: object, dataformats: str) -> np.ndarray:
    """Convert an image, or a batch as a grid, to bytes (height, width, 1, 3 or 4); floats 0 to 1 become 0 to 255."""
    found = array(operation, value)
    if found.dtype != np.uint8:
        scaled = found.astype(np.float64) * (255 if found.dtype.kind == "f" or found.dtype == bool else 1)
        found = np.nan_to_num(scaled).clip(0, 255).astype(np.uint8)
    batch = in_order(operation, found, dataformats, "NHWC")
    if batch.shape[-1] not in (1, 3, 4):
        raise InvalidValueError(
            f"{operation}: expected images of 1, 3 or 4 channels; got {batch.shape[-1]} by dataformats={dataformats!r}"
        )
    return grid(batch)


def grid(batch: np.ndarray) -> np.ndarray:
    """Arrange images (n, height, width, channels) in a grid, at most eight in a row.

    >>> grid(np.ones((10, 2, 3, 1))).shape
    (4, 24, 1)
    """
    count, height, width, channels = batch.shape
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    filled = np.zeros((rows * columns, height, width, channels), batch.dtype)
    filled[:count] = batch
    return (
        filled.reshape(rows, columns, height, width, channels)
        .transpose(0, 2, 1, 3, 4)
        .reshape(rows * height, columns * width, channels)
    )


def png(pixels: np.ndarray) -> bytes:
    """Encode an image as a PNG file."""
    from PIL import Image

    target = io.BytesIO()
    Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).save(target, format="PNG")
    return target.getvalue()


def image_summary(tag: str, pixels: np.ndarray) -> Summary:
    """Return TensorBoard's record of an image."""
    from tensorboard.compat.proto.summary_pb2 import Summary

    height, width, channels = pixels.shape
    encoded = Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=png(pixels))
    return Summary(value=[Summary.Value(tag=tag, image=encoded)])


def audio(tag: str, value: np.ndarray, rate: int) -> Summary:
    """Return TensorBoard's record of a sound from -1 to 1: 16 bits a sample, one channel."""
    from tensorboard.compat.proto.summary_pb2 import Summary

    samples = (value.reshape(-1).astype(np.float64).clip(-1, 1) * 32767).astype("<i2")
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    sound = Summary.Audio(
        sample_rate=rate,
        num_channels=1,
        length_frames=len(samples),
        encoded_audio_string=target.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Summary.Value(tag=tag, audio=sound)])


def pr_curve(tag: str, labels: np.ndarray, predictions: np.ndarray, count: int, weights: np.ndarray | None) -> Summary:
    """Return TensorBoard's record of precision and recall, with their counts, at `count` thresholds from 0 to 1."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.pr_curve.metadata import create_summary_metadata
    from tensorboard.util.tensor_util import make_tensor_proto

    if labels.shape != predictions.shape or count < 2:
        raise InvalidValueError(
            f"add_pr_curve: expected labels and predictions of one shape, and 2 thresholds at least; got "
            f"{labels.shape}, {predictions.shape} and {count}"
        )
    weights = np.broadcast_to(1.0 if weights is None else weights, labels.shape)
    places = np.floor(predictions.clip(0, 1) * (count - 1)).astype(np.int64).reshape(-1)
    # Numbers of true and false samples at or above each threshold.
    true, false = (
        np.bincount(places, (weights * chosen).reshape(-1), count)[::-1].cumsum()[::-1] for chosen in (labels, ~labels)
    )
    precision = true / np.maximum(true + false, 1e-7)
    recall = true / max(true[0], 1e-7)
    table = np.stack([true, false, false[0] - false, true[0] - true, precision, recall])
    metadata = create_summary_metadata(display_name=tag, description="", num_thresholds=count)
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=make_tensor_proto(table.astype("f4")))])


def session_end() -> Summary:
    """Return TensorBoard's record of the successful end of a run with settings."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS)
    about = metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(session_end_info=end))
    value = Summary.Value(tag=metadata.SESSION_END_INFO_TAG, metadata=about, tensor=metadata.NULL_TENSOR)
    return Summary(value=[value])
