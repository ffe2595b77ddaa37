"""Copies of views, under PyTorch's names: `narrow_copy`, `permute_copy` and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_storage import DType

from ..._core.sizes import sizes
from ..._core.tensor import Tensor
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import Declared, declare, function
from .as_strided import as_strided
from .slicing import narrow
from .transpose import squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from ..._core.types import Dims, DTypeLike, Function, Lengths, Scalar
    from ..._dispatch.kinds import Checked, Integer, RequiredDim, Sizes
    from ..._dispatch.namespaces import Namespace

ARGUMENT_DOCS = {
    "dim0": "the first dimension.",
    "dim1": "the second dimension.",
    "dim2": "the second dimension.",
    "dimension": "the dimension.",
    "dims": "the dimensions in their new order.",
    "end": "the bound; None for the end.",
    "implicit": "has no effect.",
    "index": "the index of the element; negative indices count from the end.",
    "length": "the number of elements.",
    "offset": "the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.",
    "size": "the lengths.",
    "start": "the index of the first element; negative indices count from the end.",
    "step": "the distance between two elements.",
    "storage_offset": "the position of the first element, in elements; None for the offset of `input`.",
    "stride": "the strides, in elements.",
}


def copied(view: Function) -> Function:
    """Declare a function that copies the view `view` returns, with a docstring that describes the view's arguments."""
    name, code = view.__name__, view.__code__

    def copy(F: Namespace, *arguments: Any, **options: Any) -> Tensor:
        return F.clone(view(F, *arguments, **options))

    names = code.co_varnames[2 : code.co_argcount + code.co_kwonlyargcount]
    lines = [f"    {argument}: {ARGUMENT_DOCS[argument]}" for argument in names if argument in ARGUMENT_DOCS]
    listed = "\n".join(["\n\nArguments:", *lines]) if lines else ""
    doc = f"Return a copy of the view that `{name.removesuffix('_copy')}` returns.{listed}"
    method = name == "narrow_copy"
    return declare(Declared(name, __name__, doc, view, out=True, overridable=True, method=method), copy)


@copied
def alias_copy(F: Namespace, input: Checked) -> Tensor:
    return F.whole(input)


@copied
def as_strided_copy(
    F: Namespace, input: Checked, size: Lengths, stride: Lengths, storage_offset: int | None = None
) -> Tensor:
    return as_strided(input, size, stride, storage_offset)


@copied
def detach_copy(F: Namespace, input: Checked) -> Tensor:
    return input.detach()


@copied
def diagonal_copy(F: Namespace, input: Checked, offset: Integer = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return F.diagonal(input, offset, dim1, dim2)


@copied
def expand_copy(F: Namespace, input: Checked, size: Sizes, *, implicit: bool = False) -> Tensor:
    return F.expand(input, size)


@copied
def narrow_copy(
    F: Namespace,
    input: Checked,
    dim: int | None = None,
    start: Scalar | Tensor | None = None,
    length: SupportsIndex | None = None,
) -> Tensor:
    return narrow(input, dim, start, length)


@copied
def permute_copy(F: Namespace, input: Checked, dims: Sizes) -> Tensor:
    return F.permute(input, dims)


@copied
def select_copy(F: Namespace, input: Checked, dim: RequiredDim = None, index: int | None = None) -> Tensor:
    return F.select(input, dim, index)


@copied
def slice_copy(
    F: Namespace, input: Checked, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return input.movedim(dim, 0)[slice(start, end, step)].movedim(0, dim)


@copied
def squeeze_copy(F: Namespace, input: Checked, dim: Dims | None = None) -> Tensor:
    return squeeze(input, dim)


@copied
def t_copy(F: Namespace, input: Checked) -> Tensor:
    return F.t(input)


@copied
def transpose_copy(F: Namespace, input: Checked, dim0: int, dim1: int) -> Tensor:
    return F.transpose(input, dim0, dim1)


@copied
def unfold_copy(F: Namespace, input: Checked, dimension: int, size: int, step: int) -> Tensor:
    return input.unfold(dimension, size, step)


@copied
def unsqueeze_copy(F: Namespace, input: Checked, dim: RequiredDim = None) -> Tensor:
    return F.unsqueeze(input, dim)


@copied
def view_copy(F: Namespace, input: Checked, size: Lengths | DTypeLike) -> Tensor:
    if isinstance(size, (DType, type)):
        return F.view(input, size)
    return F.reshape(input, sizes("view_copy", (size,)))


def _copy_each(operation: str, pieces: tuple[Tensor, ...], out: Sequence[Tensor] | None) -> tuple[Tensor, ...]:
    """Copy several views, or write them to the tensors of `out`."""
    copies = tuple([recorded_ops.clone(piece) for piece in pieces])
    if out is None:
        return copies
    if not isinstance(out, (tuple, list)) or len(out) != len(copies):
        raise ArgumentError(f"{operation}: expected out to be {len(copies)} tensors; got {out!r:.60}")
    return tuple([write_out(operation, piece, place) for piece, place in zip(copies, out, strict=True)])


@function(overridable=True)
def unbind_copy(input: Checked, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
    """Return copies of the views that `unbind` returns.

    Arguments:
        out: the tensors that receive the results; None for new tensors.
    """
    return _copy_each("unbind_copy", Tensor.unbind(input, dim), out)


@function(overridable=True)
def split_copy(
    input: Checked, split_size: Lengths, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Return copies of the views that `split` returns.

    Arguments:
        split_size: the length of every piece, or a list of the lengths.
        out: the tensors that receive the results; None for new tensors.
    """
    return _copy_each("split_copy", Tensor.split(input, split_size, dim), out)


@function(overridable=True)
def split_with_sizes_copy(
    input: Checked, split_sizes: Sizes, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Return copies of the views that `split_with_sizes` returns.

    Arguments:
        split_sizes: the lengths.
        out: the tensors that receive the results; None for new tensors.
    """
    return _copy_each("split_with_sizes_copy", Tensor.split(input, split_sizes, dim), out)


@function(method=True)
def split_with_sizes(input: Checked, split_sizes: Sizes, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along `dim` into views of the given lengths: `split` with a list of lengths.

    Arguments:
        split_sizes: the lengths.

    >>> from facula_tensor import arange
    >>> split_with_sizes(arange(3), (1, 2))
    (tensor([0]), tensor([1, 2]))
    """
    return Tensor.split(input, split_sizes, dim)


@function(method=True)
def unsafe_chunk(input: Checked, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor like `chunk`. Its pieces may be changed in place, as those of `chunk` may.

    Arguments:
        chunks: the maximum number of pieces.
    """
    return Tensor.chunk(input, chunks, dim)


@function(method=True)
def unsafe_split(input: Checked, split_size: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor like `split`. Its pieces may be changed in place, as those of `split` may.

    Arguments:
        split_size: the length of every piece, or a list of the lengths.
    """
    return Tensor.split(input, split_size, dim)


@function(method=True)
def unsafe_split_with_sizes(input: Checked, split_sizes: Sizes, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor like `split_with_sizes`. Its pieces may be changed in place, as those of `split_with_sizes` may.

    Arguments:
        split_sizes: the lengths.
    """
    return Tensor.split(input, split_sizes, dim)
