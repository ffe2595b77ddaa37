"""Points for TensorBoard's projector, in its file format."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidValueError

from . import _summaries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..._types import AnyValue


def write(
    folder: str,
    points: np.ndarray,
    metadata: Sequence[AnyValue] | None,
    pictures: np.ndarray | None,
    step: int,
    tag: str,
    header: Sequence[str] | None,
) -> None:
    """Write points, labels and pictures into FOLDER/STEP/TAG, and add that folder to projector_config.pbtxt."""
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    if points.ndim != 2:
        raise InvalidValueError(f"add_embedding: expected mat (points, dimensions); got shape {points.shape}")
    for name, given in (("metadata", metadata), ("label_img", pictures)):
        if given is not None and len(given) != len(points):
            raise InvalidValueError(f"add_embedding: expected {name} for {len(points)} points; got {len(given)}")
    inner = os.path.join(str(step).zfill(5), tag)
    os.makedirs(os.path.join(folder, inner), exist_ok=True)
    config = ProjectorConfig()
    path = os.path.join(folder, "projector_config.pbtxt")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text_format.Parse(file.read(), config)
    entry = config.embeddings.add(tensor_name=f"{tag}:{str(step).zfill(5)}", tensor_path=f"{inner}/tensors.tsv")
    rows = ("\t".join(repr(float(number)) for number in point) for point in points)
    _write_lines(os.path.join(folder, inner, "tensors.tsv"), rows)
    if metadata is not None:
        labels = ["\t".join(map(_label, row)) if header is not None else _label(row) for row in metadata]
        _write_lines(os.path.join(folder, inner, "metadata.tsv"), ["\t".join(header), *labels] if header else labels)
        entry.metadata_path = f"{inner}/metadata.tsv"
    if pictures is not None:
        columns = math.ceil(math.sqrt(len(pictures)))
        sprite = np.concatenate([pictures, np.zeros((columns**2 - len(pictures), *pictures.shape[1:]), pictures.dtype)])
        rows_of_pictures = [sprite[first : first + columns] for first in range(0, len(sprite), columns)]
        whole = np.concatenate([np.concatenate(list(row), axis=2) for row in rows_of_pictures], axis=1)
        with open(os.path.join(folder, inner, "sprite.png"), "wb") as picture:
            picture.write(_summaries.png(_summaries.image("add_embedding", whole, "CHW")))
        entry.sprite.image_path = f"{inner}/sprite.png"
        entry.sprite.single_image_dim.extend([pictures.shape[3], pictures.shape[2]])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_format.MessageToString(config))


def _label(value: object) -> str:
    return str(value.item() if hasattr(value, "item") else value).replace("\t", " ").replace("\n", " ")


def _write_lines(path: str, lines: Iterable[str]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
