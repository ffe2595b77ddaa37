"""Settings for PyTorch's kernels. They are stored, and have no effect where facula has a single implementation.

Results are the same in every run and with any number of threads, and the CPU's products have full precision.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, warn
from facula_tensor import get_default_device, set_default_device, set_default_dtype
from facula_tensor.extend.arguments import device_type_of, dtype_of_type

from .._lookup.absent_device import has_cuda_package

_saved_of: dict[str, Any] = {
    "deterministic": False, "warn_only": False, "precision": "highest", "warn_always": False, "interop_threads": 1
}  # fmt: skip
_PRECISIONS = ("highest", "high", "medium")
_DEBUG_MODES = ("default", "warn", "error")


def _as_bool(name: str, argument: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{name}: expected {argument} to be True or False; got {type(value).__name__} {value!r}")
    return value


@boundary
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Request deterministic results. A no-op: all results are deterministic. TypeError if `mode` is not a bool.

    >>> use_deterministic_algorithms(True)
    >>> are_deterministic_algorithms_enabled()
    True
    >>> use_deterministic_algorithms(False)
    """
    wanted = _as_bool("use_deterministic_algorithms", "mode", mode)
    _saved_of["warn_only"] = _as_bool("use_deterministic_algorithms", "warn_only", warn_only) and wanted
    _saved_of["deterministic"] = wanted


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was enabled. Results are deterministic in any case."""
    return bool(_saved_of["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was set to warn only. It never warns or raises."""
    return bool(_saved_of["warn_only"])


@boundary
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the mode of `use_deterministic_algorithms`: "default" or 0, "warn" or 1, "error" or 2.

    TypeError or RuntimeError for other values."""
    if not isinstance(debug_mode, (int, str)) or isinstance(debug_mode, bool):
        raise InvalidTypeError(
            f"set_deterministic_debug_mode: expected debug_mode to be a number or its name; got {debug_mode!r}"
        )
    if debug_mode not in (*_DEBUG_MODES, 0, 1, 2):
        raise OperationError(
            f"set_deterministic_debug_mode: expected 0, 1, 2 or one of {', '.join(_DEBUG_MODES)}; got {debug_mode!r}"
        )
    level = debug_mode if isinstance(debug_mode, int) else _DEBUG_MODES.index(debug_mode)
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """Set the allowed precision of float32 products, "highest", "high" or "medium". All are computed in full.

    >>> get_deterministic_debug_mode()
    0
    """
    return (1 if _saved_of["warn_only"] else 2) if _saved_of["deterministic"] else 0


@boundary
def set_float32_matmul_precision(precision: str) -> None:
    """Set the precision of float32 products, "highest", "high" or "medium". ValueError for other values.

    "high" and "medium" allow CUDA devices to use TF32, if cuBLAS is installed there. The CPU's have full precision.

    >>> set_float32_matmul_precision("high")
    >>> get_float32_matmul_precision()
    'high'
    >>> set_float32_matmul_precision("highest")
    """
    if precision not in _PRECISIONS:
        raise InvalidValueError(
            f"set_float32_matmul_precision: expected one of {', '.join(_PRECISIONS)}; got {precision!r}"
        )
    _saved_of["precision"] = precision
    if has_cuda_package():
        import_module("facula_cuda").set_float32_matmul_precision(precision)


def get_float32_matmul_precision() -> str:
    """Return the value set by `set_float32_matmul_precision`."""
    return str(_saved_of["precision"])


@boundary
def set_num_interop_threads(num: int) -> None:
    """Store the number of operators that may run concurrently. A no-op, as one runs at a time."""
    if not isinstance(num, int) or isinstance(num, bool):
        raise InvalidTypeError(f"set_num_interop_threads: expected an integer; got {num!r}")
    if num < 1:
        raise OperationError(f"set_num_interop_threads: expected a positive number; got {num}")
    _saved_of["interop_threads"] = num


def get_num_interop_threads() -> int:
    """Return the value set by `set_num_interop_threads`."""
    return int(_saved_of["interop_threads"])


def set_flush_denormal(mode: bool) -> bool:
    """Return False: flushing subnormal numbers to 0 is not supported."""
    return False


def set_warn_always(b: bool) -> None:
    """Store whether each warning repeats. Python's `warnings` filters decide."""
    _saved_of["warn_always"] = b


def is_warn_always_enabled() -> bool:
    """Return the value set by `set_warn_always`."""
    return bool(_saved_of["warn_always"])


def is_vulkan_available() -> bool:
    """Return whether the device "vulkan" is available: False."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """Return whether C++ extensions use the current string ABI: True, like all current compilers. facula has no C++."""
    return True


@boundary
def set_default_tensor_type(t: object) -> None:
    """Make the dtype and the device of a tensor type the defaults: FloatTensor, or "torch.cuda.DoubleTensor".

    Warns that the function is deprecated. TypeError for a type without a floating dtype.
    """
    warn("set_default_tensor_type: set_default_dtype and set_default_device have taken its place")
    set_default_dtype(dtype_of_type(t, "set_default_tensor_type"))
    place = device_type_of(t)
    if place is not None and place != get_default_device().type:
        set_default_device(place)
