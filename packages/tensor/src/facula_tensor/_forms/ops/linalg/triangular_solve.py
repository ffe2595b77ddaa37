"""The public functions of `ops/linalg/triangular_solve.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import flag_value
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.triangular_solve")


@overridable
@method()
def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> NamedResults:
    try:
        b = matrices("triangular_solve", b, "b")
        A = matrices("triangular_solve", A, "A", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("triangular_solve", "upper", upper)
        if unitriangular is not False and unitriangular is not True:
            unitriangular = flag_value("triangular_solve", "unitriangular", unitriangular)
        return bodies.triangular_solve(ops, b, A, upper, transpose, unitriangular, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
