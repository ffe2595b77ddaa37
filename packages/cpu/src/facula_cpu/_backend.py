"""The backend: facula_storage's device interface for host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import MissingPackageError

from ._elementwise.elementwise import plan_elementwise
from ._kernels import ffi
from ._runtime.planners import no_kernel, planners
from ._runtime.registry import is_loop
from ._runtime.threads import check_variable

if TYPE_CHECKING:
    from facula_storage import Allocator, Plan
    from facula_storage.extend.plans import Program

    from ._runtime.types import Inputs, Layouts, Parameters

STATUS_MESSAGES = {
    1: "index {0} at position {1} is out of range for a dimension of size {2}",
    2: "an argument is out of range: {0}",
    3: "no memory for {0} bytes of scratch space",
    4: "the kernel cannot do what its plan asks ({0})",
    8: "an element is not as the operator requires",
    5: "target {0} at position {1} is out of range for {2} classes",
}


class CpuBackend:
    """A backend that computes on host memory synchronously: results are available when a launch returns.

    `allocator` follows facula_storage's protocol; the default is facula_allocator's host allocator. All methods may be
    called from any thread.

    >>> from facula_storage import contiguous, float32
    >>> layout = contiguous((4,), float32)
    >>> plan = CpuBackend().plan("add", (layout, layout), (layout,), ())
    >>> import numpy as np
    >>> a, b, o = np.ones(4, "f4"), np.arange(4, dtype="f4"), np.empty(4, "f4")
    >>> plan.launch(4, a.ctypes.data, b.ctypes.data, o.ctypes.data)
    >>> o
    array([1., 2., 3., 4.], dtype=float32)
    """

    def __init__(self, allocator: Allocator | None = None):
        check_variable("CpuBackend")
        if allocator is None:
            try:
                from facula_allocator import default_host_allocator
            except ModuleNotFoundError as error:
                if error.name != "facula_allocator":
                    raise
                raise MissingPackageError(
                    "facula_cpu: the package facula-allocator is missing; install it from where facula came from, as "
                    "from its source tree with: pip install ./packages/allocator"
                ) from error
            allocator = default_host_allocator()
        self.allocator = allocator

    def plan(self, operator: str | Program, inputs: Inputs, outputs: Layouts, parameters: Parameters = ()) -> Plan:
        """Return an operator's plan, whose `launch(n, *addresses, *scalars)` computes it.

        Arguments:
            operator: its name, or an elementwise program.
            inputs: for each, its layout, a Python number type for a scalar that is passed at launch after all addresses
                (a complex one as two floats), or None for an omitted operand.
            outputs: the layouts of the results.
            parameters: further arguments of the operator's planner: numbers, dimensions, names.

        Raises:
            NotImplementedError: there is no kernel; the message names the operator and the dtypes.
        """
        if isinstance(operator, str) and operator in planners:
            plan = planners[operator](operator, inputs, outputs, parameters)
        elif not isinstance(operator, str) or operator == "fill" or is_loop(operator):
            plan = plan_elementwise(operator, inputs, outputs, parameters)
        else:
            raise no_kernel(operator, inputs, outputs)
        plan.request = plan.request or (operator, inputs, parameters)
        return plan

    def copy_in(self, address: int, source: object) -> None:
        """Copy a C-contiguous buffer to `address`."""
        data = ffi.from_buffer(source)
        ffi.memmove(ffi.cast("char *", address), data, len(data))

    def copy_out(self, address: int, target: object) -> None:
        """Copy from `address` to fill a writable C-contiguous buffer."""
        data = ffi.from_buffer(target, require_writable=True)
        ffi.memmove(data, ffi.cast("char *", address), len(data))

    def synchronize(self) -> None:
        """Wait for pending work. A no-op, since launches are synchronous."""

    def status_message(self, status: int, *details: int) -> str:
        """Return the message for a LaunchError's status and details.

        >>> CpuBackend().status_message(1, 7, 0, 5, 0)
        'index 7 at position 0 is out of range for a dimension of size 5'
        """
        return STATUS_MESSAGES.get(status, "unknown status {status}").format(*details, status=status)

    def __repr__(self) -> str:
        return "CpuBackend()"
