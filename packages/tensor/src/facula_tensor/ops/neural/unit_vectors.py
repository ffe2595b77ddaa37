"""Vectors of length 1: `normalize`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF
from facula_errors import DTypeError
from facula_storage import bfloat16, contiguous, float16, float32
from facula_storage.extend.layouts import COMPLEX, FLOATING
from facula_storage.extend.objects import new_instance

from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, no_record_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..reduction.norms import norm_along

if TYPE_CHECKING:
    from ..._dispatch.kinds import Real, RealOrTensor
    from ..._dispatch.namespaces import Namespace

LEAST_LENGTH = 1e-15  # of vectors whose squares are summed in float32


@composite
def normalized_slope(F: Namespace, g: Tensor, input: Tensor, out: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    """Return the gradient of `normalized` for `input`."""
    length = F.norm2(input, (dims, True))
    scale = F.reciprocal(F.clamp_min(length, eps))
    share = F.mul(F.sum(F.mul(g, out), (dims, True)), scale)
    return F.product_difference(g, out, scale, F.where(F.ge(length, eps), share, 0))


@operator
class _normalized:
    """Real numbers divided by their Euclidean length along dimensions, which is bounded below by eps."""

    parameters = ("dims", "eps")

    def outputs(layout, dims, eps):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def execute(operands, parameters):
        (input,), (dims, eps) = operands, parameters
        length = no_record_ops.clamp_min(no_record_ops.norm2(input, (dims, True)), eps)
        return [no_record_ops.div(input, length)]

    def vjp_input(F, g, input, out, dims, eps):
        return F.normalized_slope(g, input, out, dims, eps)


@operator
class _unit_rows:
    """`normalized` along the last `count` dimensions, in one launch. Also returns the inverses of the divisors.

    An inverse is negative if eps is the divisor.
    """

    parameters = ("count", "eps")
    launch_scalars = ("eps",)
    results = ("out", "inverse")
    row_major = True

    def outputs(layout, count, eps):
        rows = prod(layout.shape[: len(layout.shape) - count])
        return (
            contiguous(layout.shape, layout.dtype, layout.device),
            contiguous((rows,), layout.dtype, layout.device),
        )

    def batching(F, call):
        out, inverse = call.run((call.whole(call.operands[0]),))
        return call.wrap(out), call.split(inverse)

    def vjp_input(F, g, input, out, inverse, count, eps):
        if F is no_record_ops:
            return F.unit_rows_grad(F.contiguous(g), out, inverse, (count,))
        ndim = layout_of_tensor(input).ndim
        return F.normalized_slope(g, input, out, tuple(range(ndim - count, ndim)), eps)


@operator
class _unit_rows_grad:
    """The gradient of `unit_rows`, in one launch."""

    inputs = ("grad", "rows", "inverse")
    parameters = ("count",)

    def outputs(g, rows, inverse, count):
        return contiguous(rows.shape, rows.dtype, rows.device)

    def batching(F, call):
        g, out, inverse = call.wholes()
        ndim = layout_of_tensor(out).ndim
        count = call.parameters[0]
        inverse = F.reshape(inverse, (*out.shape[: ndim - count], *[1] * count))
        share = F.where(F.gt(inverse, 0), F.sum(F.mul(g, out), (tuple(range(ndim - count, ndim)), True)), 0)
        return call.wrap(F.mul(F.sub(g, F.mul(out, share)), F.abs(inverse)))


ROWS: dict[tuple[object, ...], tuple[int, float]] = {}  # parameters of unit_rows by dtype, ndim, dim and eps
MAX_ROWS = 1024


def normalized_by_any(
    F: Namespace, input: Tensor, p: Real, dim: int | tuple[int, ...], eps: RealOrTensor, out: Tensor | None
) -> Tensor:
    """Divide `input` by its p-norm, with any combination of options."""
    x = steady(as_tensor("normalize", input))
    dtype = x.dtype
    if dtype.category not in (FLOATING, COMPLEX):
        raise DTypeError(f"normalize: expected floating or complex tensors; got {dtype.name}; convert with .float()")
    if dtype in (float16, bfloat16):
        x = F.to(x, (float32,))
    ndim = x.ndim
    several = dim if isinstance(dim, (tuple, list)) else (dim,)
    dims = tuple(sorted([check_dim("normalize", axis, ndim) for axis in several])) if ndim else ()
    is_positive = dtype.category == FLOATING and p == 2 and dims and not isinstance(eps, Tensor) and eps > 0
    if is_positive and dims[0] == ndim - len(dims) and eps >= LEAST_LENGTH:
        parameters = (len(dims), float(eps))
        if type(dim) is int and dtype is x.dtype:
            if len(ROWS) >= MAX_ROWS:
                ROWS.clear()
            ROWS[dtype, ndim, dim, eps] = parameters
        result = F.unit_rows(x, parameters)[0]
    elif is_positive:
        result = F.normalized(x, (dims, float(eps)))
    else:
        result = F.div(x, F.clamp_min(norm_along(x, p, dims, True), eps))
    return write_out("normalize", result if dtype is x.dtype else F.to(result, (dtype,)), out, (input,))


@function(overridable=True, inline=True)
def normalize(
    F: Namespace,
    input: Tensor,
    p: Real = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: RealOrTensor = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Divide `input` by its p-norm along `dim`. Half precisions are computed in float32.

    Arguments:
        input: a tensor of a floating or complex dtype.
        p: the exponent.
        dim: the dimension or dimensions.
        eps: the lower bound of the divisor.

    >>> from facula_tensor import tensor
    >>> normalize(tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    if p == 2 and type(dim) is int and out is None:
        try:  # `steady` inlined, as in softmax
            layout = input._layout
            storage = input._storage
            offset = input._offset
            node = input.node
            parameters = ROWS[layout.dtype, len(layout.shape), dim, eps]
        except (AttributeError, KeyError):  # not a plain tensor, or a new key
            pass
        else:
            if node is not LEAF:
                input = new_instance(Tensor)
                input._layout = layout
                input._storage = storage
                input._offset = offset
                input.node = node
            return F.unit_rows(input, parameters)[0]
    return normalized_by_any(F, input, p, dim, eps, out)
