"""Nested containers of tensors in one safetensors file, without pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, moved

from ._errors import CheckpointError
from ._header import RESERVED
from ._parts import Parts, is_parts
from ._reading import read
from ._streams import File, shown
from ._structure import Malformed, Value, decode, encode
from ._writing import check_metadata, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

moved(__name__)  # names that pickles of earlier releases have

STRUCTURE = RESERVED + "structure"  # the metadata key


def _themselves(value: object) -> Parts | None:
    return value if is_parts(value) else None


@boundary
def save(
    value: object,
    path: File,
    *,
    to_parts: Callable[[Value], Parts | None] = _themselves,
    default: Callable[[Value], object] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a tensor, or containers of tensors and plain values, into a safetensors file.

    Containers are dict, OrderedDict, list and tuple; plain values str, int, float, complex, bool and None, exactly
    these types. Tensors are named by how one gets to them, joined by dots, so a `state_dict` keeps its names in any
    reader of the format; the rest is JSON in the metadata.

    NumPy's arrays of bool, integers, float16 to float64 and complex numbers are taken too, of any strides and byte
    order, and come back as arrays in the machine's order; its numbers and texts come back as Python's.

    What is the same memory in the same layout is written once, and shared after `load`. Views that overlap otherwise
    are written once each. The file is replaced as by `save_file`.

    Arguments:
        value: what is saved.
        path: where; a file that is open in binary mode is written to from where it is.
        to_parts: gives the (storage, layout, offset) of a tensor and None for what is none; without it, such triples
            are the tensors.
        default: as that of `json.dumps`: gives one of the types above for a value of another type.
        metadata: texts about the tensors, by name.

    Raises:
        TypeError: something is of another type; the message says where it is. Other errors are those of `save_file`.

    >>> import tempfile, numpy, facula_checkpoint, facula_storage
    >>> storage, layout = facula_storage.from_numpy(numpy.ones(3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"model": {"bias": (storage, layout, 0)}, "betas": (0.9, 0.999)}, f"{folder}/run")
    ...     run = facula_checkpoint.load(f"{folder}/run")
    >>> run["betas"], facula_storage.to_numpy(*run["model"]["bias"])
    ((0.9, 0.999), array([1., 1., 1.]))
    """
    texts = check_metadata("save", metadata)
    structure, tensors = encode(value, to_parts, default)
    write("save", tensors, path, {**texts, STRUCTURE: structure})


def load_nested(path: File, from_parts: Callable[[Parts], object] | None, lazy: bool, copy: bool) -> Value:
    """The object in a safetensors file; see `load`."""
    tensors, metadata = read("load", path, lazy, copy)
    make = _unchanged if from_parts is None else from_parts
    structure = metadata.get(STRUCTURE)
    if structure is None:
        return {name: make(parts) for name, parts in tensors.items()}
    name = shown(path)
    try:
        return decode(name, structure, tensors, make)
    except Malformed as error:
        reason = (
            f"its structure does not fit: {error}. Its tensors can be read by name with facula_checkpoint.load_file"
        )
        raise CheckpointError(name, reason) from None


def _unchanged(parts: Parts) -> Parts:
    return parts
