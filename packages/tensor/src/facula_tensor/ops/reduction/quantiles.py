"""Quantiles: values that a given fraction of the elements does not exceed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from facula_errors import ArgumentError, DTypeError
from facula_storage import float32, float64, int64

from ..._core.promotion import as_real
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._creation.filled import full
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.value_checks import check_within
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..._dispatch.kinds import Flag, ReducedDim
    from ..._dispatch.namespaces import Namespace


# Note [Ranks]
# ~~~~~~~~~~~~
# The q-quantile of n sorted elements has the rank q (n - 1), which is rarely an integer; `interpolation` combines the
# elements below and above. If there is a NaN, the rank is that of the last element, which is a NaN. `nanquantile`
# ranks only the other elements, which come first.
def _quantile(name: str, skips: bool, summary: str, operand: str, result: str) -> Function:
    """Create `quantile`, or `nanquantile` if `skips`; see Note [Ranks]."""

    def body(
        F: Namespace,
        input: Tensor,
        q: float | Tensor,
        dim: ReducedDim = None,
        keepdim: Flag = False,
        *,
        interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = "linear",
    ) -> Tensor:
        input = steady(as_tensor(name, input))
        layout = layout_of_tensor(input)
        dtype, ndim = layout.dtype, len(layout.shape)
        if dtype not in (float32, float64):
            raise DTypeError(f"{name}: defined for float32 and float64; got {dtype.name}; convert with .float()")
        q = _shares(name, q, input)
        if not layout.numel:
            raise ArgumentError(f"{name}: expected at least one element; got shape {layout.shape}")
        if dim is None:
            at, kept = 0, (1,) * ndim
            lines = F.reshape(input, (-1,))
        else:
            at = check_dim(name, dim, ndim)
            kept = (*layout.shape[:at], 1, *layout.shape[at + 1 :]) if ndim else ()
            lines = F.transpose(input, at, -1) if ndim else F.reshape(input, (1,))
        n = lines.shape[-1]
        last = lines.ndim - 1
        missing = no_record_ops.ne(lines.detach(), lines.detach())
        if skips:
            counts = no_record_ops.sub(n - 1, no_record_ops.sum(missing, ((last,), True)))
            counts = no_record_ops.to(no_record_ops.where(no_record_ops.lt(counts, 0), 0, counts), (dtype,))
            ranks = F.mul(q, counts)
        else:
            ranks = F.where(no_record_ops.any(missing, ((last,), True)), n - 1, F.mul(q, n - 1))
        ordered = F.sort(lines, (last, False))[0]
        result = _at_ranks(F, ordered, ranks, interpolation, last)
        count = q.numel()
        if dim is not None and ndim:
            result = F.transpose(result, at, -1)
            order = (at, *(i for i in range(ndim) if i != at))
            result = F.permute(result, order)
        else:
            result = F.reshape(result, (count,))
        rest = kept if keepdim else kept[:at] + kept[at + 1 :] if dim is not None else ()
        return F.reshape(result, (*q.shape, *rest) if q.ndim else rest)

    body.__doc__ = f"""{summary}

    Arguments:
        q: the fraction, or a tensor (n,) of fractions.
        interpolation: "linear", "lower", "higher", "midpoint" or "nearest".

    >>> from facula_tensor import tensor
    >>> {name}(tensor({operand}), 0.5)
    tensor({result})
    """
    return function(name=name, method=True, out=True)(body)


def _shares(name: str, q: float | Tensor, input: Tensor) -> Tensor:
    """Return the fractions as a tensor of one or no dimension."""
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


def _at_ranks(F: Namespace, ordered: Tensor, ranks: Tensor, interpolation: str, dim: int) -> Tensor:
    """Return the elements of sorted vectors at ranks that need not be integers."""
    shape = (*ordered.shape[:-1], ranks.shape[-1] if ranks.ndim else 1)
    if interpolation == "lower":
        ranks = no_record_ops.floor(ranks.detach())
    elif interpolation == "higher":
        ranks = no_record_ops.ceil(ranks.detach())
    elif interpolation == "nearest":
        ranks = no_record_ops.round(ranks.detach())
    below = no_record_ops.floor(ranks.detach())
    low = F.gather(ordered, no_record_ops.clone(no_record_ops.expand(no_record_ops.to(below, (int64,)), shape)), (dim,))
    if interpolation in ("lower", "higher", "nearest"):
        return low
    above = no_record_ops.to(no_record_ops.ceil(ranks.detach()), (int64,))
    high = F.gather(ordered, no_record_ops.clone(no_record_ops.expand(above, shape)), (dim,))
    weight = F.sub(ranks, below)
    if interpolation == "midpoint":
        weight = no_record_ops.where(no_record_ops.eq(weight.detach(), weight.detach()), 0.5, weight.detach())
    return F.lerp(low, high, F.expand(weight, shape))


quantile: Function = _quantile(
    "quantile",
    False,
    """Return the `q`-quantiles of all elements, or along `dim`: of n sorted elements, that with the rank q (n - 1).

    `q` is a number from 0 to 1, or a tensor of numbers (n,), which becomes the first dimension of the result.
    `interpolation` determines the value between two ranks: "linear", "lower", "higher", "midpoint" or "nearest". NaN
    propagates. float32 and float64.""",
    "[1.0, 2.0, 3.0, 4.0]",
    "2.5000",
)
nanquantile: Function = _quantile(
    "nanquantile",
    True,
    "Return the `quantile` of the elements that are not NaN; NaN if there are none.",
    '[1.0, float("nan"), 3.0]',
    "2.",
)
