"""Steps on speed: host time of eager operators, and bandwidth of kernels, beside PyTorch where it is installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .._port.devices import synchronize
from ._report import Report, step
from ._tensors import libraries, name_of, seconds_of, tensor
from ._work import host_us, peak_bandwidth

ROW = 1024


def _calls(library: Any) -> dict[str, Callable[[], object]]:
    """Return eager calls on small tensors by name."""
    a = tensor(library, np.ones((4, 4), np.float32))
    b, row, leaf = a + 1, a[0].clone(), a.clone().requires_grad_()
    return {
        "add": lambda: a + b,
        "mul_number": lambda: a * 2.0,
        "exp": a.exp,
        "add_row": lambda: a + row,
        "add_in_place": lambda: a.add_(b),
        "add_recorded": lambda: leaf + b,
        "sum": a.sum,
        "matmul": lambda: a @ b,
    }


@step(40, "facula")
def eager(report: Report) -> None:
    """Host time of eager operators on 4 x 4 elements, in microseconds, from one thread and from two."""
    times = 20 if report.small else 300
    for library in libraries():
        wait = synchronize if name_of(library) == "facula" else library.cuda.synchronize
        calls = _calls(library)
        found = {name: round(host_us(call, times, wait), 3) for name, call in calls.items()}
        report.figure(f"{name_of(library)}_us", found)
        with ThreadPoolExecutor(2) as threads:
            begin = time.perf_counter()
            list(threads.map(lambda add: [add() for _ in range(times)], [_calls(library)["add"] for _ in range(2)]))
            report.figure(f"{name_of(library)}_add_of_two_threads_us", (time.perf_counter() - begin) / times / 2 * 1e6)
        wait()


def _kernels(library: Any, size: int) -> dict[str, tuple[Callable[[], object], int]]:
    """Return calls on arrays of `size` floats by name, and how often each moves an array."""
    functional = library.nn.functional
    x = library.rand(size // ROW, ROW, device="cuda")
    y = library.rand(size // ROW, ROW, device="cuda")
    weight = library.ones(ROW, device="cuda")
    parameter = library.nn.Parameter(library.zeros(size, device="cuda"))
    parameter.grad = library.ones(size, device="cuda")
    options = {} if name_of(library) == "facula" else {"fused": True}
    adam = library.optim.Adam([parameter], lr=1e-3, **options)
    return {
        "copy": (x.clone, 2),
        "add": (lambda: x + y, 3),
        "gelu": (lambda: functional.gelu(x), 2),
        "sum": (x.sum, 1),
        "softmax": (lambda: functional.softmax(x, 1), 2),
        "layer_norm": (lambda: functional.layer_norm(x, (ROW,), weight, weight), 2),
        "transpose": (lambda: x.T.contiguous(), 2),
        "adam": (adam.step, 7),
    }


@step(50, "facula")
def bandwidth(report: Report) -> None:
    """Bandwidth of kernels as a share of the device's peak."""
    peak = peak_bandwidth()
    unit, name_of_unit = (peak, "share_of_peak") if peak else (1e9, "gb_per_s")
    report.figure("peak_gb_per_s", peak / 1e9)
    for size in (ROW * 4,) if report.small else (1 << 18, 1 << 22, 1 << 24, 1 << 26, 1 << 28):
        if report.is_late():
            report.figure("left_out_for_time", f"from {size} elements on")
            break
        shares: dict[str, dict[str, float]] = {}
        for library in libraries():
            for name, (call, arrays) in _kernels(library, size).items():
                seconds = seconds_of(library, call, 1 if report.small else 10)
                shares.setdefault(name, {})[name_of(library)] = round(4 * size * arrays / seconds / unit, 4)
            library.cuda.empty_cache()
        report.figure(f"{name_of_unit}_{4 * size >> 10}_kib", shares)
