"""Element types: an extensible registry, initially with twenty types."""

from __future__ import annotations

from threading import Lock

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._immutable import Immutable, write

# The promotion order of Python scalars: bool < int < float < complex.
BOOL, INTEGER, FLOATING, COMPLEX = range(4)
# The exclusive limit of codes: a plan table has this many places for each device; see `Layout.dense`.
DTYPES_PER_DEVICE = 32


class DType(Immutable):
    """The type of an array's elements.

    There is one object per type, so compare types with `is`. `register_dtype` creates new ones.

    Arguments:
        name: a unique name.
        code: a small integer for kernels and plan tables.
        itemsize: bytes of an element.
        category: the rank of the kind (bool, integer, floating, complex) in promotion.
        is_signed: whether the type has negative numbers.
        numpy: the NumPy type with the same bits, or None if NumPy has none (bfloat16, float8).
        promotes: whether operands of this type and of another type have a common type (`promote_types`). The other
            types are for storage: they convert to and from every type, and operators require that all operands have the
            same such type.

    >>> float32.itemsize, float32.is_floating_point, int8.is_signed
    (4, True, True)
    >>> float32
    facula.float32
    """

    __slots__ = {  # attributes, not properties: operators read them on each call
        "category": "The rank of the kind in promotion.",
        "code": "A small integer for kernels and plan tables.",
        "is_complex": "Whether this is a complex type.",
        "is_floating_point": "Whether this is a real floating-point type.",
        "is_signed": "Whether the type has negative numbers.",
        "itemsize": "Bytes of an element.",
        "name": "The unique name.",
        "numpy": "The NumPy type with the same bits, or None.",
        "promotes": "Whether operands of this type and of another type have a common type.",
    }

    name: str
    code: int
    itemsize: int
    category: int
    is_complex: bool
    is_floating_point: bool
    is_signed: bool
    numpy: np.dtype | None
    promotes: bool

    def __init__(
        self,
        name: str,
        code: int,
        itemsize: int,
        category: int,
        is_signed: bool,
        numpy: np.dtype | None,
        promotes: bool = True,
    ):
        values = {"name": name, "code": code, "itemsize": itemsize, "category": category, "is_signed": is_signed}
        values |= {"is_complex": category == COMPLEX, "is_floating_point": category == FLOATING}
        for attribute, value in {**values, "numpy": numpy, "promotes": promotes}.items():
            write(self, attribute, value)

    def to_real(self) -> DType:
        """Return the type of the real part: float32 for complex64, and the type itself for real types.

        >>> complex128.to_real(), int8.to_real()
        (facula.float64, facula.int8)
        """
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def to_complex(self) -> DType:
        """Return the complex type with parts of this precision, or the nearest one: complex64 for the small types.

        >>> float64.to_complex(), float16.to_complex()
        (facula.complex128, facula.complex64)
        """
        return {"float64": complex128, "complex128": complex128}.get(self.name, complex64)

    def __repr__(self) -> str:
        return f"facula.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (dtype_named, (self.name,))

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> DType:
        return self


_registering = Lock()
_by_name: dict[str, DType] = {}
_by_code: dict[int, DType] = {}
_by_numpy: dict[np.dtype, DType] = {}


def register_dtype(
    name: str,
    itemsize: int,
    category: int,
    *,
    signed: bool = True,
    numpy: str | None = None,
    promotes: bool = True,
) -> DType:
    """Register an element type and return it.

    Backends identify a new type by its `code`; an operator without a kernel for the type raises an error with its name.

    Arguments:
        name: a name that no other dtype has.
        itemsize: bytes of an element.
        category: BOOL, INTEGER, FLOATING or COMPLEX.
        signed: whether the type has negative numbers.
        numpy: NumPy's name of the type with the same bits, if it exists.
        promotes: whether the type takes part in promotion with other types.

    Raises:
        ValueError: the name or the NumPy type is in use, the sizes differ, or all codes are in use.
    """
    same = np.dtype(numpy) if numpy else None
    with _registering:
        if name in _by_name:
            raise InvalidValueError(f"register_dtype: a dtype named {name!r} exists already; choose another name")
        if category not in (BOOL, INTEGER, FLOATING, COMPLEX) or itemsize < 1:
            raise InvalidValueError(
                f"register_dtype: expected a category from BOOL to COMPLEX and a positive itemsize for {name!r}; "
                f"got category {category} and itemsize {itemsize}"
            )
        if same is not None and (same in _by_numpy or same.itemsize != itemsize):
            raise InvalidValueError(
                f"register_dtype: NumPy's {same} cannot represent {name!r} of {itemsize} byte(s): expected a type of "
                "that size which no other dtype uses; omit `numpy` if there is none"
            )
        code = len(_by_code) + 1
        if code >= DTYPES_PER_DEVICE:
            raise InvalidValueError(
                f"register_dtype: {name!r} would be dtype number {code}; there is room for {code - 1}"
            )
        dtype = DType(name, code, itemsize, category, signed, same, promotes)
        _by_code[code] = dtype
        _by_name[name] = dtype  # last, so that a thread that finds the name also finds the other entries
        if same is not None:
            _by_numpy[same] = dtype
    return dtype


@boundary
def dtype_named(name: str) -> DType:
    """Return the registered dtype of that name; raise TypeError with the known names otherwise.

    >>> dtype_named("float16")
    facula.float16
    """
    try:
        return _by_name[name]
    except KeyError:
        raise InvalidTypeError(f"unknown dtype {name!r}; known are {', '.join(_by_name)}") from None


def dtype_of_code(code: int) -> DType:
    """Return the dtype with this `code`; raise KeyError if there is none.

    >>> dtype_of_code(9)
    facula.float32
    """
    return _by_code[code]


def dtype_of_numpy(dtype: np.dtype) -> DType:
    """Return the dtype with the bits of a native-endian NumPy dtype; raise TypeError for unsupported dtypes.

    >>> import numpy as np
    >>> dtype_of_numpy(np.dtype("int16"))
    facula.int16
    """
    found = _by_numpy.get(dtype)
    if found is not None:  # not found for another byte order, because in NumPy '>f4' != 'f4'
        return found
    if dtype.names is not None:
        why = "a structured type; take one field"
    elif not dtype.isnative:
        why = f"not in this machine's byte order; use .astype({dtype.newbyteorder('=').name!r})"
    else:
        why = f"not among {', '.join(d.name for d in _by_numpy.values())}; convert it with .astype"
    raise InvalidTypeError(f"NumPy dtype {dtype} cannot be used: it is {why}")


bool_: DType = register_dtype("bool", 1, BOOL, signed=False, numpy="bool")
uint8: DType = register_dtype("uint8", 1, INTEGER, signed=False, numpy="uint8")
int8: DType = register_dtype("int8", 1, INTEGER, numpy="int8")
int16: DType = register_dtype("int16", 2, INTEGER, numpy="int16")
int32: DType = register_dtype("int32", 4, INTEGER, numpy="int32")
int64: DType = register_dtype("int64", 8, INTEGER, numpy="int64")
float16: DType = register_dtype("float16", 2, FLOATING, numpy="float16")
bfloat16: DType = register_dtype("bfloat16", 2, FLOATING)
float32: DType = register_dtype("float32", 4, FLOATING, numpy="float32")
float64: DType = register_dtype("float64", 8, FLOATING, numpy="float64")
complex64: DType = register_dtype("complex64", 8, COMPLEX, numpy="complex64")
complex128: DType = register_dtype("complex128", 16, COMPLEX, numpy="complex128")
uint16: DType = register_dtype("uint16", 2, INTEGER, signed=False, numpy="uint16", promotes=False)
uint32: DType = register_dtype("uint32", 4, INTEGER, signed=False, numpy="uint32", promotes=False)
uint64: DType = register_dtype("uint64", 8, INTEGER, signed=False, numpy="uint64", promotes=False)
float8_e4m3fn: DType = register_dtype("float8_e4m3fn", 1, FLOATING, promotes=False)
float8_e5m2: DType = register_dtype("float8_e5m2", 1, FLOATING, promotes=False)
float8_e8m0fnu: DType = register_dtype("float8_e8m0fnu", 1, FLOATING, signed=False, promotes=False)
float8_e4m3fnuz: DType = register_dtype("float8_e4m3fnuz", 1, FLOATING, promotes=False)
float8_e5m2fnuz: DType = register_dtype("float8_e5m2fnuz", 1, FLOATING, promotes=False)
