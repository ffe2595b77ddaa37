"""Operators on a simulated device beside the same ones on the CPU."""

from __future__ import annotations

import numpy as np

import facula_storage
from facula_cpu import CpuBackend
from facula_cuda import fallbacks
from facula_storage import Device, layout_of
from facula_storage.extend.memory import allocate

cpu = CpuBackend()
FLOATS, INTEGERS = ("float32", "float64", "float16", "bfloat16"), ("uint8", "int8", "int16", "int32", "int64")
UNSIGNED, COMPLEX = ("uint16", "uint32", "uint64"), ("complex64", "complex128")
UNITS = {"bfloat16": 2}  # dtypes without one in NumPy: arrays of their bits


def dtype_of(name):
    return getattr(facula_storage, "bool_" if name == "bool" else name)


class Array:
    """Memory with elements of a dtype, as NumPy has it on the host, and a layout over it.

    Arguments:
        values: the elements of the memory; numbers are rounded to the dtype.
        dtype: the dtype's name.
        view: a function of an array that returns a view of it: the operand.
    """

    def __init__(self, values, dtype, view=lambda array: array):
        values = np.asarray(values)
        if dtype == "bfloat16":
            self.memory = np.asarray((np.asarray(values, "f4").reshape(-1).view("u4") >> 16).astype("u2")).reshape(
                values.shape
            )
        else:
            self.memory = np.ascontiguousarray(values.astype(dtype)).reshape(values.shape)
        self.dtype, self.view = dtype, view(self.memory)
        itemsize = self.memory.itemsize
        self.shape = self.view.shape
        self.strides = tuple(step // itemsize for step in self.view.strides)
        self.offset = self.view.__array_interface__["data"][0] - self.memory.__array_interface__["data"][0]

    def layout(self, device="cpu"):
        return layout_of(self.shape, self.strides, dtype_of(self.dtype), Device(device))


def run_both(operator, operands, outputs, parameters=(), numbers=(), count=None):
    """Run an operator on the CPU and on the device; return both results, as lists of arrays of the outputs' memory.

    Arguments:
        operator: the operator's name, or a program.
        operands: arrays, types of numbers, or None, whose address is 0.
        outputs: arrays; their memory is what results are written over.
        parameters: parameters of the planner.
        numbers: the numbers of the launch.
        count: the first argument of the launch; by default the number of elements of the first output.
    """
    arrays = [operand for operand in operands if operand is None or isinstance(operand, Array)]
    count = int(np.prod(outputs[0].shape, dtype=np.int64)) if count is None else count

    def plan(backend, device):
        layouts = tuple(one.layout(device) if isinstance(one, Array) else one for one in operands)
        return backend.plan(operator, layouts, tuple(one.layout(device) for one in outputs), parameters)

    expected = [np.array(one.memory) for one in outputs]
    made = plan(cpu, "cpu")
    workspace = np.empty(made.workspace + 64, "u1")
    addresses = [0 if one is None else one.memory.ctypes.data + one.offset for one in arrays]
    addresses += [memory.ctypes.data + one.offset for memory, one in zip(expected, outputs)]
    made.launch(
        count, *addresses, *([workspace.ctypes.data + -workspace.ctypes.data % 64] if made.workspace else []), *numbers
    )

    backend = Device("cuda:0").backend
    before = fallbacks()
    made = plan(backend, "cuda:0")
    stores = []
    for one in (*arrays, *outputs):
        if one is None:
            stores.append((None, one))
            continue
        flat = layout_of(
            one.memory.shape, one.memory.shape and _dense(one.memory.shape), dtype_of(one.dtype), Device("cuda:0")
        )
        storage = allocate(flat)
        backend.copy_in(storage.ptr, one.memory)
        stores.append((storage, one))
    scratch = []
    if made.workspace:
        scratch = [allocate(layout_of((made.workspace,), (1,), dtype_of("uint8"), Device("cuda:0")))]
    addresses = [0 if one is None else storage.ptr + one.offset for storage, one in stores]
    # Launches of captured functions have copies of their plans.
    launch = made.launch.for_replays() if hasattr(made.launch, "for_replays") else made.launch
    launch(count, *addresses, *[storage.ptr for storage in scratch], *numbers)
    found = []
    for storage, one in stores[len(arrays) :]:
        memory = np.empty_like(one.memory)
        backend.copy_out(storage.ptr, memory)
        found.append(memory)
    assert fallbacks() == before, f"{operator} fell back to the CPU"
    return expected, found


def _dense(shape):
    steps, step = [], 1
    for size in shape[::-1]:
        steps.append(step)
        step *= size or 1
    return tuple(steps[::-1])


def floats_of(memory, dtype):
    """Return memory as float64, or as complex128."""
    if dtype in COMPLEX:
        return np.asarray(memory, "c16")
    if dtype == "bfloat16":
        memory = (np.asarray(memory, "u4").reshape(-1) << 16).view("f4").reshape(np.shape(memory))
    return np.asarray(memory, "f8")


def assert_same_bits(expected, found):
    for one, other in zip(expected, found):
        if one.dtype.kind == "f":  # NaNs may differ in their sign and payload
            nan = np.isnan(one)
            np.testing.assert_array_equal(np.isnan(other), nan)
            one, other = np.where(nan, 0, one), np.where(nan, 0, other)
        np.testing.assert_array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))
