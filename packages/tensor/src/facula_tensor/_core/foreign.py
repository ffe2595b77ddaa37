"""Values of other kinds that stand for tensors: sequences, arrays."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence

import numpy as np

from facula_storage import from_numpy as storage_from_numpy

from .tensor import Tensor, make


def is_data(value: object) -> bool:
    """Whether `value` holds elements, for `tensor` to copy: a sequence of any kind, an array, or what becomes one."""
    if isinstance(value, (str, np.generic)):
        return False
    return is_sequence(value) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def is_sequence(value: object) -> bool:
    """Whether `value` is a sequence of elements: a list, tuple, range, deque, array, or one of a program's own class.

    Text and bytes are none.
    """
    if isinstance(value, (list, tuple, range)):
        return True
    return isinstance(value, (Sequence, deque, array, memoryview, bytearray)) and not isinstance(value, (str, bytes))


def operand_of(array: np.ndarray, *, copy: bool) -> Tensor:
    """An array as an operand beside tensors: over its memory where that can be and `copy` does not ask for more.

    What a gradient is taken of is copied: programs fill their arrays anew, and nobody would notice.
    """
    if not copy:
        try:
            return tensor_over(array)
        except ValueError:  # a layout that no kernel reads
            pass
    return tensor_over(array.astype(array.dtype.newbyteorder("="), order="C"))


def tensor_over(array: np.ndarray) -> Tensor:
    """A tensor over the memory of an array; ValueError or TypeError where no kernel reads that."""
    storage, layout = storage_from_numpy(array)
    return make(Tensor, layout, storage)
