"""Saving and loading nested containers of tensors: everything in one safetensors file, and no pickle."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ._errors import CheckpointError
from ._header import RESERVED
from ._parts import Parts, is_parts
from ._reading import opened, read, why_readonly
from ._streams import File, peeked, resolved, shown
from ._structure import Malformed, Value, decode, encode
from ._writing import check_metadata, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._pytorch.sources import Source
    from ._pytorch.storages import Relocate
    from ._pytorch.tensor_globals import TensorTable

PYTORCH_BEGINS = (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")  # zip archives, and pickles
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

    >>> import tempfile, numpy, facula_storage
    >>> storage, layout = facula_storage.from_numpy(numpy.ones(3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"model": {"bias": (storage, layout, 0)}, "betas": (0.9, 0.999)}, f"{folder}/run")
    ...     run = load(f"{folder}/run")
    >>> run["betas"], facula_storage.to_numpy(*run["model"]["bias"])
    ((0.9, 0.999), array([1., 1., 1.]))
    """
    texts = check_metadata("save", metadata)
    structure, tensors = encode(value, to_parts, default)
    write("save", tensors, path, {**texts, STRUCTURE: structure})


@boundary
def load(
    path: File,
    *,
    from_parts: Callable[[Parts], object] | None = None,
    lazy: bool = False,
    copy: bool = False,
    table: TensorTable | None = None,
    relocate: Relocate | None = None,
) -> Value:
    """The object in a file that `save` or `torch.save` wrote; of another safetensors file, a dict of tensors by name.

    The format is recognized by the contents. NumPy's arrays come back as such. By default the tensors are read into
    fresh memory, which can be written. A file of PyTorch's may have containers, numbers, texts, dates, paths, arrays
    and tensors; nothing that it names is imported or called.

    Arguments:
        path: the file, which may be open, as for `load_file`.
        from_parts: makes a tensor of (storage, layout, offset), once for each place at which it is; without it the
            triples are returned.
        lazy, copy: as for `load_file`.
        table: the classes and functions that a file of PyTorch's may use; see `facula_checkpoint.extend`.
        relocate: gives the memory of a storage of such a file on another device; see there.

    Raises:
        CheckpointError: the file is damaged, or uses what is not in the table. Other errors are those of `load_file`.

    >>> import tempfile, numpy, facula_storage
    >>> storage, layout = facula_storage.from_numpy(numpy.arange(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save([(storage, layout, 0), "two"], f"{folder}/pair")
    ...     load(f"{folder}/pair", from_parts=lambda parts: facula_storage.to_numpy(*parts))
    [array([0, 1]), 'two']
    """
    target = resolved("load", path, "read")
    if isinstance(target, str):
        with opened(target) as (file, size):
            if os.pread(file, 2, 0) in PYTORCH_BEGINS:
                from ._pytorch.sources import FileSource

                why = why_readonly(target) if lazy and not copy else ""
                return _pytorch(FileSource(target, file, size), from_parts, table, lazy, why, relocate)
        path = target
    else:
        start, path = peeked(target, 2)
        if start in PYTORCH_BEGINS:
            from ._pytorch.sources import StreamSource

            return _pytorch(StreamSource(path), from_parts, table, False, "", relocate)
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


def _pytorch(
    source: Source,
    from_parts: Callable[[Parts], object] | None,
    table: TensorTable | None,
    lazy: bool,
    readonly: str,
    relocate: Relocate | None,
) -> Value:
    from ._pytorch.reading import read_pytorch
    from ._pytorch.tensor_globals import TensorTable

    return read_pytorch(source, table or TensorTable(from_parts), lazy, readonly, relocate)


def _unchanged(parts: Parts) -> Parts:
    return parts
