"""The largest and the smallest elements, of all or along dimensions. `argmax.py` returns their indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import LEAF
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, bool_, contiguous, int64
from facula_storage.extend.layouts import COMPLEX
from facula_storage.extend.objects import new_instance

from ..._core.memory import check_out
from ..._core.promotion import floating
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import elementwise, operator, under
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.operands import describe
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..elementwise.pointwise import is_real
from .arguments import MAX_DIMS, in_one_pass, over_dims, reduced, reduction
from .extreme_pairs import Extremes, MaxExtremes, MinExtremes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import Function

MIN_LINES, MIN_LENGTH, MAX_COLUMN = 16, 8, 256  # of lines that a kernel processes one by one, on several threads


def check_not_empty(operation: str, layout: Layout, dims: tuple[int, ...]) -> None:
    """Raise an error for complex numbers, or if one of `dims` has length 0."""
    if layout.dtype.category == COMPLEX:
        raise DTypeError(f"{operation}: complex numbers have no order; got {layout.dtype.name}")
    if 0 in [layout.shape[i] for i in dims]:
        raise ArgumentError(
            f"{operation}: expected at least one element to choose from; got shape {layout.shape}, empty along {dims}"
        )


@elementwise
class _is_extreme:
    """Whether elements equal the extreme, or are NaN, which wins, too."""

    inputs = ("input", "other")
    accepts = is_real

    compute_dtype = floating

    def result_dtype(dtype):
        return bool_


@operator
class _extreme_shares:
    """The gradient of extremes along a dimension, or of extreme magnitudes, which equal elements share, in one pass."""

    inputs = ("input", "extreme", "grad")
    parameters = ("dim", "magnitudes")

    def outputs(layout, extreme, grad, dim, magnitudes):
        return contiguous(layout.shape, layout.dtype, layout.device)


def suits_lines(layout: Layout, dims: tuple[int, ...]) -> bool:
    """Return whether lines along `dims` are neither few nor short, and, as columns, fit into the second cache."""
    if len(dims) != 1:
        return False
    length = layout.shape[dims[0]]
    most = MAX_COLUMN if dims[0] < len(layout.shape) - 1 else layout.numel // MIN_LINES
    return MIN_LENGTH <= length <= most


def _extreme(name: str, extreme: str, result: str) -> Function:
    @operator
    @under(
        name,
        f"""Return the {extreme} element, of all or along `dim`. NaN propagates. Equal elements share the gradient.

        >>> from facula_tensor import tensor
        >>> tensor([[1.0, 5.0], [3.0, 4.0]]).{name}(1)
        tensor({result})
        """,
    )
    class body:
        signature = staticmethod(over_dims)
        prepare = reduction
        method = out = True
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, layout.dtype)

        def vjp_input(F, g, input, out, input_layout, dims, keepdim):
            extreme, g = F.keep_dims(out, dims, keepdim), F.keep_dims(g, dims, keepdim)
            if suits_lines(input_layout, dims) and in_one_pass(F, input, extreme, g):
                return F.extreme_shares(input, extreme, g, (*dims, False))
            winners = F.is_extreme(input, extreme)
            count = F.to(F.sum(winners, (dims, True)), (g.dtype,))
            return F.where(winners, F.div(g, count), 0)  # not a product with a mask: 0 * inf would be NaN

    return body


amax: Function = _extreme("amax", "largest", "[5., 4.]")
amin: Function = _extreme("amin", "smallest", "[1., 3.]")


def _extreme_along(name: str) -> Function:
    @operator
    @under("_" + name, "The extreme along one dimension, and its index.")
    class body:
        parameters = ("dim", "keepdim")
        results = ("values", "indices")

        def outputs(layout, dim, keepdim):
            dims = (dim,) if layout.shape else ()
            check_not_empty(name, layout, dims)
            values = reduced(layout, dims, keepdim, layout.dtype)
            return values, values.to_dtype(int64)

        def vjp_input(F, g, indices, input_layout, dim, keepdim):
            if not keepdim:
                g, indices = F.unsqueeze(g, dim), F.unsqueeze(indices, dim)
            return F.chosen_back(g, indices, input_layout, dim)

    return body


_max_dim = _extreme_along("max_dim")
_min_dim = _extreme_along("min_dim")


def _other_for(operation: str, dim: object, other: Tensor) -> Tensor:
    """Return the second tensor, passed as a keyword argument."""
    if dim is not None:
        raise InvalidTypeError(f"{operation}: expected dim or other; got both, {dim!r} and {describe(other)}")
    return as_tensor(operation, other)


def _extreme_into(name: str, input: Tensor, dim: int | Tensor | None, keepdim: bool, out: Any) -> Tensor | Extremes:
    """Write the extreme along `dim` to the pair `out`, or the elementwise extreme of two tensors to `out`."""
    if isinstance(dim, Tensor):
        return write_out(name, getattr(recorded_ops, name + "imum")(input, dim), out)
    if not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise InvalidTypeError(
            f"{name}: expected out to be two tensors (values, indices) along a dim; got {describe(out)}"
        )
    input, parameters = along_one(name, input, dim, keepdim)
    if parameters[0] is None:
        input, parameters = _as_vector(input)
    values, indices = getattr(recorded_ops, name + "_dim")(input, parameters)
    check_out(name, layout_of_tensor(indices), out[1], ())
    values, indices = write_out(name, values, out[0]), write_out(name, indices, out[1])
    return (MaxExtremes if name == "max" else MinExtremes)((values, indices))


def _as_vector(input: Tensor) -> tuple[Tensor, tuple[int, bool]]:
    """Return a number as a vector of length 1 with its parameters: the number is its own extreme, at index 0."""
    return recorded_ops.unsqueeze(input, 0), (0, False)


_whole = [(tuple(range(ndim)), False) for ndim in range(MAX_DIMS + 1)]  # all dimensions, by their number
_checked: dict[tuple[object, ...], tuple[Any, ...]] = {}  # checked parameters, as in `reduction`


def along_one(operation: str, input: Tensor, dim: int | None, keepdim: bool) -> tuple[Tensor, tuple[int | None, bool]]:
    """Return a snapshot of `input`, the dimension (None for all), and whether it is kept."""
    try:  # `steady`, inlined
        layout = input._layout
        storage = input._storage
        offset = input._offset
        node = input.node
        parameters = _checked[len(layout.shape), dim, keepdim, type(dim)]
    except (AttributeError, KeyError, TypeError):  # not a tensor, an overriding tensor, or not cached
        pass
    else:
        if node is LEAF:
            return input, parameters
        t = new_instance(Tensor)
        t._layout = layout
        t._storage = storage
        t._offset = offset
        t.node = node
        return t, parameters
    if dim is not None and not hasattr(dim, "__index__"):
        check_dim(operation, dim, 0)  # raises an error that names the operation
    input, (dims, keepdim) = reduction(operation, input, dim, keepdim)
    parameters = (dims[0] if dim is not None and dims else None, keepdim)
    if dim is None or type(dim) is int:
        _checked[len(layout_of_tensor(input).shape), dim, keepdim, type(dim)] = parameters
    return input, parameters


def _extreme_function(name: str, kind: type[Extremes], doc: str) -> Function:
    """Create the function and method `max` or `min`."""
    fold, along = getattr(recorded_ops, "a" + name), getattr(recorded_ops, name + "_dim")

    def extreme(
        input: Tensor,
        dim: int | Tensor | None = None,
        keepdim: bool = False,
        *,
        other: Tensor | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        out: Tensor | Sequence[Tensor] | None = None,
    ) -> Tensor | Extremes:
        try:
            if axis is not None:
                dim = axis_for(dim, axis, name)
            if other is not None:
                dim = _other_for(name, dim, other)
            if dim is None:
                try:  # `reduction`, inlined
                    layout = input._layout
                    storage = input._storage
                    offset = input._offset
                    node = input.node
                    parameters = _whole[len(layout.shape)]
                except (AttributeError, IndexError):
                    input, parameters = reduction(name, input, None, False)
                else:
                    if node is not LEAF:
                        input = new_instance(Tensor)
                        input._layout = layout
                        input._storage = storage
                        input._offset = offset
                        input.node = node
                return fold(input, parameters, out)
            if out is not None or isinstance(dim, Tensor):
                return _extreme_into(name, input, dim, keepdim or keepdims, out)
            input, parameters = along_one(name, input, dim, keepdim or keepdims)  # type: ignore[assignment]
            if parameters[0] is None:
                input, parameters = _as_vector(input)
            return kind(along(input, parameters))
        except FaculaError as error:
            trim_traceback(error)
            raise

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = doc
    return overridable(method()(extreme))


max: Function = _extreme_function(
    "max",
    MaxExtremes,
    """Return the largest element; with `dim`, the pair (values, indices) along it; with a tensor, `maximum`.

    The index refers to the first of equal elements. NaN is larger than any number. `out` is a tensor, or along `dim`
    the pair (values, indices).

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or a tensor to compare with; None reduces all elements.
        keepdim: whether the result keeps `dim`, with length 1.
        other: the tensor to compare with, as a keyword argument in place of `dim`.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: the tensors that receive the result; None for new tensors.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).max(1).indices
    tensor([1, 1])
    """,
)
min: Function = _extreme_function(
    "min",
    MinExtremes,
    """Return the smallest element; with `dim`, the pair (values, indices) along it; with a tensor, `minimum`.

    Arguments:
        input: the tensor to reduce.
        dim: the dimension, or a tensor to compare with; None reduces all elements.
        keepdim: whether the result keeps `dim`, with length 1.
        other: the tensor to compare with, as a keyword argument in place of `dim`.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.
        out: the tensors that receive the result; None for new tensors.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).min(1).values
    tensor([1., 3.])
    """,
)
