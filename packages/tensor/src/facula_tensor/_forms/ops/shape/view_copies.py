"""The public functions of `ops/shape/view_copies.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import needed_dim
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from ...._core.types import Dims, DTypeLike, Lengths, Scalar

bodies = bodies_of("ops.shape.view_copies")


@overridable
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("alias_copy", input)
        result = bodies.alias_copy(ops, input)
        return result if out is None else write_out("alias_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def as_strided_copy(
    input: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("as_strided_copy", input)
        result = bodies.as_strided_copy(ops, input, size, stride, storage_offset)
        return result if out is None else write_out("as_strided_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("detach_copy", input)
        result = bodies.detach_copy(ops, input)
        return result if out is None else write_out("detach_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("diagonal_copy", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diagonal_copy", "offset")
        result = bodies.diagonal_copy(ops, input, offset, dim1, dim2)
        return result if out is None else write_out("diagonal_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def expand_copy(input: Tensor, size: Lengths, *, implicit: bool = False, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("expand_copy", input)
        size = as_sizes("expand_copy", (size,))
        result = bodies.expand_copy(ops, input, size, implicit=implicit)
        return result if out is None else write_out("expand_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def narrow_copy(
    input: Tensor,
    dim: int | None = None,
    start: Scalar | Tensor | None = None,
    length: SupportsIndex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("narrow_copy", input)
    result = bodies.narrow_copy(ops, input, dim, start, length)
    return result if out is None else write_out("narrow_copy", result, out)


@overridable
def permute_copy(input: Tensor, dims: Lengths, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("permute_copy", input)
        dims = as_sizes("permute_copy", (dims,))
        result = bodies.permute_copy(ops, input, dims)
        return result if out is None else write_out("permute_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def select_copy(
    input: Tensor, dim: int | None = None, index: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("select_copy", input)
        if dim is None:
            dim = needed_dim("select_copy", dim)
        result = bodies.select_copy(ops, input, dim, index)
        return result if out is None else write_out("select_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def slice_copy(
    input: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("slice_copy", input)
        result = bodies.slice_copy(ops, input, dim, start, end, step)
        return result if out is None else write_out("slice_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def squeeze_copy(input: Tensor, dim: Dims | None = None, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("squeeze_copy", input)
        result = bodies.squeeze_copy(ops, input, dim)
        return result if out is None else write_out("squeeze_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("t_copy", input)
        result = bodies.t_copy(ops, input)
        return result if out is None else write_out("t_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def transpose_copy(input: Tensor, dim0: int, dim1: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("transpose_copy", input)
        result = bodies.transpose_copy(ops, input, dim0, dim1)
        return result if out is None else write_out("transpose_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def unfold_copy(input: Tensor, dimension: int, size: int, step: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("unfold_copy", input)
        result = bodies.unfold_copy(ops, input, dimension, size, step)
        return result if out is None else write_out("unfold_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def unsqueeze_copy(input: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("unsqueeze_copy", input)
        if dim is None:
            dim = needed_dim("unsqueeze_copy", dim)
        result = bodies.unsqueeze_copy(ops, input, dim)
        return result if out is None else write_out("unsqueeze_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def view_copy(input: Tensor, size: Lengths | DTypeLike, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("view_copy", input)
        result = bodies.view_copy(ops, input, size)
        return result if out is None else write_out("view_copy", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def unbind_copy(input: Tensor, dim: int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("unbind_copy", input)
        return bodies.unbind_copy(input, dim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def split_copy(
    input: Tensor, split_size: Lengths, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("split_copy", input)
        return bodies.split_copy(input, split_size, dim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def split_with_sizes_copy(
    input: Tensor, split_sizes: Lengths, dim: int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("split_with_sizes_copy", input)
        split_sizes = as_sizes("split_with_sizes_copy", (split_sizes,))
        return bodies.split_with_sizes_copy(input, split_sizes, dim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def split_with_sizes(input: Tensor, split_sizes: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("split_with_sizes", input)
    split_sizes = as_sizes("split_with_sizes", (split_sizes,))
    return Tensor.split(input, split_sizes, dim)


@overridable
@method()
@boundary
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("unsafe_chunk", input)
    return Tensor.chunk(input, chunks, dim)


@overridable
@method()
@boundary
def unsafe_split(input: Tensor, split_size: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("unsafe_split", input)
    return Tensor.split(input, split_size, dim)


@overridable
@method()
@boundary
def unsafe_split_with_sizes(input: Tensor, split_sizes: Lengths, dim: int = 0) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("unsafe_split_with_sizes", input)
    split_sizes = as_sizes("unsafe_split_with_sizes", (split_sizes,))
    return Tensor.split(input, split_sizes, dim)
