"""The public functions of `ops/elementwise/floating_point.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import source, steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ....ops.elementwise.floating_point import Frexp

bodies = bodies_of("ops.elementwise.floating_point")


@overridable
@method()
def frexp(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> Frexp:
    """Decompose each element into a mantissa in [1/2, 1) and an exponent (int32): mantissa * 2 ** exponent.

    Floating dtypes only. For 0, infinities and NaN the mantissa is the element itself and the exponent is 0.

    Arguments:
        input: the tensor.
        out: the pair of tensors that receives the results; None for new tensors.

    >>> from facula_tensor import tensor
    >>> frexp(tensor([3.0, 0.0]))
    facula.return_types.frexp(
    mantissa=tensor([0.7500, 0.0000]),
    exponent=tensor([2, 0], dtype=facula.int32))
    """
    try:
        input = steady_tensor("frexp", input)
        return bodies.frexp(ops, input, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return `input * 2 ** other` for each pair of elements. Integers use the default floating dtype.

    Arguments:
        input: the mantissas.
        other: the exponents.

    >>> from facula_tensor import tensor
    >>> ldexp(tensor([1.0, 3.0]), tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    if type(input) is not Tensor:
        input = as_tensor("ldexp", input)
    if type(other) is not Tensor:
        other = as_tensor("ldexp", other)
    result = bodies.ldexp(ops, input, other)
    return result if out is None else write_out("ldexp", result, out)


@method()
@boundary
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp` in place: changes `input` and returns it. Arguments: those of `ldexp`."""
    if type(input) is not Tensor:
        input = as_tensor("ldexp_", input)
    if type(other) is not Tensor:
        other = as_tensor("ldexp_", other)
    before = source("ldexp_", input, other)
    return assign_inplace("ldexp_", input, bodies.ldexp(ops, before, other))


@overridable
@method()
@boundary
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the next representable number after each element in the direction of `other`. Floating dtypes only.

    The gradient of `input` is that of the result where the two differ.

    Arguments:
        input: the numbers.
        other: the numbers that determine the directions.

    >>> from facula_tensor import tensor
    >>> (nextafter(tensor([1.0]), tensor([2.0])) - 1).item()
    1.1920928955078125e-07
    """
    result = bodies.nextafter(ops, input, other)
    return result if out is None else write_out("nextafter", result, out)


@method()
@boundary
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """`nextafter` in place: changes `input` and returns it. Arguments: those of `nextafter`."""
    before = source("nextafter_", input, other)
    return assign_inplace("nextafter_", input, bodies.nextafter(ops, before, other))


@overridable
@method()
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 0 for negative elements and NaN, 1 for positive elements, and `values` for 0. Both have the same dtype.

    `values` receives the gradient where `input` is 0. Not defined for complex numbers.

    Arguments:
        input: the numbers.
        values: the results at 0.

    >>> from facula_tensor import tensor
    >>> heaviside(tensor([-1.5, 0.0, 2.0]), tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    try:
        result = bodies.heaviside(ops, input, values)
        return result if out is None else write_out("heaviside", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """`heaviside` in place: changes `input` and returns it. Arguments: those of `heaviside`."""
    try:
        before = source("heaviside_", input, values)
        return assign_inplace("heaviside_", input, bodies.heaviside(ops, before, values))
    except FaculaError as error:
        trim_traceback(error)
        raise
