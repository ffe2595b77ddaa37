"""The elementwise extremes `fmax` and `fmin`, which prefer numbers to NaN."""

from __future__ import annotations

from operator import ge, le
from typing import TYPE_CHECKING

from ..._dispatch.declaration import elementwise, under
from .arithmetic import tensors_only
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import Function


def _pairwise_extreme(name: str, extreme: str, wins: Function, result: str) -> Function:
    def is_chosen(input: Tensor, other: Tensor) -> Tensor:
        return wins(input, other) | (other != other)  # type: ignore[no-any-return]

    @elementwise
    @under(
        name,
        f"""Return the {extreme} of each pair of elements, or the other one if one is NaN.

    If the elements are equal, the first receives the gradient.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> {name}(tensor([1.0, float("nan")]), tensor([3.0, 4.0]))
    tensor({result})
    """,
    )
    class body:
        inputs = ("input", "other")
        accepts = is_real
        inplace = False

        def validate_layouts(*operands):
            tensors_only(name, *operands)

        def vjp_input(F, g, input, other):
            return F.where(is_chosen(input, other), g, 0)

        def vjp_other(F, g, input, other):
            return F.where(is_chosen(input, other), 0, g)

    return body


fmax: Function = _pairwise_extreme("fmax", "larger", ge, "[3., 4.]")
fmin: Function = _pairwise_extreme("fmin", "smaller", le, "[1., 4.]")
