"""`save` and `load`: tensors, and objects with tensors in them, in PyTorch's files and in safetensors files."""

from __future__ import annotations

import codecs
from os import PathLike, fsdecode
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor, TypedStorage, UntypedStorage
from facula_tensor.extend import addressable

from .._lookup.siblings import needs
from .._types import AnyValue

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import BinaryIO, TypeAlias

    from facula_checkpoint import Parts
    from facula_tensor.extend import DeviceLike

    MapLocation: TypeAlias = (
        DeviceLike
        | Mapping[AnyValue, DeviceLike]
        | Callable[[UntypedStorage, str], UntypedStorage | TypedStorage | None]
        | None
    )

safe: list[object] = []  # what programs gave to add_safe_globals


@boundary
def save(
    obj: object,
    f: str | os.PathLike[str] | BinaryIO,
    pickle_module: object = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object into the file `f`, at once or not at all.

    `f` is a path, or a file that is open in binary mode (`io.BytesIO` too), which is written to from where it is.

    A name that ends in `.safetensors` gets a safetensors file, which has dicts, lists, tuples and plain values with
    tensors and NumPy arrays in them. All other files have PyTorch's zip format, which `torch.load` reads, and hold
    whatever Python can pickle: state dicts, whole modules and optimizers, sets, bytes, dtypes, paths, namespaces.
    Modules, optimizers and functions have PyTorch's names in it. Tensors that share memory share it after `load`.

    Arguments:
        obj: what is saved.
        f: where.
        pickle_module: for programs that pass one; objects are pickled by Python's own.
        pickle_protocol: the highest protocol that readers know, from 2 on; files are written in protocol 2.
        _use_new_zipfile_serialization: False, for PyTorch's format before version 1.6, is refused.

    Raises:
        TypeError: something cannot be pickled, or, for a safetensors file, is none of what it can have. Or `f` is in
            text mode.
        ValueError: containers are nested too deeply, or a tensor of a safetensors file is on device "meta".
        OSError: the file cannot be written; what was at the path before is as it was.

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
    """The object that `save` or `torch.save` wrote into the file `f`; of other safetensors files, a dict of tensors.

    The format is recognized by the contents: safetensors, PyTorch's zip format, and the one before version 1.6.
    Nothing that a file names is imported or called. It may hold plain containers and values, tensors, parameters,
    storages, NumPy arrays, modules, optimizers and schedules of this library, dates, paths and namespaces; other
    classes are refused, unless the program names them with `facula.serialization.add_safe_globals`.

    Arguments:
        f: a path, or a file that is open in binary mode, which is read from where it is to the end of what was saved.
        map_location: the device on which the tensors are wanted; None is the CPU. A dict leads from the device where
            a tensor was to the one where it is wanted: `{"cuda:0": "cpu"}`. A function gets a storage on the CPU and
            the name of the device where it was, and returns the storage that is wanted, or None. NumPy's arrays stay
            on the CPU.
        pickle_module: for programs that pass one; files are read by a reader of our own.
        weights_only: accepted for programs that pass it; the same is loaded, whatever it is.
        mmap: read the elements from the file when they are touched; the file is not changed by what is written. It
            must stay as long as it is: touching what somebody has cut off ends the program (SIGBUS). `save` replaces
            files and never shortens one, so a file that only it writes is safe.
        encoding, errors: of texts that Python 2 wrote, as for `bytes.decode`; the encoding "bytes" leaves them so.
        fix_imports: whether names of Python 2, such as `__builtin__`, stand for those of today.

    Raises:
        ValueError: the file is truncated, damaged, of another kind, or uses a class that is not loaded:
            `facula_checkpoint.CheckpointError`, with `path` and `reason`.
        OSError: the file cannot be opened.

    >>> load("no such file")
    Traceback (most recent call last):
    facula_errors.MissingFileError: [Errno 2] load: No such file or directory: 'no such file'
    """
    with needs("facula.load"):
        import facula_checkpoint
    if mmap and hasattr(f, "read") and not hasattr(f, "__fspath__"):
        got = type(f).__name__
        raise InvalidValueError(f"load: expected f to be a path, as mmap={mmap} maps it; got {got}; pass its path")
    from .table import FaceTable, tensors_at

    relocate = None
    if map_location is not None:
        from .location import relocation

        relocate = relocation(map_location)
    table = FaceTable(named_globals(), *check_encoding(encoding, errors), fix_imports)
    return facula_checkpoint.load(
        f, from_parts=tensors_at(relocate), lazy=bool(mmap), copy=bool(mmap), table=table, relocate=relocate
    )


def check_encoding(encoding: object, errors: object) -> tuple[str, str]:
    """The names of an encoding and of a way to treat errors; ValueError for what is none."""
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
    """A tensor as storage, layout and offset; None for what is none."""
    if not isinstance(value, Tensor):
        return None
    now = addressable("save", value)
    return now._storage, now._layout, now._offset


def without_size(value: object) -> object:
    """A Size as the tuple that it is."""
    return tuple(value) if type(value) is Size else value


def named(one: object) -> tuple[str, object]:
    """A class or function and its name as pickles have it."""
    if isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], str) and "." in one[1]:
        module, _, name = one[1].rpartition(".")
        return f"{module} {name}", one[0]
    home, own = getattr(one, "__module__", None), getattr(one, "__qualname__", None)
    if not callable(one) or not isinstance(home, str) or not isinstance(own, str):
        raise InvalidTypeError(
            f"add_safe_globals: expected classes, functions and pairs (class, 'module.name'); got {one!r:.100}"
        )
    return f"{home} {own}", one


def named_globals() -> dict[str, object]:
    """The classes and functions of the list by their names, as pickles have them."""
    return dict([named(one) for one in safe])
