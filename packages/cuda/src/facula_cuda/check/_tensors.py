"""What steps with tensors share: facula and PyTorch, operands, errors against float64, and times on the device."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from .._port.devices import synchronize
from .._port.events import Event

FLOATING = ("float32", "bfloat16", "float16", "float64")


def facula() -> Any:
    """Return facula; operators without a kernel fall back without warnings."""
    os.environ.setdefault("FACULA_CUDA_FALLBACK", "quiet")
    return import_module("facula")


def torch() -> Any:
    """Return PyTorch if it is installed and has a device, and else None."""
    if importlib.util.find_spec("torch") is None:
        return None
    try:
        found = import_module("torch")
        return found if found.cuda.is_available() else None
    except Exception:  # an installation without its libraries
        return None


def libraries() -> list[Any]:
    """Return the libraries to measure: facula, and PyTorch if there is one."""
    return [library for library in (facula(), torch()) if library is not None]


def name_of(library: Any) -> str:
    """Return "facula" or "torch"."""
    return str(library.__name__)


def tensor(library: Any, array: np.ndarray[Any, Any], dtype: str | None = None, device: str = "cuda") -> Any:
    """Return a tensor of a library with the elements of an array, on a device."""
    made = library.from_numpy(np.array(array, order="C"))
    return made.to(device) if dtype is None else made.to(getattr(library, dtype)).to(device)


def numbers(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor of either library as float64."""
    found: np.ndarray[Any, Any] = tensor.detach().cpu().double().numpy()
    return found


def error_of(found: Sequence[Any], expected: Sequence[np.ndarray[Any, Any]]) -> float:
    """Return the greatest error of results, as a share of the greatest number of each."""
    worst = 0.0
    for one, wanted in zip(found, expected, strict=True):
        if wanted.size:
            scale = max(float(np.abs(wanted).max()), 1e-30)
            worst = max(worst, float(np.nan_to_num(np.abs(numbers(one) - wanted) / scale, nan=np.inf).max()))
    return worst


def seconds_of(library: Any, call: Callable[[], object], times: int = 10) -> float:
    """Return the least of three times of a call on the device: that of `times` calls between two events."""
    call()
    wait = synchronize if name_of(library) == "facula" else library.cuda.synchronize
    make = Event if name_of(library) == "facula" else library.cuda.Event
    least = float("inf")
    for _ in range(3):
        wait()
        begin, end = make(enable_timing=True), make(enable_timing=True)
        begin.record()
        for _ in range(times):
            call()
        end.record()
        end.synchronize()
        least = min(least, begin.elapsed_time(end) / 1e3 / times)
    return max(least, 1e-9)
