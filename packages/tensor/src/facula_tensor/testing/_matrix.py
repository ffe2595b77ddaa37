"""The matrix of all checks that an operator must pass, by name, and `check_operator`, which runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd import GradcheckError
from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._comparing import CheckError
from ._derivatives import (
    check_derivatives_inplace,
    check_first_derivatives,
    check_gradients_in_every_dtype,
    check_second_derivatives,
)
from ._levels import check_kernel_levels
from ._operands import values_of
from ._samples import COMPLEX, FLOATS, Case, Samples
from ._transforms import check_batched_gradients, check_batching, check_forward_mode, transform
from ._values import (
    check_broadcasting,
    check_default_device,
    check_devices,
    check_promotion,
    check_refusals,
    check_scales,
    check_special_values,
    check_storage_dtypes,
    check_values,
    makes_tensors,
)
from ._writing import check_inplace, check_out_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._operands import Array


class Check(NamedTuple):
    """One check: the function that runs it, and a predicate that selects the cases to which it applies."""

    run: Callable[[Case], None]
    applies: Callable[[Case], bool]


# Value checks come first, so that a wrong value is not reported as a wrong derivative.
MATRIX: dict[str, Check] = {
    "values": Check(check_values, lambda case: True),
    "special_values": Check(check_special_values, lambda case: bool(case.special)),
    "scales": Check(check_scales, lambda case: bool(case.scales) and "float32" in case.dtypes),
    "broadcasting": Check(check_broadcasting, lambda case: case.elementwise and case.arity > 1),
    "promotion": Check(check_promotion, lambda case: case.elementwise and case.arity == 2),
    "devices": Check(check_devices, lambda case: True),
    "default_device": Check(check_default_device, lambda case: not makes_tensors(case.function)),
    "storage_dtypes": Check(check_storage_dtypes, lambda case: True),
    "refusals": Check(check_refusals, lambda case: case.rejects or bool(case.refused)),
    "inplace": Check(check_inplace, lambda case: case.inplace is not None),
    "out": Check(check_out_argument, lambda case: case.out),
    "first_derivatives": Check(check_first_derivatives, lambda case: bool(case.gradient)),
    "second_derivatives": Check(check_second_derivatives, lambda case: bool(case.gradient) and case.second),
    "derivatives_inplace": Check(
        check_derivatives_inplace, lambda case: bool(case.gradient) and case.inplace is not None
    ),
    "gradients_in_every_dtype": Check(check_gradients_in_every_dtype, lambda case: bool(case.gradient)),
    "kernel_levels": Check(check_kernel_levels, lambda case: not {*FLOATS, *COMPLEX}.isdisjoint(case.dtypes)),
    "forward_mode": Check(
        check_forward_mode, lambda case: bool(case.gradient) and case.forward_mode and transform("jvp") is not None
    ),
    "batching": Check(check_batching, lambda case: case.batching and transform("vmap") is not None),
    "batched_gradients": Check(
        check_batched_gradients, lambda case: bool(case.gradient) and case.batching and transform("vmap") is not None
    ),
}


def run_check(case: Case, name: str) -> None:
    """Run one check of the matrix; error messages begin with the names of the case and the check."""
    try:
        MATRIX[name].run(case)
    except (AssertionError, GradcheckError) as error:
        raise CheckError(f"{case}: {name}: {error}") from error
    except Exception as error:
        raise CheckError(f"{case}: {name}: the call raised {type(error).__name__}; {error}") from error


@boundary
def check_operator(
    function: Callable[..., Any],
    samples: Samples | Sequence[Samples],
    *,
    reference: Callable[..., Any] | None = None,
) -> None:
    """Check that a function meets all requirements of an operator.

    Compares values with a reference in every dtype and memory layout, and derivatives with central differences. Also
    checks broadcasting, promotion, the meta device, the in-place form, `out=` and rejected arguments, if `samples`
    declare that the function supports them.

    Arguments:
        function: a function that takes `arity` tensors and returns one.
        samples: the inputs and the expected behaviour; a list is checked one by one.
        reference: the equivalent function of NumPy arrays; by default `function` on contiguous float64 tensors.

    Raises:
        AssertionError: if a check fails or a call raises; the message begins with the names of function and check.
        TypeError: if an argument has the wrong type.
        ValueError: if `samples` is empty.

    >>> import numpy as np
    >>> from facula_tensor.testing import Samples, check_operator
    >>> floats = Samples(dtypes=("float32", "float64"), elementwise=True, gradient=("float64",))
    >>> check_operator(lambda x: x / (1 + abs(x)), floats, reference=lambda x: x / (1 + np.abs(x)))
    >>> check_operator(lambda x: x.detach().exp() + x - x.detach(), floats, reference=np.exp)
    Traceback (most recent call last):
    facula_tensor.testing._comparing.CheckError: <lambda>: first_derivatives: ...
    """
    if not callable(function):
        raise InvalidTypeError(f"check_operator: expected function to be callable; got {type(function).__name__}")
    if reference is not None and not callable(reference):
        raise InvalidTypeError(f"check_operator: expected reference to be callable; got {type(reference).__name__}")
    if not isinstance(samples, (Samples, list, tuple)):
        raise InvalidTypeError(f"check_operator: expected Samples, or a list of them; got {type(samples).__name__}")
    several = [samples] if isinstance(samples, Samples) else samples
    if not several:
        raise InvalidValueError("check_operator: expected at least one Samples; got none, so nothing would be checked")
    for value in several:
        if not isinstance(value, Samples):
            raise InvalidTypeError(f"check_operator: expected Samples; got {type(value).__name__} among them")
    for value in several:
        name = getattr(function, "__name__", type(function).__name__)
        case = Case(name, function, reference or _in_double_precision(function), **vars(value))
        for check in applicable(case):
            run_check(case, check)


def applicable(case: Case) -> list[str]:
    """Return the names of the checks that a case must pass."""
    return [name for name, check in MATRIX.items() if check.applies(case)]


def _in_double_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reference that calls the function with contiguous tensors of the widest dtype of their category."""
    from .._creation.from_data import tensor

    def reference(*arrays: Array) -> Any:
        wide = [array.astype({"f": float, "c": complex}.get(array.dtype.kind, array.dtype)) for array in arrays]
        return values_of(function(*[tensor(array) for array in wide]))

    return reference
