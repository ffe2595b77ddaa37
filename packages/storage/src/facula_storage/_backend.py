"""What a backend must offer: a `DeviceBackend` whose plans are said in layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ._protocols import DeviceBackend

if TYPE_CHECKING:
    from ._layouts import Layout
    from ._plans import Plan
    from ._programs import Program


class Backend(DeviceBackend, Protocol):
    """Allocates and computes on one device.

    ``dlpack_device``, an optional attribute, is the pair of numbers by which DLPack calls this device.
    """

    def plan(
        self,
        operator: str | Program,
        inputs: tuple[Layout | type[complex] | None, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """How to compute an operator for these layouts; see Note [Launch].

        Arguments:
            operator: its name.
            inputs: for each, its layout, a Python number type that stands for a scalar given at launch, or None for
                an operand that is left out.
            outputs: the layouts of the results.
            parameters: what else the operator and its planner agree on: numbers, dimensions, names.

        Raises:
            NotImplementedError: there is no kernel; the message names the operator and the dtype.
        """
