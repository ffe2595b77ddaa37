"""Writing safetensors files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ._atomic import replacing, write_all
from ._header import METADATA, RESERVED, build_header, stored_as
from ._parts import Parts, check_parts, elements

if TYPE_CHECKING:
    from collections.abc import Mapping


def save_file(
    tensors: Mapping[str, Parts], path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Write named tensors, and texts about them, into a safetensors file.

    Each tensor is (storage, layout, offset in bytes); all are written row-major, whatever their strides, from any
    device. Tensors that share memory are written once each. complex128, which the format lacks, becomes pairs of
    float64 along a new last dimension, which `load_file` puts together again. The file at `path` is replaced at once
    or, on any error, not at all. TypeError and ValueError name the tensor; OSError the file.
    Source: https://huggingface.co/docs/safetensors.

    >>> import tempfile, numpy, facula_storage
    >>> storage, layout = facula_storage.from_numpy(numpy.arange(6.0).reshape(2, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"weight": (storage, layout, 0)}, f"{folder}/model.safetensors")
    ...     sorted(os.listdir(folder))
    ['model.safetensors']
    """
    checked = {}
    for name, parts in tensors.items():
        _check_text("a name", name)
        if name == METADATA:
            raise ValueError(f"save_file: a tensor cannot be called {METADATA!r}, which the format reserves")
        checked[name] = check_parts(parts, "save_file", f"tensor {name!r}")
    write(checked, path, check_metadata("save_file", metadata))


def check_metadata(operation: str, metadata: Mapping[str, str] | None) -> dict[str, str]:
    """A copy of `metadata` if all of it is text and no key is reserved; TypeError or ValueError."""
    copy = dict(metadata or {})
    for key, value in copy.items():
        _check_text("a metadata key", key)
        _check_text(f"metadata {key!r}", value)
        if key.startswith(RESERVED):
            raise ValueError(
                f"{operation}: metadata key {key!r} begins with {RESERVED!r}, which is reserved; rename it"
            )
    return copy


def write(tensors: Mapping[str, Parts], path: str | os.PathLike[str], metadata: Mapping[str, str]) -> None:
    """Write what has been checked."""
    layouts = {name: layout for name, (_, layout, _) in tensors.items()}
    for name, layout in layouts.items():
        stored_as(layout, f"tensor {name!r}")
    header, order = build_header(layouts, metadata)
    with replacing(os.fsdecode(path)) as file:
        write_all(file, header)
        for name in order:
            for piece in elements(tensors[name]):
                write_all(file, piece)


def _check_text(what: str, text: object) -> None:
    if type(text) is not str:
        raise TypeError(f"save: {what} is {text!r:.200}; expected a str")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"save: {what} is {text!r:.200}, which is not Unicode text (a lone surrogate)") from None
