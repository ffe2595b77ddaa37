"""The recorder's part for devices: replays launch on one device, and only where its work is in order."""

from __future__ import annotations

from abc import abstractmethod
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

from facula_storage import Plan, contiguous, cpu, float32
from facula_storage.extend.memory import host_view
from facula_storage.extend.recording import Place
from facula_tensor import Tensor
from facula_tensor.extend.tensors import make

from .signature import replays_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from facula_storage import Device, Storage

    from .records import Site


class DeviceRecorder:
    """The part of a recorder that checks the device of each launch."""

    takes_devices = True  # False if the recording is converted for the CPU
    device: Device | None = None  # of all launches; None before the first

    def __init__(self) -> None:
        super().__init__()
        self.settings: dict[Callable[[], object], str] = {}  # functions that select devices, and their names

    def setting(self, function: Callable[[], object], words: str) -> None:
        """Record that a function selects a device. Replays compare its result from the end of the run on."""
        self.settings[function] = words

    @property
    def launch_device(self) -> Device:
        """The device of all launches; the CPU before the first."""
        return self.device or cpu

    @abstractmethod
    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """Report a graph break."""

    @abstractmethod
    def unrecorded(self) -> AbstractContextManager[None]:
        """Return a context manager whose operations are not recorded."""

    def check_devices(self, plan: Plan, arguments: Sequence[object]) -> None:
        """Check the device of each tensor of a launch."""
        for argument in arguments:
            if type(argument) is Place and argument.layout is not None:
                self.check_device(plan, argument.layout.device)

    def holds(self, storage: Storage, offset: int) -> bool:
        """Return True if a float32 in memory is not 0. Reports a graph break for memory of a device."""
        if self.launch_device is cpu:
            return bool(host_view(storage.ptr + offset, contiguous((), float32)) != 0)
        self.broken("its control flow depends on elements on a device", "compute it on the CPU, or use where")
        with self.unrecorded():
            return bool(make(Tensor, contiguous((), float32, self.launch_device), storage, offset).item())

    def for_replays(self, plan: Plan) -> Plan:
        """Return a plan with the launch for replays, if the plan has one: it reports wrong elements as this call."""
        make = getattr(plan.launch, "for_replays", None)
        if make is None:
            return plan
        return Plan(plan.operator, plan.parameters, plan.outputs, make(), plan.workspace, request=plan.request)

    def check_device(self, plan: Plan, device: Device) -> None:
        """Report a graph break if replays cannot launch a plan on a device, or if the launches use several devices."""
        if device is not cpu and not (self.takes_devices and replays_on(device)):
            self.broken(f"{plan.operator}: its tensors are not on the CPU", "capture work on the CPU")
        elif device is not cpu and plan.parts is None and type(plan.launch) is not BuiltinFunctionType:
            self.broken(
                f"{plan.operator}: it has no kernel on '{device}' that replays can launch",
                "leave it out of the captured function",
            )
        elif self.device is None:
            self.device = device
        elif device is not self.device:
            self.broken(
                f"{plan.operator}: it uses tensors on '{device}', and earlier operators on '{self.device}'",
                "move tensors to one device before the captured function",
            )
