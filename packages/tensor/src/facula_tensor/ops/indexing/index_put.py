"""`index_put`: assignment by several index tensors, as a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import moved

from ..._core.tensor import Tensor
from ..._core.wrapped import batched_as
from ..._dispatch.written import function
from .setitem import slow_setitem

if TYPE_CHECKING:
    from ..._core.types import Index
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace

moved(__name__)  # names that pickles of earlier releases have


@function(method=True, changes=True)
def index_put(
    F: Namespace,
    operation: str,
    input: Checked,
    indices: Sequence[Tensor | None],
    values: Checked,
    accumulate: bool = False,
) -> Tensor:
    """Return a copy of `input` after `copy[indices] = values`, or with the values added.

    Arguments:
        indices: tensors, or None for a whole dimension, in a tuple or list.
        values: a tensor with the dtype of `input`; it broadcasts.
        accumulate: whether values are added; repeated positions are summed in order.

    >>> from facula_tensor import tensor, zeros
    >>> index_put(zeros(3), (tensor([0, 0]),), tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.])
    """
    index = _tuple(operation, indices)
    if operation == "index_put":
        input = F.clone(input)
        for operand in (values, *indices):
            input = batched_as(input, operand) if isinstance(operand, Tensor) else input
    slow_setitem(input, index, values, bool(accumulate))
    return input


def _tuple(operation: str, indices: Sequence[Tensor | None]) -> Index:
    """Return the index of `input[indices]`, with a full slice in place of None.

    Raises TypeError, with the operator's name, for anything but tensors and None.
    """
    if not isinstance(indices, (tuple, list)) or not all(
        [index is None or isinstance(index, Tensor) for index in indices]
    ):
        raise InvalidTypeError(f"{operation}: expected indices to be a tuple of tensors; got {indices!r:.100}")
    return tuple([slice(None) if index is None else index for index in indices])
