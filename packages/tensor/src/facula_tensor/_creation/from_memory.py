"""Tensors over the memory of other libraries: NumPy's arrays, DLPack, CUDA arrays and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import BufferAccessError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import from_buffer as storage_from_buffer
from facula_storage import from_cuda_array
from facula_storage import from_dlpack as storage_from_dlpack
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend.memory import sharer_of_arrays

from .._core.errors import relabel
from .._core.promotion import as_dtype
from .._core.tensor import Tensor, make
from .._dispatch.namespaces import no_record_ops
from .filled import finish_data

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Buffer

    from .._core.types import DeviceLike, DTypeLike, SupportsDLPack


_share = sharer_of_arrays(Tensor, Tensor._layout, Tensor._storage, Tensor._offset, Tensor.node)


def from_numpy(array: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array: writing to one changes the other.

    The tensor is read-only if the array is. Raises an error for non-native byte orders, structured dtypes, unaligned
    elements and negative strides.

    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> from_numpy(a)[0] = 5
    >>> a
    array([5., 0.])
    """
    shared = _share(array)
    if shared is not None:
        return shared
    try:
        storage, layout = storage_from_numpy(array)
    except FaculaError as error:
        trim_traceback(error)
        raise
    return make(Tensor, layout, storage)


@boundary
def from_dlpack(ext_tensor: SupportsDLPack, *, device: DeviceLike | None = None, copy: bool | None = None) -> Tensor:
    """Convert an array of another library to a tensor through DLPack, without a copy if possible.

    Arguments:
        ext_tensor: an array of any library that implements `__dlpack__`.
        device: the device of the result; that of the array if None.
        copy: True always copies, False never; None copies only if necessary.

    Raises:
        BufferError: if `copy` is False and a copy would be necessary.

    >>> import numpy as np
    >>> from_dlpack(np.arange(2))
    tensor([0, 1])
    """
    if isinstance(ext_tensor, Tensor):
        shared = ext_tensor.detach()
    else:
        storage, layout = storage_from_dlpack(ext_tensor)
        shared = make(Tensor, layout, storage)
    result = shared if device is None else shared.to(device)
    if result is not shared and copy is False:
        raise BufferAccessError(
            f"from_dlpack: expected device '{shared.device}', since copy=False; got '{result.device}'"
        )
    return no_record_ops.clone(result) if copy and result is shared else result


def shared_cuda_array(array: object) -> Tensor:
    """Return a tensor over an array of another library that has `__cuda_array_interface__`."""
    storage, layout = from_cuda_array(array)
    return make(Tensor, layout, storage)


@boundary
def frombuffer(
    buffer: Buffer, *, dtype: DTypeLike, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a one-dimensional tensor that shares the memory of an object with the buffer protocol.

    Arguments:
        buffer: the object whose memory to share.
        dtype: the dtype of the elements in the buffer.
        count: the number of elements; all elements of the buffer if -1.
        offset: the position of the first element, in bytes.
        requires_grad: whether the result requires a gradient.

    >>> from facula_storage import uint8
    >>> frombuffer(bytearray(b"ab"), dtype=uint8)
    tensor([97, 98], dtype=facula.uint8)
    """
    try:
        storage, layout = storage_from_buffer(buffer, as_dtype(dtype, "frombuffer"), count, offset)
    except Exception as error:
        relabel(error, "frombuffer")
        raise
    return finish_data(make(Tensor, layout, storage), requires_grad)
