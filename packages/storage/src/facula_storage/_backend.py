"""The protocol of a backend: a `DeviceBackend` whose plans are described by layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ._protocols import DeviceBackend

if TYPE_CHECKING:
    from ._layouts import Layout
    from ._plans import Plan
    from ._programs import Program


class Backend(DeviceBackend, Protocol):
    """An implementation of allocation and computation on one device.

    The optional attribute ``dlpack_device`` is the pair of numbers that identifies this device in DLPack.
    """

    def plan(
        self,
        operator: str | Program,
        inputs: tuple[Layout | type[complex] | None, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """Return a plan to compute an operator for these layouts; see Note [Launch].

        Arguments:
            operator: the name of the operator, or a program.
            inputs: for each input, its layout, a Python number type for a scalar given at launch, or None for an
                omitted operand.
            outputs: the layouts of the results.
            parameters: further arguments of the operator's planner: numbers, dimensions, names.

        Raises:
            NotImplementedError: the backend has no kernel; the message names the operator and the dtype.
        """
