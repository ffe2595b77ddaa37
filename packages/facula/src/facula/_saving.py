"""`save` and `load`: nested containers of tensors in safetensors files. Nothing here pickles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_storage import Device
from facula_tensor import Size, Tensor
from facula_tensor.extend import addressable, make

from ._siblings import needs
from ._types import AnyValue

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import BinaryIO

    from facula_checkpoint import Parts
    from facula_tensor.extend import DeviceLike

__all__ = ["load", "save"]


@boundary
def save(obj: object, f: str | os.PathLike[str] | BinaryIO) -> None:
    """Write a tensor, or nested containers of tensors and plain values, into the file `f`, at once or not at all.

    `f` is a path, or a file that is open in binary mode (`io.BytesIO` too), which is written to from where it is.

    Containers are dict, OrderedDict, list and tuple; plain values str, int, float, complex, bool, None and Size (which
    comes back as a tuple), as keys too. So `state_dict()`s of modules, optimizers and schedules can be saved, alone or
    together. The file is a safetensors file, which other libraries can open: a tensor has the name of the way to it,
    `model.conv.weight`. Tensors that are the same memory (tied weights) are written once and shared after `load`.
    What asks for gradients is written as the numbers that it has. NumPy's arrays come back as arrays, its numbers as
    Python's.

    Raises:
        TypeError: something is none of these; says where it is. Or `f` is in text mode.
        ValueError: containers are nested too deeply, or a tensor is on device "meta" and has no elements.
        OSError: the file cannot be written; what was at the path before is as it was.

    >>> import os, tempfile, facula
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.safetensors")
    ...     facula.save({"model": {"weight": facula.ones(2)}, "epoch": 3, "betas": (0.9, 0.999)}, path)
    ...     facula.load(path)
    {'model': {'weight': tensor([1., 1.])}, 'epoch': 3, 'betas': (0.9, 0.999)}
    """
    with needs("facula.save"):
        import facula_checkpoint
    facula_checkpoint.save(obj, f, to_parts=to_parts, default=without_size)


@boundary
def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: DeviceLike | Mapping[AnyValue, DeviceLike] | None = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
) -> AnyValue:
    """What `save` wrote into the file `f`; of any other safetensors file, a dict of its tensors by name.

    Arguments:
        f: a path, or a file that is open in binary mode, which is read from where it is to the end of what was saved.
        map_location: the device on which the tensors are wanted; None is the CPU. A dict leads from the device where
            a tensor would be to the one where it is wanted: `{"cpu": "cuda"}`. NumPy's arrays stay on the CPU.
        weights_only: accepted for programs that pass it; nothing but data is ever read, whatever it is.
        mmap: read the elements from the file when they are touched; the file is not changed by what is written. It
            must stay as long as it is: touching what somebody has cut off ends the program (SIGBUS). `save` replaces
            files and never shortens one, so a file that only it writes is safe.

    Raises:
        ValueError: the file is truncated, damaged, of another kind (a pickle, a zip archive) or not what `save`
            writes: `facula_checkpoint.CheckpointError`, with `path` and `reason`. Nothing is unpickled, ever.
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
    device = wanted_device(map_location)

    def from_parts(parts: Parts) -> Tensor:
        storage, layout, offset = parts
        tensor = make(Tensor, layout, storage, offset)
        return tensor if device is layout.device else tensor.to(device)

    return facula_checkpoint.load(f, from_parts=from_parts, lazy=bool(mmap), copy=bool(mmap))


def wanted_device(map_location: object) -> Device:
    """The device on which loaded tensors are wanted: all of them are read on the CPU."""
    if isinstance(map_location, dict):
        map_location = map_location.get("cpu", map_location.get(Device("cpu")))
    if map_location is None:
        return Device("cpu")
    if isinstance(map_location, (str, Device)):
        return Device(map_location)
    raise InvalidTypeError(
        f"load: expected map_location to be a device, its name or a dict of these; got {type(map_location).__name__}"
    )


def to_parts(value: object) -> Parts | None:
    """A tensor as storage, layout and offset; None for what is none."""
    if not isinstance(value, Tensor):
        return None
    now = addressable("save", value)
    return now._storage, now._layout, now._offset


def without_size(value: object) -> object:
    """A Size as the tuple that it is."""
    return tuple(value) if type(value) is Size else value
