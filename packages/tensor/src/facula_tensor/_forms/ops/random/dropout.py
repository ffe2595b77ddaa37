"""The public functions of `ops/random/dropout.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend import FLOATING

from ...._core.promotion import as_real
from ...._core.tensor import Tensor, layout_of_tensor
from ...._creation.batches import for_each_draw, open_batches
from ...._creation.generator import default_generator
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.view_call import as_tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, set each element to 0 with probability `p` and divide the others by 1 - p.

    The default generator chooses by the index of an element in row-major order, independently of strides and threads.
    N. Srivastava and others: Dropout, JMLR 15, 2014.

    Arguments:
        input: a tensor of a floating dtype.
        p: the probability, from 0 to 1.
        training: whether to drop elements; if False, `input` itself is returned.
        inplace: whether to write the result into `input`.

    Raises:
        ValueError: if p is not in [0, 1].

    >>> from facula_tensor import ones
    >>> dropout(ones(3), p=1.0), dropout(ones(3), training=False)
    (tensor([0., 0., 0.]), tensor([1., 1., 1.]))
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("dropout", input)
        if type(p) is not float:
            p = float(as_real(p, "dropout", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout: expected a probability p from 0 to 1; got {p}")
        layout = layout_of_tensor(input)
        if not training or p == 0 or not layout.numel:
            return input
        if layout.dtype.category != FLOATING:
            raise DTypeError(f"dropout: defined for floating dtypes; got {layout.dtype.name}; convert with .float()")
        if open_batches:
            input = for_each_draw(input)
        result = ops.dropout(input, (p, *default_generator.advance(layout.numel)))
        return input.copy_(result) if inplace else result
    except FaculaError as error:
        trim_traceback(error)
        raise
