"""Writing safetensors files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._arrays import array_parts, is_array
from ._atomic import replacing, write_all
from ._header import METADATA, RESERVED, build_header, stored_as
from ._parts import Parts, check_parts, elements
from ._streams import File, resolved, write_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np


@boundary
def save_file(tensors: Mapping[str, Parts | np.ndarray], path: File, metadata: Mapping[str, str] | None = None) -> None:
    """Save named tensors, and texts about them, to a safetensors file.

    All tensors are written in row-major order, regardless of their strides and device. Tensors that share memory are
    written separately. complex128, which the format lacks, becomes pairs of float64 along a new last dimension;
    `load_file` reverses this. Source: https://huggingface.co/docs/safetensors.

    Arguments:
        tensors: by name, (storage, layout, offset in bytes) or a NumPy array.
        path: the path, replaced atomically and unchanged on any error; or a file opened in binary mode, written at its
            current position.
        metadata: texts about the tensors, by name.

    Raises:
        TypeError, ValueError: a name, a tensor or a text cannot be written; the message names it.
        OSError: the file cannot be written; the message names it.

    >>> import os, tempfile, numpy, facula_storage
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
            raise InvalidValueError(
                f"save_file: a tensor cannot be called {METADATA!r}, which the format reserves; choose another name"
            )
        where = f"tensor {name!r}"
        if is_array(parts):
            parts = array_parts(parts, "save_file", where)  # type: ignore[arg-type]
        checked[name] = check_parts(parts, "save_file", where)
    write("save_file", checked, path, check_metadata("save_file", metadata))


def check_metadata(operation: str, metadata: Mapping[str, str] | None) -> dict[str, str]:
    """Return a copy of `metadata`; raise TypeError or ValueError for non-text and reserved keys."""
    copy = dict(metadata or {})
    for key, value in copy.items():
        _check_text("a metadata key", key)
        _check_text(f"metadata {key!r}", value)
        if key.startswith(RESERVED):
            raise InvalidValueError(
                f"{operation}: metadata key {key!r} begins with {RESERVED!r}, which is reserved; rename it"
            )
    return copy


def write(operation: str, tensors: Mapping[str, Parts], path: File, metadata: Mapping[str, str]) -> None:
    """Write tensors and metadata that were validated."""
    layouts = {name: layout for name, (_, layout, _) in tensors.items()}
    for name, layout in layouts.items():
        stored_as(layout, f"tensor {name!r}")
    header, order = build_header(layouts, metadata)

    def pieces() -> Iterator[memoryview | bytes]:
        yield header
        for name in order:
            yield from elements(tensors[name])

    target = resolved(operation, path, "write")
    if not isinstance(target, str):
        write_pieces(target, pieces())
        return
    with replacing(target) as file:
        for piece in pieces():
            write_all(file, piece)


def _check_text(what: str, text: object) -> None:
    if type(text) is not str:
        raise InvalidTypeError(f"save: {what} is {text!r:.200}; expected a str")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidValueError(
            f"save: {what} is {text!r:.200}, which is not Unicode text (a lone surrogate); use another one"
        ) from None
