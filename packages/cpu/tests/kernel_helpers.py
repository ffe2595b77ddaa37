"""Run operators through their plans on NumPy arrays. bfloat16 arrays are uint16 arrays of their bits, marked so."""

import numpy as np

from facula_cpu import CpuBackend
from facula_storage import MallocAllocator, bfloat16, bool_, dtype_named, layout_of

BACKEND = CpuBackend(MallocAllocator())
NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128"]  # fmt: skip
INTEGERS = NAMES[1:6]
FLOATS = NAMES[6:10]
COMPLEX = NAMES[10:]


class Bits(np.ndarray):
    """An array of uint16 that holds bfloat16 numbers."""


def dtype_of(array):
    """The facula dtype of a NumPy array."""
    if isinstance(array, Bits):
        return bfloat16
    return bool_ if array.dtype == bool else dtype_named(array.dtype.name)


def layout(array):
    """The layout of a NumPy array."""
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return layout_of(array.shape, strides, dtype_of(array))


def numpy_dtype(name):
    """The NumPy dtype that holds elements of that name."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def empty(shape, name):
    """An array of that dtype, filled with a pattern that shows what was not written."""
    array = np.empty(shape, numpy_dtype(name))
    array.reshape(-1).view(np.uint8)[:] = 1 if name == "bool" else 0xA5
    return array.view(Bits) if name == "bfloat16" else array


def to_bfloat16(array):
    """float32 numbers rounded to nearest even, as Bits."""
    array = np.asarray(array, "f4")
    bits = array.reshape(-1).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    nan = (bits >> 16).astype(np.uint16) | 0x40
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, nan, rounded).astype(np.uint16).reshape(array.shape).view(Bits)


def widen(array):
    """The array in float32 where it is in half precision, else as it is."""
    if isinstance(array, Bits):
        return (np.asarray(array).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def narrow(array, name):
    """`array` converted to the dtype of that name."""
    return to_bfloat16(np.asarray(array, "f4")) if name == "bfloat16" else np.asarray(array).astype(name)


def plan(operator, inputs, output, parameters=()):
    """The plan for these arrays and scalars."""
    kinds = tuple(layout(one) if isinstance(one, np.ndarray) else type(one) for one in inputs)
    return BACKEND.plan(operator, kinds, (layout(output),), parameters)


def launch(operator, inputs, output, parameters=()):
    """Compute `operator` into `output` and return it."""
    addresses = [one.ctypes.data for one in inputs if isinstance(one, np.ndarray)]
    scalars = []
    for one in inputs:
        if isinstance(one, complex):
            scalars += [one.real, one.imag]
        elif not isinstance(one, np.ndarray):
            scalars.append(one)
    plan(operator, inputs, output, parameters).launch(output.size, *addresses, output.ctypes.data, *scalars)
    return output


def run(operator, *inputs, to=None, shape=None):
    """Compute `operator` into a new array, of the first array's dtype unless `to` names another."""
    arrays = [one for one in inputs if isinstance(one, np.ndarray)]
    if shape is None:
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return launch(operator, inputs, empty(shape, to or dtype_of(arrays[-1]).name))


def compute(operator, inputs, outputs, parameters=()):
    """Launch the plan for these arrays with memory of its own as workspace, guarded at both ends; the outputs."""
    plan = BACKEND.plan(operator, tuple(map(layout, inputs)), tuple(map(layout, outputs)), parameters)
    addresses = [array.ctypes.data for array in (*inputs, *outputs)]
    guard = 64
    memory = np.full(plan.workspace + 3 * guard, 0xA5, np.uint8)
    start = memory.ctypes.data + guard
    start += -start % 64
    if plan.workspace:
        addresses.append(start)
    plan.launch(outputs[0].size if outputs else 0, *addresses)
    used = start - memory.ctypes.data
    assert (memory[:used] == 0xA5).all(), "written before the workspace"
    assert (memory[used + plan.workspace :] == 0xA5).all(), "written past the workspace"
    return outputs if len(outputs) > 1 else outputs[0]
