"""Copies of views, by the names that PyTorch has for them: `narrow_copy`, `permute_copy` and kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import DType

from .._core.sizes import sizes
from .._core.tensor import Tensor, method
from .._dispatch.namespaces import operators, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .diagonals import diagonal
from .dims import permute, squeeze, transpose, unsqueeze
from .parts import chunk, narrow, select, split, unbind
from .strided import as_strided

if TYPE_CHECKING:
    from .._core.types import DTypeLike, Lengths

__all__ = [
    "alias_copy", "as_strided_copy", "detach_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy",
    "select_copy", "slice_copy", "split_copy", "split_with_sizes", "split_with_sizes_copy", "squeeze_copy", "t_copy",
    "transpose_copy", "unbind_copy", "unfold_copy", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes",
    "unsqueeze_copy", "view_copy",
]  # fmt: skip


def _copied(name: str, view: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function that copies what `view` shows."""
    plain = signature(view)
    own = [one for one in plain.parameters.values() if one.name not in ("axis", "out")]
    own[0] = own[0].replace(name="input", kind=Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
    out = Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")

    def copy(input: Tensor, *args: Any, out: Tensor | None = None, **kwargs: Any) -> Tensor:
        return write_out(name, recorded_ops.clone(view(as_tensor(name, input), *args, **kwargs)), out)

    copy.__name__ = copy.__qualname__ = name
    copy.__doc__ = f"""A copy of what `{name.removesuffix("_copy")}` shows, in memory of its own.

    Arguments:
        those of `{name.removesuffix("_copy")}`, and
        out: where the result goes; a new tensor if None.
    """
    copy.__signature__ = plain.replace(  # type: ignore[attr-defined]
        parameters=[*own, out], return_annotation="Tensor"
    )
    return overridable(boundary(copy))


def _expanded(input: Tensor, size: Lengths, *, implicit: bool = False) -> Tensor:
    """The view that `expand_copy` copies."""
    return recorded_ops.expand(input, sizes("expand_copy", (size,)))


def _seen(input: Tensor, size: Lengths | DTypeLike) -> Tensor:
    if isinstance(size, (DType, type)):
        return recorded_ops.view(input, size)
    return recorded_ops.reshape(input, sizes("view_copy", (size,)))


def _permuted(input: Tensor, dims: Lengths) -> Tensor:
    return permute(input, dims)


def _sliced(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """The view that `slice_copy` copies."""
    return input.movedim(dim, 0)[slice(start, end, step)].movedim(0, dim)


def _unfolded(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The view that `unfold_copy` copies."""
    return input.unfold(dimension, size, step)


def _whole(input: Tensor) -> Tensor:
    return recorded_ops.whole(input)


def _detached(input: Tensor) -> Tensor:
    return input.detach()


alias_copy: Callable[..., Tensor] = _copied("alias_copy", _whole)
as_strided_copy: Callable[..., Tensor] = _copied("as_strided_copy", as_strided)
detach_copy: Callable[..., Tensor] = _copied("detach_copy", _detached)
diagonal_copy: Callable[..., Tensor] = _copied("diagonal_copy", diagonal)
expand_copy: Callable[..., Tensor] = _copied("expand_copy", _expanded)
narrow_copy: Callable[..., Tensor] = method()(_copied("narrow_copy", narrow))
permute_copy: Callable[..., Tensor] = _copied("permute_copy", _permuted)
select_copy: Callable[..., Tensor] = _copied("select_copy", select)
slice_copy: Callable[..., Tensor] = _copied("slice_copy", _sliced)
squeeze_copy: Callable[..., Tensor] = _copied("squeeze_copy", squeeze)
t_copy: Callable[..., Tensor] = _copied("t_copy", operators["t"].public)
transpose_copy: Callable[..., Tensor] = _copied("transpose_copy", transpose)
unfold_copy: Callable[..., Tensor] = _copied("unfold_copy", _unfolded)
unsqueeze_copy: Callable[..., Tensor] = _copied("unsqueeze_copy", unsqueeze)
view_copy: Callable[..., Tensor] = _copied("view_copy", _seen)


def _each(name: str, pieces: tuple[Tensor, ...], out: Sequence[Tensor] | None) -> tuple[Tensor, ...]:
    """Copies of several views, or the tensors of `out` with them."""
    copies = tuple([recorded_ops.clone(one) for one in pieces])
    if out is None:
        return copies
    if not isinstance(out, (tuple, list)) or len(out) != len(copies):
        raise ArgumentError(f"{name}: expected out to be {len(copies)} tensors; got {out!r:.60}")
    return tuple([write_out(name, one, place) for one, place in zip(copies, out, strict=True)])


@overridable
@boundary
def unbind_copy(input: Tensor, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
    """Copies of the elements along `dim`: of what `unbind` shows.

    Arguments:
        input: the tensor.
        dim: the dimension.
        out: the tensors where the results go; new ones if None.
    """
    return _each("unbind_copy", unbind(as_tensor("unbind_copy", input), dim), out)


@overridable
@boundary
def split_copy(
    input: Tensor, split_size: Lengths, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Copies of pieces along `dim`: of what `split` shows.

    Arguments:
        input: the tensor.
        split_size: the length of each piece, or the lengths of all.
        dim: the dimension.
        out: the tensors where the results go; new ones if None.
    """
    return _each("split_copy", split(as_tensor("split_copy", input), split_size, dim), out)


@overridable
@boundary
def split_with_sizes_copy(
    input: Tensor, split_sizes: Lengths, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Copies of pieces of the lengths given, along `dim`: of what `split_with_sizes` shows.

    Arguments:
        input: the tensor.
        split_sizes: the lengths.
        dim: the dimension.
        out: the tensors where the results go; new ones if None.
    """
    return _each("split_with_sizes_copy", split_with_sizes(input, split_sizes, dim), out)


@overridable
@method()
@boundary
def split_with_sizes(input: Tensor, split_sizes: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces of the lengths given, along `dim`: `split` with several lengths.

    Arguments:
        input: the tensor.
        split_sizes: the lengths.
        dim: the dimension.

    >>> from facula_tensor import arange
    >>> split_with_sizes(arange(3), (1, 2))
    (tensor([0]), tensor([1, 2]))
    """
    lengths = sizes("split_with_sizes", (split_sizes,))
    return split(as_tensor("split_with_sizes", input), lengths, dim)


@overridable
@method()
@boundary
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk`, whose pieces may be changed in place here without more ado.

    Arguments:
        input: the tensor.
        chunks: the greatest number of pieces.
        dim: the dimension.
    """
    return chunk(input, chunks, dim)


@overridable
@method()
@boundary
def unsafe_split(input: Tensor, split_size: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """`split`, whose pieces may be changed in place here without more ado.

    Arguments:
        input: the tensor.
        split_size: the length of each piece, or the lengths of all.
        dim: the dimension.
    """
    return split(as_tensor("unsafe_split", input), split_size, dim)


@overridable
@method()
@boundary
def unsafe_split_with_sizes(input: Tensor, split_sizes: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes`, whose pieces may be changed in place here without more ado.

    Arguments:
        input: the tensor.
        split_sizes: the lengths.
        dim: the dimension.
    """
    return split_with_sizes(input, split_sizes, dim)
