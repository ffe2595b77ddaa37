"""Elements along a dimension by a list of positions: `index_select`."""

from __future__ import annotations

from facula_errors import FaculaError, InvalidIndexError
from facula_errors.extend import trim_traceback
from facula_storage import contiguous, int64

from .._declare import operator
from .._operator import raw, recording
from .._overrides import asks
from .._tensor import Tensor, check_dim, method, steady
from .._viewing import as_tensor
from .copying import give
from .gathering import as_index, at_least_one

__all__ = ["index_select"]


@operator
class _index_select:
    """`take` with indices from 0. That of `skip` gets no gradient; where `scaled`, others are divided by frequency."""

    inputs = ("input", "index")
    parameters = ("dim", "skip", "scaled")
    holomorphic = False

    def outputs(layout, index, dim, skip, scaled):
        shape = (*layout.shape[:dim], *index.shape, *layout.shape[dim + 1 :])
        return contiguous(shape, layout.dtype, layout.device)

    def reverse_input(F, g, index, input_layout, dim, skip, scaled):
        if scaled:
            ones = raw.ones_like(raw.to(index, (input_layout.dtype,)))
            counts = raw.take_back(ones, index, (input_layout.shape[:1], 0, None))
            g = F.div(g, raw.unsqueeze(raw.take(counts, index, (0,)), -1))
        return F.take_back(g, index, (input_layout.shape, dim, skip))


@asks
@method()
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements along `dim` that `index`, a list of positions, names: a copy, as long as `index` there.

    `index` has one dimension, or none for one position; int64 or int32. IndexError, naming the place, for one below 0
    or beyond the dimension.

    >>> from facula_tensor import tensor
    >>> index_select(tensor([[1, 2], [3, 4]]), 1, tensor([1, 1]))
    tensor([[2, 2],
            [4, 4]])
    """
    try:
        try:  # the usual call
            layout = index._layout
            if len(layout.shape) == 1 and layout.dtype is int64 and out is None and 0 <= dim < input._layout.ndim:
                return recording.index_select(input, index, (dim, None, False))
        except (AttributeError, TypeError):
            pass
        input, index = steady(as_tensor("index_select", input)), as_index("index_select", index)
        dim = check_dim("index_select", dim, input.ndim)
        if index.ndim > 1:
            raise InvalidIndexError(
                f"index_select: expected index to have one dimension; got shape {tuple(index.shape)}; flatten it, or "
                "use gather for an index of its own for every element"
            )
        if not input.ndim and index.numel() != 1:
            raise InvalidIndexError(
                f"index_select: expected one index for a tensor without dimensions; got {index.numel()}"
            )
        result = recording.index_select(at_least_one(recording, input), at_least_one(raw, index), (dim, None, False))
        return give("index_select", result if input.ndim else recording.squeeze(result, 0), out, (input, index))
    except FaculaError as error:
        trim_traceback(error)
        raise
