"""Rounding, fractions, sign bits, and replacement of NaN. The gradients of rounding are 0."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from facula_errors import DTypeError, InvalidTypeError
from facula_errors.extend import moved
from facula_storage import DType, Layout, bool_, float32, float64
from facula_storage.extend.layouts import BOOL, COMPLEX, FLOATING

from ..._core.number_limits import finfo
from ..._core.promotion import as_real, floating
from ..._core.tensor import Tensor
from ..._creation.filled import zeros_like
from ..._dispatch.declaration import elementwise, under
from ..._dispatch.namespaces import identity_grad, no_record_ops, recorded_ops, zero_grad
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .comparison import boolean
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..._dispatch.kinds import Checked, Integer, Reals
    from ..._dispatch.namespaces import Namespace

moved(__name__)  # resolves module names in pickles of earlier releases


FLOAT32_PLACES, FLOAT64_PLACES = 38, 300  # powers of ten within the range of the dtypes
MAX_PLACES = 700  # with more decimals, every float64 keeps either all of its digits or none


def _number(dtype: DType) -> bool:
    """Return True for any dtype but bool and complex dtypes."""
    return BOOL < dtype.category < COMPLEX


def to_places(operation: str, input: Tensor, decimals: int) -> Tensor:
    """Round to `decimals` decimal places; negative numbers round to tens, hundreds, and so on."""
    if not as_tensor(operation, input).is_floating_point():
        raise DTypeError(f"{operation}: expected a floating tensor where decimals is not 0; got {input.dtype.name}")
    F, dtype, places = recorded_ops, input.dtype, min(abs(decimals), MAX_PLACES)
    wide = dtype if dtype.itemsize > 2 else float32
    if places > FLOAT32_PLACES:
        wide = float64
    powers = [10.0 ** min(places - done, FLOAT64_PLACES) for done in range(0, places, FLOAT64_PLACES)]
    up, down = (F.mul, F.div) if decimals > 0 else (F.div, F.mul)
    scaled = input if wide is dtype else F.to(input, (wide,))
    for power in powers:
        scaled = up(scaled, power)
    result = F.round(scaled)
    for power in powers:
        result = down(result, power)
    result = result if wide is dtype else F.to(result, (dtype,))
    # Numbers that overflow have no digits at this precision.
    return F.where(F.eq(F.abs(scaled), inf), input.detach(), result) if decimals > 0 else result


def to_integers(name: str, result: str, example: str) -> Function:
    """Declare an operator that returns an integer for each element."""

    @elementwise
    @under(
        name,
        f"""Return {result}. Integers are unchanged.

    >>> from facula_tensor import tensor
    >>> {name}(tensor([-1.5, 1.5]))
    tensor({example})
    """,
    )
    class body:
        accepts = _number
        vjp_input = zero_grad

    return body


floor = to_integers("floor", "the largest integer not greater than each element", "[-2.,  1.]")
ceil = to_integers("ceil", "the smallest integer not less than each element", "[-1.,  2.]")
trunc = to_integers("trunc", "each element without its fractional part", "[-1.,  1.]")


@elementwise
class round:
    """Round each element to the nearest number with `decimals` decimal places; ties round to even.

    `decimals` may be negative: tens, hundreds. Integers are unchanged and accept no `decimals`.

    Arguments:
        decimals: the number of decimal places.

    >>> from facula_tensor import tensor
    >>> round(tensor([0.5, 1.5, 2.5])), round(tensor([1.2345]), decimals=2)
    (tensor([0., 2., 2.]), tensor([1.2300]))
    """

    method = out = changes = True
    special_cases = {"decimals": to_places}  # noqa: RUF012

    @staticmethod
    def signature(input: Reals, *, decimals: Integer = 0) -> None: ...

    accepts = _number

    vjp_input = zero_grad


@elementwise
class frac:
    """Return the fractional part of each element, with its sign. Floating dtypes only.

    >>> from facula_tensor import tensor
    >>> frac(tensor([-1.5, 2.25]))
    tensor([-0.5000,  0.2500])
    """

    vjp_input = identity_grad

    def accepts(dtype):
        return dtype.is_floating_point


@elementwise
class copysign:
    """Return the magnitude of each element of `input` with the sign of `other`, including that of -0.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> copysign(tensor([1.0, 2.0]), -3)
    tensor([-1., -2.])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def validate_layouts(input, other):
        if not isinstance(input, Layout):
            raise InvalidTypeError("copysign: expected input to be a Tensor; got a number; make it one with tensor()")

    def partial_input(F, input, other):
        sign = F.sign(input)
        return sign * F.copysign(sign, other)

    vjp_other = zero_grad


fix = trunc
for _underscore in ("", "_"):
    setattr(Tensor, "fix" + _underscore, getattr(Tensor, "trunc" + _underscore))


@function(method=True, out=True)
def signbit(input: Checked) -> Tensor:
    """Return True for each negative element, including -0 and NaN with a sign.

    >>> from facula_tensor import tensor
    >>> signbit(tensor([-0.0, 1.0]))
    tensor([ True, False])
    """
    x = input.detach()
    if x.dtype.category == COMPLEX:
        raise DTypeError(f"signbit: not defined for {x.dtype.name}; take real or imag first")
    if x.is_floating_point():
        return no_record_ops.sign_of(x)
    return no_record_ops.lt(x, 0) if x.dtype.is_signed else zeros_like(x, dtype=bool_)


@elementwise
class _sign_of:
    """True if the sign bit is set."""

    kernel = "signbit"
    result_dtype = boolean
    inplace = False


@elementwise
class _nan_to_num:
    """Floating elements with NaN and both infinities replaced by numbers."""

    inputs = ("input", "nan", "posinf", "neginf")
    inplace = False

    def vjp_input(F, g, input):
        return F.where(abs(input) < float("inf"), g, 0)


@function(method=True, changes=True, out=True)
def nan_to_num(
    F: Namespace,
    input: Checked,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Replace NaN by `nan` (0) and the infinities by `posinf` and `neginf` (the largest numbers of the dtype).

    Integers are unchanged. The gradient of a replaced element is 0.

    Arguments:
        input: the numbers.
        nan: the replacement of NaN; None for 0.
        posinf: the replacement of infinity; None for the largest number of the dtype.
        neginf: the replacement of negative infinity; None for the smallest number of the dtype.

    >>> from facula_tensor import tensor
    >>> nan_to_num(tensor([float("nan"), float("inf"), 2.0]), posinf=9.0)
    tensor([0., 9., 2.])
    """
    category = input.dtype.category
    if category < FLOATING:
        return F.clone(input)
    most = finfo(input.dtype).max
    given = (("nan", nan, 0.0), ("posinf", posinf, most), ("neginf", neginf, -most))
    numbers = [own if value is None else float(as_real(value, "nan_to_num", called)) for called, value, own in given]
    if category != COMPLEX:
        return F.nan_to_num(input, *numbers)
    parts = [part(input.detach()) for part in (no_record_ops.real_view, no_record_ops.imag_view)]
    bounded = [no_record_ops.nan_to_num(part, *numbers) for part in parts]
    finite = no_record_ops.bitwise_and(*map(no_record_ops.eq, bounded, parts))
    return F.where(finite, input, no_record_ops.add(bounded[0], no_record_ops.mul(bounded[1], 1j)))
