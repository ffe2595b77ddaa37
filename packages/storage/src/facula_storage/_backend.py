"""What a backend must offer: a `DeviceBackend` whose plans are said in layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ._protocols import DeviceBackend

if TYPE_CHECKING:
    from ._layouts import Layout
    from ._plans import Plan


class Backend(DeviceBackend, Protocol):
    """Allocates and computes on one device.

    Two methods are optional. ``reorder(source, source_layout, target, target_layout)`` copies the
    elements between two blocks whose layouts differ in strides alone: needed where memory is not the
    host's and buffers in another physical order occur. ``dlpack_device``, an attribute, is the pair
    of numbers by which DLPack calls this device.
    """

    def plan(
        self, operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
    ) -> Plan:
        """How to compute `operator` for these layouts; see Note [Launch].

        An entry of `inputs` is a Layout, or a Python number type that stands for a scalar given
        at launch. NotImplementedError names the operator and the dtype there is no kernel for.
        """
