"""Conversion of values, including tensors, to TensorBoard's protocol buffers."""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    figures = {"min": value.min(), "max": value.max(), "num": len(value), "sum": value.sum()}
    figures["sum_squares"] = np.square(value).sum()
    return counted(tag, figures, limits[first + 1 : last + 1], counts[first:last])


def counted(tag: str, figures: Mapping[str, float], limits: np.ndarray, counts: np.ndarray) -> Summary:
    """Return TensorBoard's record of a histogram: figures of all values, upper bounds and counts of the bins."""
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    proto = HistogramProto(**figures, bucket_limit=limits.tolist(), bucket=counts.tolist())
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


def boxed(pixels: np.ndarray, boxes: np.ndarray, scale: float, labels: Sequence[str] | None) -> np.ndarray:
    """Enlarge an image, and draw rectangles (left, top, right, bottom) with labels on it."""
    from PIL import Image, ImageDraw

    image = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).convert("RGB")
    image = image.resize((round(image.width * scale), round(image.height * scale)))
    pen = ImageDraw.Draw(image)
    for place, box in enumerate(boxes * scale):
        pen.rectangle([*map(float, box)], outline="red", width=2)
        if labels is not None:
            pen.text((float(box[0]) + 3, float(box[1]) + 1), str(labels[place]), fill="red")
    return np.asarray(image)


def gif(frames: Sequence[np.ndarray], rate: float) -> bytes:
    """Encode images of one size as an animated GIF file."""
    from PIL import Image

    target = io.BytesIO()
    first, *others = [Image.fromarray(frame[..., 0] if frame.shape[-1] == 1 else frame) for frame in frames]
    first.save(target, format="GIF", save_all=True, append_images=others, duration=round(1000 / rate), loop=0)
    return target.getvalue()


def image_summary(tag: str, pixels: np.ndarray, encoded: bytes | None = None) -> Summary:
    """Return TensorBoard's record of an image, encoded as PNG unless `encoded` is another file of it."""
    from tensorboard.compat.proto.summary_pb2 import Summary

    height, width, channels = pixels.shape
    content = png(pixels) if encoded is None else encoded
    found = Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=content)
    return Summary(value=[Summary.Value(tag=tag, image=found)])


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
    return pr_table(tag, np.stack([true, false, false[0] - false, true[0] - true, precision, recall]))


def pr_table(tag: str, table: np.ndarray) -> Summary:
    """Return TensorBoard's record of counts, precision and recall (6, thresholds)."""
    from tensorboard.plugins.pr_curve.metadata import create_summary_metadata

    metadata = create_summary_metadata(display_name=tag, description="", num_thresholds=table.shape[1])
    return tensor({tag: table.astype("f4")}, metadata)


def tensor(values: Mapping[str, AnyValue], *metadata: AnyValue) -> Summary:
    """Return TensorBoard's record of arrays by tag, with the metadata of a plugin for each."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.util.tensor_util import make_tensor_proto

    about = metadata or (None,) * len(values)
    return Summary(value=[
        Summary.Value(tag=tag, metadata=one, tensor=make_tensor_proto(value))
        for (tag, value), one in zip(values.items(), about, strict=True)
    ])  # fmt: skip


def mesh(tag: str, arrays: Mapping[str, np.ndarray], config: str) -> Summary:
    """Return TensorBoard's record of a mesh: its arrays by the names of TensorBoard's content types."""
    from tensorboard.plugins.mesh import metadata, plugin_data_pb2

    kinds = [getattr(plugin_data_pb2.MeshPluginData, name) for name in arrays]
    components = metadata.get_components_bitmask(kinds)
    about = [
        metadata.create_summary_metadata(tag, tag, kind, components, found.shape, json_config=config)
        for kind, found in zip(kinds, arrays.values(), strict=True)
    ]
    names = [metadata.get_instance_name(tag, kind) for kind in kinds]
    return tensor(dict(zip(names, arrays.values(), strict=True)), *about)


def layout(groups: Mapping[str, Mapping[str, Sequence[AnyValue]]]) -> Summary:
    """Return TensorBoard's record of a layout of charts."""
    from tensorboard.plugins.custom_scalar import layout_pb2, metadata

    found = layout_pb2.Layout()
    for group, charts in groups.items():
        category = found.category.add(title=group)
        for title, chart in charts.items():
            kind, tags = chart if len(chart) == 2 else (None, ())
            if kind == "Multiline":
                category.chart.add(title=title, multiline={"tag": list(tags)})
            elif kind == "Margin" and len(tags) == 3:
                series = dict(zip(("value", "lower", "upper"), tags, strict=True))
                category.chart.add(title=title, margin={"series": [series]})
            else:
                raise InvalidValueError(
                    f"add_custom_scalars: expected ['Multiline', tags] or ['Margin', [value, lower, upper]]; got "
                    f"{chart!r:.80} for {title!r}"
                )
    return tensor({metadata.CONFIG_SUMMARY_TAG: found.SerializeToString()}, metadata.create_summary_metadata())


@boundary
def hparams(
    hparam_dict: Mapping[str, bool | float | str] | None = None,
    metric_dict: Mapping[str, float] | None = None,
    hparam_domain_discrete: Mapping[str, list[AnyValue]] | None = None,
) -> tuple[AnyValue, AnyValue, AnyValue]:
    """Return TensorBoard's records of an experiment, its settings and its successful end.

    Arguments:
        hparam_dict: the settings by name.
        metric_dict: the resulting numbers, by name.
        hparam_domain_discrete: the possible values of a setting, by its name.

    Raises:
        TypeError: a setting is not a number, bool or text.
    """
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2, summary_v2

    for name, value in (hparam_dict or {}).items():
        if not isinstance(value, (bool, int, float, str)):
            raise InvalidTypeError(
                f"add_hparams: expected settings to be numbers, bools or text; got {name}={value!r:.60}"
            )
    domains = {name: summary_v2.Discrete(values) for name, values in (hparam_domain_discrete or {}).items()}
    settings = [summary_v2.HParam(name, domains.get(name)) for name in hparam_dict or {}]
    metrics = [summary_v2.Metric(name) for name in metric_dict or {}]
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS)
    about = metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(session_end_info=end))
    last = Summary()
    last.value.add(tag=metadata.SESSION_END_INFO_TAG, metadata=about, tensor=metadata.NULL_TENSOR)
    return summary_v2.hparams_config_pb(settings, metrics), summary_v2.hparams_pb(dict(hparam_dict or {})), last
