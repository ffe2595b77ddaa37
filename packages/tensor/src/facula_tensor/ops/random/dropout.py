"""Dropout of single elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import contiguous
from facula_storage.extend.layouts import FLOATING

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.batches import for_each_draw, open_batches
from ..._creation.generator import default_generators
from ..._dispatch.conversions import at_least_float32
from ..._dispatch.declaration import operator
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Flag, Float
    from ..._dispatch.namespaces import Namespace

PROBABILITY = {"not 0 <= p <= 1": "a probability p from 0 to 1; got {p}"}


@operator
class _dropout:
    """0 with probability p, otherwise x / (1 - p).

    The choice is a function of seed and offset, so the gradient needs no saved tensors.
    """

    parameters = ("p", "seed", "offset")
    launch_scalars = ("p", "seed", "offset")

    compute_dtype = at_least_float32
    row_major = True

    def outputs(layout, p, seed, offset):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, p, seed, offset):
        return F.dropout(g, (p, seed, offset))


@function(refuses=PROBABILITY, inline=True)
def dropout(F: Namespace, input: Checked, p: Float = 0.5, training: Flag = True, inplace: Flag = False) -> Tensor:
    """In training, set each element to 0 with probability `p` and divide the others by 1 - p.

    The device's default generator chooses by the index of an element in row-major order, independently of strides and
    threads. N. Srivastava and others: Dropout, JMLR 15, 2014.

    Arguments:
        input: a tensor of a floating dtype.
        p: the probability, from 0 to 1.
        training: whether to drop elements; if False, `input` itself is returned.

    Raises:
        ValueError: if p is not in [0, 1].

    >>> from facula_tensor import ones
    >>> dropout(ones(3), p=1.0), dropout(ones(3), training=False)
    (tensor([0., 0., 0.]), tensor([1., 1., 1.]))
    """
    layout = layout_of_tensor(input)
    if not training or p == 0 or not layout.numel:
        return input
    if layout.dtype.category != FLOATING:
        raise DTypeError(f"dropout: defined for floating dtypes; got {layout.dtype.name}; convert with .float()")
    if open_batches:
        input = for_each_draw(input)
    result = F.dropout(input, (p, *default_generators[layout.device].advance(layout.numel)))
    return input.copy_(result) if inplace else result
