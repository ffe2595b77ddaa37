"""Joining and splitting of tensors under NumPy's names: `hstack`, `vstack`, `tensor_split` and related functions."""

# ruff: noqa: F401  imports the functions that are generated from the declarations, so that this module exports them
from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError
from facula_storage import contiguous

from ..._core.promotion import as_integer, promote_types
from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim
from ..._creation.filled import empty
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import Declared, declare, function
from .joining import cat, stack
from .slicing import split

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


def _tensors_or_none(operation: str, tensors: tuple[Tensor | Sequence[Tensor], ...]) -> tuple[Tensor, ...] | None:
    """Return the tensors of a tuple, list or argument list; None if the only argument is a tensor."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return None
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    return tuple([as_tensor(operation, tensor) for tensor in tensors])


def _tensor_tuple(operation: str, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    if not isinstance(tensors, (tuple, list)) or not tensors:
        raise ArgumentError(f"{operation}: expected a tuple or list of at least one tensor; got {tensors!r:.60}")
    return tuple([tensor if isinstance(tensor, Tensor) else as_tensor(operation, tensor) for tensor in tensors])


def _at_least(input: Tensor, ndim: int) -> Tensor:
    """Return a view with at least `ndim` dimensions; new dimensions come first, except that a third comes last."""
    missing = ndim - input.ndim
    if missing <= 0:
        return input
    shape = tuple(input.shape)
    if ndim == 3:
        shape = (1, 1, 1) if not shape else (1, shape[0], 1) if missing == 2 else (*shape, 1)
    else:
        shape = (1,) * missing + shape
    return recorded_ops.reshape(input, shape)


def _each_at_least(operation: str, ndim: int, *tensors: Any) -> Tensor | tuple[Tensor, ...]:
    """Return one tensor, or a tuple of several, each with at least `ndim` dimensions."""
    several = _tensors_or_none(operation, tensors)
    if several is None:
        return _at_least(tensors[0], ndim)
    return tuple([_at_least(tensor, ndim) for tensor in several])


def _any(  # type: ignore[empty-body]
    *tensors: Tensor | Sequence[Tensor],
) -> Tensor | tuple[Tensor, ...]: ...


for ndim, summary, shown in (
    (1, "Return views with at least one dimension; numbers become vectors.", "tensor(3))\ntensor([3])"),
    (2, "Return views with at least two dimensions; new ones come first.", "tensor([3, 4]))\ntensor([[3, 4]])"),
    (
        3,
        "Return views with at least three dimensions: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).",
        "tensor([3, 4]))\ntensor([[[3],\n         [4]]])",
    ),
):
    name = f"atleast_{ndim}d"
    doc = (
        f"{summary}\n\nFor several tensors, return a tuple.\n\n>>> from facula_tensor import tensor\n>>> {name}({shown}"
    )
    declare(Declared(name, __name__, doc, _any, overridable=True), partial(_each_at_least, name, ndim))


@function(overridable=True)
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension, or along the first if they have only one.

    >>> from facula_tensor import tensor
    >>> hstack([tensor([1, 2]), tensor(3)])
    tensor([1, 2, 3])
    """
    parts = [_at_least(tensor, 1) for tensor in _tensor_tuple("hstack", tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1, out=out)


@function(overridable=True)
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the first dimension; vectors become rows.

    >>> from facula_tensor import tensor
    >>> vstack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_at_least(tensor, 2) for tensor in _tensor_tuple("vstack", tensors)], 0, out=out)


row_stack = vstack


@function(overridable=True)
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the third dimension.

    >>> from facula_tensor import tensor
    >>> dstack([tensor([1, 2]), tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([_at_least(tensor, 3) for tensor in _tensor_tuple("dstack", tensors)], 2, out=out)


@function(overridable=True)
def column_stack(F: Namespace, tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension; numbers and vectors become columns.

    >>> from facula_tensor import tensor
    >>> column_stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    columns = [
        F.reshape(tensor, (tensor.numel(), 1)) if tensor.ndim < 2 else tensor
        for tensor in _tensor_tuple("column_stack", tensors)
    ]
    return cat(columns, 1, out=out)


@function(overridable=True)
def block_diag(F: Namespace, *tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return a matrix of zeros with the given matrices on its diagonal; vectors are rows, numbers single elements.

    >>> from facula_tensor import tensor
    >>> block_diag(tensor([[1, 2]]), tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    blocks = [_at_least(steady_tensor("block_diag", tensor), 2) for tensor in tensors]
    if any([matrix.ndim > 2 for matrix in blocks]):
        shown = [tuple(matrix.shape) for matrix in blocks]
        raise ArgumentError(f"block_diag: expected matrices, vectors and numbers; got shapes {shown}")
    if not blocks:
        return empty(1, 0)
    width, dtype = sum([matrix.shape[1] for matrix in blocks]), blocks[0].dtype
    for matrix in blocks:
        dtype = promote_types(dtype, matrix.dtype)
    rows, before = [], 0
    for matrix in blocks:
        block = matrix if matrix.dtype is dtype else F.to(matrix, (dtype,))
        layout = contiguous((matrix.shape[0], width), dtype, matrix.device)
        rows.append(F.inset(block, (layout.shape, layout.strides, before, (), 0)))
        before += matrix.shape[1]
    return stack(rows)[0] if len(rows) == 1 else cat(rows)


@function(method=True)
def tensor_split(
    input: Checked,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    dim: int = 0,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor along `dim` into views: a number of pieces of nearly equal length, or pieces between indices.

    Arguments:
        indices_or_sections: the number of pieces, or the indices before which to split.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument.

    >>> from facula_tensor import arange
    >>> tensor_split(arange(5), 2), tensor_split(arange(5), (1, 4))
    ((tensor([0, 1, 2]), tensor([3, 4])), (tensor([0]), tensor([1, 2, 3]), tensor([4])))
    """
    return _pieces("tensor_split", input, _given_sections("tensor_split", indices_or_sections, indices, sections), dim)


def _given_sections(operation: str, *names: int | Sequence[int] | Tensor | None) -> int | Sequence[int] | Tensor:
    """Return the argument that was passed, of three names for the same argument."""
    given = [argument for argument in names if argument is not None]
    if len(given) != 1:
        raise InvalidTypeError(
            f"{operation}: expected one of indices_or_sections, indices and sections; got {len(given)}"
        )
    return given[0]


def _pieces(operation: str, input: Tensor, cuts: int | Sequence[int] | Tensor, dim: int) -> tuple[Tensor, ...]:
    """Split `input` along `dim` into `cuts` pieces, or before the indices `cuts`."""
    if not input.ndim:
        raise ArgumentError(f"{operation}: expected at least 1 dimension; got a number")
    dim = check_dim(operation, dim, input.ndim)
    size = input.shape[dim]
    if isinstance(cuts, Tensor):
        if cuts.ndim > 1:
            raise ArgumentError(f"{operation}: expected indices of one dimension; got shape {tuple(cuts.shape)}")
        cuts = cuts.tolist()
    if isinstance(cuts, (tuple, list)):
        bounds = [0, *[slice(0, at).indices(size)[1] for at in sizes(operation, (tuple(cuts),))], size]
        return tuple([recorded_ops.slice(input, dim, first, max(first, last), 1) for first, last in pairwise(bounds)])
    count = as_integer(cuts, operation, "sections")
    if count < 1:
        raise ArgumentError(f"{operation}: expected at least one section; got {count}")
    return split(input, [size // count + (i < size % count) for i in range(count)], dim)


def _halves(
    operation: str, dim: int, least: int, input: Tensor, given: Any, **names: int | Sequence[int] | Tensor | None
) -> tuple[Tensor, ...]:
    """Return `_pieces` of equal length; `input` must have at least `least` dimensions."""
    cuts: Any = _given_sections(operation, given, *names.values())
    ndim = input.ndim
    dim = min(dim, ndim - 1) if least == 1 else dim
    if ndim < least:
        raise ArgumentError(f"{operation}: expected at least {least} dimension(s); got shape {tuple(input.shape)}")
    if not isinstance(cuts, (tuple, list)) and as_integer(cuts, operation, "sections") > 0 and input.shape[dim] % cuts:
        raise ArgumentError(
            f"{operation}: expected sections to divide {input.shape[dim]}, the size of dimension {dim}; got {cuts}; "
            "tensor_split takes any number"
        )
    return _pieces(operation, input, cuts, dim)


SECTIONS_DOC = """Arguments:
        indices_or_sections: the number of pieces, or the indices before which to split.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument."""


def _split(  # type: ignore[empty-body]
    input: Checked,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]: ...


for name, dim, least, which, whole, part in (
    ("hsplit", 1, 1, "second dimension, or the first if there is only one", "4, 2", "4, 1"),
    ("vsplit", 0, 2, "first dimension of at least two", "2, 1", "1, 1"),
    ("dsplit", 2, 3, "third dimension", "1, 1, 2", "1, 1, 1"),
):
    doc = f"""Split a tensor into equal pieces along the {which}.

        `tensor_split` also accepts numbers of sections that do not divide the length.

    {SECTIONS_DOC}

    >>> from facula_tensor import ones
    >>> [piece.shape for piece in {name}(ones({whole}), 2)]
    [facula.Size([{part}]), facula.Size([{part}])]
    """
    declare(Declared(name, __name__, doc, _split, method=True, overridable=True), partial(_halves, name, dim, least))

from ..._forms.ops.shape.stacking import atleast_1d, atleast_2d, atleast_3d, dsplit, hsplit, vsplit  # noqa: E402  declared above
