"""Eigenvalues and singular values of matrices.

Note [Packed results]
~~~~~~~~~~~~~~~~~~~~~
A decomposition has several results with gradients, and the derivative of each involves the others. The operators here
return one tensor, with the vectors first and the values in the last row. Users receive parts of it. The gradients of
the parts therefore accumulate in one tensor, and derivatives of any order follow from the rules of existing operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Layout, contiguous
from facula_storage.extend.layouts import COMPLEX

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.ranges import eye
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, recorded_ops
from .matrices import check_info, status_layout

if TYPE_CHECKING:
    from ..._core.types import Parameters
    from ..._dispatch.namespaces import Namespace


@composite
def rows(F: Namespace, packed: Tensor, first: int, count: int, columns: int | None = None) -> Tensor:
    """Return some rows of matrices, with all columns or the first ones."""
    part = F.narrow(packed, -2, first, count)
    return part if columns is None else F.narrow(part, -1, 0, columns)


@composite
def quotient_or_0(F: Namespace, above: Tensor, below: Tensor) -> Tensor:
    """Return above / below, 0 if both are 0: for equal values only terms that depend on their vectors are undefined."""
    neither = F.bitwise_and(F.eq(above, 0), F.eq(below, 0))
    return F.div(above, F.where(neither, 1, below))


@composite
def gaps(F: Namespace, values: Tensor) -> Tensor:
    """Return values[j] - values[i]."""
    return F.sub(F.unsqueeze(values, -2), F.unsqueeze(values, -1))


@composite
def off_diagonal(F: Namespace, input: Tensor) -> Tensor:
    """Return square matrices with the diagonal set to zero."""
    return F.add(F.triangle(input, (1, True)), F.triangle(input, (-1, False)))


@composite
def with_diagonal(F: Namespace, values: Tensor, rest: Tensor) -> Tensor:
    """Add `values` to the diagonal of the square matrices `rest`."""
    layout = layout_of_tensor(rest)
    whole = eye(layout.shape[-1], dtype=layout.dtype.to_real(), device=layout.device)
    return F.add(rest, F.mul(whole, F.unsqueeze(values, -1)))


# ------------------------------------------------------------------------------- Hermitian matrices
@operator
class _eigh:
    """Compute eigenvectors of Hermitian matrices, as columns above a row of eigenvalues: see Note [Packed results]."""

    parameters = ("upper",)
    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout, upper):
        *batch, n, _ = layout.shape
        return contiguous((*batch, n + 1, n), layout.dtype, layout.device), status_layout(layout)

    def vjp_input(F, g, out, input_layout):
        n = input_layout.shape[-1]
        values, vectors = F.real_of(F.select(out, -2, n)), F.rows(out, 0, n)
        of_values, of_vectors = F.real_of(F.select(g, -2, n)), F.rows(g, 0, n)
        adjoint = F.mH(vectors)
        turn = F.quotient_or_0(F.off_diagonal(F.matmul(adjoint, of_vectors)), F.gaps(values))
        return F.times(vectors, F.with_diagonal(of_values, turn), adjoint)


@operator
class _eigvalsh:
    """Compute the eigenvalues of Hermitian matrices."""

    parameters = ("upper",)
    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout, upper):
        values = contiguous(layout.shape[:-1], layout.dtype.to_real(), layout.device)
        return values, status_layout(layout)

    def vjp_input(F, g, input, upper):
        vectors = F.rows(F.eigh(input, (upper,))[0], 0, input.shape[-1])
        return F.matmul(F.mul(vectors, F.unsqueeze(g, -2)), F.mH(vectors))


# --------------------------------------------------------------------------------- any square matrices
@operator
class _eig:
    """Compute eigenvectors of square matrices, as columns above a row of eigenvalues, all complex.

    The derivative: C. Boeddeker et al., "On the computation of complex-valued gradients", 2017.
    """

    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout):
        *batch, n, _ = layout.shape
        return contiguous((*batch, n + 1, n), layout.dtype.to_complex(), layout.device), status_layout(layout)

    def vjp_input(F, g, out, input_layout):
        n = input_layout.shape[-1]
        values, vectors = F.select(out, -2, n), F.rows(out, 0, n)
        of_values, of_vectors = F.select(g, -2, n), F.rows(g, 0, n)
        adjoint = F.mH(vectors)
        along = F.matmul(adjoint, of_vectors)
        # Columns have length 1: remove the component of the gradient that would change the length.
        lengths = F.real_of(F.diagonal(along, 0, len(input_layout.shape) - 2, len(input_layout.shape) - 1))
        across = F.sub(along, F.mul(F.matmul(adjoint, vectors), F.unsqueeze(lengths, -2)))
        turn = F.quotient_or_0(F.off_diagonal(across), F.conj(F.gaps(values)))
        inner = F.matmul(F.with_diagonal(of_values, turn), adjoint)
        return F.as_dtype_of(F.solve_ex(adjoint, inner)[0], input_layout)


@operator
class _eigvals:
    """Compute the eigenvalues of square matrices."""

    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout):
        values = contiguous(layout.shape[:-1], layout.dtype.to_complex(), layout.device)
        return values, status_layout(layout)

    def vjp_input(F, g, input, input_layout):
        vectors = F.rows(F.eig(input)[0], 0, input_layout.shape[-1])
        adjoint = F.mH(vectors)
        return F.as_dtype_of(F.solve_ex(adjoint, F.mul(F.unsqueeze(g, -1), adjoint))[0], input_layout)


@composite
def as_dtype_of(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
    """Return a complex gradient, or its real part if the operand is real."""
    return g if layout.dtype.category == COMPLEX else F.clone(F.real_view(g))


# -------------------------------------------------------------------------------------- singular values
@operator
class _svd:
    """Compute U, V and S with A = U S V^H, stacked in one tensor: see Note [Packed results].

    The derivative: Z.-Q. Wan, S.-X. Zhang, "Automatic differentiation for complex valued SVD", 2019.
    """

    parameters = ("full",)
    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout, full):
        *batch, m, n = layout.shape
        columns = max(m, n) if full else min(m, n)
        return contiguous((*batch, m + n + 1, columns), layout.dtype, layout.device), status_layout(layout)

    def vjp_input(F, g, out, input_layout):
        m, n = input_layout.shape[-2:]
        k = min(m, n)  # the remaining vectors have no gradient
        U, V, S = F.rows(out, 0, m, k), F.rows(out, m, n, k), F.real_of(F.rows(out, m + n, 1, k))
        of_U, of_V, of_S = F.rows(g, 0, m, k), F.rows(g, m, n, k), F.real_of(F.rows(g, m + n, 1, k))
        UH, VH, S, of_S = F.mH(U), F.mH(V), F.squeeze(S, -2), F.squeeze(of_S, -2)
        along_U, along_V = F.matmul(UH, of_U), F.matmul(VH, of_V)
        row, column = F.unsqueeze(S, -2), F.unsqueeze(S, -1)
        gaps = F.gaps(F.mul(S, S))
        turn_U = F.quotient_or_0(F.off_diagonal(F.sub(along_U, F.mH(along_U))), gaps)
        turn_V = F.quotient_or_0(F.off_diagonal(F.sub(along_V, F.mH(along_V))), gaps)
        middle = F.with_diagonal(of_S, F.add(F.mul(turn_U, row), F.mul(column, turn_V)))
        ndim = len(input_layout.shape)
        if input_layout.dtype.category == COMPLEX:
            phase = F.imag_view(F.diagonal(along_U, 0, ndim - 2, ndim - 1))
            middle = F.with_diagonal(F.mul(F.quotient_or_0(phase, S), 1j), middle)
        result = F.times(U, middle, VH)
        if m > k:
            beyond = F.quotient_or_0(F.sub(of_U, F.matmul(U, along_U)), row)
            result = F.add(result, F.matmul(beyond, VH))
        if n > k:
            beyond = F.quotient_or_0(F.sub(of_V, F.matmul(V, along_V)), row)
            result = F.add(result, F.matmul(U, F.mH(beyond)))
        return result


@operator
class _svdvals:
    """Compute singular values, in decreasing order."""

    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout):
        *batch, m, n = layout.shape
        values = contiguous((*batch, min(m, n)), layout.dtype.to_real(), layout.device)
        return values, status_layout(layout)

    def vjp_input(F, g, input, input_layout):
        m, n = input_layout.shape[-2:]
        packed = F.svd(input, (False,))[0]
        return F.matmul(F.mul(F.rows(packed, 0, m), F.unsqueeze(g, -2)), F.mH(F.rows(packed, m, n)))


def not_converged(info: int) -> str:
    """Return the error message for a nonzero `info`."""
    return "expected a matrix whose decomposition converges; got one where it does not (is an element NaN or infinite?)"


def own(part: Tensor) -> Tensor:
    """Copy a part of a packed result, so that modifying one result does not modify another."""
    return recorded_ops.clone(part)


def eigh_of(name: str, A: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues and eigenvectors of Hermitian matrices."""
    n = layout_of_tensor(A).shape[-1]
    packed, info = recorded_ops.eigh(A, (upper,))
    check_info(name, info, not_converged)
    return own(recorded_ops.real_of(recorded_ops.select(packed, -2, n))), own(recorded_ops.rows(packed, 0, n))


def eig_of(name: str, A: Tensor) -> tuple[Tensor, Tensor]:
    """Return eigenvalues and eigenvectors."""
    n = layout_of_tensor(A).shape[-1]
    packed, info = recorded_ops.eig(A)
    check_info(name, info, not_converged)
    return own(recorded_ops.select(packed, -2, n)), own(recorded_ops.rows(packed, 0, n))


def svd_of(name: str, A: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return U, S and V with A = U S V^H."""
    m, n = layout_of_tensor(A).shape[-2:]
    k = min(m, n)
    packed, info = recorded_ops.svd(A, (full,))
    check_info(name, info, not_converged)
    F = recorded_ops
    values = F.real_of(F.squeeze(F.rows(packed, m + n, 1, k), -2))
    U, V = F.rows(packed, 0, m, m if full else k), F.rows(packed, m, n, n if full else k)
    return own(U), own(values), own(V)


def spectrum_of(name: str, kind: str, A: Tensor, parameters: Parameters = ()) -> Tensor:
    """Return only the eigenvalues or singular values of matrices: `kind` is eigvalsh, eigvals or svdvals."""
    values, info = getattr(recorded_ops, kind)(A, parameters) if parameters else getattr(recorded_ops, kind)(A)
    check_info(name, info, not_converged)
    return values


def upper_of(name: str, UPLO: str) -> bool:
    """Return whether to read the upper triangle: UPLO is "U" or "L"."""
    from facula_errors import ArgumentError

    if not (isinstance(UPLO, str) and UPLO.upper() in ("U", "L")):
        raise ArgumentError(f"{name}: expected UPLO to be 'L' or 'U'; got {UPLO!r}")
    return UPLO.upper() == "U"
