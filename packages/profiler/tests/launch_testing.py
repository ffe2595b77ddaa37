"""Launches without a backend: plans around C functions and functions of Python, in tables as operators have them."""

import ctypes

from facula_profiler import Kind
from facula_storage import Plan, bind, contiguous, float32
from facula_storage.extend.plans import PlanTable

KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
LAYOUT = contiguous((2, 3), float32)
OTHER = contiguous((5,), float32)


def launch_of(kernel, release_at=1 << 60):
    """Return the compiled launch of a function of an address and arguments, which returns a status."""
    function = KERNEL(kernel)
    return bind(ctypes.cast(function, ctypes.c_void_p).value, 0, release_at, 0, function)


def plan_of(operator="add", launch=None, inputs=(LAYOUT, LAYOUT), outputs=(LAYOUT,), any_size=False):
    launch = launch or launch_of(lambda plan, args: 0)
    return Plan(operator, (), outputs, launch, any_size=any_size, request=(operator, inputs, ()))


class Operators:
    """Tables with a plan each; `call(name)` launches as an operator's fast path does."""

    def __init__(self, **plans):
        self.tables = {name: PlanTable(name) for name in plans}
        for name, plan in plans.items():
            self.tables[name].add("key", plan)

    def call(self, name, *arguments):
        return self.tables[name].by_key["key"].launch(*(arguments or (6, 64, 128, 192)))


def names(trace, *kinds):
    return [trace.names[trace.events["name"][place]] for place in trace.of_kind(*kinds or Kind)]
