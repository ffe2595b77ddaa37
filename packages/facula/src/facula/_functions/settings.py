"""Settings that programs make for PyTorch's kernels: kept, and without effect where facula's have one way alone.

Results are the same in every run and with any number of threads, and products are of full precision.
"""

from __future__ import annotations

from typing import Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, warn
from facula_tensor import set_default_dtype
from facula_tensor.extend import dtype_of_type

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
    """Ask for the same results in every run: they are, so nothing changes. TypeError where `mode` is no bool.

    >>> use_deterministic_algorithms(True)
    >>> are_deterministic_algorithms_enabled()
    True
    >>> use_deterministic_algorithms(False)
    """
    wanted = _as_bool("use_deterministic_algorithms", "mode", mode)
    _saved_of["warn_only"] = _as_bool("use_deterministic_algorithms", "warn_only", warn_only) and wanted
    _saved_of["deterministic"] = wanted


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` asked for the same results in every run, which they are anyway."""
    return bool(_saved_of["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` asked for warnings in place of errors; there are none of either."""
    return bool(_saved_of["warn_only"])


@boundary
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by "default" or 0, "warn" or 1, "error" or 2. Else TypeError or RuntimeError."""
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
    """What `set_deterministic_debug_mode` set, as a number.

    >>> get_deterministic_debug_mode()
    0
    """
    return (1 if _saved_of["warn_only"] else 2) if _saved_of["deterministic"] else 0


@boundary
def set_float32_matmul_precision(precision: str) -> None:
    """Allow coarser products of float32: "highest", "high" or "medium". They are of full precision whatever is set.

    ValueError for another word.

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


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` set."""
    return str(_saved_of["precision"])


@boundary
def set_num_interop_threads(num: int) -> None:
    """Set how many operators may run side by side: kept. One runs at a time; `set_num_threads` is for its threads."""
    if not isinstance(num, int) or isinstance(num, bool):
        raise InvalidTypeError(f"set_num_interop_threads: expected an integer; got {num!r}")
    if num < 1:
        raise OperationError(f"set_num_interop_threads: expected a positive number; got {num}")
    _saved_of["interop_threads"] = num


def get_num_interop_threads() -> int:
    """What `set_num_interop_threads` set."""
    return int(_saved_of["interop_threads"])


def set_flush_denormal(mode: bool) -> bool:
    """Ask that numbers below the normal ones become 0: not supported, and False says so."""
    return False


def set_warn_always(b: bool) -> None:
    """Ask for each warning again and again: kept; Python's `warnings` decides."""
    _saved_of["warn_always"] = b


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` set."""
    return bool(_saved_of["warn_always"])


def is_vulkan_available() -> bool:
    """Whether tensors can be put on device "vulkan": False."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """Whether extensions in C++ use the newer strings: True, as of all present compilers; facula has no C++."""
    return True


@boundary
def set_default_tensor_type(t: object) -> None:
    """`set_default_dtype` by a type of tensors, FloatTensor or "torch.DoubleTensor", as programs once wrote.

    A warning says so. TypeError for a type of no floating dtype.
    """
    warn("set_default_tensor_type: set_default_dtype and set_default_device have taken its place")
    set_default_dtype(dtype_of_type(t, "set_default_tensor_type"))
