"""Pseudo-inverses, least squares and ranks: by singular values, or by QR if there is full rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, contiguous, int64
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.number_limits import finfo
from ..._core.promotion import as_real
from ..._core.tensor import Tensor, elements, layout_of_tensor, snapshot, steady
from ..._creation.filled import empty, full
from ..._creation.ranges import eye
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .eigenvalues import not_converged, spectrum_of
from .matrices import check_info, check_same, expand_batches, matrices, status_layout
from .qr import qr_of

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrices
    from ..._dispatch.namespaces import Namespace


@operator
class _pinv:
    """Compute the pseudo-inverse; singular values up to the greater of `atol` and `rtol` times the first count as 0.

    The derivative, at a rank that does not change: G. H. Golub, V. Pereyra, "The differentiation of pseudo-inverses and
    nonlinear least squares problems whose variables separate", 1973.
    """

    inputs = ("input", "atol", "rtol")
    parameters = ("hermitian",)
    results = ("out", "info")
    holomorphic = False

    def batching(F, call):
        input, *bounds = call.wholes()
        ahead = layout_of_tensor(input).ndim - 2
        return call.wrap(
            call.run(
                (
                    input,
                    *[
                        F.reshape(bound, (call.size, *(1,) * (ahead - bound.ndim), *bound.shape[1:]))
                        for bound in bounds
                    ],
                )
            )
        )

    def outputs(layout, atol, rtol, hermitian):
        *batch, m, n = layout.shape
        return contiguous((*batch, n, m), layout.dtype, layout.device), status_layout(layout)

    def vjp_input(F, g, input, out):
        adjoint, gH = F.mH(out), F.mH(g)
        m, n = input.shape[-2:]
        result = F.neg(F.times(adjoint, g, adjoint))
        beyond_rows = F.sub(gH, F.times(input, out, gH))
        beyond_columns = F.sub(gH, F.times(gH, out, input))
        further = F.add(F.times(beyond_rows, out, adjoint), F.times(adjoint, out, beyond_columns))
        return F.add(result, further) if m and n else result


def tolerances(name: str, A: Tensor, atol: float | Tensor | None, rtol: float | Tensor | None) -> tuple[Tensor, Tensor]:
    """Return `atol` and `rtol` as tensors without history, in the dtype of A's magnitudes.

    If neither is given, `rtol` is the greater length of A times the dtype's precision; otherwise its default is 0.
    """
    layout = layout_of_tensor(A)
    dtype = layout.dtype.to_real()

    def tolerance(value: object, argument: str) -> Tensor:
        if isinstance(value, Tensor):
            found = layout_of_tensor(value)
            if found.dtype.category == layout.dtype.category != dtype.category:
                raise ArgumentError(f"{name}: expected {argument} to be real; got {found.dtype.name}")
            batch = tuple(layout.shape[:-2])
            if broadcast_shapes(name, found.shape, batch) != batch:
                raise ArgumentError(
                    f"{name}: expected {argument} to be a number, or one for each matrix of a batch {batch}; "
                    f"got shape {found.shape}"
                )
            return no_record_ops.to(snapshot(value), (dtype,))
        return full((), as_real(value, name, argument), dtype=dtype, device=layout.device)

    if rtol is None:
        rtol = 0.0 if atol is not None else max(layout.shape[-2:]) * finfo(dtype).eps
    return tolerance(0.0 if atol is None else atol, "atol"), tolerance(rtol, "rtol")


def pinv_of(name: str, A: Tensor, atol: float | Tensor | None, rtol: float | Tensor | None, hermitian: bool) -> Tensor:
    """Return the pseudo-inverse, from one triangle of A if it is `hermitian`."""
    result, info = recorded_ops.pinv(A, *tolerances(name, A, atol, rtol), (hermitian,))
    check_info(name, info, not_converged)
    return result


@composite
def magnitudes(F: Namespace, name: str, A: Tensor, hermitian: bool) -> Tensor:
    """Return singular values; for Hermitian matrices magnitudes of eigenvalues, unordered, from one triangle."""
    if not hermitian:
        return spectrum_of(name, "svdvals", A)
    return F.abs(spectrum_of(name, "eigvalsh", A, (False,)))


def rank_of(name: str, A: Tensor, atol: float | Tensor | None, rtol: float | Tensor | None, hermitian: bool) -> Tensor:
    """Return the number of nonzero singular values."""
    A = snapshot(A)
    absolute, relative = tolerances(name, A, atol, rtol)
    values = no_record_ops.magnitudes(name, A, hermitian)
    last = len(layout_of_tensor(values).shape) - 1
    if not layout_of_tensor(values).shape[-1]:
        return no_record_ops.sum(no_record_ops.to(values, (int64,)), ((last,), False))
    bound = no_record_ops.maximum(absolute, no_record_ops.mul(relative, no_record_ops.amax(values, ((last,), False))))
    return no_record_ops.sum(no_record_ops.gt(values, no_record_ops.unsqueeze(bound, -1)), ((last,), False))


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


FEW = 256  # elements: singular values of smaller matrices cost no more than QR and the check of the rank


def _by_reflections(F: Namespace, A: Tensor, B: Tensor, rcond: object) -> Tensor | None:
    """Return the least-squares solution from a QR decomposition; None unless all matrices certainly have rank n.

    The product of the norms of R and its inverse is at least the quotient of the first and the last singular value.
    During capture no element is read, so that the result is None.
    """
    layout = layout_of_tensor(A)
    m, n = layout.shape[-2:]
    if m < n or m * n < FEW or not layout.numel or layout.device.type == "meta" or isinstance(rcond, Tensor):
        return None
    if recorders and current_recorder() is not None:
        return None
    sides = layout_of_tensor(B).shape[-1]
    is_plain = all([type(x._layout) is Layout and x.node is None for x in (A, B)])
    if is_plain and 4 * sides <= n and layout_of_tensor(B).shape[:-2] == layout.shape[:-2]:
        # Without Q: the columns of B become those of Q^H B in the decomposition of both.
        joined = F.qr_r(F.cat((A, B), (len(layout.shape) - 1,)))
        R, right = F.clone(F.corner(joined, 0, 0, n, n)), F.corner(joined, 0, n, n, sides)
    else:
        Q, R = qr_of(A, "reduced")
        right = F.matmul(F.mH(Q), B)
    own = snapshot(elements(R))
    whole = eye(n, dtype=layout.dtype, device=layout.device)
    one = no_record_ops.expand(whole, layout_of_tensor(own).shape) if own.ndim > 2 else whole
    inverse = no_record_ops.triangular_solve(own, one, (True, False))
    norms = [no_record_ops.norm2(x, (tuple(range(own.ndim)[-2:]), False)) for x in (own, inverse)]
    bound = max(m, n) * finfo(layout.dtype.to_real()).eps if rcond is None else as_real(rcond, "lstsq", "rcond")
    most = no_record_ops.mul(*norms)
    if not no_record_ops.amax(most, (tuple(range(most.ndim)), False)).item() * bound < 1:
        return None
    return F.triangular_solve(*expand_batches("lstsq", R, right), (True, False))


def least_squares(
    name: str, A: Tensor, B: Tensor, rcond: float | Tensor | None, driver: str | None
) -> tuple[Tensor, ...]:
    """Return the solution of least norm, sums of squared residuals, ranks, and singular values."""
    F = recorded_ops
    if driver not in (None, *DRIVERS):
        raise ArgumentError(f"{name}: expected driver to be one of {', '.join(DRIVERS)}; got {driver!r}")
    a, given = layout_of_tensor(A), layout_of_tensor(steady(as_tensor(name, B)))
    m, n = a.shape[-2:]
    is_vector = len(given.shape) == len(a.shape) - 1
    B = matrices(name, F.unsqueeze(B, -1) if is_vector else B, "B")
    check_same(name, A, B)
    b = layout_of_tensor(B).shape
    if b[-2] != m:
        raise ArgumentError(f"{name}: expected B to have {m} rows beside A {a.shape}; got shape {given.shape}")
    solution = _by_reflections(F, A, B, rcond)
    if solution is None:
        solution = F.matmul(pinv_of(name, A, None, rcond, False), B)
        rank = rank_of(name, A, None, rcond, False)
    else:
        rank = full(a.shape[:-2], n, dtype=int64, device=a.device)
    none = empty(0, dtype=a.dtype.to_real(), device=a.device)
    values = no_record_ops.svdvals(snapshot(A))[0] if driver in ("gelsd", "gelss") else none
    residuals = none
    every = (tuple(range(len(rank.shape))), False)
    wanted = driver in ("gels", "gelsd", "gelss") and m > n and a.device.type != "meta"
    if wanted and no_record_ops.all(elements(no_record_ops.eq(rank, n)), every).item():
        left = F.abs(F.sub(F.matmul(A, solution), B))
        residuals = F.sum(F.mul(left, left), ((len(layout_of_tensor(left).shape) - 2,), False))
    if driver == "gels":
        rank = no_record_ops.to(empty(0, device=a.device), (int64,))
    return F.squeeze(solution, -1) if is_vector else solution, residuals, rank, values


@function(method=True)
def pinverse(input: Matrices, rcond: float = 1e-15) -> Tensor:
    """Compute the pseudo-inverse of matrices (..., m, n): the older form of `linalg.pinv`, whose `rtol` is `rcond`.

    Arguments:
        rcond: the relative bound: singular values up to `rcond` times the first count as 0.

    >>> from facula_tensor import tensor
    >>> pinverse(tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return pinv_of("pinverse", input, None, rcond, False)
