"""CUDA without a GPU: simulated devices, for tests of programs and of this package.

`simulate` replaces CUDA's driver by a simulated one (csrc/simulated). Its devices run kernels on the CPU, but only when
the program waits; the program cannot use their memory, and work of different streams runs in random order.
`pending` and `driver_calls` show what a program did, `kernel_failure` what a kernel did wrong. `counting`,
`failing` and `poisoning` change what calls and releases do. `build.py` compiles kernels for the CPU.
Start with `_simulation.py`, and csrc/simulated/simulated.h for how the devices behave.
"""

from facula_errors.extend import published as _published

from . import build as _build  # noqa: F401  # kernels of simulated devices come from there
from ._simulation import counting, driver_calls, failing, kernel_failure, pending, poisoning, simulate

__all__ = ["counting", "driver_calls", "failing", "kernel_failure", "pending", "poisoning", "simulate"]

__dir__ = _published(__name__)
