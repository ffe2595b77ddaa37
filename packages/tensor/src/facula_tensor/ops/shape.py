"""Views: other shapes, orders and parts of the same elements. Nothing here copies, except `reshape` where it must."""

from __future__ import annotations

from typing import Any

from facula_storage import Layout, contiguous, layout_of
from facula_storage.extend import INTEGER, contiguous_strides

from .._declare import operator, view
from .._errors import ArgumentError
from .._memory import overlaps_itself
from .._operator import composite, passed_on, raw, recording
from .._tensor import Tensor, check_dim, layout_of_tensor, method
from .._viewing import as_tensor

__all__ = [
    "as_strided",
    "broadcast_to",
    "chunk",
    "flatten",
    "movedim",
    "narrow",
    "permute",
    "reshape",
    "select",
    "split",
    "squeeze",
    "t",
    "transpose",
    "unbind",
    "unsqueeze",
]


def sizes(operation: str, args: tuple) -> tuple[int, ...]:
    """A shape given as integers or as one tuple or list of them."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    try:
        return tuple([arg.__index__() for arg in args])
    except (AttributeError, TypeError):
        raise TypeError(f"{operation}: expected integers, or one tuple of them; got {args!r}") from None


def resolve(operation: str, shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """`shape` with its one -1 replaced so that it has `numel` elements; ValueError where that cannot be."""
    known, unknown = 1, 0
    for size in shape:
        if size == -1:
            unknown += 1
        elif size < 0:
            raise ArgumentError(f"{operation}: shape {shape} has a negative length; only one -1 may stand for an unknown length")
        else:
            known *= size
    if unknown > 1 or (unknown and not known) or (known != numel if not unknown else numel % known):
        raise ArgumentError(f"{operation}: shape {shape} does not fit {numel} element(s)")
    return tuple(numel // known if size == -1 else size for size in shape) if unknown else shape


def view_strides(layout: Layout, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides that show `layout`'s elements in `shape`, or None where no strides can."""
    if layout.is_contiguous:
        return contiguous_strides(shape)
    # Runs of old dimensions that lie evenly are one; each must be a whole product of new dimensions.
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
    return tuple(reversed(strides))


@view
class _view:
    """The same elements in another shape, without copying; one length may be -1. `view(dtype)` is not offered.

    ValueError where the strides do not allow it (`reshape` copies then).

    >>> from facula_tensor import arange
    >>> arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """

    def window(layout, *shape):
        wanted = resolve("view", sizes("view", shape), layout.numel)
        strides = view_strides(layout, wanted)
        if strides is None:
            raise ArgumentError(
                f"view: a tensor of shape {layout.shape} and strides {layout.strides} cannot be seen as {wanted} without "
                "copying; use .reshape() instead"
            )
        return layout_of(wanted, strides, layout.dtype, layout.device), 0

    @passed_on
    def reverse_input(F, g, input_layout, *_shape):
        return F.reshape(g, input_layout.shape)


Tensor.view = _view


@composite
def reshape_(F: Any, input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A view in another shape, or a copy where there is none."""
    layout = layout_of_tensor(input)
    shape = resolve("reshape", shape, layout.numel)
    if view_strides(layout, shape) is None:
        input = F.clone(input)
    return F.view(input, shape)


raw.reshape, recording.reshape = raw.reshape_, recording.reshape_


@view
class _transpose:
    """Two dimensions exchanged."""

    parameters = ("dim0", "dim1")

    def window(layout, dim0, dim1):
        order = list(range(len(layout.shape)))
        i, j = (check_dim("transpose", dim, len(order)) for dim in (dim0, dim1))
        if order:
            order[i], order[j] = order[j], order[i]
        return permuted(layout, order), 0

    @passed_on
    def reverse_input(F, g, _input_layout, dim0, dim1):
        return F.transpose(g, dim0, dim1)


def permuted(layout: Layout, order: Any) -> Layout:
    """The layout with its dimensions in another order."""
    return layout_of(
        tuple(layout.shape[i] for i in order), tuple(layout.strides[i] for i in order), layout.dtype, layout.device
    )


@view
class _reverse_dims:
    """All dimensions in reverse order."""

    def window(layout):
        return layout.transposed(), 0

    @passed_on
    def reverse_input(F, g):
        return F.reverse_dims(g)


@view
class _permute:
    """The dimensions in another order."""

    parameters = ("dims",)

    def window(layout, dims):
        order = [check_dim("permute", dim, len(layout.shape)) for dim in dims]
        if sorted(order) != list(range(len(layout.shape))):
            raise ArgumentError(f"permute: expected dims to name each of {len(layout.shape)} dimension(s) once; got {dims}")
        return permuted(layout, order), 0

    @passed_on
    def reverse_input(F, g, _input_layout, dims):
        back = [0] * len(dims)
        for place, dim in enumerate(dims):
            back[dim] = place  # negative ones count from the end of both
        return F.permute(g, tuple(back))


@view
class _expand:
    """Dimensions of length 1, and new leading ones, repeated without copying."""

    parameters = ("shape",)

    def window(layout, shape):
        missing = len(shape) - len(layout.shape)
        if missing < 0:
            raise ArgumentError(f"expand: expected at least {len(layout.shape)} sizes for shape {layout.shape}; got {shape}")
        wanted, strides = [], []
        for i, size in enumerate(shape):
            old = layout.shape[i - missing] if i >= missing else 1
            if size == -1 and i >= missing:
                size = old
            if size < 0 or (old != 1 and size != old):
                raise ArgumentError(
                    f"expand: shape {layout.shape} cannot be expanded to {shape}: dimension {i} has length {old}; "
                    "only dimensions of length 1 are repeated"
                )
            wanted.append(size)
            strides.append(layout.strides[i - missing] if i >= missing and old == size else 0)
        return layout_of(tuple(wanted), tuple(strides), layout.dtype, layout.device), 0

    @passed_on
    def reverse_input(F, g, input_layout, _shape):
        return F.sum_to(g, input_layout)


@view
class _squeeze:
    """Dimensions of length 1 left out."""

    def window(layout, *dims):
        ndim = len(layout.shape)
        chosen = {check_dim("squeeze", dim, ndim) for dim in dims} if dims else set(range(ndim))
        kept = [i for i in range(ndim) if layout.shape[i] != 1 or i not in chosen]
        return permuted(layout, kept), 0

    @passed_on
    def reverse_input(F, g, input_layout, *_dims):
        return F.reshape(g, input_layout.shape)


@view
class _unsqueeze:
    """A new dimension of length 1."""

    parameters = ("dim",)

    def window(layout, dim):
        at = check_dim("unsqueeze", dim, len(layout.shape) + 1)
        step = layout.strides[at] * layout.shape[at] if at < len(layout.shape) else 1
        shape = (*layout.shape[:at], 1, *layout.shape[at:])
        return layout_of(shape, (*layout.strides[:at], step, *layout.strides[at:]), layout.dtype, layout.device), 0

    @passed_on
    def reverse_input(F, g, input_layout, _dim):
        return F.reshape(g, input_layout.shape)


@view
class _select:
    """One element along a dimension, which goes."""

    parameters = ("dim", "index")
    cached = False

    def window(layout, dim, index):
        at = check_dim("select", dim, len(layout.shape)) if layout.shape else check_dim("select", dim, -1)
        length = layout.shape[at]
        if not -length <= index < length:
            raise IndexError(f"select: index {index} is out of range for dimension {at} of size {length}")
        step = layout.strides[at]
        shape, strides = layout.shape, layout.strides
        one = layout_of(shape[:at] + shape[at + 1 :], strides[:at] + strides[at + 1 :], layout.dtype, layout.device)
        return one, (index + length if index < 0 else index) * step * layout.dtype.itemsize

    def reverse_input(F, g, input_layout, dim, index):
        at = dim if dim >= 0 else dim + len(input_layout.shape)
        index = index if index >= 0 else index + input_layout.shape[at]
        return F.slice_back(F.unsqueeze(g, at), (input_layout, at, index, 1))


@view
class _slice:
    """Elements `start` to `stop`, every `step`-th, along a dimension. Bounds are already in range."""

    parameters = ("dim", "start", "stop", "step")
    cached = False

    def window(layout, dim, start, stop, step):
        count = max(0, -(-(stop - start) // step))
        shape, strides = layout.shape, layout.strides
        part = layout_of(
            (*shape[:dim], count, *shape[dim + 1 :]),
            (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
            layout.dtype,
            layout.device,
        )
        return part, start * strides[dim] * layout.dtype.itemsize if count else 0

    def reverse_input(F, g, input_layout, dim, start, _stop, step):
        return F.slice_back(g, (input_layout, dim, start, step))


@operator
class _slice_back:
    """Zeros of the shape a slice was taken from, with the slice put back."""

    parameters = ("whole", "dim", "start", "step")

    def execute(operands, parameters):
        from .copying import write

        (g,), (whole, dim, start, step) = operands, parameters
        from .._creation import zeros

        result = zeros(whole.shape, dtype=g.dtype, device=g.device)
        count = g.shape[dim]
        write(raw.slice(result, dim, start, start + (count - 1) * step + 1 if count else start, step), g)
        return [result]

    def reverse_input(F, g, input_layout, _whole, dim, start, step):
        count = input_layout.shape[dim]
        return F.slice(g, dim, start, start + (count - 1) * step + 1 if count else start, step)


@view
class _as_strided:
    """Any strides and offset (in elements) over the operand's memory. Rules hold for contiguous operands."""

    parameters = ("size", "stride", "offset")
    cached = False

    def window(layout, size, stride, offset):
        return layout_of(size, stride, layout.dtype, layout.device), offset * layout.dtype.itemsize

    def reverse_input(F, g, input_layout, size, stride, offset):
        zeros = F.zeros_of(g, input_layout)
        repeated = tuple(dim for dim, step in enumerate(stride) if not step and size[dim] > 1)
        if repeated:  # as after expand()
            g = F.sum(g, (repeated, True))
            size = tuple(1 if dim in repeated else length for dim, length in enumerate(size))
        if not overlaps_itself(layout_of(size, stride, input_layout.dtype, input_layout.device)):
            return F.as_strided_scatter(zeros, g, (size, stride, offset))
        from .._creation import arange

        # An element that is seen more than once gets the sum.
        places = raw.clone(raw.as_strided(arange(input_layout.numel, device=g.device), size, stride, offset))
        flat = F.put(F.view(zeros, -1), raw.view(places, -1), F.reshape(g, (-1,)), (0, True))
        return F.view(flat, input_layout.shape)


@operator
class as_strided_scatter:
    """A contiguous copy of `input` in which the elements that `as_strided(size, stride, offset)` shows are `src`'s."""

    inputs = ("input", "src")
    parameters = ("size", "stride", "offset")
    holomorphic = False

    def outputs(layout, src, size, stride, offset):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def execute(operands, parameters):
        from .copying import write

        input, src = operands
        result = raw.clone(input)
        write(raw.as_strided(result, *parameters), src)
        return [result]

    def reverse_input(F, g, src_layout, size, stride, offset):
        return F.as_strided_scatter(F.contiguous(g), F.zeros_of(g, src_layout), (size, stride, offset))

    def reverse_src(F, g, size, stride, offset):
        return F.clone(F.as_strided(F.contiguous(g), size, stride, offset))


# -------------------------------------------------------------------------------------------- public functions
@method()
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of `other`."""
    return recording.view(self, tuple(other.shape))


def reshape(input: Tensor, shape: Any) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1.

    >>> from facula_tensor import arange
    >>> reshape(arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return recording.reshape(as_tensor("reshape", input), sizes("reshape", (shape,) if isinstance(shape, int) else shape))


@method("reshape")
def _reshape_method(self: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy. One length may be -1."""
    return recording.reshape(self, sizes("reshape", shape))


@method()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one.

    >>> from facula_tensor import ones
    >>> flatten(ones(2, 3, 4), 1).shape
    facula.Size([2, 12])
    """
    ndim = as_tensor("flatten", input).ndim
    first, last = check_dim("flatten", start_dim, ndim), check_dim("flatten", end_dim, ndim)
    if first > last:
        raise ArgumentError(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    if not ndim:
        return recording.reshape(input, (1,))
    n = 1
    for size in input.shape[first : last + 1]:
        n *= size
    return recording.reshape(input, (*input.shape[:first], n, *input.shape[last + 1 :]))


@method()
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged.

    >>> from facula_tensor import ones
    >>> transpose(ones(2, 3), 0, 1).shape
    facula.Size([3, 2])
    """
    return recording.transpose(input, dim0, dim1)


@method("mT")
@property
def mT(self: Tensor) -> Tensor:
    """A view with the last two dimensions exchanged."""
    return recording.mT(self)


@composite
def transposed_matrix(F: Any, input: Tensor) -> Tensor:
    """The last two dimensions exchanged."""
    if input.ndim == 2:
        return F.reverse_dims(input)
    if input.ndim < 2:
        raise ArgumentError(f"mT: expected at least 2 dimensions; got shape {tuple(input.shape)}")
    return F.transpose(input, -2, -1)


raw.mT, recording.mT = raw.transposed_matrix, recording.transposed_matrix

Tensor.T = property(lambda self: recording.reverse_dims(self), doc="A view with all dimensions in reverse order.")


@method()
def permute(input: Tensor, *dims: Any) -> Tensor:
    """A view with the dimensions in another order, each named once.

    >>> from facula_tensor import ones
    >>> permute(ones(2, 3, 4), 2, 0, 1).shape
    facula.Size([4, 2, 3])
    """
    return recording.permute(input, sizes("permute", dims))


@method()
def expand(self: Tensor, *shape: Any) -> Tensor:
    """A view in which dimensions of length 1 are repeated, and new leading ones added; -1 keeps a length.

    >>> from facula_tensor import tensor
    >>> tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    return recording.expand(self, sizes("expand", shape))


@method()
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """A view expanded to the shape of `other`."""
    return recording.expand(self, tuple(other.shape))


@method()
def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """A view broadcast to `shape`."""
    return recording.expand(input, sizes("broadcast_to", (shape,)))


@method()
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of length 1: all of them, or those among `dim`.

    >>> from facula_tensor import ones
    >>> squeeze(ones(1, 2, 1)).shape
    facula.Size([2])
    """
    if dim is None:
        return recording.squeeze(input)
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    return recording.squeeze(input, *dims) if dims else recording.view(input, tuple(as_tensor("squeeze", input).shape))


@method()
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of length 1 at `dim`.

    >>> from facula_tensor import ones
    >>> unsqueeze(ones(2), 0).shape
    facula.Size([1, 2])
    """
    return recording.unsqueeze(input, dim)


@method()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one element along `dim`, which goes. IndexError where there is none.

    >>> from facula_tensor import arange
    >>> select(arange(3), 0, -1)
    tensor(2)
    """
    return recording.select(input, dim, index)


@method()
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A view of `length` elements along `dim` from `start` on (an integer, or an integer tensor of no dimensions).

    >>> from facula_tensor import arange
    >>> narrow(arange(5), 0, 1, 2)
    tensor([1, 2])
    """
    ndim = as_tensor("narrow", input).ndim
    if not ndim:
        raise ArgumentError("narrow: expected at least 1 dimension; got a number")
    dim = check_dim("narrow", dim, ndim)
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != INTEGER):
        raise ArgumentError(f"narrow: expected start to be an integer; got {start.dtype.name} of shape {tuple(start.shape)}")
    size, first = input.shape[dim], start.__index__()
    if not -size <= first <= size:
        raise IndexError(f"narrow: start {first} is out of range for dimension {dim} of size {size}")
    first = first + size if first < 0 else first
    if length < 0 or first + length > size:
        raise ArgumentError(f"narrow: start {first} and length {length} do not fit dimension {dim} of size {size}")
    return recording.slice(input, dim, first, first + length, 1)


@method()
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with the dimensions `source` moved to `destination`, the others keeping their order.

    >>> from facula_tensor import ones
    >>> movedim(ones(2, 3, 4), 0, -1).shape
    facula.Size([3, 4, 2])
    """
    ndim = as_tensor("movedim", input).ndim
    sources = [check_dim("movedim", d, ndim) for d in (source if isinstance(source, (tuple, list)) else (source,))]
    targets = [check_dim("movedim", d, ndim) for d in (destination if isinstance(destination, (tuple, list)) else (destination,))]
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ArgumentError(f"movedim: source {source} and destination {destination} must be equally many, each named once")
    rest = iter([i for i in range(ndim) if i not in sources])
    order = [sources[targets.index(i)] if i in targets else next(rest) for i in range(ndim)]
    return recording.permute(input, tuple(order))


@method()
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage with any shape, strides and offset (in elements).

    ValueError where it would reach outside the storage's elements that this tensor's family can see. Gradients
    flow through it for contiguous tensors, within their own elements.

    >>> from facula_tensor import arange
    >>> as_strided(arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    from .._views import root_of

    shape, strides = sizes("as_strided", (size,)), sizes("as_strided", (stride,))
    layout = layout_of_tensor(as_tensor("as_strided", input))
    own = input._offset // layout.dtype.itemsize
    offset = own if storage_offset is None else storage_offset
    if len(shape) != len(strides) or min((*shape, *strides, offset, 0)) < 0:
        raise ArgumentError(f"as_strided: size {shape}, stride {strides} and offset {offset} must fit together, none negative")
    wanted = layout_of(shape, strides, layout.dtype, layout.device)
    root = root_of(input)
    room = layout_of_tensor(root).extent
    start = offset * layout.dtype.itemsize - root._offset
    if wanted.numel and (start < 0 or start + wanted.extent > room):
        raise ArgumentError(
            f"as_strided: size {shape}, stride {strides} and offset {offset} reach outside the {room} bytes of the tensor"
        )
    last = (offset - own) * layout.dtype.itemsize + wanted.extent
    if input.node is not None and (not layout.is_contiguous or offset < own or last > layout.nbytes):
        raise NotImplementedError("as_strided: gradients are defined for contiguous tensors, and within their own elements")
    return recording.as_strided(input, shape, strides, offset - own)


@view
class t:
    """The transpose of a matrix, as a view; vectors and numbers are their own.

    >>> from facula_tensor import ones
    >>> t(ones(2, 3)).shape
    facula.Size([3, 2])
    """

    def window(layout):
        if len(layout.shape) > 2:
            raise ArgumentError(f"t: expected at most 2 dimensions; got shape {layout.shape}; use transpose or permute")
        return layout.transposed(), 0

    @passed_on
    def reverse_input(F, g):
        return F.reverse_dims(g)


@method()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the elements along `dim`.

    >>> from facula_tensor import arange
    >>> unbind(arange(2))
    (tensor(0), tensor(1))
    """
    dim = check_dim("unbind", dim, as_tensor("unbind", input).ndim)
    return tuple(recording.select(input, dim, i) for i in range(input.shape[dim]))


@method()
def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces along `dim`: of one length (the last may be shorter), or of the lengths given.

    >>> from facula_tensor import arange
    >>> split(arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    dim = check_dim("split", dim, as_tensor("split", input).ndim)
    size = input.shape[dim]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step < 0 or (not step and size):
            raise ArgumentError(f"split: expected a positive length; got {step}")
        lengths = [step] * (size // step) + ([size % step] if size % step else []) if step else [0]
        lengths = lengths or [0]
    else:
        lengths = list(split_size_or_sections)
        if sum(lengths) != size or min(lengths, default=0) < 0:
            raise ArgumentError(f"split: lengths {lengths} do not add up to {size}, the size of dimension {dim}")
    pieces, start = [], 0
    for length in lengths:
        pieces.append(recording.slice(input, dim, start, start + length, 1))
        start += length
    return tuple(pieces)


@method()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal pieces along `dim` (the last may be shorter).

    >>> from facula_tensor import arange
    >>> chunk(arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    dim = check_dim("chunk", dim, as_tensor("chunk", input).ndim)
    if chunks <= 0:
        raise ArgumentError(f"chunk: expected chunks to be positive; got {chunks}")
    return split(input, max(1, -(-input.shape[dim] // chunks)), dim)


@composite
def zeros_of(F: Any, like: Tensor, layout: Layout) -> Tensor:
    """Zeros of a layout's shape, in the dtype of `like`."""
    from .._creation import zeros

    return zeros(layout.shape, dtype=like.dtype, device=like.device)
