"""Elements by rank or by how often they occur: medians, the k-th smallest, modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import Layout, contiguous, int64

from .._core.promotion import as_integer
from .._core.tensor import Tensor, layout_of_tensor, method, steady
from .._creation.filled import full
from .._dispatch.arguments import axis_for
from .._dispatch.declaration import operator, under
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .along import check_ordered, one_dim, pair
from .reduction.extreme_pairs import KthValue, Median, Mode, NanMedian
from .sorting import length

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._core.types import Function
    from .reduction.extreme_pairs import Extremes

__all__ = ["kthvalue", "median", "mode", "nanmedian"]


def _rank(name: str, *further: str) -> Function:
    @operator
    @under("_" + name, "One element of each line, and where it is.")
    class body:
        parameters = ("dim", *further)
        results = ("values", "indices")

        def outputs(layout, dim, *rest):
            public = name.removesuffix("_dim")
            check_ordered(public, layout)
            shape = layout.shape
            if not length(layout, dim):
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


def _whole(name: str) -> Function:
    @operator
    @under(f"_{name}_all", "The median of all; equal ones share.")
    class body:
        def outputs(layout):
            check_ordered(name, layout)
            return contiguous((), layout.dtype, layout.device)

        def batching(F, call):
            flat = F.reshape(call.operands[0], (-1,))
            return F.reshape(getattr(F, name + "_dim")(flat, (0,))[0], ())

        def execute(operands, parameters):
            flat = no_record_ops.reshape(operands[0], (-1,))
            if not layout_of_tensor(flat).numel:
                return [full((), float("nan"), dtype=flat.dtype, device=flat.device)]
            return [no_record_ops.reshape(getattr(no_record_ops, name + "_dim")(flat, (0,))[0], ())]

        def vjp_input(F, g, input, input_layout):
            chosen = getattr(no_record_ops, name + "_all")(input)
            winners = F.bitwise_or(F.eq(input, chosen), F.bitwise_and(F.ne(input, input), F.ne(chosen, chosen)))
            everywhere = tuple(range(len(input_layout.shape)))
            share = F.div(g, F.sum(F.to(winners, (g.dtype,)), (everywhere, False)))
            return F.where(winners, share, 0)

    return body


_median_all = _whole("median")
_nanmedian_all = _whole("nanmedian")


def without(results: Iterable[Tensor], dim: int, keepdim: bool, layout: Layout) -> tuple[Tensor, Tensor]:
    """Values and indices, without the dimension unless it is kept."""
    values, indices = results
    if keepdim or not layout.shape:
        return values, indices
    return recorded_ops.squeeze(values, dim), recorded_ops.squeeze(indices, dim)


@overridable
@method()
@boundary
def kthvalue(
    input: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """The `k`-th smallest element along `dim`, from 1 on, and where it is. NaN counts as the greatest.

    Arguments:
        input: the tensor.
        k: the rank, from 1 on.
        dim: the dimension.
        keepdim: whether `dim` stays, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: the pair of tensors where values and indices go; new ones if None.

    >>> from facula_tensor import tensor
    >>> kthvalue(tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    input, dim = one_dim("kthvalue", input, dim, axis)
    layout = layout_of_tensor(input)
    k, most = as_integer(k, "kthvalue", "k"), length(layout, dim)
    if not 1 <= k <= most:
        raise ArgumentError(f"kthvalue: expected k from 1 to {most}, the elements along dim {dim}; got {k}")
    results = recorded_ops.kthvalue(input, (dim, k))
    return pair(KthValue, without(results, dim, keepdim or keepdims, layout), out)


def _median(
    name: str, kind: type[Extremes], input: Tensor, dim: int | None, keepdim: bool, axis: int | None, out: Any
) -> Tensor | Extremes:
    """`median` or `nanmedian`: `kind` is the class of its pairs."""
    if axis is not None:
        dim = axis_for(dim, axis, name)
    if dim is None:
        return write_out(name, getattr(recorded_ops, name + "_all")(steady(as_tensor(name, input))), out)
    input, dim = one_dim(name, input, dim)
    results = getattr(recorded_ops, name + "_dim")(input, (dim,))
    return pair(kind, without(results, dim, keepdim, layout_of_tensor(input)), out)


@overridable
@method()
@boundary
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Extremes:
    """The median of all elements; with `dim` the pair (values, indices) along it. NaN where there is a NaN.

    Of an even number the lower of the two in the middle. Of all elements, equal ones share the gradient.

    Arguments:
        input: the tensor.
        dim: the dimension; all elements if None.
        keepdim: whether `dim` stays, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: a tensor, or with `dim` the pair of tensors, where the result goes.

    >>> from facula_tensor import tensor
    >>> median(tensor([3.0, 1.0, 2.0, 5.0]))
    tensor(2.)
    """
    return _median("median", Median, input, dim, keepdim or keepdims, axis, out)


@overridable
@method()
@boundary
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Extremes:
    """`median` of the elements that are no NaN; NaN where there are none.

    Arguments:
        input: the tensor.
        dim: the dimension; all elements if None.
        keepdim: whether `dim` stays, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: a tensor, or with `dim` the pair of tensors, where the result goes.

    >>> from facula_tensor import tensor
    >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
    tensor(2.)
    """
    return _median("nanmedian", NanMedian, input, dim, keepdim or keepdims, axis, out)


@overridable
@method()
@boundary
def mode(
    input: Tensor,
    dim: int = -1,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """The most frequent element along `dim`, of equally frequent ones the smallest, and where it is last.

    Arguments:
        input: the tensor.
        dim: the dimension.
        keepdim: whether `dim` stays, with length 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: the pair of tensors where values and indices go; new ones if None.

    >>> from facula_tensor import tensor
    >>> mode(tensor([3, 1, 3, 1, 2])).values
    tensor(1)
    """
    input, dim = one_dim("mode", input, dim, axis)
    results = recorded_ops.mode(input, (dim,))
    return pair(Mode, without(results, dim, keepdim or keepdims, layout_of_tensor(input)), out)
