"""The public functions of `ops/elementwise/power.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import first_named, unusable
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.slow_path import call_out

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Operand


@method()
@boundary
def pow(
    input: Operand | None = None,
    exponent: Operand | None = None,
    *,
    self: Operand | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Each element raised to the power of the exponent's.

    Integers stay integers where both are; 0 ** 0 is 1. ValueError for integers to the power of a negative number; where
    the exponents are a tensor, the negative ones give the integer part. `self` is another name of `input`, which
    PyTorch has for a number.

    Arguments:
        input: the bases.
        exponent: the exponents.
        self: another name of `input`.

    >>> from facula_tensor import tensor
    >>> pow(tensor([1.0, 2.0, 3.0]), exponent=2)
    tensor([1., 4., 9.])
    """
    if self is not None:
        input = first_named("pow", input, self)
    result = ops.pow(input, exponent) if out is None else call_out("pow", (input, exponent), out)
    if result is NotImplemented:
        raise unusable("pow", (input, exponent))
    return result


@method()
def pow_(input: Tensor, exponent: Operand | None = None) -> Tensor:
    """`pow` in place: changes `input` and returns it. Arguments: those of `pow`."""
    try:
        return inplace_ops.pow(input, exponent)
    except FaculaError as error:
        trim_traceback(error)
        raise
