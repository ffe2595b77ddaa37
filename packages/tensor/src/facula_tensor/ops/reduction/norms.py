"""Norms of vectors and matrices, and log-sum-exp. `ops/linalg` defines the functions of the namespace `linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import DType, Layout, bool_
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import as_dtype, as_real, floating
from ..._core.tensor import Tensor, check_dim, layout_of_tensor
from ..._dispatch.arguments import needed_dim
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..elementwise.pointwise import is_real
from ..linalg.eigenvalues import spectrum_of
from ..linalg.matrices import matrices
from .arguments import in_one_pass, over_dims, reduced, reduction
from .extremes import check_not_empty, suits_lines
from .moments import real_dtype

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike
    from ..._dispatch.kinds import Axes, Flag, KeepDims, Real, ReducedDims
    from ..._dispatch.namespaces import Namespace

INF = float("inf")
SINGULAR = (2, -2, "nuc")
LONG_ROW = 512  # elements


def check_inexact(name: str, layout: Layout) -> None:
    """Raise a TypeError for integers and bool."""
    if layout.dtype.category < FLOATING:
        raise DTypeError(f"{name}: not defined for {layout.dtype.name}; convert with .float(), or give dtype=")


@elementwise
class _grad_per_norm:
    """grad / norm; grad itself where the norm is 0 or too small to divide by, since all elements are then, too."""

    inputs = ("grad", "norm")
    accepts = is_real

    def value(F, grad, norm):
        return grad / F.where(1 / norm == INF, 1, norm)


@elementwise
class _signed:
    """grad sign(input), the gradient of a magnitude."""

    inputs = ("grad", "input")
    accepts = is_real

    def value(F, grad, input):
        return grad * F.sign(input)


@elementwise
class _is_decisive:
    """Whether magnitudes equal a norm, or are NaN."""

    inputs = ("input", "norm")
    accepts = is_real
    has_kernel = True

    def result_dtype(dtype):
        return bool_

    def value(F, input, norm):
        return F.is_extreme(abs(input), norm)


@elementwise
class _decisive_slope:
    """The gradient of the largest or the smallest magnitude, `norm`, of which each equal element has a share."""

    inputs = ("input", "norm", "share")
    accepts = is_real
    has_kernel = True

    def value(F, input, norm, share):  # not a product with a mask: 0 * inf would be NaN
        return F.where(F.is_extreme(abs(input), norm), F.sign(input) * share, 0)


@elementwise
class _cubic_slope:
    """The gradient of the 3-norm for input: grad q |q|, where q = input / norm."""

    inputs = ("input", "grad", "norm")
    accepts = is_real
    has_kernel = True

    def value(F, input, grad, norm):
        share = input / F.where(norm == 0, 1, norm)
        return grad * (share * abs(share))


@elementwise
class _power_slope:
    """The gradient of a p-norm for input: sign(input) grad (abs(input) / unit)**power / divisor, and 0 for 0."""

    inputs = ("grad", "input", "unit", "divisor", "power")
    accepts = is_real
    no_gradient = ("power",)

    def value(F, grad, input, unit, divisor, power):
        magnitude = abs(input)
        nothing = magnitude == 0
        whole = F.where(nothing, 1, magnitude)  # negative powers of 0 would be infinite
        return F.where(nothing, 0, F.sign(input) * (grad * (whole / unit) ** power / divisor))


@operator
class _norm2:
    """The square root of the sum of squared magnitudes along dimensions."""

    parameters = ("dims", "keepdim")
    holomorphic = False

    def outputs(layout, dims, keepdim):
        check_inexact("norm", layout)
        return reduced(layout, dims, keepdim, real_dtype(layout))

    def vjp_input(F, g, input, out, dims, keepdim):
        if layout_of_tensor(out).dtype.itemsize == 2:  # in one program, since the quotient may exceed half precision
            return F.power_slope(F.keep_dims(g, dims, keepdim), input, 1, F.keep_dims(out, dims, keepdim), 1)
        return F.mul(input, F.keep_dims(F.grad_per_norm(g, out), dims, keepdim))


@operator
class _norm_p:
    """The p-th root of the sum of p-th powers of magnitudes of real numbers.

    For p = 0, the number of nonzero elements; for inf and -inf, the largest and the smallest magnitude.
    """

    parameters = ("dims", "keepdim", "p")

    def outputs(layout, dims, keepdim, p):
        if abs(p) == INF:
            check_not_empty("norm", layout, dims)
        return reduced(layout, dims, keepdim, layout.dtype)

    def vjp_input(F, g, input, out, input_layout, dims, keepdim, p):
        if not p:
            return F.zeros_of(input, input_layout)
        norm, g = F.keep_dims(out, dims, keepdim), F.keep_dims(g, dims, keepdim)
        if p == 1:
            return F.signed(g, input)
        if abs(p) == INF:  # equal magnitudes share the gradient
            if suits_lines(input_layout, dims) and in_one_pass(F, input, norm, g):
                return F.extreme_shares(input, norm, g, (*dims, True))
            count = F.to(F.sum(F.is_decisive(input, norm), (dims, True)), (g.dtype,))
            return F.decisive_slope(input, norm, F.div(g, count))
        if p == 3:
            return F.cubic_slope(input, g, norm)
        nothing = F.eq(norm, 0)
        norm = F.where(nothing, 1, norm)
        if p < 0:  # a norm is 0 beside one element of 0, whatever the others are
            g = F.where(nothing, 0, g)
        if not 0 < p <= 1:  # the power of a quotient overflows for these p, powers of its operands overflow for others
            return F.power_slope(g, input, norm, 1, p - 1)
        return F.power_slope(g, input, 1, F.pow(norm, p - 1), p - 1)


def norm_along(input: Tensor, p: float, dims: tuple[int, ...], keepdim: bool = False) -> Tensor:
    """Return the p-norm along dimensions; the gradient at a norm of 0 is 0."""
    F, layout = recorded_ops, layout_of_tensor(input)
    if p == 2:
        return F.norm2(input, (dims, keepdim))
    is_complex = layout.dtype.category == COMPLEX
    has_long_rows = layout.is_contiguous and dims[-1:] == (len(layout.shape) - 1,) and layout.shape[-1] >= LONG_ROW
    if p in (1, INF, -INF) and (is_complex or not has_long_rows):  # faster than `norm_p`
        fold = F.sum if p == 1 else F.amax if p > 0 else F.amin
        return fold(F.abs(input), (dims, keepdim))
    return F.norm_p(F.abs(input) if is_complex else input, (dims, keepdim, p))


def vector_norm_of(
    name: str, input: Tensor, p: float, dim: Dims | None, keepdim: bool, dtype: DTypeLike | None, out: Tensor | None
) -> Tensor:
    """Return the p-norm along dimensions, which is real for complex numbers."""
    input, (dims, kept) = reduction(name, input, dim, keepdim)
    if dtype is not None:
        wanted = as_dtype(dtype, name)
        category = layout_of_tensor(input).dtype.category
        if wanted.category < FLOATING or (category == COMPLEX) != (wanted.category == COMPLEX):
            raise DTypeError(
                f"{name}: expected dtype to be {'complex' if category == COMPLEX else 'floating'}; got {wanted.name}"
            )
        input = recorded_ops.to(input, (wanted,))
    layout = layout_of_tensor(input)
    check_inexact(name, layout)
    if (p < 0 or p == INF) and 0 in [layout.shape[i] for i in dims]:
        raise ArgumentError(
            f"{name}: expected at least one element for the order {p:g}; got shape {layout.shape}, empty along {dims}"
        )
    if not dims:  # the input is a number
        input, dims, kept = recorded_ops.unsqueeze(input, 0), (0,), False
    result = norm_along(input, p, dims, kept)
    return result if out is None else write_out(name, result, out)


def matrix_norm_of(
    name: str,
    input: Tensor,
    order: float | str,
    dim: Dims | None,
    keepdim: bool,
    dtype: DTypeLike | None,
    out: Tensor | None,
) -> Tensor:
    """Return a matrix norm: Frobenius, nuclear, spectral, or the extreme sum of magnitudes of columns or rows."""
    input = as_tensor(name, input)
    ndim = layout_of_tensor(input).ndim
    if not (isinstance(dim, (tuple, list)) and len(dim) == 2):
        raise ArgumentError(f"{name}: expected dim to be two dimensions; got {dim!r}")
    if ndim < 2:
        raise ArgumentError(f"{name}: expected at least 2 dimensions; got shape {tuple(input.shape)}")
    rows, columns = (check_dim(name, axis, ndim) for axis in dim)  # type: ignore[arg-type]
    if rows == columns:
        raise ArgumentError(f"{name}: dim {tuple(dim)} names a dimension twice; name each once")
    if order == "fro":
        return vector_norm_of(name, input, 2, (rows, columns), keepdim, dtype, out)
    if order in SINGULAR:
        return write_out(name, singular_norm(name, input, order, rows, columns, bool(keepdim), dtype), out)
    if order not in (1, -1, INF, -INF):
        raise ArgumentError(f"{name}: expected ord to be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; got {order!r}")
    added, other = (rows, columns) if order in (1, -1) else (columns, rows)
    sums = vector_norm_of(name, input, 1, added, True, dtype, None)
    nothing = order > 0 and not layout_of_tensor(sums).shape[other]  # the largest of no magnitudes is 0
    extreme = recorded_ops.sum if nothing else recorded_ops.amax if order > 0 else recorded_ops.amin
    result = extreme(sums, (tuple(sorted((added, other))), bool(keepdim)))  # type: ignore[operator]
    return write_out(name, result, out)


def singular_norm(
    name: str, input: Tensor, order: float | str, rows: int, columns: int, keepdim: bool, dtype: DTypeLike | None
) -> Tensor:
    """Return the sum, the maximum or the minimum of the singular values."""
    F, ndim = recorded_ops, layout_of_tensor(input).ndim
    if dtype is not None:
        input = F.to(input, (as_dtype(dtype, name),))
    check_inexact(name, layout_of_tensor(input))
    rest = [dim for dim in range(ndim) if dim not in (rows, columns)]
    values = spectrum_of(name, "svdvals", matrices(name, F.permute(input, (*rest, rows, columns))))
    last = ((layout_of_tensor(values).ndim - 1,), False)
    nothing = not layout_of_tensor(values).shape[-1]
    if order == "nuc" or (nothing and order == 2):
        result = F.sum(values, last)
    else:
        result = (F.amax if order > 0 else F.amin)(values, last)  # type: ignore[operator]
    for dim in sorted((rows, columns)) if keepdim else ():
        result = F.unsqueeze(result, dim)
    return result


@function(method=True)
def norm(
    F: Namespace,
    input: Tensor,
    p: float | str | None = "fro",
    dim: ReducedDims = None,
    keepdim: Flag = False,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: Axes = None,
    keepdims: KeepDims = False,
) -> Tensor:
    """Return the `p`-norm of all elements as one vector, or along `dim`; two dimensions are treated as one vector, too.

    "fro" and None mean 2; inf is the largest magnitude, -inf the smallest; 0 counts the nonzero elements. The result is
    real for complex numbers. Squares are summed in double precision. Integers raise a TypeError, unless `dtype` is set.

    Arguments:
        p: the order.
        dtype: the dtype to which the elements are converted first.

    >>> from facula_tensor import tensor
    >>> norm(tensor([3.0, 4.0])), norm(tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    """
    if isinstance(out, DType) and dtype is None:  # the fifth argument of the method
        out, dtype = None, out
    if p == "nuc":
        return matrix_norm_of("norm", input, p, (-2, -1) if dim is None else dim, keepdim, dtype, out)
    if isinstance(p, str) and p != "fro":
        raise ArgumentError(f"norm: expected p to be a number, 'fro' or 'nuc'; got {p!r}")
    order = 2.0 if p is None or p == "fro" else as_real(p, "norm", "p")
    return vector_norm_of("norm", input, order, dim, keepdim, dtype, out)


@function(method=True)
def dist(F: Namespace, input: Tensor, other: Tensor, p: Real = 2) -> Tensor:
    """Return the `p`-norm of `input - other`, which broadcast.

    Arguments:
        other: the tensor to subtract.
        p: the order.

    >>> from facula_tensor import tensor
    >>> dist(tensor([1.0, 2.0]), tensor([4.0, 6.0]))
    tensor(5.)
    """
    difference = F.sub(as_tensor("dist", input), as_tensor("dist", other))
    return vector_norm_of("dist", difference, p, None, False, None, None)


def floating_reduction(
    operation: str, input: Tensor, dim: Dims | None, keepdim: bool
) -> tuple[Tensor, tuple[tuple[int, ...], bool]]:
    """Return the arguments of a reduction along required dimensions; integers use the default floating dtype."""
    input, parameters = reduction(operation, input, needed_dim(operation, dim, None), keepdim)
    dtype = layout_of_tensor(input).dtype
    return input if dtype.category >= FLOATING else recorded_ops.to(input, (floating(dtype),)), parameters


@elementwise
class _scaled_exp:
    """exp(input - shift) * scale, in one pass, where input is at most shift."""

    inputs = ("input", "shift", "scale")
    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, out):
        return g * out

    def vjp_shift(F, g, out):
        return -(g * out)

    def vjp_scale(F, g, input, shift):
        return g * F.exp(input - shift)


@operator
class logsumexp:
    """Return log(sum(exp(x))) along `dim` (an integer or several), without overflow; -inf for no elements.

    Integers are computed in the default floating dtype. Complex results are principal values.

    Arguments:
        dim: the dimension, or several.

    >>> from facula_tensor import tensor
    >>> logsumexp(tensor([0.0, 0.0]), 0)
    tensor(0.6931)
    """

    signature = staticmethod(over_dims)
    prepare = floating_reduction
    method = out = True
    kernel = "log_sum_exp"
    parameters = ("dims", "keepdim")

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, layout.dtype)

    def decompose(F, operands, parameters):
        (input,), (dims, keepdim) = operands, parameters
        layout = layout_of_tensor(input)
        if layout.dtype.category != COMPLEX:
            return None
        if 0 in [layout.shape[i] for i in dims]:
            return F.log(F.sum(F.exp(input), (dims, keepdim)))
        greatest = F.amax(F.real_of(input), (dims, True))
        shift = F.where(F.eq(F.abs(greatest), INF), 0, greatest)
        total = F.add(F.log(F.sum(F.exp(F.sub(input, shift)), (dims, True))), shift)
        return F.reshape(total, reduced(layout, dims, keepdim, layout.dtype).shape)

    def direct(layout):
        return layout.dtype.category != COMPLEX

    def vjp_input(F, g, input, out, dims, keepdim):
        return F.scaled_exp(input, F.keep_dims(out, dims, keepdim), F.keep_dims(g, dims, keepdim))


@function(method=True, inline=True)
def count_nonzero(input: Tensor, dim: ReducedDims = None, *, axis: Axes = None) -> Tensor:
    """Return the number of nonzero elements (int64), of all or along `dim` (an integer or several).

    >>> from facula_tensor import tensor
    >>> count_nonzero(tensor([[0, 1], [2, 3]]), 0)
    tensor([1, 2])
    """
    input, parameters = reduction("count_nonzero", input, dim, False)
    return no_record_ops.sum(no_record_ops.to(input, (bool_,)), parameters)
