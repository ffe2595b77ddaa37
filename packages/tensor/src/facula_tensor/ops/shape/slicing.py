"""Views of parts along a dimension: one element, a slice, or pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, FaculaError, InvalidIndexError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import Layout
from facula_storage.extend.layouts import INTEGER
from facula_storage.extend.recording import note_bound, recorders

from ..._core.errors import named, shown
from ..._core.memory import dense_in_order, selected_part
from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method
from ..._dispatch.arguments import axis_for, needed_dim
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import composite, operators, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import Window, as_tensor, form, make_views
from ..._dispatch.written import function

if TYPE_CHECKING:
    from typing import SupportsIndex

    from ..._core.types import Lengths, Scalar
    from ..._dispatch.kinds import Axis, Integer, IntegerOrNone, RequiredDim
    from ..._dispatch.namespaces import Namespace
    from ..._dispatch.view_call import Window


@view
class select:
    """Return a view of one element along `dim`, with that dimension removed.

    Arguments:
        index: the index of the element; negative indices count from the end.

    Raises:
        IndexError: if the index is out of range.

    >>> from facula_tensor import arange
    >>> select(arange(3), 0, -1)
    tensor(2)
    """

    parameters = ("dim", "index")
    is_part = True
    method = overridable = quick = True

    @staticmethod
    def signature(
        input: Tensor, dim: RequiredDim = None, index: IntegerOrNone = None, *, axis: Axis = None
    ) -> None: ...

    def window(layout, dim, index):
        at = check_dim("select", dim, len(layout.shape)) if layout.shape else check_dim("select", dim, -1)
        length = layout.shape[at]
        if not hasattr(index, "__index__"):
            raise InvalidTypeError(f"select: expected index to be an integer; got {index!r}")
        if not -length <= index < length:
            raise InvalidIndexError(
                f"select: index {index} is out of range for dimension {at} of size {length}; "
                f"use {-length} to {length - 1}"
            )
        return selected_part("select", layout, (*(slice(None),) * at, index.__index__()))

    def vjp_input(F, g, input_layout, dim, index):
        dense = dense_in_order(input_layout)
        return F.part_back(g, dense, *window_of("select", dense, dim, index))


@view
class _slice:
    """Every `step`-th element from `start` to `stop` along a dimension. The bounds are in range."""

    parameters = ("dim", "start", "stop", "step")
    is_part = True

    def window(layout, dim, start, stop, step):
        return selected_part("slice", layout, (*(slice(None),) * dim, slice(start, stop, step)))

    def vjp_input(F, g, input_layout, dim, start, stop, step):
        dense = dense_in_order(input_layout)
        return F.part_back(g, dense, *window_of("slice", dense, dim, start, stop, step))


def window_of(name: str, layout: Layout, *parameters: Any) -> tuple[Layout, int]:
    """Return the part of a tensor that a view shows: its layout, and its first element's offset in bytes."""
    return operators[name].window(layout, *parameters)  # type: ignore[no-any-return, misc]


@composite
def part_back(F: Namespace, g: Tensor, whole: Layout, part: Layout, offset: int) -> Tensor:
    """Return zeros with `g` in a part: the gradient of a view that leaves elements out.

    Arguments:
        whole: the layout of the result, without gaps.
        part: the layout of the part.
        offset: its first element's offset in bytes.
    """
    place = offset // whole.dtype.itemsize if part.numel else 0
    if whole.is_contiguous:
        return F.inset(g, (whole.shape, part.strides, place, (), 0))
    order = sorted(range(len(whole.shape)), key=lambda dim: -whole.strides[dim])
    ordered = F.inset(g, (tuple([whole.shape[dim] for dim in order]), part.strides, place, (), 0))
    return F.permute(ordered, tuple([order.index(dim) for dim in range(len(order))]))


@function(method=True, quick=True, inline=True)
def narrow(
    F: Namespace,
    input: Tensor,
    dim: int | None = None,
    start: Scalar | Tensor | None = None,
    length: SupportsIndex | None = None,
    *,
    axis: Axis = None,
) -> Tensor:
    """Return a view of `length` elements along `dim`, beginning at `start`.

    Arguments:
        start: the index of the first element, an integer or a zero-dimensional integer tensor; negative indices count
            from the end.
        length: the number of elements.

    >>> from facula_tensor import arange
    >>> narrow(arange(5), 0, 1, 2)
    tensor([1, 2])
    """
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != INTEGER):
        shape = tuple(start.shape)
        raise named(ArgumentError(f"narrow: expected start to be an integer; got {start.dtype.name} of shape {shape}"))
    if not hasattr(start, "__index__") or not hasattr(length, "__index__") or isinstance(length, Tensor):
        given = f"{shown(start)} and {shown(length)}"
        raise named(InvalidTypeError(f"narrow: expected start and length to be integers; got {given}"))
    if dim is None:
        dim = needed_dim("narrow", dim)
    return F.narrow(input, dim, start.__index__(), length.__index__())  # type: ignore[union-attr]


@form
def _narrow(layout: Layout, dim: int, first: int, length: int) -> Window:
    """Return the window of `length` elements beginning at `first`."""
    if not layout.shape:
        raise ArgumentError("narrow: expected at least 1 dimension; got a number")
    dim = check_dim("narrow", dim, len(layout.shape))
    size = layout.shape[dim]
    if not -size <= first <= size:
        raise InvalidIndexError(
            f"narrow: start {first} is out of range for dimension {dim} of size {size}; use {-size} to {size}"
        )
    first = first + size if first < 0 else first
    if length < 0 or first + length > size:
        raise ArgumentError(f"narrow: start {first} and length {length} exceed dimension {dim}; its size is {size}")
    return slice_window(layout, dim, first, first + length)


def slice_window(layout: Layout, dim: int, first: int, last: int) -> Window:
    """Return the window of the elements `first` to `last` along a dimension."""
    op = operators["slice"]
    return (*op.window(layout, dim, first, last, 1), op.rule, (dim, first, last, 1))  # type: ignore[misc]


@function(method=True, quick=True, inline=True)
def unbind(F: Namespace, input: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Return views of the elements along `dim`, as a tuple.

    Arguments:
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import arange
    >>> unbind(arange(2))
    (tensor(0), tensor(1))
    """
    if axis is not None:
        dim = axis_for(dim or None, axis, "unbind")
    return F.unbind(input, dim)  # type: ignore[return-value]  # several views


def _unbind_windows(layout: Layout, dim: int) -> list[Window]:
    op, dim = operators["select"], check_dim("unbind", dim, len(layout.shape))
    if not layout.shape:
        raise ArgumentError("unbind: expected at least 1 dimension; got a number")
    return [(*op.window(layout, dim, i), op.rule, (dim, i)) for i in range(layout.shape[dim])]  # type: ignore[misc]


recorded_ops.unbind = make_views("unbind", _unbind_windows)


@overridable
def split(tensor: Tensor, split_size_or_sections: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along `dim` into views of equal length (the last may be shorter) or of the given lengths.

    Arguments:
        tensor: the tensor.
        split_size_or_sections: the length of every piece, or a list of the lengths.
        dim: the dimension.

    >>> from facula_tensor import arange
    >>> split(arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    try:
        return pieces(tensor, split_size_or_sections, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method("split")
def split_method(self: Tensor, split_size: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """Split this tensor along `dim` into views of equal length (the last may be shorter) or of the given lengths.

    Arguments:
        split_size: the length of every piece, or a list of the lengths.
        dim: the dimension.
    """
    try:
        return pieces(self, split_size, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


def pieces(input: Tensor, split_size_or_sections: Lengths, dim: int) -> tuple[Tensor, ...]:
    """Return the pieces for `split`."""
    if hasattr(split_size_or_sections, "__index__") and not isinstance(split_size_or_sections, Tensor):
        size = split_size_or_sections.__index__()
        if recorders:
            shape = layout_of_tensor(as_tensor("split", input)).shape
            length = shape[dim] if type(dim) is int and -len(shape) <= dim < len(shape) else 0
            if size > length > 0:
                note_bound(length)
        return _split(input, size, dim)
    return _split(input, sizes("split", (split_size_or_sections,)), dim)


def _split_windows(layout: Layout, wanted: int | tuple[int, ...], dim: int) -> list[Window]:
    """Return the windows of pieces of one length, or of the lengths `wanted`."""
    dim = check_dim("split", dim, len(layout.shape))
    if not layout.shape:
        raise ArgumentError("split: expected at least 1 dimension; got a number")
    size = layout.shape[dim]
    if isinstance(wanted, int):
        step = wanted
        if step < 0 or (not step and size):
            raise ArgumentError(f"split: expected a positive length; got {step}")
        lengths = [step] * (size // step) + ([size % step] if size % step else []) if step else [0]
        lengths = lengths or [0]
    else:
        lengths = list(wanted)
        if sum(lengths) != size or min(lengths, default=0) < 0:
            raise ArgumentError(
                f"split: expected lengths that add up to {size}, the size of dimension {dim}; got {lengths}"
            )
    parts, start = [], 0
    for length in lengths:
        parts.append(slice_window(layout, dim, start, start + length))
        start += length
    return parts


_split = make_views("split", _split_windows)


@function(method=True, quick=True, inline=True, refuses={"chunks <= 0": "chunks to be positive; got {chunks}"})
def chunk(F: Namespace, input: Tensor, chunks: Integer, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Split a tensor along `dim` into at most `chunks` views of equal length (the last may be shorter).

    Arguments:
        axis: NumPy's name of `dim`.
        chunks: the maximum number of pieces.

    >>> from facula_tensor import arange
    >>> chunk(arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if axis is not None:
        dim = axis_for(dim or None, axis, "chunk")
    return F.chunk(input, chunks, dim)  # type: ignore[return-value]  # several views


def _chunk_windows(layout: Layout, chunks: int, dim: int) -> list[Window]:
    """Return the windows of at most `chunks` pieces of equal length."""
    dim = check_dim("chunk", dim, len(layout.shape))
    if not layout.shape:
        raise ArgumentError("chunk: expected at least 1 dimension; got a number")
    size = layout.shape[dim]
    return _split_windows(layout, -(-size // chunks) if size else (0,) * chunks, dim)


recorded_ops.chunk = make_views("chunk", _chunk_windows)
