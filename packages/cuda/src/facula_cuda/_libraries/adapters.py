"""The adapters of operators, and their comparison with the reference.

Note [Comparison]
~~~~~~~~~~~~~~~~~
No library is trusted unseen. When an adapter makes its first plan for an operator and dtype on a device, it first runs
on a small sample, and so does the reference: facula's own kernel, or else the CPU's plan. If the results differ, or the
library raises an error, the reference is used from then on, with one warning. A comparison waits for the device. It is
therefore put off, and the reference used, while the current stream is being captured and where waits are errors.
"""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from facula_storage import Device, contiguous, uint8
from facula_storage.extend.memory import allocate

from .._errors import CudaError
from .._port.driver import on_close, relaxed_captures
from .._port.graphs import is_capturing
from .._port.sync_debug import get_sync_debug_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Buffer

    from facula_storage import DType, Layout, Plan, Storage

    from .library import Library

    Kind = tuple[int, str, str, str]  # the device, and the names of the library, the operator and the dtype

FORBIDDEN = 2  # of the synchronization debug mode


class Backend(Protocol):
    """The parts of a device's backend that adapters use."""

    index: int

    @property
    def stream(self) -> int:
        """The handle of the calling thread's current stream."""

    def enter(self, operation: str) -> None:
        """Make the device's context current."""

    def copy_in(self, address: int, source: Buffer) -> None:
        """Copy from the host."""

    def copy_out(self, address: int, target: Buffer) -> None:
        """Copy to the host."""

    def reference_plan(
        self,
        operator: str,
        inputs: tuple[Any, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """Return the plan of our own kernel, or of the CPU, which is not counted as a fallback."""


class Request(NamedTuple):
    """The arguments of `Backend.plan`."""

    backend: Backend
    operator: str
    inputs: tuple[Any, ...]
    outputs: tuple[Layout, ...]
    parameters: tuple[Any, ...]

    def reference(self) -> Plan:
        """Return the plan of the reference."""
        return self.backend.reference_plan(self.operator, self.inputs, self.outputs, self.parameters)


class Sample(NamedTuple):
    """Operands for a comparison.

    Arguments:
        inputs: arrays, or None, whose dtypes are those of tensors; with their bits for bfloat16.
        outputs: shapes and dtypes of results.
        parameters: of the planner.
        tolerance: the greatest difference, as a share of the greatest number of the results.
        invariant: a function of all results that returns arrays which do not depend on free choices, such as signs.
        numbers: of the launch.
        others: the dtypes of inputs that do not have the sample's, by place.
    """

    inputs: Sequence[np.ndarray | None]
    outputs: Sequence[tuple[tuple[int, ...], DType]]
    dtype: DType
    parameters: tuple[Any, ...] = ()
    tolerance: float = 0.0
    invariant: Callable[..., Sequence[np.ndarray]] | None = None
    numbers: tuple[float, ...] = ()
    others: Mapping[int, DType] = {}


class Adapter(Protocol):
    """The adapter of a library: its plans, and samples to compare them."""

    library: Library

    def dtypes(self, operator: str) -> Sequence[str]:
        """Return the names of an operator's dtypes, those of its first input, that have a plan."""

    def plan(self, request: Request) -> Plan | None:
        """Return the library's plan, or None where the reference is used."""

    def sample(self, operator: str, dtype: DType) -> Sample:
        """Return operands of a dtype for the comparison."""


adapters: dict[str, list[Adapter]] = {}
_agreed: dict[Kind, bool] = {}
_comparing = RLock()


def register(adapter: Adapter, operators: Sequence[str]) -> None:
    """Ask an adapter for plans of these operators, after the adapters that are registered already."""
    for operator in operators:
        adapters.setdefault(operator, []).append(adapter)


def adapted(request: Request) -> Plan | None:
    """Return the plan of the first adapter that has one; None if the reference is used."""
    for adapter in adapters.get(request.operator, ()):
        if adapter.library.get() is None:
            continue
        dtype = next(layout.dtype for layout in request.inputs if hasattr(layout, "dtype"))
        key = request.backend.index, adapter.library.name, request.operator, dtype.name
        if _agreed.get(key) is False:
            continue
        request.backend.enter(request.operator)
        try:
            with relaxed_captures():  # a library may load kernels
                plan = adapter.plan(request)
        except CudaError:  # of the driver: the reference would fail, too
            raise
        except Exception as error:  # whatever a library raises
            _settle(key, adapter, _describe(error))
            continue
        if plan is not None and (key in _agreed or _agrees(key, adapter, request, dtype)):
            return plan
    return None


def _agrees(key: Kind, adapter: Adapter, request: Request, dtype: DType) -> bool:
    """Return whether a library's results are the reference's: see Note [Comparison]."""
    if is_capturing(request.backend.stream) or get_sync_debug_mode() == FORBIDDEN:
        return False
    with _comparing:
        if key not in _agreed:
            _settle(key, adapter, compare(adapter, request, dtype))
    return _agreed[key]


def _settle(key: Kind, adapter: Adapter, reason: str) -> None:
    """Use a library for a kind from now on, or, if there is a reason, the reference."""
    with _comparing:
        if reason and _agreed.get(key) is not False:
            adapter.library.refuse(f"{key[2]} of {key[3]}", reason)
        _agreed[key] = not reason


def _describe(error: Exception) -> str:
    return f"it raised {type(error).__name__} ({error!s:.200})"


def compare(adapter: Adapter, request: Request, dtype: DType) -> str:
    """Run a sample by the library and by the reference. Return what differs, or ""."""
    backend, sample = request.backend, adapter.sample(request.operator, dtype)
    device = Device("cuda", backend.index)
    inputs = tuple(
        [
            None if one is None else contiguous(one.shape, sample.others.get(place, dtype), device)
            for place, one in enumerate(sample.inputs)
        ]
    )
    outputs = tuple([contiguous(shape, of, device) for shape, of in sample.outputs])
    asked = Request(backend, request.operator, inputs, outputs, sample.parameters)
    expected = _run(asked, asked.reference(), sample)
    try:
        plan = adapter.plan(asked)
        if plan is None:
            return "it has no plan for the sample of the comparison"
        found = _run(asked, plan, sample)
    except CudaError:
        raise
    except Exception as error:  # whatever a library raises
        return _describe(error)
    if sample.invariant:
        expected, found = sample.invariant(*expected), sample.invariant(*found)
    for one, other in zip(expected, found, strict=True):
        difference = np.abs(one - other).max(initial=0) / max(1.0, float(np.abs(one).max(initial=0)))
        if not difference <= sample.tolerance:
            return (
                f"its results differ from the reference's by {difference:.2g}, expected at most {sample.tolerance:.2g}"
            )
    return ""


def _run(request: Request, plan: Plan, sample: Sample) -> Sequence[np.ndarray]:
    """Launch a plan on copies of a sample's operands, and return its results as float64 or complex128."""
    kept: list[Storage] = []
    addresses = []
    for layout, values in zip(request.inputs, sample.inputs, strict=True):
        if values is not None:
            kept.append(allocate(layout))
            request.backend.copy_in(kept[-1].ptr, _encoded(values, layout.dtype))  # type: ignore[arg-type]
        addresses.append(kept[-1].ptr if values is not None else 0)
    results = [allocate(layout) for layout in request.outputs]
    addresses += [storage.ptr for storage in results]
    if plan.workspace:
        kept.append(allocate(contiguous((plan.workspace,), uint8, request.outputs[0].device)))
        addresses.append(kept[-1].ptr)
    plan.launch(request.outputs[0].numel, *addresses, *sample.numbers)
    found = []
    for storage, layout in zip(results, request.outputs, strict=True):
        values = np.empty(layout.shape, layout.dtype.numpy or np.uint16)
        request.backend.copy_out(storage.ptr, values)  # type: ignore[arg-type]
        if layout.dtype.numpy is None:
            values = (values.astype(np.uint32) << 16).view(np.float32)
        found.append(values.astype(np.complex128 if values.dtype.kind == "c" else np.float64))
    return found


def _encoded(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Return numbers as elements of a dtype; bfloat16 as bits, to which the numbers must not need rounding."""
    if dtype.numpy is None:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(values.astype(dtype.numpy))


@on_close
def _forget(alive: bool) -> None:
    del alive
    _agreed.clear()


os.register_at_fork(after_in_child=_comparing._at_fork_reinit)  # type: ignore[attr-defined]
