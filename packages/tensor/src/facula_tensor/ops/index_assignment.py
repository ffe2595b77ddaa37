"""Assignment by several index tensors, as a function: `index_put`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._core.tensor import Tensor, method
from .._core.wrapped import batched_as
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .indexing.setitem import slow_setitem

if TYPE_CHECKING:
    from .._core.types import Index

__all__ = ["index_put"]


@overridable
@method()
@boundary
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `copy[indices] = values`, or with the values added.

    Arguments:
        input: any tensor.
        indices: tensors, or None for a whole dimension, in a tuple or list.
        values: a tensor in the dtype of `input`, which broadcasts.
        accumulate: whether values are added, in order where several are for one place.

    >>> from facula_tensor import tensor, zeros
    >>> index_put(zeros(3), (tensor([0, 0]),), tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.])
    """
    result = recorded_ops.clone(as_tensor("index_put", input))
    for one in (values, *indices):
        result = batched_as(result, one) if isinstance(one, Tensor) else result
    slow_setitem(result, _tuple("index_put", indices), as_tensor("index_put", values), bool(accumulate))
    return result


@overridable
@method()
@boundary
def index_put_(self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place: changes this tensor and returns it.

    Arguments:
        indices: tensors, or None for a whole dimension, in a tuple or list.
        values: a tensor in this tensor's dtype, which broadcasts.
        accumulate: whether values are added, in order where several are for one place.
    """
    slow_setitem(self, _tuple("index_put_", indices), as_tensor("index_put_", values), bool(accumulate))
    return self


def _tuple(operation: str, indices: Sequence[Tensor | None]) -> Index:
    """The index of `input[indices]`: a whole slice in place of None.

    TypeError, with the operator's name, for anything but tensors and None.
    """
    if not isinstance(indices, (tuple, list)) or not all([one is None or isinstance(one, Tensor) for one in indices]):
        raise InvalidTypeError(f"{operation}: expected indices to be a tuple of tensors; got {indices!r:.100}")
    return tuple([slice(None) if one is None else one for one in indices])
