"""The larger and the smaller of two elements, where a NaN gives way to a number: `fmax` and `fmin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._dispatch.declaration import elementwise, under
from .arithmetic import tensors_only
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import Function
    from ..._dispatch.namespaces import Namespace


def _pairwise_extreme(name: str, extreme: str, wins: str, result: str) -> Function:
    def is_chosen(F: Namespace, input: Tensor, other: Tensor) -> Tensor:
        return F.bitwise_or(getattr(F, wins)(input, other), F.ne(other, other))

    @elementwise
    @under(
        name,
        f"""The {extreme} of each pair of elements; the other one where one is NaN. Equal: the first has the gradient.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

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
            return F.where(is_chosen(F, input, other), g, 0)

        def vjp_other(F, g, input, other):
            return F.where(is_chosen(F, input, other), 0, g)

    return body


fmax: Function = _pairwise_extreme("fmax", "larger", "ge", "[3., 4.]")
fmin: Function = _pairwise_extreme("fmin", "smaller", "le", "[1., 4.]")
