"""Distances and angles between vectors: `cdist`, `pdist`, `pairwise_distance`, `cosine_similarity`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import contiguous, float32
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import floating, promote_types
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import composite, may_alias_grad, no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..elementwise.pointwise import is_real
from ..linalg.tril import triu_indices
from ..reduction.arguments import reduced
from ..reduction.norms import norm_along
from .unit_vectors import LEAST_LENGTH, MAX_ROWS

if TYPE_CHECKING:
    from ..._dispatch.kinds import Real, Steady, Truth
    from ..._dispatch.namespaces import Namespace

EXPONENT = {"not p >= 0": "p of at least 0; got {p}"}
MANY = 25  # rows above which matrix products are faster than differences of all pairs


def _in_one_floating_dtype(operation: str, *tensors: Tensor, complex: bool = False) -> list[Tensor]:
    """Promote the operands to one floating dtype, or a complex one if `complex`; TypeError otherwise."""
    found = [steady(as_tensor(operation, operand)) for operand in tensors]
    dtype = found[0].dtype
    for operand in found[1:]:
        dtype = promote_types(dtype, operand.dtype)
    if dtype.category != FLOATING and not (complex and dtype.category == COMPLEX):
        raise DTypeError(f"{operation}: expected floating tensors; got {dtype.name}; convert with .float()")
    return [operand if operand.dtype is dtype else recorded_ops.to(operand, (dtype,)) for operand in found]


def _root(total: Tensor) -> Tensor:
    """Return the square root of nonnegative sums, with a gradient of 0 at 0."""
    nothing = recorded_ops.le(total, 0)
    return recorded_ops.where(nothing, 0.0, recorded_ops.sqrt(recorded_ops.where(nothing, 1.0, total)))


@function(overridable=True, refuses=EXPONENT)
def cdist(
    F: Namespace,
    x1: Tensor,
    x2: Tensor,
    p: Real = 2.0,
    compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Compute the p-norm of the difference of each row of `x1` and each row of `x2`.

    Batches broadcast. Euclidean distances of more than 25 rows are computed by a matrix product, which is less accurate
    for small distances.

    Arguments:
        x1: (..., P, M).
        x2: (..., R, M).
        p: the exponent, at least 0.
        compute_mode: "donot_use_mm_for_euclid_dist" never uses that product, "use_mm_for_euclid_dist" always does.

    Returns:
        (..., P, R).

    >>> from facula_tensor import tensor
    >>> cdist(tensor([[0.0, 0.0]]), tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    name = "cdist"
    a, b = _in_one_floating_dtype(name, x1, x2)
    modes = (None, "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise ArgumentError(f"{name}: expected compute_mode to be one of {modes[1:]}; got {compute_mode!r}")
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise ArgumentError(
            f"{name}: expected rows of one length in at least 2 dimensions; got shapes {tuple(a.shape)} and "
            f"{tuple(b.shape)}"
        )
    many = compute_mode == modes[2] or (compute_mode != modes[3] and max(a.shape[-2], b.shape[-2]) > MANY)
    if p == 2 and many and a.shape[-1]:
        squares = [F.sum(F.mul(operand, operand), ((operand.ndim - 1,), True)) for operand in (a, b)]
        both = F.add(squares[0], F.transpose(squares[1], -1, -2))
        return _root(F.sub(both, F.mul(F.matmul(a, F.transpose(b, -1, -2)), 2)))
    difference = F.sub(F.unsqueeze(a, -2), F.unsqueeze(b, -3))
    if not difference.shape[-1]:
        return F.sum(difference, ((difference.ndim - 1,), False))
    return norm_along(difference, p, (difference.ndim - 1,))


@function(overridable=True, refuses=EXPONENT)
def pdist(F: Namespace, input: Tensor, p: Real = 2.0) -> Tensor:
    """Compute the p-norms of the differences of all pairs of rows (N, M): N (N - 1) / 2 numbers, the upper triangle.

    Arguments:
        input: the rows (N, M), of a floating dtype.
        p: the exponent, at least 0.

    >>> from facula_tensor import tensor
    >>> pdist(tensor([[0.0], [1.0], [5.0]]))
    tensor([1., 5., 4.])
    """
    (x,) = _in_one_floating_dtype("pdist", input)
    if x.ndim != 2:
        raise ArgumentError(f"pdist: expected a matrix; got shape {tuple(x.shape)}")
    first, second = triu_indices(x.shape[0], x.shape[0], 1, device=x.device)
    difference = F.sub(F.take(x, first, (0,)), F.take(x, second, (0,)))
    return norm_along(difference, p, (1,)) if x.shape[1] else F.sum(difference, ((1,), False))


@elementwise
class _shifted_difference:
    """input - other + shift, in one pass."""

    inputs = ("input", "other", "shift")
    accepts = is_real
    no_gradient = ("shift",)

    def value(F, input, other, shift):
        return input - other + shift

    @may_alias_grad
    def vjp_input(F, g):
        return g

    def vjp_other(F, g):
        return -g


@function(overridable=True)
def pairwise_distance(
    F: Namespace, x1: Steady, x2: Steady, p: Real = 2.0, eps: Real = 1e-6, keepdim: Truth = False
) -> Tensor:
    """Compute the p-norm of x1 - x2 + eps along the last dimension.

    Arguments:
        x1: (..., M).
        x2: (..., M); the two broadcast.
        p: the exponent.
        eps: added to each difference.
        keepdim: whether to keep the last dimension, with length 1.

    >>> from facula_tensor import tensor
    >>> pairwise_distance(tensor([[3.0, 4.0]]), tensor([[0.0, 0.0]]))
    tensor([5.0000])
    """
    broadcast_shapes("pairwise_distance", tuple(x1.shape), tuple(x2.shape))
    if COMPLEX in (x1.dtype.category, x2.dtype.category):  # programs have no complex numbers
        difference = F.add(F.sub(x1, x2), eps)
    else:
        difference = F.shifted_difference(x1, x2, eps)
    if not difference.ndim:
        raise ArgumentError("pairwise_distance: expected vectors in the last dimension; got numbers; use unsqueeze(0)")
    return norm_along(difference, p, (difference.ndim - 1,), keepdim)


@elementwise
class _scaled_product:
    """(input scale) (other factor): a product of scaled numbers, which does not overflow."""

    inputs = ("input", "other", "scale", "factor")
    accepts = is_real
    compute_dtype = floating

    def vjp_input(F, g, other, scale, factor):
        return g * ((other * factor) * scale)

    def vjp_other(F, g, input, scale, factor):
        return g * ((input * scale) * factor)

    def vjp_scale(F, g, input, other, factor):
        return g * ((other * factor) * input)

    def vjp_factor(F, g, input, other, scale):
        return g * ((input * scale) * other)


@elementwise
class _product_difference:
    """input scale - other factor, in one pass."""

    inputs = ("input", "other", "scale", "factor")
    accepts = is_real
    compute_dtype = floating

    def vjp_input(F, g, scale):
        return g * scale

    def vjp_other(F, g, factor):
        return -(g * factor)

    def vjp_scale(F, g, input):
        return g * input

    def vjp_factor(F, g, other):
        return -(g * other)


@composite
def cosine_slope(F: Namespace, g: Tensor, input: Tensor, other: Tensor, out: Tensor, dim: int, eps: float) -> Tensor:
    """Return the gradient of `cosine` for `input`."""
    g, out = F.unsqueeze(g, dim), F.unsqueeze(out, dim)
    lengths = [F.norm2(operand, ((dim,), True)) for operand in (input, other)]
    scale, factor = (F.reciprocal(F.clamp_min(length, eps)) for length in lengths)
    g = F.mul(g, scale)
    share = F.where(F.ge(lengths[0], eps), F.mul(F.mul(g, out), scale), 0)
    return F.product_difference(other, input, F.mul(g, factor), share)


@operator
class _cosine:
    """The cosine of the angle between vectors of one shape along a dimension."""

    inputs = ("input", "other")
    parameters = ("dim", "eps")

    def outputs(layout, other, dim, eps):
        return reduced(layout, (dim,), False, layout.dtype)

    def execute(operands, parameters):
        (input, other), (dim, eps) = operands, parameters
        # Divided before they are multiplied, so that products of huge elements do not overflow, as in PyTorch.
        lengths = [no_record_ops.norm2(operand, ((dim,), True)) for operand in operands]
        scale, factor = (no_record_ops.reciprocal(no_record_ops.clamp_min(length, eps)) for length in lengths)
        return [no_record_ops.sum(no_record_ops.scaled_product(input, other, scale, factor), ((dim,), False))]

    def vjp_input(F, g, input, other, out, dim, eps):
        return F.cosine_slope(g, input, other, out, dim, eps)

    def vjp_other(F, g, input, other, out, dim, eps):
        return F.cosine_slope(g, other, input, out, dim, eps)


@operator
class _cosine_rows:
    """`cosine` along the last `count` dimensions, in one launch. Also returns the inverses of both lengths.

    An inverse is negative if eps is the length.
    """

    inputs = ("input", "other")
    parameters = ("count", "eps")
    launch_scalars = ("eps",)
    results = ("out", "inverse", "other_inverse")
    row_major = True
    batching = "leading"

    def outputs(layout, other, count, eps):
        if layout.shape != other.shape:
            raise ArgumentError(f"cosine_rows: expected one shape; got {layout.shape} and {other.shape}")
        return (contiguous(layout.shape[: len(layout.shape) - count], layout.dtype, layout.device),) * 3

    def vjp_input(F, g, input, other, out, inverse, other_inverse, count, eps):
        if F is no_record_ops:
            return F.cosine_rows_grad(g, input, other, out, inverse, other_inverse, (count,))
        return F.cosine_slope(g, input, other, out, layout_of_tensor(input).ndim - 1, eps)

    def vjp_other(F, g, input, other, out, inverse, other_inverse, count, eps):
        if F is no_record_ops:
            return F.cosine_rows_grad(g, other, input, out, other_inverse, inverse, (count,))
        return F.cosine_slope(g, other, input, out, layout_of_tensor(input).ndim - 1, eps)


@operator
class _cosine_rows_grad:
    """The gradient of `cosine_rows` for its first operand, in one launch."""

    inputs = ("grad", "input", "other", "cosine", "inverse", "other_inverse")
    parameters = ("count",)
    row_major = True
    batching = "leading"

    def outputs(g, layout, other, cosine, inverse, other_inverse, count):
        return contiguous(layout.shape, layout.dtype, layout.device)


ROWS: dict[tuple[object, ...], tuple[int, float]] = {}  # parameters of cosine_rows by dtype, ndim, dim and eps


@function(overridable=True, refuses={"not eps >= 0": "eps of at least 0; got {eps}"})
def cosine_similarity(F: Namespace, x1: Tensor, x2: Tensor, dim: int = 1, eps: Real = 1e-8) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`.

    Arguments:
        x1: vectors, of a floating dtype.
        x2: vectors; the two broadcast.
        dim: the dimension.
        eps: the lower bound of lengths.

    >>> from facula_tensor import tensor
    >>> cosine_similarity(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    try:  # the usual operands: rows of one layout
        a, b = steady(x1), steady(x2)
        layout = a._layout
        parameters = ROWS[layout.dtype, len(layout.shape), dim, eps] if layout is b._layout else None
    except (AttributeError, KeyError):  # not a plain tensor, or a new key
        parameters = None
    if parameters is not None and type(dim) is int:
        return F.cosine_rows(a, b, parameters)[0]
    a, b = _in_one_floating_dtype("cosine_similarity", x1, x2)
    shape = broadcast_shapes("cosine_similarity", tuple(a.shape), tuple(b.shape))
    at = check_dim("cosine_similarity", dim, len(shape) or 1)
    is_by_row = a.shape == b.shape and at == a.ndim - 1 and eps >= LEAST_LENGTH
    if not is_by_row:
        a, b = (F.expand(operand, shape or (1,)) for operand in (a, b))  # numbers are vectors of one element
    dtype = a.dtype
    if dtype.itemsize == 2:
        a, b = (F.to(operand, (float32,)) for operand in (a, b))
    if is_by_row:
        parameters = (1, float(eps))
        if dtype is a.dtype and type(dim) is int:
            if len(ROWS) >= MAX_ROWS:
                ROWS.clear()
            ROWS[dtype, a.ndim, dim, eps] = parameters
        result = F.cosine_rows(a, b, parameters)[0]
    else:
        result = F.cosine(a, b, (at, eps))
    return result if dtype is a.dtype else F.to(result, (dtype,))
