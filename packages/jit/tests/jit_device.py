"""Devices with memory of their own, and the kernels of the CPU, for captures on devices.

The launches of "slow" are functions in Python, as those of a backend without a kernel. "several" has two devices, of
which `current` selects one.
"""

from facula_cpu import CpuBackend
from facula_storage import Device, Plan
from facula_storage.extend import register_backend


class Twin(CpuBackend):
    """A backend whose work has an order."""

    in_order = True

    def __init__(self):
        super().__init__()
        self.copied = 0  # bytes to and from the host

    def copy_in(self, address, source):
        self.copied += memoryview(source).nbytes
        super().copy_in(address, source)

    def copy_out(self, address, target):
        self.copied += memoryview(target).nbytes
        super().copy_out(address, target)


class Slow(Twin):
    """A backend without kernels in C."""

    def plan(self, *request):
        plan = super().plan(*request)
        return Plan(plan.operator, plan.parameters, plan.outputs, lambda *args: plan.launch(*args), plan.workspace)


current = {"index": 0}


class Several(Twin):
    """One of several devices of a type."""

    @staticmethod
    def current_index():
        return current["index"]


def twin(name="twin"):
    """Return the backend, which is registered on first use."""
    try:
        return Device(name).backend
    except RuntimeError:
        backends = {"twin": Twin(), "slow": Slow()}
        for type_, made in backends.items():
            register_backend(type_, lambda index, made=made: made)
        several = Several(), Several()
        register_backend("several", lambda index: several[current["index"] if index is None else index])
        return Device(name).backend
