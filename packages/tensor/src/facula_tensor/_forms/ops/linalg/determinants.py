"""The public functions of `ops/linalg/determinants.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.determinants")


@overridable
@method()
def det(input: Tensor) -> Tensor:
    try:
        input = matrices("det", input, "input", square=True)
        return ops.det(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    try:
        input = matrices("slogdet", input, "input", square=True)
        return bodies.slogdet(ops, input, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def logdet(input: Tensor) -> Tensor:
    try:
        input = matrices("logdet", input, "input", square=True)
        return bodies.logdet(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise
