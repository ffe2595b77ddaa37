"""Values of other types that are accepted as tensors: sequences and arrays."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence

import numpy as np

from facula_storage import from_numpy as storage_from_numpy

from .tensor import Tensor, make


def is_data(value: object) -> bool:
    """Return whether `value` contains elements that `tensor` can copy: a sequence, an array, or an object that
    converts to one."""
    if isinstance(value, (str, np.generic)):
        return False
    return is_sequence(value) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def is_sequence(value: object) -> bool:
    """Return whether `value` is a sequence of elements: a list, tuple, range, deque, array, or a user-defined
    sequence.

    Strings and bytes are not sequences of elements.
    """
    if isinstance(value, (list, tuple, range)):
        return True
    return isinstance(value, (Sequence, deque, array, memoryview, bytearray)) and not isinstance(value, (str, bytes))


def operand_of(array: np.ndarray, *, copy: bool) -> Tensor:
    """Convert an array to an operand, sharing its memory if possible and unless `copy` is true.

    Operands that are differentiated must be copied: a program may overwrite its arrays, which would go undetected.
    """
    if not copy:
        try:
            return tensor_over(array)
        except ValueError:  # a layout that kernels do not support
            pass
    return tensor_over(array.astype(array.dtype.newbyteorder("="), order="C"))


def tensor_over(array: np.ndarray) -> Tensor:
    """Return a tensor that shares an array's memory; ValueError or TypeError if kernels do not support it."""
    storage, layout = storage_from_numpy(array)
    return make(Tensor, layout, storage)
