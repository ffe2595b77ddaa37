"""Planners of decompositions: NumPy's LAPACK, on the memory of tensors.

A plan's launch makes arrays of the addresses it gets, without a copy, and NumPy gives the GIL away while LAPACK works.
LAPACK gets copies of the operands, so that nothing which another thread does to them can lead it astray.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import Plan

from ._kernels import ffi
from ._planners import planner

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

FAILED = np.linalg.LinAlgError


def array_at(layout: Layout, address: int) -> np.ndarray:
    """The array whose elements lie at `address` as the layout says."""
    dtype = layout.dtype.numpy
    if not layout.numel:
        return np.empty(layout.shape, dtype)
    memory = ffi.buffer(ffi.cast("char *", address), layout.extent)
    return np.ndarray(layout.shape, dtype, memory, 0, [step * layout.dtype.itemsize for step in layout.strides])


def computes(*operators: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of arrays, inputs and then outputs (which it fills), and parameters the planner of operators."""

    def register(compute: Callable[..., None]) -> Callable[..., None]:
        @planner(*operators)
        def plan(operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
            layouts = (*inputs, *outputs)

            def launch(n: int, *addresses: int) -> None:
                arrays = [array_at(layout, address) for layout, address in zip(layouts, addresses, strict=True)]
                with np.errstate(all="ignore"):
                    compute(*arrays, *parameters)

            return Plan(operator, parameters, outputs, launch)

        return compute

    return register


def one_by_one(compute: Callable[..., Any], *arrays: np.ndarray) -> None:
    """Call `compute` with the matrices of stacks, one after the other; scalars of a stack as arrays of no dimensions.

    All arrays have the leading dimensions of the last, which has nothing else (`info`).
    """
    for place in np.ndindex(arrays[-1].shape):
        compute(*[one[(*place, ...)] for one in arrays])


@computes("cholesky_ex")
def cholesky_ex(a: np.ndarray, factor: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """The factor, and the order of the first leading minor that is not positive definite."""
    info[...] = 0
    try:
        factor[...] = np.linalg.cholesky(a, upper=upper)
    except FAILED:
        one_by_one(partial(_one_factor, upper), a, factor, info)


def _one_factor(upper: bool, a: np.ndarray, factor: np.ndarray, info: np.ndarray) -> None:
    try:
        factor[...] = np.linalg.cholesky(a, upper=upper)
    except FAILED:
        good, bad = 0, len(a)  # orders of leading minors
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                np.linalg.cholesky(a[:middle, :middle], upper=upper)
                good = middle
            except FAILED:
                bad = middle
        factor[...] = np.nan
        info[...] = bad
