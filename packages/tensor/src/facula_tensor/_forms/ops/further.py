"""The public functions of `ops/further.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.formats import check_storage
from ..._core.promotion import as_integer
from ..._core.tensor import Tensor
from ..._creation.filled import with_memory_format
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor
from ..._dispatch.writing import write_out
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import DeviceLike, DTypeLike, MemoryFormat, Operand
    from ..._creation.generator import Generator

bodies = bodies_of("ops.further")


@overridable
def fill(input: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """A tensor like `input`, all of whose elements are `value`.

    Arguments:
        input: the tensor.
        value: a number, or a tensor without dimensions.

    >>> from facula_tensor import ones
    >>> fill(ones(2), 3)
    tensor([3., 3.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("fill", input)
        result = bodies.fill(ops, input, value)
        return result if out is None else write_out("fill", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0, *, out: Tensor | None = None) -> Tensor:
    """`functional.pad` with a constant.

    Arguments:
        input: the tensor.
        pad: how many elements are added, pairs (before, after) from the last dimension on; negative ones are cut off.
        value: the constant.

    >>> from facula_tensor import ones
    >>> constant_pad_nd(ones(2), (1, 0), 5)
    tensor([5., 1., 1.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("constant_pad_nd", input)
        result = bodies.constant_pad_nd(ops, input, pad, value)
        return result if out is None else write_out("constant_pad_nd", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


def to_dlpack(input: Tensor) -> object:
    """A DLPack capsule of a tensor's memory, which other libraries read once: `input.__dlpack__()`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("to_dlpack", input)
        return bodies.to_dlpack(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Random integers, drawn evenly, in the shape of a tensor.

    `randint_like(input, high)` draws from 0 on.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        low: the least number.
        high: the number after the greatest.
        generator: the source of random numbers; the default generator if None.
        dtype: that of `input` if None.
        layout, pin_memory: `strided` or None, and False: there are no others.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        memory_format: the order of the dimensions in memory; row-major if None.

    >>> from facula_tensor import ones
    >>> randint_like(ones(2), 1)
    tensor([0., 0.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("randint_like", layout, pin_memory)
        result = bodies.randint_like(input, low, high, generator=generator, dtype=dtype, device=device)
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: powers of each element of a vector, in a row for each.

    Arguments:
        x: a vector.
        N: the number of powers, len(x) if None.
        increasing: whether powers go from 0 to N - 1; else from N - 1 to 0.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    try:
        x = steady_tensor("vander", x)
        if N is not None and type(N) is not int:
            N = as_integer(N, "vander", "N")
        return bodies.vander(ops, x, N, increasing)
    except FaculaError as error:
        trim_traceback(error)
        raise
