"""The public functions of `ops/linalg/decompositions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.decompositions")


@overridable
@method()
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """input: matrices (..., m, n)."""
    try:
        input = matrices("qr", input, "input")
        return bodies.qr(input, some, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def svd(
    input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """input: matrices (..., m, n)."""
    try:
        input = matrices("svd", input, "input")
        return bodies.svd(input, some, compute_uv, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
