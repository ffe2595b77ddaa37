"""The minimum and the maximum in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core.tensor import layout_of_tensor
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named
from .arguments import reduction
from .extremes import check_not_empty
from .one_dim import one_dim

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._dispatch.kinds import Flag, Outs, ReducedDim
    from ..._dispatch.namespaces import Namespace

LeastAndGreatest: type[NamedResults] = results_named("aminmax", "min", "max")


@function(method=True, inline=True)
def aminmax(
    F: Namespace, input: Tensor, *, dim: ReducedDim = None, keepdim: Flag = False, out: Outs = None
) -> NamedResults:
    """Return the minimum and the maximum, of all elements or along `dim`, as the pair (min, max).

    NaN propagates. Equal elements share the gradient.

    Arguments:
        input: a nonempty tensor of real numbers.

    >>> from facula_tensor import tensor
    >>> aminmax(tensor([3, 1, 2])).max
    tensor(3)
    """
    if dim is not None:
        dim = one_dim("aminmax", input, dim)[1]
    input, parameters = reduction("aminmax", input, dim, keepdim)
    check_not_empty("aminmax", layout_of_tensor(input), parameters[0])
    return named_results("aminmax", LeastAndGreatest, (F.amin(input, parameters), F.amax(input, parameters)), out)
