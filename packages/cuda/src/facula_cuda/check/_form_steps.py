"""The step that compares all generated kernels with the CPU, without facula's tensors."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from facula_cpu import CpuBackend
from facula_storage import Device, Layout, MallocAllocator, Plan, contiguous, layout_of, uint8
from facula_storage.extend.layouts import dtype_of_code
from facula_storage.extend.memory import allocate

from .._backend.backend import create_backend
from .._backend.fallback_counts import fallbacks
from .._elements import headers
from .._generate import generate
from .._port.devices import synchronize
from ._forms import COMPLEX, SIZES, Form, complex_forms, is_nan, operand
from ._forms import forms as real_forms
from ._report import Report, step

COUNT = 1009
SCALARS = {int: 3, float: 0.7, complex: 1.5 - 2j}
DIVISIONS = ("floor_divide", "fmod", "remainder", "trunc_divide")
UNITS = 4  # in the last place, by which functions of complex numbers may differ
STEP = 2  # of the elements of strided operands


def _layouts(form: Form, device: Device, step: int) -> tuple[tuple[Layout | type, ...], tuple[Layout, ...]]:
    """Return the layouts of inputs, whose elements are `step` apart, and of results."""
    _, kinds, outputs = form
    inputs = tuple(
        [
            kind if isinstance(kind, type) else layout_of((COUNT,), (step,), dtype_of_code(kind), device)
            for kind in kinds
        ]
    )
    return inputs, tuple([contiguous((COUNT,), dtype_of_code(code), device) for code in outputs])


def _numbers(form: Form) -> list[complex]:
    numbers: list[complex] = []
    for kind in form[1]:
        if kind is complex:
            numbers += [SCALARS[complex].real, SCALARS[complex].imag]
        elif isinstance(kind, type):
            numbers.append(SCALARS[kind])
    return numbers


class Comparison:
    """Runs forms on the CPU and on a device."""

    def __init__(self) -> None:
        self.cpu, self.backend = CpuBackend(MallocAllocator()), create_backend(0)
        self.device = Device("cuda:0")

    def plan(self, form: Form, step: int) -> Plan:
        """Return the device's plan of a form."""
        return self.backend.plan(form[0], *_layouts(form, self.device, step))

    def difference(self, form: Form, step: int) -> str:
        """Return how the results of a form differ from the CPU's, or ""."""
        inputs = [
            operand(kind, place, step * COUNT) for place, kind in enumerate(form[1]) if not isinstance(kind, type)
        ]
        if form[0] in DIVISIONS and inputs[-1].dtype.kind == "u":
            inputs[-1] |= 1  # integers cannot be divided by zero
        numbers = _numbers(form)
        wanted = [np.zeros(COUNT * SIZES[code], np.uint8) for code in form[2]]
        plan = self.cpu.plan(form[0], *_layouts(form, Device("cpu"), step), ())
        scratch = np.empty(plan.workspace, np.uint8)
        room = [scratch.ctypes.data] if plan.workspace else []
        plan.launch(COUNT, *[one.ctypes.data for one in (*inputs, *wanted)], *room, *numbers)
        stores = []
        for array in (*inputs, *wanted):
            stores.append(allocate(contiguous((array.nbytes,), uint8, self.device)))
            self.backend.copy_in(stores[-1].ptr, array.view(np.uint8))  # type: ignore[arg-type]
        self.plan(form, step).launch(COUNT, *[store.ptr for store in stores], *numbers)
        for code, one, store in zip(form[2], wanted, stores[len(inputs) :], strict=True):
            other = np.empty_like(one)
            self.backend.copy_out(store.ptr, other)  # type: ignore[arg-type]
            found = _compared(code, one, other)
            if found:
                return found
        return ""


def _compared(code: int, expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> str:
    """Compare two arrays of bytes as elements of a dtype; NaNs equal one another."""
    if code in COMPLEX:
        one, other = (array.view(f"c{SIZES[code]}") for array in (expected, found))
        with np.errstate(all="ignore"):
            close = np.abs(one - other) <= UNITS * np.finfo(one.dtype).eps * np.abs(one)
        both = np.isfinite(one) & np.isfinite(other)
        wrong = ~np.where(both, close, np.isfinite(one) == np.isfinite(other))
    else:
        one, other = (array.view(f"u{SIZES[code]}") for array in (expected, found))
        wrong = (one != other) & ~(is_nan(code, one) & is_nan(code, other))
    if not wrong.any():
        return ""
    at = int(wrong.argmax())
    return f"{int(wrong.sum())} of {wrong.size}: {one[at]!r} and {other[at]!r} at {at}"


@step(90)
def forms(report: Report) -> None:
    """Generated kernels of all operators and dtypes have the CPU's bits, for contiguous and strided operands."""
    # pow of complex numbers is exp(y log(x)), whose error grows with the exponent
    wanted: list[Form] = [*real_forms(), *[form for form in complex_forms() if form[0] != "pow"]]
    if report.small:
        wanted = wanted[::90]
    if report.simulated:
        from ..testing import build

        build.prebuild([made.source for form in wanted if (made := generate(*form))], headers())
    comparison = Comparison()
    different: dict[str, str] = {}
    compared = 0
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        futures = [threads.submit(_compare, comparison, form, report, different) for form in wanted]
        compared = sum(future.result() for future in futures)
    synchronize()
    report.check("all results have the CPU's bits (complex numbers: 4 units)", not different, different)
    report.figure("forms", len(wanted))
    report.figure("compared", compared)
    report.figure("fallbacks", fallbacks())


def _compare(comparison: Comparison, form: Form, report: Report, different: dict[str, str]) -> int:
    """Compare a form and return 1, or 0 if it is too late for it."""
    if report.is_late():
        return 0
    for step_ in (1, STEP):
        try:
            found = comparison.difference(form, step_)
        except Exception as error:  # such as text that does not compile
            found = f"{type(error).__name__}: {error!s:.300}"
        if found:
            different[f"{form}, step {step_}"] = found
    return 1
