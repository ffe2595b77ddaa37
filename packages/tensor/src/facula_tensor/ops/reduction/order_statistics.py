"""Elements by rank or by frequency: medians, the k-th smallest element, modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, contiguous, int64
from facula_storage.extend.layouts import INTEGER

from ..._core.number_limits import iinfo
from ..._core.tensor import Tensor, layout_of_tensor, steady
from ..._creation.filled import full
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .extreme_pairs import KthValue, Median, Mode, NanMedian
from .one_dim import check_ordered, extreme_pair, one_dim
from .sorting import length_along

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..._core.types import Function
    from ..._dispatch.kinds import Axis, Flag, Integer, KeepDims, Outs, PlainAxis, ReducedDim
    from ..._dispatch.namespaces import Namespace
    from .extreme_pairs import Extremes


def _rank(name: str, *further: str) -> Function:
    @operator
    @under("_" + name, "One element along a dimension, and its index.")
    class body:
        parameters = ("dim", *further)
        results = ("values", "indices")

        def outputs(layout, dim, *rest):
            public = name.removesuffix("_dim")
            check_ordered(public, layout)
            shape = layout.shape
            if not length_along(layout, dim):
                raise ArgumentError(f"{public}: expected at least one element along dim {dim}; got shape {shape}")
            values = contiguous((*shape[:dim], 1, *shape[dim + 1 :]) if shape else (), layout.dtype, layout.device)
            return values, values.to_dtype(int64)

        def vjp_input(F, g, indices, input_layout, dim):
            return F.chosen_back(g, indices, input_layout, dim)

    return body


_kthvalue = _rank("kthvalue", "k")
_median_dim = _rank("median_dim")
_nanmedian_dim = _rank("nanmedian_dim")
_mode = _rank("mode")


def _of_all(name: str, input: Tensor) -> Tensor:
    """Return the median of all elements; NaN, or the least integer, if there are none."""
    layout = layout_of_tensor(input)
    dtype = layout.dtype
    if not layout.numel:
        nothing = iinfo(dtype).min if dtype.category == INTEGER else float("nan")
        return full((), nothing, dtype=dtype, device=layout.device)
    flat = input if layout.ndim == 1 else no_record_ops.reshape(input, (-1,))
    return no_record_ops.reshape(getattr(no_record_ops, name + "_dim")(flat, (0,))[0], ())


def _median_of_all(name: str) -> Function:
    @operator
    @under(f"_{name}_all", "The median of all elements; equal elements share the gradient.")
    class body:
        def outputs(layout):
            check_ordered(name, layout)
            return contiguous((), layout.dtype, layout.device)

        def batching(F, call):
            flat = F.reshape(call.operands[0], (-1,))
            return F.reshape(getattr(F, name + "_dim")(flat, (0,))[0], ())

        def execute(operands, parameters):
            return [_of_all(name, *operands)]

        def vjp_input(F, g, input, out, input_layout):
            winners = F.bitwise_or(F.eq(input, out), F.bitwise_and(F.ne(input, input), F.ne(out, out)))
            everywhere = tuple(range(len(input_layout.shape)))
            share = F.div(g, F.sum(F.to(winners, (g.dtype,)), (everywhere, False)))
            return F.where(winners, share, 0)

    return body


_median_all = _median_of_all("median")
_nanmedian_all = _median_of_all("nanmedian")


def drop_dim(F: Namespace, results: Iterable[Tensor], dim: int, keepdim: bool, layout: Layout) -> tuple[Tensor, Tensor]:
    """Return values and indices, without the dimension unless it is kept."""
    values, indices = results
    if keepdim or not layout.shape:
        return values, indices
    if values.node is None and type(values._layout) is Layout:
        for result in (values, indices):  # new tensors: they need not be views of others
            result._layout = no_record_ops.squeeze(result, dim)._layout
        return values, indices
    return F.squeeze(values, dim), F.squeeze(indices, dim)


@function(method=True)
def kthvalue(
    F: Namespace,
    input: Tensor,
    k: Integer,
    dim: int = -1,
    keepdim: Flag = False,
    *,
    axis: PlainAxis = None,
    keepdims: KeepDims = False,
    out: Outs = None,
) -> Extremes:
    """Return the `k`-th smallest element along `dim` and its index. NaN is larger than any number.

    Arguments:
        k: the rank, counted from 1.

    >>> from facula_tensor import tensor
    >>> kthvalue(tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    input, dim = one_dim("kthvalue", input, dim)
    layout = layout_of_tensor(input)
    most = length_along(layout, dim)
    if not 1 <= k <= most:
        raise ArgumentError(f"kthvalue: expected k from 1 to {most}, the elements along dim {dim}; got {k}")
    return extreme_pair(KthValue, drop_dim(F, F.kthvalue(input, (dim, k)), dim, keepdim, layout), out)


def _median(name: str, kind: type[Extremes], summary: str, operand: str) -> Function:
    def body(
        F: Namespace,
        input: Tensor,
        dim: ReducedDim = None,
        keepdim: Flag = False,
        *,
        axis: Axis = None,
        keepdims: KeepDims = False,
        out: Tensor | Sequence[Tensor] | None = None,
    ) -> Tensor | Extremes:
        if dim is None:
            now = steady(as_tensor(name, input))
            is_plain = now.node is None and type(now._layout) is Layout and now._layout.numel
            result = _of_all(name, now) if is_plain else getattr(F, name + "_all")(now)
            return result if out is None else write_out(name, result, out)  # type: ignore[arg-type]
        input, dim = one_dim(name, input, dim)
        results = getattr(F, name + "_dim")(input, (dim,))
        return extreme_pair(kind, drop_dim(F, results, dim, keepdim, layout_of_tensor(input)), out)  # type: ignore[arg-type]

    body.__doc__ = f"""{summary}

    Arguments:
        out: the tensor that receives the result, or with `dim` the pair of tensors.

    >>> from facula_tensor import tensor
    >>> {name}(tensor({operand}))
    tensor(2.)
    """
    return function(name=name, method=True)(body)


median: Function = _median(
    "median",
    Median,
    "Return the median of all elements; with `dim`, the pair (values, indices) along it. NaN propagates.\n\n"
    "    For an even number of elements it is the lower of the two in the middle. Without `dim`, equal elements share\n"
    "    the gradient.",
    "[3.0, 1.0, 2.0, 5.0]",
)
nanmedian: Function = _median(
    "nanmedian",
    NanMedian,
    "Return the `median` of the elements that are not NaN; NaN if there are none.",
    '[3.0, float("nan"), 2.0]',
)


@function(method=True)
def mode(
    F: Namespace,
    input: Tensor,
    dim: int = -1,
    keepdim: Flag = False,
    *,
    axis: PlainAxis = None,
    keepdims: KeepDims = False,
    out: Outs = None,
) -> Extremes:
    """Return the most frequent element along `dim` (the smallest of equally frequent ones) and its last index.

    >>> from facula_tensor import tensor
    >>> mode(tensor([3, 1, 3, 1, 2])).values
    tensor(1)
    """
    input, dim = one_dim("mode", input, dim)
    return extreme_pair(Mode, drop_dim(F, F.mode(input, (dim,)), dim, keepdim, layout_of_tensor(input)), out)
