"""The public functions of `ops/linalg/vander.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.vander")


@overridable
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    try:
        x = steady_tensor("vander", x)
        if N is not None and type(N) is not int:
            N = as_integer(N, "vander", "N")
        return bodies.vander(ops, x, N, increasing)
    except FaculaError as error:
        trim_traceback(error)
        raise
