"""The public functions of `ops/shape/stacking.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("ops.shape.stacking")


@overridable
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    try:
        return bodies.atleast_1d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    try:
        return bodies.atleast_2d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    try:
        return bodies.atleast_3d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.hstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.vstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.dstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.column_stack(ops, tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    try:
        return bodies.block_diag(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def tensor_split(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    dim: int = 0,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("tensor_split", input)
    return bodies.tensor_split(input, indices_or_sections, dim, indices=indices, sections=sections)


@overridable
@method()
def hsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("hsplit", input)
        return bodies.hsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def vsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("vsplit", input)
        return bodies.vsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def dsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("dsplit", input)
        return bodies.dsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise
