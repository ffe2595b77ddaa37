"""Expected results of collectives, by NumPy: values of each dtype, and reductions in rank order."""

import numpy as np

import facula_tensor
from facula_tensor import from_numpy

INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FOLDS = {
    "SUM": np.add, "AVG": np.add, "PRODUCT": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
    "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor,
}  # fmt: skip
REDUCTIONS = {
    **{dtype: tuple(FOLDS) for dtype in INTEGERS},
    **{dtype: ("SUM", "AVG", "PRODUCT", "MIN", "MAX") for dtype in ("float32", "float64", "float16", "bfloat16")},
    "complex64": ("SUM", "AVG"),
    "complex128": ("SUM", "AVG"),
    "bool": tuple(name for name in FOLDS if name != "AVG"),
}  # of each dtype


def values(dtype, shape, seed):
    """Return an array with a dtype; of bfloat16, float32 values that it can represent."""
    generator = np.random.default_rng(seed)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype == "bool":
        return generator.random(shape) < 0.5
    numbers = generator.normal(size=shape)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * generator.normal(size=shape)
    if dtype == "bfloat16":
        return rounded(numbers.astype("float32"))
    return numbers.astype(dtype)


def rounded(array):
    """Return float32 numbers rounded to bfloat16, to the nearest, and to even halfway between."""
    bits = array.view("uint32").astype("uint64")
    return (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) << 16).astype("uint32").view("float32")


def as_tensor(array, dtype):
    """Return a tensor with the elements of an array, of `values`."""
    return from_numpy(array.copy()).to(facula_tensor.bfloat16) if dtype == "bfloat16" else from_numpy(array.copy())


def as_array(result):
    """Return the elements of a tensor, of bfloat16 as float32."""
    return (result.float() if result.dtype is facula_tensor.bfloat16 else result).numpy()


def reduced(arrays, dtype, name):
    """Reduce arrays in rank order."""
    if dtype in ("float16", "bfloat16"):
        arrays = [array.astype("float32") for array in arrays]
    total = arrays[0]
    for array in arrays[1:]:
        if dtype == "bool":
            total = {"PRODUCT": np.logical_and, "SUM": np.logical_or}.get(name, FOLDS[name])(total, array)
        else:
            total = FOLDS[name](total, array)
    if name == "AVG":
        count = len(arrays)
        if dtype in INTEGERS:  # toward zero
            total = (np.sign(total) * (np.abs(total.astype(object)) // count)).astype(dtype)
        else:  # a complex number by the parts
            parts = np.ascontiguousarray(total).view(total.real.dtype) / total.real.dtype.type(count)
            total = parts.view(total.dtype)
    if dtype == "float16":
        return total.astype("float16")
    return rounded(total) if dtype == "bfloat16" else total
