"""The least and the greatest element at once."""

from __future__ import annotations

from collections.abc import Sequence

from facula_errors.extend import boundary

from .._core.tensor import Tensor, layout_of_tensor, method
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .along import one_dim
from .named_results import NamedResults, named_results, results_named
from .reduction.extremes import check_not_empty
from .reduction.reducing import reduction

__all__ = ["aminmax"]

LeastAndGreatest: type[NamedResults] = results_named("aminmax", "min", "max")


@overridable
@method()
@boundary
def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """The least and the greatest element, of all or along `dim`, as the pair (min, max); NaN where there is one.

    Equal elements share the gradient.

    Arguments:
        input: a tensor of real numbers, not empty.
        dim: the dimension, or None for all elements.
        keepdim: whether the dimension is kept, with length 1.
        out: two tensors that take the results, or None.

    >>> from facula_tensor import tensor
    >>> aminmax(tensor([3, 1, 2])).max
    tensor(3)
    """
    if dim is not None:
        dim = one_dim("aminmax", input, dim)[1]
    input, parameters = reduction("aminmax", input, dim, keepdim)
    check_not_empty("aminmax", layout_of_tensor(input), parameters[0])
    return named_results(
        "aminmax", LeastAndGreatest, (recorded_ops.amin(input, parameters), recorded_ops.amax(input, parameters)), out
    )
