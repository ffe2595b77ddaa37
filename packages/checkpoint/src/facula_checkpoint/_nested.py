"""Nested containers of tensors in one safetensors file, without pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, moved

from ._header import RESERVED
from ._parts import Parts, is_parts
from ._reading import read
from ._streams import File, shown
from ._structure import Value, decode_structure, encode_structure
from ._writing import check_metadata, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

moved(__name__)  # paths in pickles of earlier releases

STRUCTURE = RESERVED + "structure"  # the metadata key


def _parts_or_none(value: object) -> Parts | None:
    return value if is_parts(value) else None


@boundary
def save(
    value: object,
    path: File,
    *,
    to_parts: Callable[[Value], Parts | None] = _parts_or_none,
    default: Callable[[Value], object] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Save a tensor, or containers of tensors and plain values, to a safetensors file.

    Containers are dict, OrderedDict, list and tuple; plain values are str, int, float, complex, bool and None;
    subclasses are not accepted. The name of a tensor is its path through the containers, joined by dots, so a
    `state_dict` keeps its names for any reader of the format. Everything else is stored as JSON in the metadata.

    NumPy arrays of bool, integers, float16 to float64 and complex numbers are also accepted, with any strides and byte
    order, and loaded as arrays in native byte order. NumPy's scalars and strings are loaded as Python objects.

    Tensors with the same memory and layout are written once, and share memory after `load`. Views that overlap
    otherwise are written separately. The file is replaced as by `save_file`.

    Arguments:
        value: the object to save.
        path: the path of the file; a file opened in binary mode is written at its current position.
        to_parts: returns the (storage, layout, offset) of a tensor, and None for other objects; without it, such
            triples are the tensors.
        default: like `default` of `json.dumps`: converts a value of another type to one of the types above.
        metadata: texts about the tensors, by name.

    Raises:
        TypeError: a value has another type; the message names its path. Other errors are those of `save_file`.

    >>> import tempfile, numpy, facula_checkpoint, facula_storage
    >>> storage, layout = facula_storage.from_numpy(numpy.ones(3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"model": {"bias": (storage, layout, 0)}, "betas": (0.9, 0.999)}, f"{folder}/run")
    ...     run = facula_checkpoint.load(f"{folder}/run")
    >>> run["betas"], facula_storage.to_numpy(*run["model"]["bias"])
    ((0.9, 0.999), array([1., 1., 1.]))
    """
    texts = check_metadata("save", metadata)
    structure, tensors = encode_structure(value, to_parts, default)
    write("save", tensors, path, {**texts, STRUCTURE: structure})


def load_nested(path: File, from_parts: Callable[[Parts], object] | None, lazy: bool, copy: bool) -> Value:
    """Load the object in a safetensors file; see `load`."""
    tensors, metadata = read("load", path, lazy, copy)
    make = _unchanged if from_parts is None else from_parts
    structure = metadata.get(STRUCTURE)
    if structure is None:
        return {name: make(parts) for name, parts in tensors.items()}
    return decode_structure(shown(path), structure, tensors, make)


def _unchanged(parts: Parts) -> Parts:
    return parts
