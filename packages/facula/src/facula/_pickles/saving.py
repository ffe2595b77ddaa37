"""`save` and `load`: tensors, and objects that contain tensors, in PyTorch's files and in safetensors files."""

from __future__ import annotations

import codecs
from os import PathLike, fsdecode
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor, TypedStorage, UntypedStorage
from facula_tensor.extend.tensors import addressable

from .._lookup.siblings import needs
from .._types import AnyValue

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import BinaryIO, TypeAlias

    from facula_checkpoint import Parts
    from facula_tensor.extend.arguments import DeviceLike

    MapLocation: TypeAlias = (
        DeviceLike
        | Mapping[AnyValue, DeviceLike]
        | Callable[[UntypedStorage, str], UntypedStorage | TypedStorage | None]
        | None
    )

safe: list[object] = []  # arguments of add_safe_globals


@boundary
def save(
    obj: object,
    f: str | os.PathLike[str] | BinaryIO,
    pickle_module: object = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object into the file `f`, atomically.

    `f` is a path, or a file that is open in binary mode (also `io.BytesIO`), which is written to from its position on.

    A name that ends in `.safetensors` selects the safetensors format, for dicts, lists, tuples and plain values with
    tensors and NumPy arrays in them. All other files have PyTorch's zip format, which `torch.load` reads. It supports
    all objects that Python can pickle: state dicts, whole modules and optimizers, sets, bytes, dtypes, paths,
    namespaces. Modules, optimizers and functions have PyTorch's names in it. Tensors that share memory share it after
    `load`.

    Arguments:
        obj: the object.
        f: the destination.
        pickle_module: ignored; objects are pickled by Python's own.
        pickle_protocol: the highest protocol that readers support, from 2 on; files are written in protocol 2.
        _use_new_zipfile_serialization: False, for PyTorch's format before version 1.6, is refused.

    Raises:
        TypeError: an object cannot be pickled or is not supported by safetensors files. Or `f` is in text mode.
        ValueError: containers are nested too deeply, or a tensor of a safetensors file is on device "meta".
        OSError: the file cannot be written; an existing file at the path is unchanged.

    >>> import os, tempfile, facula
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.pt")
    ...     facula.save({"model": {"weight": facula.ones(2)}, "epoch": 3, "classes": {"cat", }}, path)
    ...     facula.load(path)
    {'model': {'weight': tensor([1., 1.])}, 'epoch': 3, 'classes': {'cat'}}
    """
    if not _use_new_zipfile_serialization:
        raise UnsupportedError(
            "save: expected _use_new_zipfile_serialization=True; PyTorch's format before version 1.6 is only read; "
            "leave it out"
        )
    if not isinstance(pickle_protocol, int) or pickle_protocol < 2:
        raise InvalidValueError(f"save: expected pickle_protocol to be 2 or more; got {pickle_protocol!r}")
    with needs("facula.save"):
        import facula_checkpoint
    if isinstance(f, (str, bytes, PathLike)) and fsdecode(f).endswith(".safetensors"):
        facula_checkpoint.save(obj, f, to_parts=to_parts, default=without_size)
        return
    from facula_checkpoint.extend import write_pytorch

    from .reducing import reduce, storage

    write_pytorch(obj, f, reduce, {UntypedStorage: storage, TypedStorage: storage})


@boundary
def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: MapLocation = None,
    pickle_module: object = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
    fix_imports: bool = True,
) -> AnyValue:
    """Read an object that `save` or `torch.save` wrote into the file `f`, or a dict from another safetensors file.

    The format is recognized by the contents: safetensors, PyTorch's zip format, and the one before version 1.6. `load`
    imports and calls no names from the file. It supports plain containers and values, tensors, parameters, storages,
    NumPy arrays, modules, optimizers and schedules of this library, dates, paths and namespaces. Other classes are
    refused, unless the program names them with `facula.serialization.add_safe_globals`.

    Arguments:
        f: a path, or a file that is open in binary mode, which is read from its position to the saved object's end.
        map_location: the device for the tensors. None is the CPU, or the CUDA device from which a tensor was saved if
            CUDA is available. A dict maps the device of a saved tensor to the new one: `{"cuda:0": "cpu"}`. A function
            receives a storage on the CPU and the name of its saved device, and returns the storage to use, or None.
            NumPy arrays stay on the CPU.
        pickle_module: ignored; files are read by a reader of our own.
        weights_only: ignored; the result is the same.
        mmap: read the elements from the file on access; writes do not change the file. The file must stay unchanged
            as long as the tensors: access to a truncated part ends the program (SIGBUS). `save` replaces files and
            never shortens one, so a file that only it writes is safe.
        encoding, errors: for texts that Python 2 wrote, as for `bytes.decode`; the encoding "bytes" keeps bytes.
        fix_imports: map Python 2's names, such as `__builtin__`, to the present ones.

    Raises:
        ValueError: the file is truncated, damaged, of another format, or uses a class that is refused:
            `facula_checkpoint.CheckpointError`, with `path` and `reason`.
        OSError: the file cannot be opened.

    >>> load("no such file")
    Traceback (most recent call last):
    facula_errors.MissingFileError: [Errno 2] load: No such file or directory; check the path: 'no such file'
    """
    with needs("facula.load"):
        import facula_checkpoint
    if mmap and hasattr(f, "read") and not hasattr(f, "__fspath__"):
        got = type(f).__name__
        raise InvalidValueError(f"load: expected f to be a path, as mmap={mmap} maps it; got {got}; pass its path")
    from .location import relocation
    from .table import FaceTable, tensors_at

    relocate = relocation(map_location)
    table = FaceTable(named_globals(), *check_encoding(encoding, errors), fix_imports)
    return facula_checkpoint.load(
        f,
        from_parts=tensors_at(relocate),
        lazy=bool(mmap),
        copy=bool(mmap),
        table=table,
        relocate=relocate,
    )


def check_encoding(encoding: object, errors: object) -> tuple[str, str]:
    """Check the names of an encoding and of an error handler; ValueError for unknown names."""
    try:
        if encoding != "bytes":
            "".encode(encoding)  # type: ignore[arg-type]
    except (LookupError, TypeError):
        raise InvalidValueError(f"load: expected the name of an encoding; got {encoding!r:.60}") from None
    try:
        codecs.lookup_error(errors)  # type: ignore[arg-type]
    except (LookupError, TypeError):
        raise InvalidValueError(f"load: expected errors as 'strict' or 'replace'; got {errors!r:.60}") from None
    return encoding, errors  # type: ignore[return-value]


def to_parts(value: object) -> Parts | None:
    """Return a tensor as storage, layout and offset; None for other objects."""
    if not isinstance(value, Tensor):
        return None
    now = addressable("save", value)
    return now._storage, now._layout, now._offset


def without_size(value: object) -> object:
    """Return a Size as a plain tuple."""
    return tuple(value) if type(value) is Size else value


def named(entry: object) -> tuple[str, object]:
    """Return a class or function and its name in pickles."""
    if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[1], str) and "." in entry[1]:
        module, _, name = entry[1].rpartition(".")
        return f"{module} {name}", entry[0]
    home, own = getattr(entry, "__module__", None), getattr(entry, "__qualname__", None)
    if not callable(entry) or not isinstance(home, str) or not isinstance(own, str):
        raise InvalidTypeError(
            f"add_safe_globals: expected classes, functions and pairs (class, 'module.name'); got {entry!r:.100}"
        )
    return f"{home} {own}", entry


def named_globals() -> dict[str, object]:
    """Return the classes and functions of the list by their names in pickles."""
    return dict([named(entry) for entry in safe])
