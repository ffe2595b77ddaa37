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
    """A copy with each dimension repeated as a whole; counts beyond the dimensions add new ones in front.

    ValueError where there are fewer counts than dimensions (`tile` takes those).

    Arguments:
        input: the tensor.
        counts: how often each dimension is repeated, as numbers or as one sequence.
        repeats: another way to give `counts`.

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
    """A copy with dimensions repeated as a whole; `dims` are counts of the last ones, or add new ones in front.

    Arguments:
        input: the tensor.
        counts: how often each dimension is repeated, as numbers or as one sequence.
        dims: another way to give `counts`.

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
    """A copy with each element along `dim` repeated: all as often, or each as an integer tensor says.

    Without `dim` the tensor is flattened. Of counts alone, `repeat_interleave(repeats)`: the position of each,
    repeated as often as it says. `output_size`, where given, is checked.

    Arguments:
        input: the tensor, or counts alone.
        repeats: how often: a number, or an integer tensor of as many counts as elements.
        dim: the dimension; that of the flattened tensor if None.
        output_size: the length of the result, which is checked; unknown if None.

    >>> from facula_tensor import tensor
    >>> repeat_interleave(tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> repeat_interleave(tensor([1, 2]), tensor([1, 3]))
    tensor([1, 2, 2, 2])
    """
    input = steady_tensor("repeat_interleave", input)
    return bodies.repeat_interleave(ops, input, repeats, dim, output_size=output_size)
