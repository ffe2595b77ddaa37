"""The public functions of `ops/elementwise/isclose.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand

bodies = bodies_of("ops.elementwise.isclose")


@overridable
@method()
@boundary
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("isclose", input)
    if not isinstance(other, Tensor):
        other = as_tensor("isclose", other)
    return bodies.isclose(input, other, rtol, atol, equal_nan)


@overridable
@method()
@boundary
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    if not isinstance(input, Tensor):
        input = as_tensor("allclose", input)
    if not isinstance(other, Tensor):
        other = as_tensor("allclose", other)
    return bodies.allclose(input, other, rtol, atol, equal_nan)


@overridable
@method()
@boundary
def equal(input: Tensor, other: Tensor) -> bool:
    if not isinstance(input, Tensor):
        input = as_tensor("equal", input)
    if not isinstance(other, Tensor):
        other = as_tensor("equal", other)
    return bodies.equal(input, other)


@overridable
def isin(
    elements: Operand,
    test_elements: Operand,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    try:
        result = bodies.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)
        return result if out is None else write_out("isin", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
