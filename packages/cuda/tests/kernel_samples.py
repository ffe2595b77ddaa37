"""Samples of operators with kernels of their own, which run on the CPU's plan and on a simulated device."""

import os
from dataclasses import dataclass, field
from math import prod
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import facula_storage
from facula_cpu import CpuBackend
from facula_cuda._driver import ffi, lib
from facula_cuda._planners import launches, planners
from facula_cuda._planners.layers import taps
from facula_storage import layout_of

ORDERS = ("forward", "backward", "shuffled", "warps")
NUMPY = {name: getattr(np, name) for name in ("float32", "float64", "int64", "int32", "int16", "int8", "uint8",
                                            "uint16", "uint32", "uint64")}  # fmt: skip
NUMPY |= {"float16": np.uint16, "bfloat16": np.uint16, "bool": np.uint8}
NUMPY |= {"complex64": np.complex64, "complex128": np.complex128}
cpu = CpuBackend()


class Given(NamedTuple):
    """An operand: its elements, as bits for half-precision types, and its dtype."""

    array: np.ndarray
    dtype: str

    @property
    def layout(self):
        dtype = getattr(facula_storage, "bool_" if self.dtype == "bool" else self.dtype)
        size = self.array.itemsize
        return layout_of(self.array.shape, tuple(stride // size for stride in self.array.strides), dtype)


@dataclass
class Sample:
    """A call of an operator. Outputs are operands whose elements it replaces or changes.

    `ulp`: the units in the last place by which the results may differ from the CPU's, which adds in another order.
    `share`: the same as a share of each operand's greatest number, for sums in the precision of the elements.
    """

    operator: str
    inputs: list
    outputs: list
    parameters: tuple = ()
    numbers: tuple = ()
    n: int | None = None
    ulp: int = 0
    share: float = 0
    name: str = ""
    first: bool = field(default=False)  # numbers come before addresses

    def __str__(self):
        given = next(one for one in (*self.outputs, *self.inputs) if one is not None)
        shape = "x".join(map(str, given.array.shape)) or "number"
        return f"{self.operator}-{given.dtype}-{shape}{self.name and '-'}{self.name}"


def values(shape, dtype, seed=0, scale=1.0, offset=0.0):
    """Return normal numbers as elements of a dtype."""
    found = np.random.default_rng([seed, *shape]).standard_normal(shape) * scale + offset
    if dtype == "float16":
        bits = found.astype(np.float16).view(np.uint16)
    elif dtype == "bfloat16":
        bits = (found.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif dtype == "bool":
        bits = (found > 0).astype(np.uint8)
    else:
        bits = found.astype(NUMPY[dtype])
    return Given(np.asarray(bits), dtype)


def indices(shape, size, least=0, seed=0):
    """Return indices from `least` to `size` - 1."""
    return Given(np.asarray(np.random.default_rng([seed, size]).integers(least, size, shape)), "int64")


def empty(shape, dtype):
    """Return an output with meaningless elements."""
    count = prod(shape) * np.dtype(NUMPY[dtype]).itemsize
    return Given(np.full(count, 0xA5, np.uint8).view(NUMPY[dtype]).reshape(shape), dtype)


def layouts(given):
    """Return the layouts of operands; None stays None."""
    return tuple(one if one is None else one.layout for one in given)


def memory_of(array):
    """Return the array that owns the memory of a view, which may have gaps or broadcast, and the view's offset."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner, array.ctypes.data - owner.ctypes.data


def view_of(owner, array):
    """Return the view that `array` is, of a copy of its owner."""
    offset = memory_of(array)[1]
    return np.ndarray(array.shape, array.dtype, owner.reshape(-1, order="A"), offset, array.strides)


def run_on_cpu(sample):
    """Return the arrays of all operands after the CPU's launch."""
    operands = [
        None if one is None else view_of(memory_of(one.array)[0].copy(order="K"), one.array)
        for one in (*sample.inputs, *sample.outputs)
    ]
    plan = cpu.plan(sample.operator, layouts(sample.inputs), layouts(sample.outputs), sample.parameters)
    scratch = np.empty(plan.workspace + 64, np.uint8)
    addresses = [0 if one is None else one.ctypes.data for one in operands]
    launch(sample, plan, addresses, scratch.ctypes.data + -scratch.ctypes.data % 64)
    return operands


def launch(sample, plan, addresses, scratch):
    n = prod(sample.outputs[0].array.shape) if sample.n is None else sample.n
    room = [scratch] if plan.workspace else []
    if sample.first:
        plan.launch(n, *sample.numbers, *addresses)
    else:
        plan.launch(n, *addresses, *room, *sample.numbers)


class DriverError(Exception):
    """A call of the simulated driver that failed."""


def check(code):
    if code:
        raise DriverError(code)


class Memory:
    """Memory of the simulated device, freed together."""

    def __init__(self):
        self.addresses = []

    def take(self, nbytes):
        found = ffi.new("uint64_t *")
        check(lib.driver.cuMemAlloc_v2(found, max(nbytes, 1)))
        self.addresses.append(found[0])
        return found[0]

    def copy_of(self, array):
        """Return the address of a copy of an array's memory, which has no gaps."""
        address = self.take(array.nbytes)
        if array.nbytes:
            check(lib.driver.cuMemcpyHtoDAsync_v2(address, ffi.cast("void *", array.ctypes.data), array.nbytes, 0))
        return address

    def read(self, address, like):
        found = np.empty_like(like)
        if found.nbytes:
            check(lib.driver.cuMemcpyDtoHAsync_v2(ffi.cast("void *", found.ctypes.data), address, found.nbytes, 0))
        check(lib.driver.cuStreamSynchronize(0))
        return found

    def free(self):
        for address in self.addresses:
            lib.driver.cuMemFree_v2(address)


def plan_of(sample):
    """Return the plan of the device's kernels."""
    plan = planners[sample.operator](
        sample.operator, layouts(sample.inputs), layouts(sample.outputs), sample.parameters
    )
    assert plan is not None, f"{sample}: the planner declined"
    return plan


def modules_of(samples):
    """Return the kernels' names by the text of each module of the samples' plans, without compiling it."""
    found = {}

    def functions(text, names, index, headers):
        found[text] = names
        return tuple(range(1, len(names) + 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launches, "functions", functions)
        patch.setattr(launches, "record_of", lambda index: 1)
        patch.setattr(taps, "Table", lambda index, arrays: SimpleNamespace(addresses=[1] * len(arrays)))
        for sample in samples:
            plan_of(sample)
    return found


def run_on_device(sample, order="forward", plan=None):
    """Return the arrays of all operands after the launch on the simulated device."""
    os.environ["FACULA_SHIM_ORDER"] = order
    memory, operands = Memory(), [*sample.inputs, *sample.outputs]
    try:
        plan = plan or plan_of(sample)
        owners = [(None, 0) if one is None else memory_of(one.array) for one in operands]
        starts = [0 if owner is None else memory.copy_of(owner) for owner, _ in owners]
        addresses = [start + offset for start, (_, offset) in zip(starts, owners, strict=True)]
        launch(sample, plan, addresses, memory.take(plan.workspace))
        return [
            None if one is None else view_of(memory.read(start, owner), one.array)
            for one, start, (owner, _) in zip(operands, starts, owners, strict=True)
        ]
    finally:
        del os.environ["FACULA_SHIM_ORDER"]
        memory.free()


def floats_of(array, dtype):
    """Return elements as float64, from bits for half-precision types."""
    if dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if dtype == "float16":
        array = np.ascontiguousarray(array).view(np.float16)
    with np.errstate(invalid="ignore"):
        return array.astype(float)


def difference(sample, expected, found):
    """Return what differs between the results, or None."""
    for place, (one, other) in enumerate(zip(expected, found, strict=True)):
        if (
            one is None
            or one.tobytes() == other.tobytes()
            or np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
        ):
            continue
        if sample.ulp and one.dtype.kind == "f":
            # Sums of doubles in another order: of float64 a few units of the greatest number, of float32 at most one.
            spread = np.spacing(np.abs(one)) if one.itemsize == 4 else 1e-13 * np.abs(one).max() + 1e-12 * np.abs(one)
            if np.all((np.abs(one - other) <= sample.ulp * spread) | (np.isnan(one) & np.isnan(other))):
                continue
        if sample.share:
            one, other = (floats_of(array, (*sample.inputs, *sample.outputs)[place].dtype) for array in (one, other))
            scale = np.abs(one[np.isfinite(one)]).max(initial=1e-30)
            if np.allclose(other, one, rtol=0, atol=sample.share * scale, equal_nan=True):
                continue
        return f"operand {place}: expected {one.reshape(-1)[:5]}...; got {other.reshape(-1)[:5]}..."
    return None
