"""Other shapes for the same elements: `view`, `reshape`, `flatten`, `expand`. Only `reshape` and `flatten` may copy."""

from __future__ import annotations

from math import prod as product
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import DType, Layout, contiguous, layout_of

from ..._core.promotion import as_dtype
from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim, method
from ..._creation.bits import reinterpreted
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import composite, may_alias_grad, no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor, form
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Lengths
    from ..._dispatch.kinds import Checked, Each, SizesByName
    from ..._dispatch.namespaces import Namespace
    from ..._dispatch.view_call import Window


def resolve(operation: str, shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return `shape` with its one -1 replaced such that the product is `numel`.

    Raises:
        ValueError: if the elements do not fit `shape`.
    """
    known, unknown = 1, 0
    for size in shape:
        if size == -1:
            unknown += 1
        elif size < 0:
            raise ArgumentError(
                f"{operation}: shape {shape} has a negative length; only one -1 may stand for an unknown length"
            )
        else:
            known *= size
    if unknown > 1:
        raise ArgumentError(f"{operation}: expected at most one -1, for one unknown length; got {shape}")
    if unknown and not known:
        raise ArgumentError(f"{operation}: expected no -1 next to a length of 0, which makes it ambiguous; got {shape}")
    if numel % known if unknown else known != numel:
        room = f"a multiple of {known}" if unknown else f"{known}"
        raise ArgumentError(f"{operation}: shape {shape} has room for {room} element(s); the tensor has {numel}")
    return tuple(numel // known if size == -1 else size for size in shape) if unknown else shape


def view_layout(layout: Layout, shape: tuple[int, ...]) -> Layout | None:
    """Return the layout of a view of the elements of `layout` in `shape`, or None if no such view exists."""
    if layout.is_contiguous:
        return contiguous(shape, layout.dtype, layout.device)
    # Merge old dimensions with uniform strides into runs; each run must be the product of whole new dimensions.
    runs: list[list[int]] = []
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * stride:
            runs[-1] = [runs[-1][0] * size, stride]
        else:
            runs.append([size, stride])
    strides: list[int] = []
    position = len(runs) - 1
    left, step = runs[position] if runs else (1, 1)
    for size in reversed(shape):
        if size == 1:
            strides.append(step * left if left else step)
            continue
        while left == 1 and position > 0:
            position -= 1
            left, step = runs[position]
        if left % size:
            return None
        strides.append(step)
        left, step = left // size, step * size
    return layout_of(shape, tuple(reversed(strides)), layout.dtype, layout.device)


@view
class _view:
    """Return a view in another shape, one length of which may be -1; or, as `view(dtype)`, with the same bits.

    If the size of the dtype differs, the length of the last dimension changes. No gradient flows through `view(dtype)`.

    Raises:
        ValueError: if the strides do not allow a view (`reshape` copies in this case).

    >>> from facula_tensor import arange
    >>> arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """

    named = ("size", "dtype")

    def decompose(F, operands, parameters):
        if len(parameters) == 1 and isinstance(parameters[0], (DType, type)):
            return reinterpreted(operands[0], as_dtype(parameters[0], "view"))
        return None

    def window(layout, *shape):
        wanted = resolve("view", sizes("view", shape), layout.numel)
        viewed = view_layout(layout, wanted)
        if viewed is None:
            raise ArgumentError(
                f"view: a tensor of shape {layout.shape} and strides {layout.strides} cannot be viewed as {wanted} "
                "without copying; use .reshape() instead"
            )
        return viewed, 0

    @may_alias_grad
    def vjp_input(F, g, input_layout, *_shape):
        return F.reshape(g, input_layout.shape)


Tensor.view = _view  # type: ignore[assignment, method-assign]


VIEW = operators["view"]


def reshape_window(operation: str, layout: Layout, shape: tuple[int, ...]) -> Window | None:
    """Return the window that shows the elements in another shape, or None if the strides do not allow one."""
    wanted = resolve(operation, shape, layout.numel)
    viewed = view_layout(layout, wanted)
    return None if viewed is None else (viewed, 0, VIEW.rule, wanted)


@form
def _reshaped(layout: Layout, shape: tuple[int, ...]) -> Window | None:
    return reshape_window("reshape", layout, shape)


@form
def _flattened(layout: Layout, start_dim: int, end_dim: int) -> Window | None:
    """Return the window that merges dimensions `start_dim` to `end_dim`, or None if this requires a copy."""
    shape = layout.shape
    first, last = check_dim("flatten", start_dim, len(shape)), check_dim("flatten", end_dim, len(shape))
    if first > last:
        raise ArgumentError(f"flatten: expected start_dim before end_dim; got {start_dim} and {end_dim}")
    return reshape_window("flatten", layout, (*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :]))


@form
def _whole(layout: Layout) -> Window:
    return layout, 0, VIEW.rule, layout.shape


@composite
def reshape_(F: Namespace, input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a view in another shape, or a copy if the strides do not allow one."""
    seen = F.reshaped(input, shape)
    return F.reshaped(F.clone(input), shape) if seen is None else seen


no_record_ops.reshape, recorded_ops.reshape = no_record_ops.reshape_, recorded_ops.reshape_


@view
class expand:
    """Return a view with dimensions of length 1 expanded and new leading dimensions added; -1 keeps a length.

    Arguments:
        shape: the lengths, as numbers or as one sequence.
        size: `shape`, as a keyword argument.

    >>> from facula_tensor import tensor
    >>> tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """

    parameters = ("shape",)
    method = overridable = quick = True

    @staticmethod
    def signature(input: Tensor, *shape: Each, size: SizesByName = None) -> None: ...

    def window(layout, shape):
        missing = len(shape) - len(layout.shape)
        if missing < 0:
            raise ArgumentError(
                f"expand: expected at least {len(layout.shape)} sizes for shape {layout.shape}; got {shape}"
            )
        wanted, strides = [], []
        for i, size in enumerate(shape):
            old = layout.shape[i - missing] if i >= missing else 1
            if size == -1 and i >= missing:
                size = old
            if size < 0:
                hint = "-1 keeps a length, and this dimension is new" if i < missing else "-1 keeps the length"
                raise ArgumentError(f"expand: expected sizes of at least 0; size {i} of {shape} is {size} ({hint})")
            if old != 1 and size != old:
                raise ArgumentError(
                    f"expand: shape {layout.shape} cannot be expanded to {shape}: size {i} is {size}, and dimension "
                    f"{i - missing} has length {old}; only dimensions of length 1 are repeated"
                )
            wanted.append(size)
            strides.append(layout.strides[i - missing] if i >= missing and old == size else 0)
        return layout_of(tuple(wanted), tuple(strides), layout.dtype, layout.device), 0

    @may_alias_grad
    def vjp_input(F, g, input_layout, _shape):
        return F.sum_to(g, input_layout)


@function(method=True, inline=True, public=False)
def reshape_as(F: Namespace, input: Tensor, other: Checked) -> Tensor:
    """Reshape a tensor to the shape of `other`, as `reshape` does.

    Arguments:
        other: the tensor whose shape the result has.
    """
    return F.reshape(input, tuple(other.shape))


@function(method=True, inline=True, public=False, quick=True)
def view_as(F: Namespace, input: Tensor, other: Checked) -> Tensor:
    """Return a view in the shape of `other`.

    Arguments:
        other: the tensor whose shape the result has.
    """
    return F.view(input, tuple(other.shape))


@overridable
def reshape(input: Tensor, shape: Lengths) -> Tensor:
    """Return a tensor with another shape: a view if the strides allow it, otherwise a copy. One length may be -1.

    >>> from facula_tensor import arange
    >>> reshape(arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    try:
        return recorded_ops.reshape(as_tensor("reshape", input), sizes("reshape", (shape,)))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method("reshape")
def _reshape_method(self: Tensor, *lengths: Lengths, shape: Lengths | None = None) -> Tensor:
    """Return a tensor with another shape: a view if the strides allow it, otherwise a copy. One length may be -1.

    Arguments:
        lengths: the lengths, as numbers or as one sequence.
        shape: `lengths`, as a keyword argument.
    """
    try:
        return recorded_ops.reshape(self, sizes("reshape", lengths, shape, "shape"))
    except FaculaError as error:
        trim_traceback(error)
        raise


@function(method=True, inline=True)
def flatten(F: Namespace, input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge dimensions `start_dim` to `end_dim` into one.

    Arguments:
        start_dim: the first dimension.
        end_dim: the last dimension.

    >>> from facula_tensor import ones
    >>> flatten(ones(2, 3, 4), 1).shape
    facula.Size([2, 12])
    """
    seen = F.flattened(input, start_dim, end_dim)
    return F.flattened(F.clone(input), start_dim, end_dim) if seen is None else seen


@function(method=True, inline=True, public=False, quick=True)
def expand_as(F: Namespace, input: Tensor, other: Checked) -> Tensor:
    """Return a view expanded to the shape of `other`.

    Arguments:
        other: the tensor whose shape the result has.
    """
    return F.expand(input, tuple(other.shape))


@function(method=True, inline=True)
def broadcast_to(F: Namespace, input: Checked, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    """Return a view expanded to `shape`.

    Arguments:
        shape: the lengths.
        size: another name of `shape`.

    >>> from facula_tensor import ones
    >>> broadcast_to(ones(3), (2, 3)).shape
    facula.Size([2, 3])
    """
    return F.expand(input, sizes("broadcast_to", () if shape is None else (shape,), size))
