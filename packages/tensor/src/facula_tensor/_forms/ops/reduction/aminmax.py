"""The public functions of `ops/reduction/aminmax.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ...._core.tensor import layout_of_tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ....ops.named_results import named_results
from ....ops.reduction.aminmax import LeastAndGreatest
from ....ops.reduction.arguments import reduction
from ....ops.reduction.extremes import check_not_empty
from ....ops.reduction.one_dim import one_dim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults


@overridable
@method()
@boundary
def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    """
    if dim is not None:
        dim = one_dim("aminmax", input, dim)[1]
    input, parameters = reduction("aminmax", input, dim, keepdim)
    check_not_empty("aminmax", layout_of_tensor(input), parameters[0])
    return named_results("aminmax", LeastAndGreatest, (ops.amin(input, parameters), ops.amax(input, parameters)), out)
