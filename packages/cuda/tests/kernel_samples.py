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


# ------------------------------------------------------------------------------------------------------------ samples


def norms(operator, shape, count, dtype, weighted=True, offset=0.0):
    """Samples of a normalization of rows and of its gradients."""
    numbers = "float64" if dtype == "float64" else "float32"
    centred, grouped = operator != "rms_norm", operator == "group_norm"
    rows = shape[0] * count if grouped else prod(shape[: len(shape) - count])
    weights = shape[1] if grouped else prod(shape[len(shape) - count :])
    x, per_row = values(shape, dtype, 1, offset=offset), [((rows,), numbers)] * (2 if centred else 1)
    weight = values((weights,), dtype, 2) if weighted else None
    bias = [values((weights,), dtype, 3) if weighted else None] if centred else []
    kept = [values((rows,), numbers, 4)] * centred + [values((rows,), numbers, 5, 0.1, 1)]
    gradients = [((weights,), dtype)] * (2 if centred else 1)
    name = "" if weighted else "plain"
    yield Sample(operator, [x, weight, *bias], [empty(shape, dtype), *(empty(*one) for one in per_row)], (count,),
                 (1e-5,), name=name)  # fmt: skip
    yield Sample(f"{operator}_grad", [values(shape, dtype, 6), x, *kept, weight],
                 [empty(shape, dtype), *(empty(*one) for one in gradients)], (count,), name=name)  # fmt: skip


def batch_norms(shape, dtype, weighted=True, offset=0.0):
    """Samples of the four operators of batch normalization."""
    one, name = (shape[1],), "" if weighted else "plain"
    x = values(shape, dtype, 1, offset=offset)
    a, b, mean = ([values(one, dtype, seed) for seed in (2, 3, 4)]) if weighted else (None, None, None)
    variance = values(one, dtype, 5, 0.1, 1)
    kept = [empty(one, dtype), empty(one, dtype)]
    count = Given(np.asarray(3), "int64")
    running = [mean, variance if weighted else None]
    yield Sample("batch_norm", [x, a, b, *running], [empty(shape, dtype), *kept], (), (0.1, 1e-5), ulp=1, name=name)
    yield Sample("batch_norm_counted", [x, a, b, *running, count], [empty(shape, dtype), *kept], (), (1e-5,), ulp=1,
                 name=name)  # fmt: skip
    yield Sample("batch_norm_eval", [x, a, b, values(one, dtype, 6), variance], [empty(shape, dtype)], (), (1e-5,),
                 name=name)  # fmt: skip
    yield Sample("batch_norm_grad", [values(shape, dtype, 7), x, values(one, dtype, 8), variance, a],
                 [empty(shape, dtype), *kept], ulp=1, name=name)  # fmt: skip


def class_losses(shape, dtype, reduction, weighted=False, smoothing=0.0, last=False):
    """Samples of cross entropy, the negative log likelihood, and their gradients. `last`: classes are neighbours."""
    x = values((shape[0], *shape[2:], shape[1]) if last else shape, dtype, 1, 3)
    x = Given(np.moveaxis(x.array, -1, 1), dtype) if last else x
    target = indices((shape[0], *shape[2:]), shape[1])
    target.array.reshape(-1)[1:2] = -100
    weight = Given(np.abs(values((shape[1],), dtype, 2).array), dtype) if weighted else None
    of_loss = target.array.shape if reduction == "none" else ()
    for operator in ("cross_entropy", "nll_loss"):
        call = {"parameters": (reduction,), "numbers": (-100, smoothing), "ulp": 1}
        call["name"] = f"{reduction}{'-weighted' * weighted}{'-smooth' * (smoothing > 0)}{'-last' * last}"
        yield Sample(operator, [x, target, weight], [empty(of_loss, dtype)], **call)
        yield Sample(f"{operator}_grad", [values(of_loss, dtype, 3), x, target, weight], [empty(shape, dtype)], **call)


def draws(operator, dtype, count, numbers, offset=(1 << 40) + 1):
    return Sample(operator, [], [empty((count,), dtype)], (), (-(1 << 63) + 5, offset, *numbers), name=str(numbers[0]))


def rejections(operator, dtype, count, scale):
    """A sample of draws with parameters for each element, of which some are out of range."""
    a, b = (np.abs(values((count,), dtype, seed, scale).array) for seed in (1, 2))
    a[:5] = [0, np.inf, np.nan, -1, 1e30][:count]
    p = Given((b / (1 + b)).astype(dtype), dtype)
    several = [Given(np.floor(a) if operator == "binomial" else a, dtype), p][: 2 if operator == "binomial" else 1]
    return Sample(operator, several, [empty((count,), dtype)], (), (-(1 << 63) + 5, (1 << 40) + 1), name=str(scale))


def slices(shape, dim, of_index, dtype):
    """Samples of operators that index slices."""
    size, name = shape[dim], "x".join(map(str, of_index)) or "one"
    result = shape[:dim] + of_index + shape[dim + 1 :]
    array, several = values(shape, dtype, 1, 5), values(result, dtype, 2, 5)
    signed, plain = indices(of_index, size, -size), indices(of_index, size)
    yield Sample("take", [array, signed], [empty(result, dtype)], (dim,), name=name)
    yield Sample("index_select", [array, plain], [empty(result, dtype)], (dim,), name=name)
    yield Sample("put", [signed, several], [array], (dim, False), name=name)
    yield Sample("put", [signed, several], [array], (dim, True), name=f"{name}-add")
    yield Sample("take_back", [several, signed], [empty(shape, dtype)], (shape, dim, 1), name=name)


def elements(shape, dim, of_index, dtype, modes=("set", "sum", "prod", "amax", "amin")):
    """Samples of operators that index elements."""
    array, several, index = values(shape, dtype, 1, 5), values(of_index, dtype, 2, 5), indices(of_index, shape[dim])
    yield Sample("gather", [array, index], [empty(of_index, dtype)], (dim,))
    for mode in modes:
        yield Sample("scatter", [index, several], [array], (dim, mode), name=mode)
    yield Sample("scatter_copy", [array, index, several], [empty(shape, dtype)], (dim, modes[-1]))
    yield Sample("gather_back", [several, index], [empty(shape, dtype)], (shape, dim))


def positions(shape):
    """Samples of operators that find true elements."""
    mask = values(shape, "bool", 1)
    count = int(mask.array.sum())
    yield Sample("count_true", [mask], [empty((), "int64")])
    yield Sample("nonzero_flat", [mask], [empty((count,), "int64")])
    if shape:
        yield Sample("nonzero", [mask], [empty((count, len(shape)), "int64")])


def moves(shape, dtype, order=None):
    """Samples of operators that move elements of an array whose dimensions have this order."""
    a = Given(values(shape, dtype, 1).array.transpose(order or range(len(shape))), dtype)
    shape = a.array.shape
    dims = tuple(range(len(shape)))
    for some in {(), dims[-1:], dims, dims[::2]}:
        yield Sample("flip", [a], [empty(shape, dtype)], (some,), name="".join(map(str, some)))
        shifts = tuple([min(dim + 1, max(shape[dim] - 1, 0)) for dim in some])
        yield Sample("roll", [a], [empty(shape, dtype)], (shifts, some), name="".join(map(str, some)))
    for outer, inner in (((2,) * len(shape), (1,) * len(shape)), ((1,) * len(shape), (3,) * len(shape)), (dims, dims)):
        result = [size * whole * each for size, whole, each in zip(shape, outer, inner, strict=True)]
        yield Sample("tile", [a], [empty(result, dtype)], (outer, inner), name=f"{outer}{inner}")


def triangles(shape, dtype):
    for diagonal, upper in ((0, False), (1, True), (-2, True), (100, False), (-100, False)):
        name = f"{diagonal}-{upper}"
        yield Sample("triangle", [values(shape, dtype, 1)], [empty(shape, dtype)], (diagonal, upper), name=name)


NUMBERS = {  # of an optimizer's step, in the order of facula_cpu's optimizer_numbers.h; and its single numbers
    "sgd_step": ((0.1, 0.01, 1, 0.9, 0.9, 0.5), ()),
    "adam_step": ((1e-3, 0.9, 0.999, 1e-8, 0.01, 0.99, -1), (7,)),
    "rmsprop_step": ((0.01, 0.99, 1e-8, 0.1, 1, 0.9), (7,)),
    "rmsprop_centered_step": ((0.01, 0.99, 1e-8, 0.1, 1, 0.9), (7,)),
    "adadelta_step": ((1, 0.9, 1e-6, 0.1, 1), (7,)),
    "adagrad_step": ((0.1, 0.01, 1e-10, 0.1, 1), (7,)),
    "adamax_step": ((2e-3, 0.9, 0.999, 1e-8, 0.1, 1), (7,)),
    "nadam_step": ((2e-3, 0.9, 0.999, 1e-8, 0.1, 0.99, 1, 4e-3), (0.5, 7)),
    "radam_step": ((1e-3, 0.9, 0.999, 1e-8, 0.1, 0.99, 1), (7,)),
    "asgd_step": ((1e-2, 1e-4, 0.75, 3, 0.1, 1), (0.01, 0.7, 7)),
    "rprop_step": ((0.5, 1.2, 1e-6, 50, 1), (7,)),
}


def factored_steps(shapes, dtype):
    """Samples of Adafactor's step of parameters of these shapes: by rows and columns of matrices, and as vectors."""
    numbers = (0.01, -0.8, -1.0, 1e-3, 1.0, 0.99, 1.0)
    for operator in ("adafactor_step", "adafactor_vector_step"):
        inputs = []
        for seed, shape in enumerate(shapes):
            states = [shape] if operator != "adafactor_step" else [(*shape[:-1], 1), (*shape[:-2], 1, shape[-1])]
            inputs += [values(shape, dtype, 3 * seed), values(shape, dtype, 3 * seed + 1, 10)]
            inputs += [Given(np.abs(values(state, dtype, 3 * seed + 2).array), dtype) for state in states]
            inputs.append(Given(np.asarray(7, np.float32), "float32"))
        width = 5 if operator == "adafactor_step" else 4
        yield Sample(operator, inputs, [], (width,), numbers, len(shapes), ulp=1, name=str(len(shapes)),
                     first=True)  # fmt: skip


def steps(operator, states, sizes, dtype):
    """A sample of an optimizer's step over parameters of these sizes."""
    numbers, singles = NUMBERS[operator]
    inputs = []
    for seed, size in enumerate(sizes):
        inputs += [values((size,), dtype, 3 * seed), values((size,), dtype, 3 * seed + 1)]
        state = values((size,), dtype, 3 * seed + 2)
        inputs += [Given(np.abs(state.array), dtype)] * states
        inputs += [Given(np.asarray(single, np.float32), "float32") for single in singles]
    width = 2 + states + len(singles)
    return Sample(operator, inputs, [], (width,), tuple(map(float, numbers)), len(sizes), name=f"{states}-{len(sizes)}",
                  first=True)  # fmt: skip
