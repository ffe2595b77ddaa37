"""`gather`, with an index for each element, and the operators behind the `scatter` family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, contiguous, int32, int64

from ..._core.errors import show
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method, snapshot, steady
from ..._dispatch.arguments import needed_dim
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out, write_with
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ..._core.types import Function, Operands, Parameters
    from ..._dispatch.namespaces import Namespace


# ----------------------------------------------------------------------------------------------- operators
def check_fits(operation: str, layout: Layout, index: Layout, dim: int, src: Layout | None = None) -> None:
    """Raise a ValueError unless an index has the tensor's dimensions and is not longer, except along `dim`.

    `src`, if given, must have the dimensions of the index and be at least as long in each.
    """
    long = [d for d, size in enumerate(index.shape) if d != dim and d < len(layout.shape) and size > layout.shape[d]]
    if len(index.shape) != len(layout.shape) or long:
        raise ArgumentError(
            f"{operation}: expected index with the dimensions of input, none longer but dimension {dim}; got index "
            f"{index.shape}, input {layout.shape}; .expand() and .unsqueeze() give it dimensions"
        )
    if src is not None and (
        len(src.shape) != len(index.shape) or any([a > b for a, b in zip(index.shape, src.shape, strict=True)])
    ):
        raise ArgumentError(
            f"{operation}: expected src with the dimensions of index, none shorter; got src {src.shape}, index "
            f"{index.shape}"
        )


def check_scatter(layout: Layout, index: Layout, src: Layout, dim: int, mode: str) -> None:
    """Raise unless index and src fit a tensor of this layout, and src has its dtype.

    `dim` and `mode` are the parameters.
    """
    at = check_dim("scatter", dim, len(layout.shape))
    check_fits("scatter", layout, index, at, src)
    if src.dtype is not layout.dtype:
        raise different_dtypes("scatter", layout, src)


def different_dtypes(operation: str, layout: Layout, src: Layout) -> Exception:
    """Return the error for a `src` whose dtype differs from that of the tensor with this layout."""
    return DTypeError(
        f"{operation}: expected src in the dtype of input, {layout.dtype.name}; got {src.dtype.name}; "
        f"convert it with .to(facula.{layout.dtype.name})"
    )


def in_order(layout: Layout, index: Layout, src: Layout) -> bool:
    """Return whether the kernel can run: it copies `input` in memory order, and accepts any index and src."""
    return layout.is_contiguous


def in_row_major_order(name: str) -> Function:
    """Return the `decompose` of an operator: call it on a copy if `input` is not contiguous."""

    def decompose(F: Namespace, operands: Operands, parameters: Parameters) -> Tensor | None:
        input, index, src = operands
        return (
            None if layout_of_tensor(input).is_contiguous else getattr(F, name)(F.clone(input), index, src, parameters)
        )

    return decompose


@operator
class _gather:
    """Gather elements by an index along a dimension; positions along the other dimensions are the index's own."""

    inputs = ("input", "index")
    parameters = ("dim",)
    linear = ("input",)
    holomorphic = False

    def validate_layouts(layout, index, dim):
        at = check_dim("gather", dim, len(layout.shape))
        check_fits("gather", layout, index, at)

    def outputs(layout, index, dim):
        return contiguous(index.shape, layout.dtype, layout.device)

    def vjp_input(F, g, index, input_layout, dim):
        return F.gather_back(g, index, (input_layout.shape, dim))


@operator
class _gather_back:
    """Add elements to zeros at an index along a dimension: the gradient of `gather`."""

    inputs = ("grad", "index")
    parameters = ("shape", "dim")
    holomorphic = False

    def outputs(layout, index, shape, dim):
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_grad(F, g, index, shape, dim):
        return F.gather(g, index, (dim,))


@operator
class _scatter:
    """Copy `input`, and set or add elements at an index along a dimension."""

    inputs = ("input", "index", "src")
    parameters = ("dim", "mode")
    linear = ("input", "src")
    holomorphic = False

    def outputs(layout, index, src, dim, mode):
        return contiguous(layout.shape, layout.dtype, layout.device)

    kernel = "scatter_copy"
    validate_layouts = check_scatter
    decompose = in_row_major_order("scatter")
    direct = in_order

    def vjp_input(F, g, index, src_layout, dim, mode):
        return F.clone(g) if mode == "sum" else F.scatter(g, index, F.zeros_of(g, src_layout), (dim, mode))

    def vjp_src(F, g, index, dim):
        return F.gather(g, index, (dim,))


@operator
class _scatter_product:
    """Copy `input`, and multiply elements at an index along a dimension by those of `src`."""

    inputs = ("input", "index", "src")
    parameters = ("dim", "mode")
    kernel = "scatter_copy"
    validate_layouts = check_scatter
    decompose = in_row_major_order("scatter_product")
    direct = in_order

    def outputs(layout, index, src, dim, mode):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, input, index, src, dim):
        return F.scattered_factors(g, input, index, src, dim)[0]

    def vjp_src(F, g, input, index, src, dim):
        return F.scattered_factors(g, input, index, src, dim)[1]


@composite
def scattered_factors(
    F: Namespace, g: Tensor, input: Tensor, index: Tensor, src: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """Return the gradients of a scattered product by `input` and `src`: for each factor the product of the others.

    This is the product divided by the factor, which is differentiable again. If the factor is the only zero at its
    position, it is the product of the remaining factors.
    """
    no_input, no_src = F.eq(input, 0), F.eq(src, 0)
    zeros = F.scatter(F.zeros_like(input), index, F.to(no_src, (input.dtype,)), (dim, "sum"))
    first, rest = F.where(no_input, 1, input), F.where(no_src, 1, src)
    of_input = F.div(F.mul(g, F.scatter_product(first, index, src, (dim, "prod"))), first)
    whole = F.mul(g, F.scatter_product(input, index, src, (dim, "prod")))
    left = F.where(F.eq(zeros, 1), F.mul(g, F.scatter_product(input, index, rest, (dim, "prod"))), 0)
    return of_input, F.where(no_src, F.gather(left, index, (dim,)), F.div(F.gather(whole, index, (dim,)), rest))


@operator
class _scatter_extreme:
    """Copy `input`, and replace elements at an index along a dimension by larger or smaller ones from `src`."""

    inputs = ("input", "index", "src")
    parameters = ("dim", "mode")

    def outputs(layout, index, src, dim, mode):
        return contiguous(layout.shape, layout.dtype, layout.device)

    kernel = "scatter_copy"
    validate_layouts = check_scatter
    decompose = in_row_major_order("scatter_extreme")
    direct = in_order

    def vjp_input(F, g, out, input, index, src, dim):
        own, given = F.scattered_extremes(out, input, index, src, dim)
        return F.mul(F.div(g, F.scatter(own, index, given, (dim, "sum"))), own)

    def vjp_src(F, g, out, input, index, src, dim):
        own, given = F.scattered_extremes(out, input, index, src, dim)
        return F.mul(F.gather(F.div(g, F.scatter(own, index, given, (dim, "sum"))), index, (dim,)), given)


@composite
def scattered_extremes(
    F: Namespace, out: Tensor, input: Tensor, index: Tensor, src: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """Return masks (1 or 0) of the elements of `input` and of `src` that equal the extreme `out` of their position.

    Equal elements share the gradient.
    """
    dtype = (input.dtype,)
    return F.to(F.eq(input, out), dtype), F.to(F.eq(src, F.gather(out, index, (dim,))), dtype)


def scatter_into(target: Tensor, index: Tensor, src: Tensor, dim: int, mode: str) -> None:
    """Scatter `src` into the snapshot `target` along `dim`, without record or version; IndexError before any change."""
    write_with("scatter", target, (index, src), (dim, mode))


# ------------------------------------------------------------------------------------------------ arguments
def int64_index(operation: str, index: Tensor) -> Tensor:
    """Return a snapshot of an index as int64; TypeError unless its dtype is int64 or int32."""
    layout = layout_of_tensor(as_tensor(operation, index))
    if layout.dtype is int64:
        return snapshot(index)
    if layout.dtype is not int32 and layout.numel:
        raise DTypeError(f"{operation}: expected index to be int64 or int32; got {show(layout)}; convert with .long()")
    return no_record_ops.to(snapshot(index), (int64,))


@overridable
@method()
def gather(
    input: Tensor,
    dim: int | None = None,
    index: Tensor | None = None,
    *,
    axis: int | None = None,
    sparse_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Gather the elements of `input` at `index` along `dim`, at the index's own position along the other dimensions.

    For dim = 1: `out[i, j, k] = input[i, index[i, j, k], k]`.

    Arguments:
        input: any tensor.
        dim: the dimension.
        index: int64 or int32, with as many dimensions as `input`, not longer than `input` except along `dim`.
        axis: NumPy's name for `dim`.
        sparse_grad: has no effect: gradients are dense.
        out: a tensor that takes the result, or None.

    Returns:
        A tensor of the shape of `index`.

    Raises:
        IndexError: if an index is negative or beyond the dimension; the message names its position.
        ValueError: if the shapes do not fit.

    >>> from facula_tensor import tensor
    >>> gather(tensor([[1, 2], [3, 4]]), 1, tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    try:
        try:  # the common case
            layout = index._layout  # type: ignore[union-attr]  # None is an AttributeError
            like = layout.dtype is int64 and len(layout.shape) == len(input._layout.shape) and layout.shape
            if like and layout.numel and out is None and axis is None and type(dim) is int:
                return recorded_ops.gather(input, index, (dim,))
        except AttributeError:
            pass
        input, index = steady(as_tensor("gather", input)), int64_index("gather", index)  # type: ignore[arg-type]
        dim = check_dim("gather", needed_dim("gather", dim, axis), input.ndim)
        if not index.numel():
            return write_out(
                "gather", recorded_ops.narrow(recorded_ops.reshape(input, (-1,)), 0, 0, 0).reshape(index.shape), out
            )
        result = recorded_ops.gather(at_least_one(recorded_ops, input), at_least_one(no_record_ops, index), (dim,))
        return write_out("gather", recorded_ops.reshape(result, tuple(index.shape)), out, (input, index))
    except FaculaError as error:
        trim_traceback(error)
        raise


def at_least_one(F: Namespace, input: Tensor) -> Tensor:
    """Return a tensor with at least one dimension."""
    return input if input.ndim else F.unsqueeze(input, 0)
