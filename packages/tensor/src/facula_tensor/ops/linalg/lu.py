"""The LU decomposition with row exchanges, and solvers that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, UnsupportedError
from facula_storage import DType, Layout, contiguous, cpu, int32, int64
from facula_storage.extend.layouts import INTEGER

from ..._core.tensor import Tensor, elements, layout_of_tensor, steady
from ..._creation.filled import empty
from ..._creation.ranges import eye
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, no_record_ops, recorded_ops
from ..._dispatch.value_checks import refuse_outside
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named
from .inverse import singular
from .matrices import check_info, check_same, expand_batches, status_layout

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrices, Outs, SquareMatrices
    from ..._dispatch.namespaces import Namespace


@operator
class _lu_factor_ex:
    """Compute L and U in one matrix, L below the diagonal; the row (from 1) of each pivot; `info` as of the inverse.

    The derivative: M. Seeger et al., "Auto-differentiating linear algebra", 2017.
    """

    results = ("out", "pivots", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout):
        *batch, m, n = layout.shape
        out = contiguous(layout.shape, layout.dtype, layout.device)
        return out, contiguous((*batch, min(m, n)), int32, layout.device), status_layout(layout)

    def vjp_input(F, g, out, pivots, input_layout):
        m, n = input_layout.shape[-2:]
        k = min(m, n)
        # For the first k rows and columns; the parts below and to the right are solutions of triangular systems.
        square, of_square = F.corner(out, 0, 0, k, k), F.corner(g, 0, 0, k, k)
        upper = F.mH(square)  # lower triangular, from U
        of_L, of_U = F.triangle(of_square, (-1, False)), F.triangle(of_square, (0, True))
        below = beside = None
        if m > k:
            below = F.mH(F.triangular_solve(square, F.mH(F.corner(g, k, 0, m - k, k)), (True, False)))
            low = F.corner(out, k, 0, m - k, k)
            of_U = F.sub(of_U, F.triangle(F.matmul(F.mH(low), below), (0, True)))
        if n > k:
            beside = F.triangular_solve(upper, F.corner(g, 0, k, k, n - k), (True, True))
            high = F.corner(out, 0, k, k, n - k)
            of_L = F.sub(of_L, F.triangle(F.matmul(beside, F.mH(high)), (-1, False)))
        L, U = F.unit_lower(square), F.triangle(square, (0, True))
        inner = F.add(F.triangle(F.matmul(F.mH(L), of_L), (-1, False)), F.triangle(F.matmul(of_U, F.mH(U)), (0, True)))
        inner = F.triangular_solve(upper, inner, (True, True))
        result = F.mH(F.triangular_solve(square, F.mH(inner), (True, False)))
        ndim = len(input_layout.shape)
        if below is not None:
            result = F.cat((result, below), (ndim - 2,))
        if beside is not None:
            result = F.cat((result, beside), (ndim - 1,))
        return F.matmul(F.permutation(pivots, m, input_layout.dtype), result)


@composite
def corner(F: Namespace, input: Tensor, row: int, column: int, rows: int, columns: int) -> Tensor:
    """Return a block of matrices: `rows` and `columns` from position (row, column) on."""
    return F.narrow(F.narrow(input, -2, row, rows), -1, column, columns)


@composite
def unit_lower(F: Namespace, input: Tensor) -> Tensor:
    """Return the part below the diagonal, with ones on the diagonal."""
    layout = layout_of_tensor(input)
    m, n = layout.shape[-2:]
    return F.add(F.triangle(input, (-1, False)), eye(m, n, dtype=layout.dtype, device=layout.device))


@composite
def permutation(F: Namespace, pivots: Tensor, m: int, dtype: DType) -> Tensor:
    """Return the m x m matrices P with A = P L U, from pivots (rows counted from 1), without history."""
    return no_record_ops.to(no_record_ops.permutation_of(pivots, (m,)), (dtype,))


@operator
class _permutation_of:
    """Compute the permutation matrices of row exchanges, as float32."""

    parameters = ("rows",)
    batching = "leading"

    def outputs(layout, rows):
        from facula_storage import float32

        return contiguous((*layout.shape[:-1], rows, rows), float32, layout.device)


@operator
class _solve_factors:
    """Solve A X = B from the pivots and factors of A; with `adjoint`, A^H X = B from those of A^H, transposed."""

    inputs = ("pivots", "LU", "B")
    parameters = ("adjoint",)

    def outputs(pivots, factors, b, adjoint):
        return contiguous(b.shape, b.dtype, b.device)


def factors_of(name: str, A: Tensor, pivot: bool = True, check: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Return L and U of matrices A in one, pivots, and `info`; with `check`, LinAlgError if a matrix is singular.

    `name` is the function that errors name. Raises an error if `pivot` is false.
    """
    if not pivot:
        raise UnsupportedError(f"{name}: pivot=False is not supported, as it is not on PyTorch's CPU; leave it out")
    LU, pivots, info = recorded_ops.lu_factor_ex(A)
    if check:
        check_info(name, info, singular)
    return LU, pivots, info


def check_pivots(name: str, LU: Tensor, pivots: Tensor) -> Tensor:
    """Return the pivots of `LU` as int32; raise an error for a wrong shape or a row out of range."""
    pivots = steady(as_tensor(name, pivots))
    wanted, given = layout_of_tensor(LU).shape, layout_of_tensor(pivots)
    if given.dtype.category != INTEGER:
        raise DTypeError(f"{name}: expected pivots to be int32; got {given.dtype.name}")
    if given.shape != (*wanted[:-2], min(wanted[-2:])):
        raise ArgumentError(f"{name}: expected pivots of shape {(*wanted[:-2], min(wanted[-2:]))}; got {given.shape}")
    if given.numel and given.device.type != "meta":
        # As int64, for which numbers need no check.
        every = no_record_ops.to(elements(pivots), (int64,))
        expected = f"{name}: expected pivots from 1 to {wanted[-2]}"

        def describe() -> Exception:
            low, high = every.amin().item(), every.amax().item()
            return ArgumentError(f"{expected}; got {low if low < 1 else high}")

        refuse_outside(every, 1, wanted[-2], describe, lambda: ArgumentError(f"{expected}; got another"))
    return no_record_ops.to(pivots, (int32,))


def unpacked(
    F: Namespace, name: str, LU: Tensor, pivots: Tensor, data: bool = True, moves: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Return P, L and U with A = P L U, from LU and pivots; L and U are empty without `data`, P without `moves`."""
    layout = layout_of_tensor(LU)
    m, n = layout.shape[-2:]
    k = min(m, n)
    none = empty(0, dtype=layout.dtype, device=layout.device)
    P = F.permutation(check_pivots(name, LU, pivots), m, layout.dtype) if moves else none
    if not data:
        return P, none, none
    lower, upper = F.narrow(LU, -1, 0, k), F.narrow(LU, -2, 0, k)
    return P, F.unit_lower(lower), F.triangle(upper, (0, True))


def solve_with_factors(name: str, LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """Solve A X = B (A^H X = B if `adjoint`; X A = B if not `left`) from the factors of A.

    LU and pivots are results of `lu_factor`; `name` is the function that errors name.
    """
    F = recorded_ops
    check_same(name, LU, B, ("LU", "B"))
    a, b = layout_of_tensor(LU).shape, layout_of_tensor(B).shape
    if a[-1] != b[-2 if left else -1]:
        raise ArgumentError(f"{name}: expected B to have {a[-1]} {'rows' if left else 'columns'}; got shape {b}")
    if not left:  # X A = B is A^H X^H = B^H
        B, adjoint = F.mH(B), not adjoint
    if _are_plain(pivots, LU, B):
        try:
            factors = no_record_ops.contiguous(no_record_ops.mH(LU) if adjoint else LU)
            result = no_record_ops.solve_factors(pivots, factors, no_record_ops.contiguous(B), (bool(adjoint),))
        except Exception:
            check_pivots(name, LU, pivots)  # raises an error that describes the pivot
            raise
        return result if left else F.mH(result)
    P = F.permutation(check_pivots(name, LU, pivots), a[-1], layout_of_tensor(LU).dtype)
    if adjoint:  # U^H L^H P^H X = B
        LU, B = expand_batches(name, LU, B)
        other = F.contiguous(F.mH(LU))
        inner = F.triangular_solve(other, F.triangular_solve(other, B, (False, False)), (True, True))
        result = F.matmul(P, inner)
    else:
        LU, B = expand_batches(name, LU, F.matmul(F.mT(P), B))
        result = F.triangular_solve(LU, F.triangular_solve(LU, B, (False, True)), (True, False))
    return result if left else F.mH(result)


def _are_plain(*operands: Tensor) -> bool:
    """Return whether one launch computes `solve_with_factors`: on the CPU, for equal batches, without history."""
    if not all([isinstance(a, Tensor) and type(a._layout) is Layout and a.node is None for a in operands]):
        return False
    pivots, LU, B = [a._layout for a in operands]
    return (
        pivots.device is LU.device is B.device is cpu
        and pivots.dtype is int32
        and pivots.is_contiguous
        and pivots.shape == LU.shape[:-1] == B.shape[:-1]
    )


LU: type[NamedResults] = results_named("lu", "LU", "pivots")
LUInfos: type[NamedResults] = results_named("lu", "LU", "pivots", "info")
LUUnpacked: type[NamedResults] = results_named("lu_unpack", "P", "L", "U")


@function(method=True)
def lu(A: Matrices, pivot: bool = True, get_infos: bool = False, out: Outs = None) -> NamedResults:
    """Compute L and U in one matrix, and pivots: the older form of `linalg.lu_factor`.

    Arguments:
        pivot: must be true.
        get_infos: whether to return `info` as well, instead of raising for singular matrices.

    >>> from facula_tensor import tensor
    >>> lu(tensor([[2.0, 4.0], [1.0, 5.0]]))[0]
    tensor([[2.0000, 4.0000],
            [0.5000, 3.0000]])
    """
    results = factors_of("lu", A, pivot, check=not get_infos)
    return named_results("lu", LUInfos, results, out) if get_infos else named_results("lu", LU, results[:2], out)


@function(overridable=True)
def lu_unpack(
    F: Namespace,
    LU_data: Matrices,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Outs = None,
) -> NamedResults:
    """Return P, L and U with A = P L U, from the results of `linalg.lu_factor`.

    Arguments:
        LU_data: L and U in one, (..., m, n).
        LU_pivots: the pivots.
        unpack_data: whether to return L and U; they are empty otherwise.
        unpack_pivots: whether to return P; it is empty otherwise.
        out: three tensors for the results, or None.

    >>> from facula_tensor import eye, linalg
    >>> lu_unpack(*linalg.lu_factor(eye(2))).P
    tensor([[1., 0.],
            [0., 1.]])
    """
    found = unpacked(F, "lu_unpack", LU_data, LU_pivots, unpack_data, unpack_pivots)
    return named_results("lu_unpack", LUUnpacked, found, out)


@function(method=True, out=True)
def lu_solve(b: Matrices, LU_data: SquareMatrices, LU_pivots: Tensor) -> Tensor:
    """Solve A X = b for X from the factors of A: the older form of `linalg.lu_solve`.

    Arguments:
        b: (..., n, k).
        LU_data: L and U in one, (..., n, n).
        LU_pivots: the pivots.

    >>> from facula_tensor import eye, linalg, ones
    >>> lu_solve(ones(2, 1), *linalg.lu_factor(eye(2) * 2))
    tensor([[0.5000],
            [0.5000]])
    """
    return solve_with_factors("lu_solve", LU_data, LU_pivots, b, True, False)
