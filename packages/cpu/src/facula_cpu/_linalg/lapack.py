"""Planners of decompositions: NumPy's LAPACK, on the memory of tensors.

A launch wraps its addresses in arrays, without a copy, and NumPy releases the GIL while LAPACK runs. LAPACK receives
copies of the operands, so concurrent writes by other threads cannot corrupt its work. See Note [Threads of LAPACK].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import no_kernel, planner
from .lapack_threads import LapackThreads

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters

FAILED = np.linalg.LinAlgError


def array_at(layout: Layout, address: int) -> np.ndarray:
    """Return the array of the elements at `address` in the given layout."""
    dtype = layout.dtype.numpy
    if not layout.numel:
        return np.empty(layout.shape, dtype)
    memory = ffi.buffer(ffi.cast("char *", address), layout.extent)
    return np.ndarray(layout.shape, dtype, memory, 0, [step * layout.dtype.itemsize for step in layout.strides])


def computes(*operators: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function of arrays (inputs, outputs to fill) and parameters a planner."""

    def register(compute: Callable[..., None]) -> Callable[..., None]:
        @planner(*operators)
        def plan(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
            layouts = (*inputs, *outputs)
            if any([layout.dtype.numpy is None or not layout.dtype.promotes for layout in layouts]):
                raise no_kernel(operator, inputs, outputs)

            size = max(inputs[0].shape[-2:], default=0)

            def launch(n: int, *addresses: int) -> None:
                arrays = [array_at(layout, address) for layout, address in zip(layouts, addresses, strict=True)]
                with np.errstate(all="ignore"), LapackThreads(size):
                    compute(*arrays, *parameters)

            return Plan(operator, parameters, outputs, launch)

        return compute

    return register


def one_by_one(compute: Callable[..., object], *arrays: np.ndarray) -> None:
    """Call `compute` with each matrix of the stacks in turn; scalars of a stack are arrays without dimensions.

    All arrays have the leading dimensions of the last array (`info`), which has no other dimensions.
    """
    for place in np.ndindex(arrays[-1].shape):
        compute(*[array[(*place, ...)] for array in arrays])


# ---------------------------------------------------------------------------------- inverses and determinants
@computes("adjugate")
def adjugate(a: np.ndarray, out: np.ndarray) -> None:
    """Compute transposed cofactor matrices: det(A) A^-1, equally accurate if A is nearly singular."""
    try:
        inverse = np.linalg.inv(a)
        condition = np.linalg.norm(a, 1, (-2, -1)) * np.linalg.norm(inverse, 1, (-2, -1))
        if (condition < np.finfo(a.dtype).eps ** -0.5).all():
            out[...] = np.linalg.det(a)[..., None, None] * inverse
            return
    except FAILED:
        pass
    u, s, vh = _singular(a)
    middle = (np.linalg.det(u) * np.linalg.det(vh))[..., None] * others(s)
    out[...] = (adjoint(vh) * middle[..., None, :]) @ adjoint(u)


@computes("adjugate_grad")
def adjugate_grad(g: np.ndarray, a: np.ndarray, out: np.ndarray) -> None:
    """Compute the derivative of sum(g adj(A)) from second-order minors: at S, with A = U S V^H, they are products."""
    u, s, vh = _singular(a)
    diagonal = np.eye(a.shape[-1], dtype=bool)
    pairs = others(np.where(diagonal, 1, s[..., None, :]))  # in row i the products of all elements except i and j
    pairs = np.where(diagonal, 0, pairs)
    inner = vh.conj() @ g @ u.conj()
    on_diagonal = pairs @ np.diagonal(inner, axis1=-2, axis2=-1)[..., None]
    slope = np.where(diagonal, on_diagonal, -pairs * inner)
    out[...] = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None] * (u.conj() @ slope @ vh.conj())


def _singular(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the singular value decomposition; NaN if it does not converge."""
    try:
        return np.linalg.svd(a)
    except FAILED:
        nothing = np.full_like(a, np.nan)
        return nothing, np.real(nothing[..., 0]), nothing


def others(s: np.ndarray) -> np.ndarray:
    """Return, for each element of a line, the product of all others."""
    first = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([first, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([first, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def adjoint(a: np.ndarray) -> np.ndarray:
    """Return the conjugate transpose."""
    return np.conj(np.swapaxes(a, -1, -2))
