"""Operands of a case: elements that a dtype can represent exactly, in every memory layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from facula_errors import InvalidValueError
from facula_storage import dtype_named, float32

from .._core.tensor import Tensor
from .._creation.from_data import tensor
from ._samples import COMPLEX, INTEGERS, Case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Shape: TypeAlias = "tuple[int, ...]"

# The dtypes in which the reference computes if NumPy lacks the dtype or its range is too small.
CARRIERS = {"float16": np.float32, "bfloat16": np.float32}


def draw(rng: np.random.Generator, shape: Shape, dtype: str, case: Case) -> Array:
    """Draw elements that `dtype` can represent exactly; return them in the dtype of the reference."""
    low, high = case.domain
    size = int(np.prod(shape))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        low = max(low, 0) if dtype == "uint8" else low
        if case.distinct:
            first = -(size // 2) if low < 0 else 0
            return rng.permutation(np.arange(first, first + size)).reshape(shape).astype(dtype)
        return rng.integers(int(np.ceil(low)), int(np.floor(high)) + 1, shape).astype(dtype)
    if dtype in COMPLEX:
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    if case.distinct:
        values = low + (high - low) * (rng.permutation(size) + 0.5).reshape(shape) / max(size, 1)
    else:
        values = rng.uniform(low, high, shape)
    return rounded(values, dtype)


def rounded(values: Array, dtype: str) -> Array:
    """Round values to a floating dtype; return them in the dtype of the reference."""
    if dtype == "bfloat16":  # float32 with the lower 16 bits cleared
        return (np.asarray(values, np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32).reshape(np.shape(values))
    return np.asarray(np.asarray(values).astype(dtype).astype(CARRIERS.get(dtype, dtype)))


def values_of(operand: Tensor) -> Array:
    """Return the elements of a tensor on any device as an array."""
    plain = operand.detach().to("cpu")
    return np.array((plain.to(float32) if plain.dtype.numpy is None else plain).numpy())


def make(array: Array, dtype: str, device: str = "cpu") -> Tensor:
    """Return a contiguous tensor of these elements."""
    return tensor(np.ascontiguousarray(array).reshape(array.shape), dtype=dtype_named(dtype)).to(device)


def lay(array: Array, dtype: str, layout: str, device: str = "cpu") -> Tensor:
    """Return a tensor of these elements with the memory layout `layout`.

    Arguments:
        array: the elements; for "expanded" its rows must be equal.
        dtype: the dtype of the tensor.
        layout: one of the layouts of `Samples`.
        device: the device of the tensor.
    """
    if layout in ("contiguous", "empty", "zero_dim", "long") or not array.ndim:
        return make(array, dtype, device)
    if layout == "transposed":
        return make(array.T, dtype, device).permute(*reversed(range(array.ndim)))
    if layout == "sliced":  # every other element of a wider tensor, in each dimension
        every_other = tuple(slice(None, None, 2) for _ in array.shape)
        wide = np.zeros(tuple(2 * size for size in array.shape), array.dtype)
        wide[every_other] = array
        return make(wide, dtype, device)[every_other]
    if layout == "offset":
        wide = np.concatenate([np.zeros(5, array.dtype), array.ravel(), np.zeros(3, array.dtype)])
        return make(wide, dtype, device)[5 : 5 + array.size].view(array.shape)
    if layout == "expanded":
        return make(array[:1], dtype, device).expand(array.shape)
    raise InvalidValueError(f"check_operator: expected layouts of `Samples`; got {layout!r}")


def operands(case: Case, dtype: str, layout: str = "contiguous", seed: int = 0) -> list[Array]:
    """Return arrays for one call of the case; "long" ones have more elements than any vector register."""
    rng = np.random.default_rng(seed)
    alone: Shape = {"empty": (3, 0), "zero_dim": (), "long": (5, 35)}.get(layout, (3, 4))
    arrays = [draw(rng, shape, dtype, case) for shape in case.shapes or (alone,) * case.arity]
    if layout == "expanded":
        arrays = [np.repeat(array[:1], array.shape[0], 0) if array.ndim else array for array in arrays]
    return arrays


def tensors_of_case(
    case: Case, dtype: str, layout: str = "contiguous", *, seed: int = 0, requires_grad: bool = False
) -> list[Tensor]:
    """Return tensors for one call of the case."""
    laid = [lay(array, dtype, layout) for array in operands(case, dtype, layout, seed)]
    return [operand.requires_grad_() for operand in laid] if requires_grad else laid


def layouts_of(case: Case) -> list[str]:
    """Return the layouts that are possible for the shapes of the case."""
    skipped = {"empty", "zero_dim"} if case.shapes else set()
    if case.distinct:
        skipped.add("expanded")
    return [layout for layout in case.layouts if layout not in skipped]


def call(case: Case, tensors: Sequence[Any], **kwargs: Any) -> Any:
    """Call the case's function on tensors."""
    return case.function(*tensors, **kwargs)
