"""facula_storage: typed, shared and versioned array memory.

The package provides dtypes, devices, interned layouts, storages, the protocols of allocators and backends, kernel
launches and listeners, and zero-copy exchange with NumPy, buffers and DLPack. It imports numpy and facula_errors, and
no other sibling; tensors, operators and kernels belong to higher packages. Start at `_layouts.py` (shapes and strides),
then `_storages.py` (memory) and `_plans.py` (launches); `extend` is for sibling packages.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import _host as _host  # registers the two basic backends
from ._backend import Backend
from ._bridge import Export
from ._cuda_arrays import cuda_array, from_cuda_array
from ._devices import Device, cpu, meta
from ._dlpack import dlpack_device, from_dlpack, prepare_stream, to_dlpack
from ._dtypes import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype_named,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._interop import from_buffer, from_numpy, to_buffer, to_numpy
from ._layouts import Layout, contiguous, layout_of
from ._malloc import MallocAllocator
from ._plans import LaunchError, Plan, bind, listen
from ._protocols import Allocator
from ._storages import Storage

_register("facula_storage")

__version__ = "0.1.0"

__all__ = [
    "Allocator",
    "Backend",
    "DType",
    "Device",
    "Export",
    "LaunchError",
    "Layout",
    "MallocAllocator",
    "Plan",
    "Storage",
    "bfloat16",
    "bind",
    "bool_",
    "complex64",
    "complex128",
    "contiguous",
    "cpu",
    "cuda_array",
    "dlpack_device",
    "dtype_named",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "from_buffer",
    "from_cuda_array",
    "from_dlpack",
    "from_numpy",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout_of",
    "listen",
    "meta",
    "prepare_stream",
    "to_buffer",
    "to_dlpack",
    "to_numpy",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


__dir__ = _published(__name__)
