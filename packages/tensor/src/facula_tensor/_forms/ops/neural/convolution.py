"""The public functions of `ops/neural/convolution.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.convolution")


@overridable
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    try:
        return bodies.conv1d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    try:
        return bodies.conv_transpose1d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    try:
        return bodies.conv2d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    try:
        return bodies.conv_transpose2d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    try:
        return bodies.conv3d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    try:
        return bodies.conv_transpose3d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise
