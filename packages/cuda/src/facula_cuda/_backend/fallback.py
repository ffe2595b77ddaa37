"""Operators without a CUDA kernel: their CPU plans run on copies of the operands.

Note [Fallback]
~~~~~~~~~~~~~~~
A launch copies the bytes of all its operands and results to the host, runs the CPU's plan on them, and copies back what
changed. Operands may overlap: in-place calls pass one address twice, and views share memory. Therefore ranges of
addresses that overlap are copied as one, and have the same distances on the host. A strided array is copied with the
gaps between its elements: another thread's fallback may write there, so one runs at a time on each device. Results are
also copied to the host first, because a plan may leave some of their elements unchanged. Unchanged elements are
not written, nor are those of a launch that fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_cpu import CpuBackend
from facula_errors import OperationError
from facula_storage import Layout, Plan

from .._port.draws import without_placeholders
from .._port.graphs import is_capturing
from .fallback_counts import report_fallback
from .launches import is_blocking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from facula_storage.extend.plans import Program

    from .backend import CudaBackend

    Inputs = tuple[Layout | type[complex] | None, ...]
    Launch = Callable[..., None]
    #: The place of an address among the arguments after n, and the bytes from there on.
    Span = tuple[int, int]
    Spans = Callable[[int, Sequence[Any]], list[Span]]

ALIGNMENT = 64

_cpu: list[CpuBackend] = []


def plan_on_cpu(
    backend: CudaBackend,
    operator: str | Program,
    inputs: Inputs,
    outputs: tuple[Layout, ...],
    parameters: tuple[object, ...],
    counted: bool = True,
) -> Plan:
    """Return a plan that runs the CPU's; see Note [Fallback]. The arguments are those of `Backend.plan`.

    `counted` says whether its launches are reported as those of an operator without a kernel.
    """
    if not _cpu:
        _cpu.append(CpuBackend())
    plan = _cpu[0].plan(operator, inputs, outputs, parameters)
    name = plan.operator
    if not isinstance(operator, str) and operator.reduction:
        name = f"{name}, {operator.reduction}"

    arrays = [layout for layout in (*inputs, *plan.outputs) if not isinstance(layout, type)]
    spans = _spans(plan, arrays)

    def launch_of(run: Launch, spans: Spans) -> Launch:
        def launch(n: int, *args: Any) -> None:
            backend.enter(name)
            if is_capturing(backend.stream):
                raise OperationError(
                    f"{name}: expected an operator with a CUDA kernel in the capture of a graph; got one that runs on "
                    "the CPU and waits for the device. Call it before or after the capture"
                )
            if counted:
                report_fallback(name)
            run_on_copies(backend, name, run, n, args, spans(n, args))

        return launch

    # of elementwise plans, which have no workspace
    def for_layouts(output: Layout, *inputs: Layout) -> Launch | None:
        run = plan.for_layouts and plan.for_layouts(output, *inputs)
        return None if run is None else launch_of(run, _fixed((*inputs, *[output] * len(plan.outputs))))

    run = _with_workspace(plan.launch, len(arrays), plan.workspace) if plan.workspace else plan.launch
    return Plan(
        plan.operator, plan.parameters, plan.outputs, launch_of(run, spans), any_size=plan.any_size,
        for_layouts=plan.elementwise and plan.for_layouts and for_layouts,
    )  # fmt: skip


def _with_workspace(run: Launch, arrays: int, nbytes: int) -> Launch:
    """Return a launch without a workspace among its arguments, which follows `arrays` addresses; it is on the host."""

    def launch(n: int, *args: Any) -> None:
        scratch = Copy(0, nbytes)
        run(n, *args[:arrays], scratch.shift, *args[arrays:])

    return launch


# ---------------------------------------------------------------------------------------------- addresses of a launch
def _spans(plan: Plan, arrays: Sequence[Layout | None]) -> Spans:
    """Return the function that finds the addresses among the arguments of a launch, and their bytes."""
    itemsize = plan.outputs[0].dtype.itemsize if plan.outputs else 0
    if plan.operator == "cat":
        return _spans_of_cat(itemsize)
    if plan.operator.endswith("_step"):
        return _spans_of_rows(arrays)
    if plan.any_size:
        return _spans_of_any_size(arrays)
    if plan.operator in ("nonzero", "nonzero_flat"):  # one plan serves any number of results
        mask = _fixed(arrays[:1])
        return lambda n, args: [*mask(n, args), (1, n * itemsize)] if n else []
    return _fixed(arrays)


def _fixed(arrays: Sequence[Layout | None]) -> Spans:
    """Of arrays with these layouts."""
    spans = [(place, layout.extent) for place, layout in enumerate(arrays) if layout is not None and layout.extent]
    return lambda n, args: spans


def _spans_of_any_size(arrays: Sequence[Layout | None]) -> Spans:
    """Of contiguous arrays with n elements each."""
    sizes = [(place, layout.dtype.itemsize) for place, layout in enumerate(arrays) if layout is not None]
    return lambda n, args: [(place, n * size) for place, size in sizes] if n else []


def _spans_of_rows(layouts: Sequence[Layout | None]) -> Spans:
    """Of the tensors of an optimizer's step, which follow its numbers."""
    sizes = [0 if layout is None else layout.extent for layout in layouts]
    return lambda n, args: [(place, size) for place, size in enumerate(sizes, len(args) - len(sizes)) if size]


def _spans_of_cat(itemsize: int) -> Spans:
    """Of pairs (address, bytes in each of `outer` steps) after the numbers of steps and parts, and the result."""

    def spans(n: int, args: Sequence[Any]) -> list[Span]:
        outer, last = args[0], len(args) - 1
        parts = [(place, args[place + 1] * outer) for place in range(2, last, 2)]
        return [span for span in (*parts, (last, n * itemsize)) if span[1]]

    return spans


# ------------------------------------------------------------------------------------------------------------- copies
class Copy:
    """Host memory for the bytes of one range of addresses, at the same distance from a multiple of ALIGNMENT."""

    __slots__ = ("array", "before", "shift", "start")

    array: np.ndarray
    before: np.ndarray  # the bytes that came from the device

    def __init__(self, start: int, nbytes: int):
        memory = np.empty(nbytes + ALIGNMENT, np.uint8)
        at = memory.ctypes.data
        first = (start - at) % ALIGNMENT
        self.start, self.array, self.shift = start, memory[first : first + nbytes], at + first - start

    def changed(self) -> slice | None:
        """Return the bytes that differ from `before`, from the first to the last; None if there are none."""
        differs = self.array != self.before
        first = int(differs.argmax())
        return slice(first, len(differs) - int(differs[::-1].argmax())) if differs[first] else None


def _ranges(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield disjoint ranges (start, end) that cover these."""
    start = end = -1
    for first, last in sorted(spans):
        if first < end:
            end = max(end, last)
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def run_on_copies(
    backend: CudaBackend, operator: str, run: Launch, n: int, args: Sequence[Any], spans: Sequence[Span]
) -> None:
    """Run a launch of the CPU on copies of the device's memory; see Note [Fallback]."""
    arguments = without_placeholders(operator, args)
    ranges = _ranges([(args[place], args[place] + nbytes) for place, nbytes in spans])
    backend.enter(operator)
    with backend.lock:
        copies = [Copy(start, end - start) for start, end in ranges]
        for copy in copies:
            backend.to_host(operator, copy.array.ctypes.data, copy.start, len(copy.array))
        if copies:
            backend.wait(operator)
        for copy in copies:
            copy.before = copy.array.copy()
        for place, _ in spans:
            arguments[place] += next(copy.shift for copy in copies if 0 <= args[place] - copy.start < len(copy.array))
        run(n, *arguments)
        backend.launches.note(operator)
        for copy in copies:
            changed = copy.changed()
            if changed is not None:
                part = copy.array[changed]
                backend.to_device(operator, copy.start + changed.start, part.ctypes.data, len(part))
        if is_blocking():
            backend.wait(operator)
