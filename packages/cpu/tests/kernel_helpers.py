"""Run operators through their plans on NumPy arrays.

Arrays of bfloat16 and float8, which NumPy lacks, contain the bits and have a class of their own.
"""

import numpy as np

from facula_cpu import CpuBackend
from facula_storage import MallocAllocator, bfloat16, bool_, dtype_named, layout_of

BACKEND = CpuBackend(MallocAllocator())
NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128"]  # fmt: skip
INTEGERS = NAMES[1:6]
FLOATS = NAMES[6:10]
COMPLEX = NAMES[10:]
UNSIGNED = ["uint16", "uint32", "uint64"]
# Fraction bits, exponent bias, the code of the largest number, and the code for larger ones.
FORMATS = {
    "float8_e4m3fn": (3, 7, 0x7E, 0x7E), "float8_e5m2": (2, 15, 0x7B, 0x7C), "float8_e4m3fnuz": (3, 8, 0x7F, 0x80),
    "float8_e5m2fnuz": (2, 16, 0x7F, 0x80), "float8_e8m0fnu": (0, 127, 0xFE, 0xFF),
}  # fmt: skip
FLOAT8 = list(FORMATS)


class Bits(np.ndarray):
    """An array of uint16 that contains bfloat16 numbers."""


OF_BITS = {"bfloat16": Bits, **{name: type(name, (np.ndarray,), {"name": name}) for name in FLOAT8}}


def dtype_of(array):
    """Return the facula dtype of a NumPy array."""
    if isinstance(array, Bits):
        return bfloat16
    if type(array).__name__ in FLOAT8:
        return dtype_named(type(array).__name__)
    return bool_ if array.dtype == bool else dtype_named(array.dtype.name)


def layout(array):
    """Return the layout of a NumPy array."""
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return layout_of(array.shape, strides, dtype_of(array))


def numpy_dtype(name):
    """Return the NumPy dtype for elements of this name."""
    return np.dtype("uint16" if name == "bfloat16" else "uint8" if name in FLOAT8 else name)


def empty(shape, name):
    """Return an array of this dtype, filled with a pattern that reveals unwritten elements."""
    array = np.empty(shape, numpy_dtype(name))
    array.reshape(-1).view(np.uint8)[:] = 1 if name == "bool" else 0xA5
    return array.view(OF_BITS[name]) if name in OF_BITS else array


def float8_numbers(name):
    """Return the values of the 256 codes of a format, by its definition."""
    fraction, bias, largest, beyond = FORMATS[name]
    codes = np.arange(256)
    if name == "float8_e8m0fnu":
        return np.where(codes == beyond, np.nan, 2.0 ** (codes - bias))
    exponent, rest = codes >> fraction & (0x7F >> fraction), (codes & (1 << fraction) - 1) / (1 << fraction)
    size = np.where(exponent > 0, (1 + rest) * 2.0 ** (exponent - bias), rest * 2.0 ** (1 - bias))
    numbers = np.where(codes & 0x80, -size, size)
    if name.endswith("uz"):
        numbers[0x80] = np.nan
    elif name == "float8_e5m2":
        numbers[[0x7C, 0xFC]] = np.inf, -np.inf
    return np.where((codes & 0x7F) > max(largest, beyond), np.nan, numbers)


def to_float8(array, name):
    """Round float32 numbers to a format, ties to even codes (in formats of powers, to the larger one)."""
    *_, largest, beyond = FORMATS[name]
    numbers, values = float8_numbers(name), np.asarray(array, "f4").astype("f8").reshape(-1)
    sizes, size = numbers[: largest + 1], np.abs(values)
    if name == "float8_e8m0fnu":
        codes = np.searchsorted(sizes * np.where(np.arange(255) > 0, 1.5, 1), size, "left")
        codes += np.isin(size, sizes[1:] * 1.5)
        negative = np.zeros(size.shape, bool)
    else:
        following = 2 * sizes[-1] - sizes[-2]
        bounds = (sizes + np.append(sizes[1:], following)) / 2
        codes = np.searchsorted(bounds, size, "left")
        codes += (codes % 2 == 1) & (size == np.append(bounds, np.inf)[codes])
        codes = np.where(codes > largest, beyond, codes)
        negative = np.signbit(values) & ((codes != 0) & (codes != 0x80) if name.endswith("uz") else True)
    nan = {"float8_e8m0fnu": 0xFF, "float8_e4m3fn": 0x7F, "float8_e5m2": 0x7F}.get(name, 0x80)
    codes = np.where(np.isnan(values) | (np.isinf(values) & (nan == 0xFF)), nan, codes)
    if nan == 0x7F:
        negative = np.signbit(values)
    return np.where(negative, codes | 0x80, codes).astype(np.uint8).reshape(np.shape(array)).view(OF_BITS[name])


def to_bfloat16(array):
    """Round float32 numbers to nearest even, as Bits."""
    array = np.asarray(array, "f4")
    bits = array.reshape(-1).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    nan = (bits >> 16).astype(np.uint16) | 0x40
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, nan, rounded).astype(np.uint16).reshape(array.shape).view(Bits)


def widen(array):
    """Return a half-precision array in float32, and any other array unchanged."""
    if isinstance(array, Bits):
        return (np.asarray(array).astype(np.uint32) << 16).view(np.float32)
    if type(array).__name__ in FLOAT8:
        return float8_numbers(type(array).__name__).astype(np.float32)[np.asarray(array)]
    return array.astype(np.float32) if array.dtype == np.float16 else array


def narrow(array, name):
    """Convert `array` to the dtype of this name."""
    if name in FLOAT8:
        return to_float8(np.asarray(array, "f4"), name)
    return to_bfloat16(np.asarray(array, "f4")) if name == "bfloat16" else np.asarray(array).astype(name)


def plan(operator, inputs, output, parameters=()):
    """Return the plan for these arrays and scalars."""
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
    """Compute `operator` into a new array, of the first array's dtype unless `to` names another one."""
    arrays = [one for one in inputs if isinstance(one, np.ndarray)]
    if shape is None:
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return launch(operator, inputs, empty(shape, to or dtype_of(arrays[-1]).name))


def compute(operator, inputs, outputs, parameters=(), scalars=()):
    """Launch the plan for these arrays (inputs may be None) with a guarded workspace and return the outputs."""
    given = tuple(None if array is None else layout(array) for array in inputs)
    plan = BACKEND.plan(operator, given, tuple(map(layout, outputs)), parameters)
    addresses = [0 if array is None else array.ctypes.data for array in (*inputs, *outputs)]
    guard = 64
    memory = np.full(plan.workspace + 3 * guard, 0xA5, np.uint8)
    start = memory.ctypes.data + guard
    start += -start % 64
    if plan.workspace:
        addresses.append(start)
    plan.launch(outputs[0].size if outputs else 0, *addresses, *scalars)
    used = start - memory.ctypes.data
    assert (memory[:used] == 0xA5).all(), "written before the workspace"
    assert (memory[used + plan.workspace :] == 0xA5).all(), "written past the workspace"
    return outputs if len(outputs) > 1 else outputs[0]
