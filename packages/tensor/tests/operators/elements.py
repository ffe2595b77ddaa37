"""Operands of a case in every dtype and memory layout, and the comparison of results with its reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from case import ALL, COMPLEX, FLOATS, INTEGERS, Case

import facula_tensor as ft

# Relative error of a result that is rounded once or twice, and of a sum of some dozen elements.
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}
CARRIER = {"float16": np.float32, "bfloat16": np.float32}  # what the reference computes in

DTYPES = {name: getattr(ft, name) for name in ALL}


def available(kind: str) -> bool:
    """Whether there is a device of this kind."""
    try:
        ft.device(kind).backend
    except (RuntimeError, ValueError, NotImplementedError):
        return False
    return True


DEVICES = [kind for kind in ("cpu", "meta", "cuda") if available(kind)]


# --------------------------------------------------------------------------------------------------- values
def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, case: Case) -> np.ndarray:
    """Elements that `dtype` holds exactly, as an array that the reference computes with."""
    low, high = case.domain
    size = int(np.prod(shape))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        low = max(low, 0) if dtype == "uint8" else low
        bounds = int(np.ceil(low)), int(np.floor(high))
        if case.distinct:
            first = -(size // 2) if low < 0 else 0
            return rng.permutation(np.arange(first, first + size)).reshape(shape).astype(dtype)
        return rng.integers(bounds[0], bounds[1] + 1, shape).astype(dtype)
    if dtype in COMPLEX:
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    if case.distinct:
        values = low + (high - low) * (rng.permutation(size) + 0.5).reshape(shape) / max(size, 1)
    else:
        values = rng.uniform(low, high, shape)
    return rounded(values, dtype)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """Values that a floating dtype holds, in the type the reference computes in."""
    if dtype == "bfloat16":  # float32 with the low half of the bits gone
        return (np.asarray(values, np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32).reshape(np.shape(values))
    return np.asarray(values).astype(dtype).astype(CARRIER.get(dtype, dtype))


def values_of(tensor: Any) -> np.ndarray:
    """A tensor's elements, for comparing."""
    plain = tensor.detach()
    if plain.dtype.name in CARRIER:
        plain = plain.to(ft.float32)
    return np.array(plain.numpy())


def make(array: np.ndarray, dtype: str, device: str = "cpu") -> Any:
    """A contiguous tensor of these elements."""
    return ft.tensor(np.ascontiguousarray(array).reshape(array.shape), dtype=DTYPES[dtype]).to(device)


# ---------------------------------------------------------------------------------------------------- layouts
def lay(array: np.ndarray, dtype: str, layout: str, device: str = "cpu") -> Any:
    """A tensor of these elements whose memory lies as `layout` says."""
    if layout in ("contiguous", "empty", "zero_dim"):
        return make(array, dtype, device)
    if layout == "transposed":
        return (
            make(array.T, dtype, device).permute(*reversed(range(array.ndim)))
            if array.ndim
            else make(array, dtype, device)
        )
    if layout == "sliced":  # every other element of a wider tensor, in each dimension
        wide = np.zeros(tuple(2 * size for size in array.shape), array.dtype)
        wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
        return make(wide, dtype, device)[tuple(slice(None, None, 2) for _ in array.shape)]
    if layout == "offset":
        wide = np.concatenate([np.zeros(5, array.dtype), array.ravel(), np.zeros(3, array.dtype)])
        return make(wide, dtype, device)[5 : 5 + array.size].view(array.shape)
    if layout == "expanded":  # the caller has made the rows equal
        return make(array[:1], dtype, device).expand(array.shape)
    raise ValueError(layout)


def operands(case: Case, dtype: str, layout: str, seed: int = 0) -> list[np.ndarray]:
    """Arrays for one call of the case."""
    rng = np.random.default_rng(seed)
    shapes = case.shapes or ((3, 4),) * case.arity
    if not case.shapes and layout == "empty":
        shapes = ((3, 0),) * case.arity
    if not case.shapes and layout == "zero_dim":
        shapes = ((),) * case.arity
    arrays = [draw(rng, shape, dtype, case) for shape in shapes]
    if layout == "expanded":
        arrays = [np.repeat(array[:1], array.shape[0], 0) for array in arrays]
    return arrays


def layouts_of(case: Case) -> list[str]:
    """The layouts that make sense for the case's shapes."""
    skipped = {"empty", "zero_dim"} if case.shapes else set()
    if case.distinct:
        skipped.add("expanded")
    return [layout for layout in case.layouts if layout not in skipped]


# ------------------------------------------------------------------------------------------------- comparing
def compare(case: Case, got: Any, expected: Any, dtype: str, what: str, device: str = "cpu") -> None:
    """Shape, dtype and values; several results one by one."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected), f"{case} {what}: {len(got)} results, expected {len(expected)}"
        compare(case, got[0], expected[0], dtype, what, device)
        for one, wanted in zip(got[1:], expected[1:], strict=True):  # positions
            compare(case, one, wanted, "int64", what, device)
        return
    expected = np.asarray(expected)
    wanted_dtype = case.result(dtype) if dtype in ALL else dtype
    assert got.dtype.name == wanted_dtype, f"{case} {what}: dtype {got.dtype.name}, expected {wanted_dtype}"
    assert tuple(got.shape) == expected.shape, f"{case} {what}: shape {tuple(got.shape)}, expected {expected.shape}"
    assert got.device.type == device
    if device == "meta":
        return
    values = values_of(got)
    if wanted_dtype in ("bool", *INTEGERS):
        assert np.array_equal(values, expected.astype(wanted_dtype)), f"{case} {what}: {values}, expected {expected}"
        return
    tolerance = TOLERANCE[wanted_dtype] * case.loose
    if dtype in CARRIER:
        tolerance = max(tolerance, TOLERANCE[dtype] * case.loose)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance, err_msg=f"{case} {what} ({dtype})")


def reference(case: Case, arrays: list[np.ndarray], dtype: str) -> Any:
    """What NumPy makes of it, in the precision that the case's result has."""
    if case.result(dtype) in FLOATS and dtype in ("bool", *INTEGERS):
        arrays = [array.astype(np.float64) for array in arrays]
    with np.errstate(all="ignore"):
        return case.reference(*arrays)


def call(case: Case, tensors: list[Any], **kwargs: Any) -> Any:
    """The case's function on tensors."""
    return case.function(*tensors, **kwargs)
