"""The public functions of `ops/shape/tiling.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.tiling")


@overridable
@method()
def repeat(input: Tensor, *counts: Lengths, repeats: Lengths | None = None) -> Tensor:
    """Return a copy with each dimension repeated as a whole; surplus counts add new dimensions in front.

    Arguments:
        input: the tensor.
        counts: the number of repetitions of each dimension, as several arguments or one sequence.
        repeats: `counts`, as a keyword argument.

    Raises:
        ValueError: if there are fewer counts than dimensions (`tile` accepts those).

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    try:
        counts = as_sizes("repeat", counts, repeats, "repeats")
        input = steady_tensor("repeat", input)
        return bodies.repeat(input, *counts)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def tile(input: Tensor, *counts: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with dimensions repeated as a whole.

    Arguments:
        input: the tensor.
        counts: the number of repetitions of the last dimensions, as several arguments or one sequence; surplus counts
            add new dimensions in front.
        dims: `counts`, as a keyword argument.

    >>> from facula_tensor import tensor
    >>> tile(tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]])
    """
    try:
        counts = as_sizes("tile", counts, dims, "dims")
        input = steady_tensor("tile", input)
        return bodies.tile(input, *counts)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def repeat_interleave(
    input: Tensor, repeats: Lengths | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Return a copy with each element along `dim` repeated: all equally often, or as an integer tensor specifies.

    Without `dim` the tensor is flattened. `repeat_interleave(repeats)` with counts alone returns the position of each
    count, repeated that many times.

    Arguments:
        input: the tensor, or counts alone.
        repeats: the number of repetitions: an integer, or an integer tensor with one count per element.
        dim: the dimension; None flattens the tensor first.
        output_size: the expected length of the result, which is checked; None skips the check.

    >>> from facula_tensor import tensor
    >>> repeat_interleave(tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> repeat_interleave(tensor([1, 2]), tensor([1, 3]))
    tensor([1, 2, 2, 2])
    """
    input = steady_tensor("repeat_interleave", input)
    return bodies.repeat_interleave(ops, input, repeats, dim, output_size=output_size)
