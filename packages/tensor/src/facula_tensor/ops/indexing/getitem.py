"""`x[...]`: integers (also zero-dimensional tensors) and slices return views, other tensors return copies."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import ArgumentError, FaculaError, IndexTypeError, InvalidIndexError, InvalidTypeError
from facula_errors.extend import trim_traceback, warn
from facula_storage import Device, Layout, bool_, contiguous, int64, meta, uint8
from facula_storage.extend.layouts import INTEGER, find_window
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import recorders

from ..._core.errors import relabel
from ..._core.tensor import Tensor, elements, layout_of_tensor, make, snapshot, steady
from ..._core.view_family import first_view, tidy
from ..._core.wrapped import LevelLayout
from ..._creation.from_data import tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import call_torch_function, overridden
from ..._dispatch.slow_path.operands import describe
from ..._dispatch.slow_path.writing import write_with
from ..._dispatch.view_call import view_at
from ..shape import slicing as _slicing  # noqa: F401  declares select and slice
from .batches import put_at, taken, taken_back
from .many import mask_positions, merged
from .windows import FIND, INDEX, NO_WINDOW, note_bounds

if TYPE_CHECKING:
    from ..._core.types import Index

SELECT, SLICE = operators["select"], operators["slice"]
TENSORS = (Tensor, np.ndarray, list, tuple, range, bool, np.bool_)  # index parts that are converted to tensors
IN_TUPLES = (
    Tensor,
    np.ndarray,
    list,
    tuple,
    range,
    slice,
    type(None),
    type(Ellipsis),
)  # never in a list of numbers
MAX_NESTED_INDICES = 32  # longer lists are read as numbers, as in PyTorch

# The tensors of an index: None, one, or a list of several with their dimensions. The code distinguishes them by
# `type(...) is list`, which mypy does not follow.
Named: TypeAlias = Any


def getitem(input: Tensor, index: Any) -> Tensor:
    """Return `input[index]`; integers, slices, None and `...` use the fast path here, others `general_getitem`."""
    kind = type(index)
    la = input._layout  # see Note [One moment]
    storage = input._storage
    offset = input._offset
    na = input.node
    try:
        if kind is int:
            try:
                lo, step, length = la.by_row
            except AttributeError:
                lo, step, length = la.rows()
            if not -length <= index < length:
                return general_getitem(input, index)
            delta = (index + length if index < 0 else index) * step
            op, parameters = SELECT, (0, index)  # type: tuple[Any, tuple[object, ...]]
        elif kind is slice and (index.step is None or index.step == 1):
            first, last, _ = index.indices(la.shape[0])
            if last < first:
                last = first
            delta = first * la.strides[0] * la.dtype.itemsize
            lo = la.first_rows(last - first)
            op, parameters = SLICE, (0, first, last, 1)
        else:
            lo, delta = find_window(la, index if kind is tuple else (index,)) or NO_WINDOW
            op, parameters = INDEX, (index if kind is tuple else (index,),)
    except (AttributeError, IndexError, TypeError, ValueError):
        lo = None
    if recorders and kind is not int:
        note_bounds(layout_of_tensor(input).shape, index if kind is tuple else (index,))
    if lo is None:  # out of range, zero-dimensional, a tensor or a subclass: handled there
        try:
            return general_getitem(input, index)
        except FaculaError as error:
            trim_traceback(error)
            raise
    v = new_instance(Tensor)
    v._layout = lo
    v._storage = storage
    v._offset = offset + delta
    v._viewed = input
    if active_modes and not _grad_enabled():
        v.node = None
        return v
    try:
        views = input._views
    except AttributeError:
        views = first_view(input)
    v._views = views
    views.append(ref(v))
    if not len(views) & 31:
        tidy(views)
    if na is None:
        v.node = None
        return v
    n = v.node = Node()
    n.rule = op.rule
    n.seq = next_seq()
    n.e0 = input if na is LEAF else na  # type: ignore[assignment]
    n.rest = (la, parameters)
    f = _getframe(1)
    n.code = f.f_code
    n.lasti = f.f_lasti
    return v


def _grad_enabled() -> bool:
    from facula_autograd import is_grad_enabled

    return is_grad_enabled()


def general_getitem(input: Tensor, index: Index) -> Tensor:
    """Apply any index: first the basic parts, as views, then tensors."""
    if overridden((input,)):
        return call_torch_function("getitem", getitem, (input, index), {})
    try:
        view, dim, named = (direct if type(index) in (Tensor, tuple) else basic)(input, index)
        if named is None:
            return view if view is not input else recorded_ops.whole(input)
        if type(named) is list:
            view, dim, named, _ = merged(recorded_ops, view, named, read=True)
        if named.dtype is bool_:
            view, dim, named = mask_positions(recorded_ops, view, dim, named, read=True)
        return recorded_ops.take(view, named, (dim,))
    except Exception as error:
        relabel(error, "getitem")
        raise


def direct(input: Tensor, index: Any) -> tuple[Tensor, int, Named]:
    """Return the result of `basic` for an index of one tensor, or of several integer ones: a shortcut for these."""
    now = steady(input)
    known = layout_of_tensor(now)
    parts = index if type(index) is tuple else (index,)
    if not 0 < len(parts) <= len(known.shape):
        return basic(input, index)
    for part in parts:
        if type(part) is not Tensor:
            return basic(input, index)
        wanted = layout_of_tensor(part)
        if not wanted.shape or wanted.device is not known.device:
            return basic(input, index)
        covers = wanted.dtype is bool_ and len(parts) == 1 and wanted.shape == known.shape[: len(wanted.shape)]
        if not (covers or wanted.dtype is int64):
            return basic(input, index)
    return now, 0, steady(parts[0]) if len(parts) == 1 else [(dim, steady(part)) for dim, part in enumerate(parts)]


def basic(input: Tensor, index: Index, record: bool = True, *, changed: bool = False) -> tuple[Tensor, int, Named]:
    """Return the view that the integers, slices, None and `...` of an index select, and the index's tensors.

    For one tensor, its dimension in the view comes between the two; several are a list of pairs (dimension, tensor).
    The view is recorded if `record`. If it covers everything, it is `input` itself when that is about to be `changed`,
    else a snapshot of `input`.
    """
    layout = input._layout  # see Note [One moment]
    storage = input._storage
    offset = input._offset
    node = input.node
    level = layout.level if isinstance(layout, LevelLayout) else None
    if type(layout) is not Layout:
        layout = layout.real  # type: ignore[attr-defined]  # a WrappedLayout
    parts = [_as_index(part, layout.device) if isinstance(part, TENSORS) else part for part in between_commas(index)]
    shape = layout.shape
    used = sum(_consumes(part) for part in parts)
    if used > len(shape):
        masks = ", a bool tensor counted by its dimensions" if used > len(parts) else ""
        raise InvalidIndexError(f"index: expected at most {len(shape)} indices for shape {shape}; got {used}{masks}")
    if len([part for part in parts if part is Ellipsis]) > 1:
        raise InvalidIndexError("index: expected at most one ellipsis (...) in an index; use : for other dimensions")
    dim = 0
    named: list[tuple[int, Tensor]] = []
    own = 0  # the dimension of the tensor that a part indexes, for messages
    plain: list[Any] = []  # the parts that are not tensors
    for part in parts:
        if part is None:
            dim += 1
        elif part is Ellipsis:
            own += len(shape) - used
            dim += len(shape) - used
        elif isinstance(part, slice):
            part = _checked_slice(part, own)
            dim += 1
            own += 1
        elif isinstance(part, Tensor):
            if part.dtype is bool_:
                _check_mask(part, shape, own)
            named.append((dim, part))
            count = _consumes(part)
            plain += [slice(None)] * count
            dim += count
            own += count
            continue
        else:
            part = _position(part, own, shape[own])
            own += 1
        plain.append(part)
    left = (0, None) if not named else named[0] if len(named) == 1 else (0, named)
    if all([part == slice(None) if type(part) is slice else part is Ellipsis for part in plain]):
        if not named or changed or node is LEAF or level is not None:
            return input, *left
        now = make(Tensor, layout, storage, offset)
        now.node = node
        return now, *left
    parameters = (tuple(plain),)
    if level is not None:
        return (INDEX.call if record else INDEX.no_record)(input, *parameters), *left
    window = (*FIND(layout, *parameters), INDEX.rule, parameters)
    return view_at(input, (layout, storage, offset, node), window, record), *left


def between_commas(index: Index) -> tuple[Any, ...]:
    """Split an index into parts. A list that contains more than numbers is read as a tuple, as PyTorch still does."""
    if isinstance(index, tuple):
        return index
    if (
        not isinstance(index, list)
        or len(index) >= MAX_NESTED_INDICES
        or not any([isinstance(part, IN_TUPLES) for part in index])
    ):
        return (index,)
    warn(
        "x[[a, b]] with lists, slices, tensors, None or ... in the list is read as x[a, b], as PyTorch still does: "
        "write x[a, b] for that, or x[facula.tensor([a, b])] for one index",
        FutureWarning,
    )
    return tuple(index)


def _consumes(part: object) -> int:
    """Return the number of tensor dimensions that a part of an index consumes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, Tensor) and part.dtype is bool_ else 1


def _check_mask(mask: Tensor, shape: tuple[int, ...], own: int) -> None:
    """Raise an IndexError unless a mask has the lengths of the dimensions that it covers, beginning with `own`."""
    for i, wanted in enumerate(mask.shape):
        if shape[own + i] != wanted:
            raise InvalidIndexError(
                f"index: a bool index of shape {tuple(mask.shape)} does not fit dimension {own + i} of the "
                f"tensor; its length is {shape[own + i]}, that of the index is {wanted}"
            )


def _position(part: Any, dim: int, length: int) -> int:
    """Return an integer index, in range of dimension `dim` of this length; TypeError for other parts."""
    try:
        position = part.__index__()
    except AttributeError:
        raise IndexTypeError(
            "index: expected integers, slices, None, ... or integer or bool tensors; "
            f"got {describe(part)} for dimension {dim}"
        ) from None
    if not -length <= position < length:
        expected = f"expected {-length} to {length - 1}" if length else "it is empty"
        raise InvalidIndexError(f"index: {position} is out of range for dimension {dim} of size {length}; {expected}")
    return position


def _bound(part: Any, dim: int, name: str) -> int | None:
    """Return the bound `name` of the slice for dimension `dim`; TypeError if it is not an integer."""
    bound = getattr(part, name)
    if bound is not None and not hasattr(bound, "__index__"):
        raise InvalidTypeError(
            f"index: expected integers in the slice for dimension {dim}; got {name} {describe(bound)}"
        )
    return None if bound is None else bound.__index__()  # type: ignore[no-any-return]


def _checked_slice(part: slice, own: int) -> slice:
    """Return a slice of integers; raise an error with the dimension if a bound is none or the step is not positive."""
    start, stop, step = [_bound(part, own, name) for name in ("start", "stop", "step")]
    if step is not None and step <= 0:
        raise ArgumentError(
            f"index: expected a positive step; got {step}; for the reverse order index with "
            "facula.arange(n - 1, -1, -1)"
        )
    return slice(start, stop, step)


def _as_index(part: Any, device: Device) -> Tensor | int:
    """Convert a part of an index to a bool or int64 tensor; return one integer as an int, which selects a view."""
    index = steady(part) if isinstance(part, Tensor) else tensor(part, device=device)
    if not isinstance(part, Tensor) and not index.numel() and index.dtype not in (bool_, uint8):
        index = index.to(int64)  # an empty list has no dtype
    if index.dtype is bool_:
        return index.to(device)
    if index.dtype is uint8:
        raise IndexTypeError(
            "index: uint8 is a mask in PyTorch and a position in NumPy; convert with .bool() or .long()"
        )
    if index.dtype.category != INTEGER:
        raise IndexTypeError(f"index: expected an integer or bool tensor; got {index.dtype.name}; convert with .long()")
    if not index.ndim and index.device is not meta and not elements(index).ndim:  # and not batched
        return int(index)
    return index.to(int64).to(device)


@operator
class _take:
    """Take the elements along a dimension at an integer tensor, whose shape replaces the dimension."""

    inputs = ("input", "index")
    parameters = ("dim",)
    linear = ("input",)
    holomorphic = False

    batching = taken

    def outputs(layout, index, dim):
        shape = (*layout.shape[:dim], *index.shape, *layout.shape[dim + 1 :])
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, index, input_layout, dim):
        return F.take_back(g, index, (input_layout.shape, dim, None))


@operator
class _take_back:
    """Add elements to zeros at an index along a dimension, except those with the index `skip`."""

    inputs = ("grad", "index")
    parameters = ("shape", "dim", "skip")
    linear = ("grad",)
    holomorphic = False

    batching = taken_back

    def outputs(layout, index, shape, dim, skip):
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_grad(F, g, index, shape, dim, skip):
        taken = F.take(g, index, (dim,))
        if skip is None:
            return taken
        left = no_record_ops.reshape(no_record_ops.eq(index, skip), (*index.shape, *[1] * (len(shape) - 1 - dim)))
        return F.where(left, 0, taken)


@operator
class _put:
    """Copy `input`, and set or add elements along a dimension at `index`."""

    inputs = ("input", "index", "values")
    parameters = ("dim", "accumulate", "from_zero")
    linear = ("input", "values")
    holomorphic = False

    batching = put_at

    def outputs(layout, index, values, dim, accumulate, from_zero):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def execute(operands, parameters):
        input, index, values = operands
        result = no_record_ops.clone(input)
        put_into(result, index, values, *parameters)
        return [result]

    def vjp_input(F, g, index, values_layout, dim, accumulate):
        return F.clone(g) if accumulate else F.put(g, index, F.zeros_of(g, values_layout), (dim, False, False))

    def vjp_values(F, g, index, dim):
        return F.take(g, index, (dim,))


def put_into(
    target: Tensor, index: Tensor, values: Tensor, dim: int, accumulate: bool, from_zero: bool = False
) -> None:
    """Set the elements of the snapshot `target` at `index` along `dim`, or add to them if `accumulate`.

    Records no history and no version. Raises IndexError before any change; with `from_zero` for negative indices, too.
    """
    write_with("put", target, (snapshot(index), snapshot(values)), (dim, accumulate, from_zero))


Tensor.__getitem__ = getitem  # type: ignore[method-assign, assignment]
