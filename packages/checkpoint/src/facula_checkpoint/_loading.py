"""Loading of files of all supported formats: safetensors and PyTorch's.

Readers are imported when a file requires them, so a program does not wait for readers that it does not use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors.extend import boundary

from ._streams import File, opened, peeked, resolved, why_readonly

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._parts import Parts
    from ._pytorch.sources import Source
    from ._pytorch.storages import Relocate
    from ._pytorch.tensor_globals import TensorTable

PYTORCH_MAGICS = (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")  # zip archives, and pickles
Value: TypeAlias = Any  # any value that is saved or loaded


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
    """Load the object in a file of `save` or `torch.save`; other safetensors files yield a dict of tensors by name.

    The format is detected from the contents. NumPy arrays are returned as arrays. By default the tensors are read into
    new, writable memory. A file of PyTorch may contain containers, numbers, strings, dates, paths, arrays and tensors;
    none of the names in it are imported or called.

    Arguments:
        path: the file or an open file, as for `load_file`.
        from_parts: makes a tensor from (storage, layout, offset), once for each occurrence; without it the triples are
            returned.
        lazy, copy: as for `load_file`.
        table: the classes and functions that a file of PyTorch may use; see `facula_checkpoint.extend`.
        relocate: returns memory on another device for a storage of such a file; see there.

    Raises:
        CheckpointError: the file is damaged, or uses names that are not in the table. Other errors are those of
            `load_file`.

    >>> import tempfile, numpy, facula_storage
    >>> from facula_checkpoint import save
    >>> storage, layout = facula_storage.from_numpy(numpy.arange(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save([(storage, layout, 0), "two"], f"{folder}/pair")
    ...     load(f"{folder}/pair", from_parts=lambda parts: facula_storage.to_numpy(*parts))
    [array([0, 1]), 'two']
    """
    target = resolved("load", path, "read")
    if isinstance(target, str):
        with opened(target) as (file, size):
            if os.pread(file, 2, 0) in PYTORCH_MAGICS:
                from ._pytorch.sources import FileSource

                why = why_readonly(target) if lazy and not copy else ""
                return _pytorch(FileSource(target, file, size), from_parts, table, lazy, why, relocate)
        path = target
    else:
        start, path = peeked(target, 2)
        if start in PYTORCH_MAGICS:
            from ._pytorch.sources import StreamSource

            return _pytorch(StreamSource(path), from_parts, table, False, "", relocate)
    from ._nested import load_nested

    return load_nested(path, from_parts, lazy, copy)


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
