"""Quantiles: values below which a given share of the elements lies."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import float32, float64, int64

from ..._core.promotion import as_real
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method, steady
from ..._creation.filled import full
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.value_checks import check_within
from ..._dispatch.view_call import as_tensor
from ..._dispatch.writing import write_out

__all__ = ["nanquantile", "quantile"]

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


# Note [Ranks]
# ~~~~~~~~~~~~
# Of n sorted elements the q-quantile has the rank q (n - 1), which is rarely whole: `interpolation` says what is made
# of the elements below and above. A line with a NaN has the rank of its last element, which is one;
# `nanquantile` counts the others alone, which are in front.
def _quantile(
    name: str,
    input: Tensor,
    q: float | Tensor,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    out: Tensor | None,
    skips: bool,
) -> Tensor:
    """`quantile`, or `nanquantile` where `skips`: see Note [Ranks]."""
    input = steady(as_tensor(name, input))
    layout = layout_of_tensor(input)
    dtype, ndim = layout.dtype, len(layout.shape)
    if dtype not in (float32, float64):
        raise DTypeError(f"{name}: defined for float32 and float64; got {dtype.name}; convert with .float()")
    if interpolation not in INTERPOLATIONS:
        raise ArgumentError(f"{name}: expected interpolation to be one of {INTERPOLATIONS}; got {interpolation!r}")
    q = _shares(name, q, input)
    if not layout.numel:
        raise ArgumentError(f"{name}: expected at least one element; got shape {layout.shape}")
    if dim is None:
        at, kept = 0, (1,) * ndim
        lines = recorded_ops.reshape(input, (-1,))
    else:
        at = check_dim(name, dim, ndim)
        kept = (*layout.shape[:at], 1, *layout.shape[at + 1 :]) if ndim else ()
        lines = recorded_ops.transpose(input, at, -1) if ndim else recorded_ops.reshape(input, (1,))
    n = lines.shape[-1]
    last = lines.ndim - 1
    missing = no_record_ops.ne(lines.detach(), lines.detach())
    if skips:
        counts = no_record_ops.sub(n - 1, no_record_ops.sum(missing, ((last,), True)))
        counts = no_record_ops.to(no_record_ops.where(no_record_ops.lt(counts, 0), 0, counts), (dtype,))
        ranks = recorded_ops.mul(q, counts)
    else:
        ranks = recorded_ops.where(no_record_ops.any(missing, ((last,), True)), n - 1, recorded_ops.mul(q, n - 1))
    ordered = recorded_ops.sort(lines, (last, False))[0]
    result = _at_ranks(ordered, ranks, interpolation, last)
    count = q.numel()
    if dim is not None and ndim:
        result = recorded_ops.transpose(result, at, -1)
        order = (at, *(i for i in range(ndim) if i != at))
        result = recorded_ops.permute(result, order)
    else:
        result = recorded_ops.reshape(result, (count,))
    rest = kept if keepdim else kept[:at] + kept[at + 1 :] if dim is not None else ()
    return write_out(name, recorded_ops.reshape(result, (*q.shape, *rest) if q.ndim else rest), out)


def _shares(name: str, q: float | Tensor, input: Tensor) -> Tensor:
    """The shares that are asked for: a tensor of one dimension, or of none."""
    if not isinstance(q, Tensor):
        share = as_real(q, name, "q")
        if not 0 <= share <= 1:
            raise ArgumentError(f"{name}: expected q from 0 to 1; got {share}")
        return full((), float(share), dtype=input.dtype, device=input.device)
    if q.ndim > 1:
        raise ArgumentError(f"{name}: expected q to be a number or of one dimension; got shape {tuple(q.shape)}")
    if q.dtype is not input.dtype:
        raise DTypeError(f"{name}: expected q in the dtype of input, {input.dtype.name}; got {q.dtype.name}")
    check_within(name, "q", q)
    return steady(q)


def _at_ranks(ordered: Tensor, ranks: Tensor, interpolation: str, dim: int) -> Tensor:
    """The elements of sorted lines at ranks that need not be whole."""
    shape = (*ordered.shape[:-1], ranks.shape[-1] if ranks.ndim else 1)
    if interpolation == "lower":
        ranks = no_record_ops.floor(ranks.detach())
    elif interpolation == "higher":
        ranks = no_record_ops.ceil(ranks.detach())
    elif interpolation == "nearest":
        ranks = no_record_ops.round(ranks.detach())
    below = no_record_ops.floor(ranks.detach())
    low = recorded_ops.gather(
        ordered, no_record_ops.clone(no_record_ops.expand(no_record_ops.to(below, (int64,)), shape)), (dim,)
    )
    if interpolation in ("lower", "higher", "nearest"):
        return low
    above = no_record_ops.to(no_record_ops.ceil(ranks.detach()), (int64,))
    high = recorded_ops.gather(ordered, no_record_ops.clone(no_record_ops.expand(above, shape)), (dim,))
    weight = recorded_ops.sub(ranks, below)
    if interpolation == "midpoint":
        weight = no_record_ops.where(no_record_ops.eq(weight.detach(), weight.detach()), 0.5, weight.detach())
    return recorded_ops.lerp(low, high, recorded_ops.expand(weight, shape))


@overridable
@method()
@boundary
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The `q`-quantiles of all elements, or along `dim`: with n elements in order, what has the rank q (n - 1).

    `q` is a number from 0 to 1, or a tensor of them (n,), which becomes the first dimension of the result.
    Between two ranks `interpolation` decides: "linear", "lower", "higher", "midpoint" or "nearest". NaN where there
    is a NaN. float32 and float64.

    Arguments:
        input: the tensor to reduce.
        q: the share, or a tensor (n,) of shares.
        dim: the dimension; all elements if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        interpolation: "linear", "lower", "higher", "midpoint" or "nearest".
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> quantile(tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
    tensor(2.5000)
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, out, skips=False)


@overridable
@method()
@boundary
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of the elements that are not NaN; NaN where there are none.

    Arguments:
        input: the tensor to reduce.
        q: the share, or a tensor (n,) of shares.
        dim: the dimension; all elements if None.
        keepdim: whether the reduced dimensions stay, with length 1.
        interpolation: "linear", "lower", "higher", "midpoint" or "nearest".
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> nanquantile(tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, out, skips=True)
