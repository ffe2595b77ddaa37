"""The NumPy array methods of `Variable`. Each calls NumPy's function of the same name on the Variable."""

from __future__ import annotations

from opcode import opmap
from sys import _getframe

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._value import Value
from .arrays import numpy, shape_of

_STORE = opmap["STORE_SUBSCR"]
NUMPY_NAMES = dict.fromkeys(
    "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt hypot fabs fmod copysign degrees radians "
    "floor ceil trunc gcd".split(), "",
) | {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "pow": "power",
}  # fmt: skip
"""Functions of `math`, with their names in NumPy if these differ."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import NoReturn, Self

    from .._types import AnyValue, PlainArray, Ufunc


def _method(name: str) -> Callable[..., PlainArray]:
    def method(self: object, *args: object, **kwargs: object) -> PlainArray:
        function: Ufunc = getattr(numpy(), name)
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, f"`numpy.{name}` of this value."
    return method


def _binary(name: str) -> Callable[[object, object], PlainArray]:
    function: Callable[[object, object], PlainArray] = lambda self, other: getattr(numpy(), name)(self, other)
    return function


def _reflected(name: str) -> Callable[[object, object], PlainArray]:
    function: Callable[[object, object], PlainArray] = lambda self, other: getattr(numpy(), name)(other, self)
    return function


def _inplace(name: str, remedy: str) -> Callable[..., NoReturn]:
    def method(self: object, *args: object, **kwargs: object) -> NoReturn:
        raise InvalidTypeError(
            f"{name}: expected a new value to be made; a Variable does not change in place. {remedy}, or "
            "change .value, which no gradient takes into account"
        )

    method.__name__, method.__doc__ = name, f"Refused: a Variable does not change in place. {remedy}."
    return method


@boundary
class ArrayMethods(Value):
    """Array methods for values that have the plain number or array in `value`."""

    __slots__ = ()

    if TYPE_CHECKING:  # of any type for users of `Variable`
        value: PlainArray

    all, any, argmax, argmin = _method("all"), _method("any"), _method("argmax"), _method("argmin")
    argsort, clip, conj = _method("argsort"), _method("clip"), _method("conj")
    conjugate, copy, cumprod, cumsum = _method("conj"), _method("copy"), _method("cumprod"), _method("cumsum")
    diagonal, dot, flatten, max = _method("diagonal"), _method("dot"), _method("ravel"), _method("max")
    mean, min, nonzero, prod = _method("mean"), _method("min"), _method("nonzero"), _method("prod")
    ravel, repeat, round, squeeze = _method("ravel"), _method("repeat"), _method("round"), _method("squeeze")
    std, swapaxes, take, trace = _method("std"), _method("swapaxes"), _method("take"), _method("trace")
    var, searchsorted, astype = _method("var"), _method("searchsorted"), _method("astype")

    sort = _inplace("sort", "Use numpy.sort")
    __setitem__ = _inplace("item assignment", "Use numpy.where, or numpy.concatenate of the parts")

    def transpose(self, *axes: object) -> PlainArray:
        """Return the value with its axes reversed, or in the given order, as integers or one tuple."""
        return numpy().transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def item(self, *where: object) -> AnyValue:
        """Return one element as a plain number."""
        return self.value.item(*where) if hasattr(self.value, "item") else self.value

    def tolist(self) -> AnyValue:
        """Return the elements as plain numbers, in nested lists."""
        return self.value.tolist() if hasattr(self.value, "tolist") else self.value

    T = property(lambda self: numpy().transpose(self), doc="The axes reversed.")
    mT = property(lambda self: numpy().matrix_transpose(self), doc="The last two axes exchanged.")
    real = property(lambda self: numpy().real(self), doc="The real part.")
    imag = property(lambda self: numpy().imag(self), doc="The imaginary part.")
    ndim = property(lambda self: len(shape_of(self.value)), doc="The number of dimensions.")
    size = property(lambda self: getattr(self.value, "size", 1), doc="The number of elements.")
    dtype = property(lambda self: getattr(self.value, "dtype", None) or numpy().dtype(type(self.value)),
                     doc="The elements' dtype.")  # fmt: skip

    # ---- operators that need NumPy

    __mod__, __rmod__ = _binary("remainder"), _reflected("remainder")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _reflected("floor_divide")
    __divmod__, __rdivmod__ = _binary("divmod"), _reflected("divmod")

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> PlainArray:
        return numpy().absolute(self)

    # ---- comparisons and conversions, whose results are plain

    def __eq__(self, other: object) -> AnyValue:
        return self.value == _plain(other)

    def __ne__(self, other: object) -> AnyValue:
        return self.value != _plain(other)

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> AnyValue:
        return self.value < _plain(other)

    def __le__(self, other: object) -> AnyValue:
        return self.value <= _plain(other)

    def __gt__(self, other: object) -> AnyValue:
        return self.value > _plain(other)

    def __ge__(self, other: object) -> AnyValue:
        return self.value >= _plain(other)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        self._refuse_recorded("float")
        return float(self.value)

    def __int__(self) -> int:
        self._refuse_recorded("int")
        return int(self.value)

    def __complex__(self) -> complex:
        self._refuse_recorded("complex")
        return complex(self.value)

    def __trunc__(self) -> int:
        self._refuse_recorded("trunc")
        return int(self.value)

    def __round__(self, digits: int | None = None) -> AnyValue:
        self._refuse_recorded("round", "round")
        return round(float(self.value), digits)

    def _refuse_recorded(self, kind: str, function: str = "") -> None:
        """Raise an error where a gradient would be lost silently: `math.sin(v)` and `array[0] = v` request a float."""
        if self.node is None:
            return
        frame = _getframe(2)
        if frame.f_code.co_code[frame.f_lasti] == _STORE:
            raise InvalidTypeError(
                "item assignment: expected a plain value; got a Variable, whose gradient an array cannot hold. Use "
                "numpy.stack or numpy.concatenate of the parts, or numpy.where; or assign .value"
            )
        name = _called(frame)
        function = function or NUMPY_NAMES.get(name) or name
        which = f"numpy.{function}" if function else "NumPy's function, as numpy.sin for math.sin"
        raise InvalidTypeError(
            f"{name or kind}: expected a plain number; got a Variable whose gradient would be lost. Use {which}, which "
            "records; or pass .value (or .item()), the plain number"
        )

    def __index__(self) -> int:
        return self.value.__index__()

    def __len__(self) -> int:
        if not shape_of(self.value):
            raise InvalidTypeError("len: expected an array of at least one dimension; got a number")
        return shape_of(self.value)[0]

    def __iter__(self) -> Iterator[PlainArray]:
        if not shape_of(self.value):
            raise InvalidTypeError("iteration: expected an array of at least one dimension; got a number")
        return (self[k] for k in range(len(self)))  # type: ignore[index]

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else repr(self)


def _called(frame: FrameType) -> str:
    """Return the name of the function of `math` or `cmath` that a frame is calling; "" for other functions."""
    from dis import get_instructions

    before = [instruction for instruction in get_instructions(frame.f_code) if instruction.offset < frame.f_lasti]
    for instruction in reversed(before[-12:]):
        if instruction.opname in ("LOAD_METHOD", "LOAD_ATTR", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            name = str(instruction.argval)
            if name in NUMPY_NAMES:
                return name
    return ""


def _plain(value: object) -> object:
    return value.value if isinstance(value, ArrayMethods) else value
