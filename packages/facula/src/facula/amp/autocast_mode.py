"""Blocks and functions in which operators compute in a lower dtype, and queries about them."""

from __future__ import annotations

from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from facula_autograd.extend.modes import current_mode, replace_mode
from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, trim_traceback, warn
from facula_storage import DType, bfloat16, float16, float64
from facula_tensor import Tensor
from facula_tensor.extend.overriding import Autocast, watch_functions

from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import AnyValue

    P = ParamSpec("P")
    T = TypeVar("T")

__all__ = [
    "autocast", "clear_autocast_cache", "custom_bwd", "custom_fwd", "get_autocast_cpu_dtype", "get_autocast_dtype",
    "get_autocast_gpu_dtype", "is_autocast_available", "is_autocast_cache_enabled", "is_autocast_cpu_enabled",
    "is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_dtype",
]  # fmt: skip

# The device types that programs name, and the default lower dtype of each.
_dtypes: dict[str, DType] = {"cpu": bfloat16, "cuda": float16, "xpu": float16, "mps": float16, "hpu": bfloat16}
_cache_enabled = [True]


def _checked_device(operation: str, device_type: object) -> str:
    if not isinstance(device_type, str):
        raise InvalidValueError(
            f"{operation}: expected device_type to be a name such as 'cpu'; got {type(device_type).__name__}"
        )
    name = device_type.partition(":")[0]
    if name not in _dtypes:
        known = ", ".join(_dtypes)
        raise OperationError(f"{operation}: expected device_type to be one of {known}; got {device_type!r}")
    return name


class autocast(replace_mode):
    """Context manager and decorator: operators that are faster in a lower dtype compute in it, and losses in float32.

    `matmul`, `linear`, convolutions, attention and recurrent layers cast their operands, including parameters, to
    `dtype`, bfloat16 or float16. Losses, `prod` and others cast half precision to float32; on CUDA devices also `exp`,
    `log`, `pow`, `softmax`, `sum` and norms. All other operators compute in their operands' dtype. float64 is never
    cast. Casts are recorded: gradients have the operands' original dtypes. A parameter is cast once per block, while it
    is unchanged, unless `cache_enabled` is False. Blocks for several device types can be nested.

    For unavailable devices, it warns and does not cast.

    Arguments:
        device_type: the device type, "cpu" or "cuda"; tensors on other devices are not cast.
        dtype: the lower dtype, bfloat16 or float16; by default `get_autocast_dtype(device_type)`.
        enabled: False switches a surrounding block off.
        cache_enabled: cache the casts of parameters; by default as set by `set_autocast_cache_enabled`.

    Raises:
        ValueError: `device_type` is not a string.
        RuntimeError: there is no such device type.
        TypeError: `dtype` is not a dtype.

    >>> import facula
    >>> x = facula.ones(2, 2, requires_grad=True)
    >>> with autocast("cpu"):
    ...     y = x @ x
    >>> y.dtype
    facula.bfloat16
    >>> y.sum().backward()
    >>> x.grad.dtype
    facula.float32
    """

    __slots__ = ("_cached", "_enabled", "device", "fast_dtype")

    device: str
    fast_dtype: DType

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        try:
            self.device = _checked_device("autocast", device_type)
            self.fast_dtype = _dtypes[self.device] if dtype is None else dtype
            if not isinstance(self.fast_dtype, DType):
                raise InvalidTypeError(f"autocast: expected dtype to be a dtype; got {type(dtype).__name__} {dtype!r}")
            self._cached = _cache_enabled[0] if cache_enabled is None else bool(cache_enabled)
            if enabled and not has_device(self.device):
                warn(
                    f"autocast: there is no device {self.device!r}, so nothing is cast; use autocast('cpu') for the CPU"
                )
                enabled = False
            if enabled and self.fast_dtype not in (bfloat16, float16):
                warn(f"autocast: expected dtype to be bfloat16 or float16; got {self.fast_dtype}, and nothing is cast")
                enabled = False
            self._enabled = bool(enabled)
            self._blocks = {}
            watch_functions()
        except FaculaError as error:
            trim_traceback(error)
            raise

    @property
    def _changes(self) -> dict[str, object]:  # type: ignore[override]  # of each block its own
        outer = _state()
        dtypes = {} if outer is None else {name: dtype for name, dtype in outer.dtypes.items() if name != self.device}
        if self._enabled:
            dtypes[self.device] = self.fast_dtype
        if not dtypes:
            return {"autocast": None}
        casts = None if outer is None else outer.casts
        return {"autocast": Autocast(dtypes, ({} if casts is None else casts) if self._cached else None)}

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:  # type: ignore[override]
        """Decorate `function`; each call enters a new block."""

        @wraps(function)
        def call(*arguments: P.args, **options: P.kwargs) -> T:
            with again():
                return function(*arguments, **options)

        again = partial(autocast, self.device, self.fast_dtype, self._enabled, self._cached)
        return call


def has_device(device_type: str) -> bool:
    """Return whether there is a device of a type that programs name."""
    module = getattr(import_module("facula"), device_type, None)
    return module is not None and module.is_available()


def is_autocast_available(device_type: str) -> bool:
    """Return whether `autocast` supports a device type, whether or not such a device is available.

    >>> is_autocast_available("cpu")
    True
    """
    return device_type in _dtypes


@boundary
def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Return whether operators on a device type cast their operands here; without an argument, on CUDA devices.

    >>> with autocast("cpu"):
    ...     is_autocast_enabled("cpu"), is_autocast_enabled()
    (True, False)
    """
    return _dtype_on(_checked_device("is_autocast_enabled", "cuda" if device_type is None else device_type)) is not None


def is_autocast_cpu_enabled() -> bool:
    """Return whether operators on the CPU cast their operands here."""
    return _dtype_on("cpu") is not None


def _dtype_on(device_type: str) -> DType | None:
    """Return the lower dtype of the blocks for a device type, or None outside of such blocks."""
    state = _state()
    return None if state is None else state.dtypes.get(device_type)


def _state() -> Autocast | None:
    return current_mode().autocast  # type: ignore[no-any-return]


@boundary
def get_autocast_dtype(device_type: str) -> DType:
    """Return the lower dtype of a device type: that of the current block, or the default.

    >>> get_autocast_dtype("cpu")
    facula.bfloat16
    """
    name = _checked_device("get_autocast_dtype", device_type)
    return _dtype_on(name) or _dtypes[name]


@boundary
def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Set the default lower dtype of blocks."""
    name = _checked_device("set_autocast_dtype", device_type)
    if not isinstance(dtype, DType):
        raise InvalidTypeError(f"set_autocast_dtype: expected a dtype; got {type(dtype).__name__} {dtype!r}")
    _dtypes[name] = dtype


def get_autocast_cpu_dtype() -> DType:
    """Return `get_autocast_dtype("cpu")`."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> DType:
    """Return `get_autocast_dtype("cuda")`."""
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """Return whether blocks cache the casts of parameters by default: True unless switched off."""
    return _cache_enabled[0]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether blocks cache the casts of parameters by default."""
    _cache_enabled[0] = bool(enabled)


def clear_autocast_cache() -> None:
    """Discard the casts of parameters that the surrounding block caches."""
    state = _state()
    if state is not None and state.casts is not None:
        state.casts.clear()


def _cast(value: AnyValue, dtype: DType) -> AnyValue:
    """Cast the floating tensors of a nest; float64 and other values are unchanged."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype is not float64 else value
    if isinstance(value, dict):
        return {key: _cast(element, dtype) for key, element in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_cast(element, dtype) for element in value])
    return value


def custom_fwd(fwd: AnyValue = None, *, device_type: str = "cpu", cast_inputs: DType | None = None) -> AnyValue:
    """Decorate `forward` of a Function with `custom_bwd` on its `backward`, for use inside `autocast`.

    Arguments:
        fwd: the method; without it, a decorator is returned.
        device_type: the device type of the affected blocks.
        cast_inputs: cast the inputs to this dtype and turn autocast off inside; None: leave it on.
    """
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def forward(ctx: AnyValue, *arguments: AnyValue, **options: AnyValue) -> AnyValue:
        in_block = _dtype_on(_checked_device("custom_fwd", device_type)) is not None
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = in_block and cast_inputs is None
        if not in_block or cast_inputs is None:
            return fwd(ctx, *arguments, **options)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(arguments, cast_inputs), **_cast(options, cast_inputs))

    return forward


def custom_bwd(bwd: AnyValue = None, *, device_type: str = "cpu") -> AnyValue:
    """Decorate `backward` of a Function with `custom_fwd` on its `forward`: it runs inside `autocast` if that did."""
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def backward(ctx: AnyValue, *arguments: AnyValue) -> AnyValue:
        with autocast(device_type, dtype=ctx._dtype, enabled=ctx._fwd_used_autocast):
            return bwd(ctx, *arguments)

    return backward


publish(__name__)
