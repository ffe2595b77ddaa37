"""`FloatTensor`, `LongTensor` and the like, PyTorch's older names for tensors of one dtype; `Tensor.type`.

Each is a constructor of Tensors, a class for `isinstance`, and an argument of `x.type(...)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import (
    Device,
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

from .._core.errors import relabel, shown
from .._core.foreign import is_data
from .._core.promotion import as_dtype, get_default_dtype
from .._core.size import Size
from .._core.tensor import Tensor, alias, layout_of_tensor, method
from .._creation.filled import empty
from .._creation.from_data import tensor
from .._dispatch.overrides import overridable
from ..ops.memory.copying import to_like

# The names that `x.type()` returns and accepts.
DTYPES: dict[str, DType] = {
    "FloatTensor": float32, "DoubleTensor": float64, "HalfTensor": float16, "BFloat16Tensor": bfloat16,
    "LongTensor": int64, "IntTensor": int32, "ShortTensor": int16, "CharTensor": int8, "ByteTensor": uint8,
    "BoolTensor": bool_, "ComplexFloatTensor": complex64, "ComplexDoubleTensor": complex128,
}  # fmt: skip
DTYPES |= {f"{dtype.name[0].upper()}{dtype.name[1:]}Tensor".replace("Uint", "UInt"): dtype for dtype in (
    float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, uint16, uint32, uint64
)}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class TensorType(type):
    """The metaclass of `FloatTensor` and similar classes, which implements `isinstance` and calls."""

    device_type = "cpu"

    @property
    def dtype(cls) -> DType:
        """The dtype of the tensors."""
        return DTYPES[cls.__name__]

    def __instancecheck__(cls, value: object) -> bool:
        if not isinstance(value, Tensor):
            return False
        layout = layout_of_tensor(value)
        return layout.dtype is cls.dtype and layout.device.type == cls.device_type

    @boundary
    def __call__(cls, *arguments: Any, device: DeviceLike | None = None) -> Tensor:
        name, dtype, place = cls.__name__, cls.dtype, cls.device_type
        first = arguments[0] if arguments else Size((0,))
        wanted = Device(device or place)
        if wanted.type != place:
            raise InvalidTypeError(f"{name}: expected device {place!r}, of which its tensors are; got {device!r}")
        try:
            if isinstance(first, Tensor) and len(arguments) == 1:
                if not isinstance(first, cls):
                    got = f"{shown(first)} on '{first.device}'"
                    raise InvalidTypeError(
                        f"{name}: expected a tensor of {dtype.name} on {place!r}; got {got}; use .type()"
                    )
                return alias(first, Tensor)
            if len(arguments) < 2 and not isinstance(first, Size) and is_data(first):
                return tensor(first, dtype=dtype, device=wanted)
            lengths = first if isinstance(first, Size) and len(arguments) < 2 else arguments
            if all([hasattr(length, "__index__") and not isinstance(length, (bool, Tensor)) for length in lengths]):
                return empty(Size(lengths), dtype=dtype, device=wanted)
        except FaculaError as error:
            relabel(error, name)
            raise
        raise InvalidTypeError(
            f"{name}: expected lengths, data in a sequence or array, or a tensor; got "
            f"{', '.join(map(shown, arguments))}; use facula.tensor(..., dtype=facula.{dtype.name}) for a number"
        )

    def __repr__(cls) -> str:
        return f"<class 'facula.{_place(cls.device_type)}{cls.__name__}'>"


if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike

    _Typed = Tensor  # so that type checkers see a tensor's methods after `isinstance`
else:

    class _Typed(metaclass=TensorType):
        __slots__ = ()


class FloatTensor(_Typed):
    """A float32 tensor of lengths, of data or of a tensor: `tensor(data, dtype=float32)`.

    >>> FloatTensor([1, 2])
    tensor([1., 2.])
    >>> isinstance(FloatTensor(2, 3), FloatTensor)
    True
    """


class DoubleTensor(_Typed):
    """A float64 tensor of lengths, of data or of a tensor: `tensor(data, dtype=float64)`."""


class HalfTensor(_Typed):
    """A float16 tensor of lengths, of data or of a tensor: `tensor(data, dtype=float16)`."""


class BFloat16Tensor(_Typed):
    """A bfloat16 tensor of lengths, of data or of a tensor: `tensor(data, dtype=bfloat16)`."""


class LongTensor(_Typed):
    """An int64 tensor of lengths, of data or of a tensor: `tensor(data, dtype=int64)`."""


class IntTensor(_Typed):
    """An int32 tensor of lengths, of data or of a tensor: `tensor(data, dtype=int32)`."""


class ShortTensor(_Typed):
    """An int16 tensor of lengths, of data or of a tensor: `tensor(data, dtype=int16)`."""


class CharTensor(_Typed):
    """An int8 tensor of lengths, of data or of a tensor: `tensor(data, dtype=int8)`."""


class ByteTensor(_Typed):
    """A uint8 tensor of lengths, of data or of a tensor: `tensor(data, dtype=uint8)`."""


class BoolTensor(_Typed):
    """A bool tensor of lengths, of data or of a tensor: `tensor(data, dtype=bool)`."""


def _place(device_type: str) -> str:
    """Return the part of a type's name for its device: "cuda." in "torch.cuda.FloatTensor"."""
    return "" if device_type == "cpu" else f"{device_type}."


def dtype_of_type(kind: object, operation: str) -> DType:
    """Return the dtype for an argument of `type`: a dtype, a class such as `FloatTensor`, or the name of either."""
    if isinstance(kind, TensorType):
        return kind.dtype
    if isinstance(kind, str) and kind.rpartition(".")[0] in ("", *_DEVICE_TYPES):
        kind = DTYPES.get(kind.rpartition(".")[2], kind)
    return get_default_dtype() if kind is Tensor else as_dtype(kind, operation)


_DEVICE_TYPES = {"facula": "cpu", "torch": "cpu", "facula.cuda": "cuda", "torch.cuda": "cuda"}


def device_type_of(kind: object) -> str | None:
    """Return the device type for an argument of `type`, or None if it only determines the dtype."""
    if isinstance(kind, TensorType):
        return kind.device_type
    place, _, name = kind.rpartition(".") if isinstance(kind, str) else ("", "", "")
    return _DEVICE_TYPES.get(place) if name in DTYPES else None


@overridable
@method("type")
@boundary
def type_of(self: Tensor, dtype: DTypeLike | None = None, non_blocking: bool = False) -> Tensor | str:
    """Return this tensor in another dtype, or itself if it has that dtype; without `dtype`, return its type's
    name: "torch.FloatTensor".

    Programs compare the names with those of PyTorch. A class, or the name of one, also determines the device.

    Arguments:
        dtype: a dtype, a class such as `FloatTensor`, or the name of either.
        non_blocking: ignored.

    >>> from facula_tensor import tensor
    >>> x = tensor([1, 2])
    >>> x.type()
    'torch.LongTensor'
    >>> x.type("torch.FloatTensor")
    tensor([1., 2.])
    """
    if dtype is None:
        return f"torch.{_place(self.device.type)}{NAMES[self.dtype]}"
    place = device_type_of(dtype)
    device = None if place == self.device.type else place
    return to_like(self, dtype=dtype_of_type(dtype, "type"), device=device)
