"""facula_cuda: NVIDIA GPUs, through CUDA's driver alone: no toolkit and no CUDA header is needed.

May import: NumPy, cffi's runtime and the standard library; of the siblings, facula_errors.
All that names CUDA's functions is in `_port`; `_driver` is the module in C.
Start with `_port/driver.py`, which opens the driver and turns its codes into errors, and csrc/driver.h, the table of
its functions.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._port.driver import CudaError, driver_version, is_available

_register("facula_cuda")

__all__ = ["CudaError", "driver_version", "is_available"]


__dir__ = _published(__name__)
