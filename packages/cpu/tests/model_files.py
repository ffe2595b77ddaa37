"""Programs for the C library, assembled by hand from plans, and Python bindings of the library."""

import ctypes
import json
import zipfile
from pathlib import Path

import numpy as np
from kernel_helpers import BACKEND, dtype_of, layout, numpy_dtype

import facula_cpu
from facula_cpu.extend import (
    ADDRESS,
    CELL,
    NUMBER,
    OWN,
    TEMPORARY,
    TENSOR,
    Tables,
    bits_of,
    portable_plan,
    wrapped,
)  # fmt: skip
from facula_storage.extend import dtype_of_code

FOLDER = Path(facula_cpu.__file__).parent
PROGRAM = FOLDER / "facula-run"
ERROR = 512


class Array(ctypes.Structure):
    """struct facula_array."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("ndim", ctypes.c_int),
        ("is_number", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]  # fmt: skip


LIB = ctypes.CDLL(FOLDER / "libfacula_kernels.1.so")
LIB.facula_model_load.restype = ctypes.c_void_p
LIB.facula_model_load.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_char_p]
LIB.facula_model_run.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
LIB.facula_model_save.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
LIB.facula_model_free.argtypes = [ctypes.c_void_p]
for _function in (LIB.facula_model_inputs, LIB.facula_model_outputs):
    _function.restype = ctypes.POINTER(Array)
    _function.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)]


class Model:
    """A loaded model; raises ValueError with the library's message."""

    def __init__(self, path, batch=0):
        self.error = ctypes.create_string_buffer(ERROR)
        self.handle = LIB.facula_model_load(str(path).encode(), batch, self.error)
        if not self.handle:
            raise ValueError(self.error.value.decode(errors="replace"))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        LIB.facula_model_free(self.handle)

    def _arrays(self, function):
        count = ctypes.c_int64()
        found = function(self.handle, count)
        arrays = {}
        for one in found[: count.value]:
            dtype = numpy_dtype(dtype_of_code(one.dtype).name)
            shape, strides = list(one.shape[: one.ndim]), list(one.strides[: one.ndim])
            reach = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True)) // dtype.itemsize
            flat = np.ctypeslib.as_array(
                ctypes.cast(one.data, ctypes.POINTER(ctypes.c_uint8)), (reach * dtype.itemsize,)
            )
            array = (
                np.lib.stride_tricks.as_strided(flat.view(dtype), shape, strides)
                if all(shape)
                else np.empty(shape, dtype)
            )
            arrays[one.name.decode(errors="replace")] = array
        return arrays

    @property
    def inputs(self):
        return self._arrays(LIB.facula_model_inputs)

    @property
    def outputs(self):
        return self._arrays(LIB.facula_model_outputs)

    def run(self):
        if LIB.facula_model_run(self.handle, self.error):
            raise ValueError(self.error.value.decode(errors="replace"))

    def save(self, path):
        if LIB.facula_model_save(self.handle, str(path).encode(), self.error):
            raise ValueError(self.error.value.decode(errors="replace"))


def reach(array):
    """Return the number of bytes from an array's first element to its last."""
    return sum((size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)) + array.itemsize


def add_array(tables, output, name, array, block):
    """Describe an array that starts at the beginning of its block."""
    first = len(tables.rows["extents"])
    for number in (*array.shape, *array.strides):
        tables.add("extents", number)
    tables.add("arrays", output, tables.name(name), dtype_of(array).code, array.ndim, first, block, 0)


def add_launch(tables, plan, arguments):
    """Add a launch; arguments are numbers, blocks as (row, bytes), and None for the workspace."""
    made = portable_plan(plan.operator, plan.launch)
    first = len(tables.rows["arguments"])
    for place, one in enumerate(arguments):
        if isinstance(one, tuple):
            tables.add("arguments", ADDRESS, 0, *one)
        elif made.doubles >> place & 1:
            tables.add("arguments", NUMBER, bits_of(float(one)), 0, 0)
        else:
            tables.add("arguments", NUMBER, wrapped(int(one or 0)), 0, 0)
    at = arguments.index(None) if None in arguments else -1
    part = -1 if made.part is None else tables.plan(made.kernel, made.part)
    kernel = tables.kernel(made.kernel)
    tables.add("launches", kernel, part, first, len(arguments), at, plan.workspace, tables.name(plan.operator))


def one_launch(operator, inputs, outputs, parameters=(), scalars=(), many=False):
    """Plan an operator on these arrays (None for omitted ones), and return the plan and a program of it.

    All arrays, a0, a1, ..., are both inputs and outputs. With `many`, scalars come before the arrays.
    """
    plan = BACKEND.plan(
        operator, tuple([one if one is None or isinstance(one, type) else layout(one) for one in inputs]),
        tuple(map(layout, outputs)), parameters,
    )  # fmt: skip
    arrays = [one for one in (*inputs, *outputs) if not isinstance(one, type)]
    tables, addresses = Tables(), []
    for place, array in enumerate(arrays):
        if array is None:
            addresses.append(0)
            continue
        block = tables.add("blocks", OWN, 0, reach(array))
        addresses.append((block, reach(array)))
        for output in (0, 1):
            add_array(tables, output, f"a{place}", array, block)
    n = many or (outputs[0].size if outputs else 0)
    sized = portable_plan(plan.operator, plan.launch).sized or plan.workspace > 0
    rest = [*scalars, *addresses] if many else [*addresses, *([None] if sized else []), *scalars]
    add_launch(tables, plan, [n, *rest])
    return plan, tables


def write(path, sections, tensors=None):
    """Write a model file: sections by name, and tensors (arrays) by name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, data in sections.items():
            file.writestr(f"run/{name}.bin", data)
        head, body = {}, b""
        for name, array in (tensors or {}).items():
            place = [len(body), len(body) + array.nbytes]
            head[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": place}
            body += array.tobytes()
        text = json.dumps(head).encode()
        file.writestr("tensors.safetensors", len(text).to_bytes(8, "little") + text + body)
    return path


RNG = np.random.default_rng(3)
WEIGHT = RNG.standard_normal((4, 6)).astype("f4")
RATE = 0.5


def plan_for(operator, inputs, outputs, parameters=()):
    return BACKEND.plan(operator, tuple(map(layout, inputs)), tuple(map(layout, outputs)), parameters)


def step_program(batch):
    """y = dropout(x @ w.T, 0.5); if `skip` is 0, w -= lr * (1 + 0 * w), by sgd_step with a given gradient."""
    x, y, skip = np.zeros((batch, 6), "f4"), np.zeros((batch, 4), "f4"), np.zeros((), "f4")
    tables = Tables()
    tables.add("tensors", tables.name("weight"), WEIGHT.nbytes, 1)
    given, weight, gradient = [
        (tables.add("blocks", kind, 0, one.nbytes), one.nbytes)
        for kind, one in ((OWN, x), (TENSOR, WEIGHT), (OWN, WEIGHT))
    ]
    between, made = (
        (tables.add("blocks", TEMPORARY, 0, y.nbytes), y.nbytes),
        (tables.add("blocks", OWN, 0, y.nbytes), y.nbytes),
    )
    condition = tables.add("blocks", OWN, 0, 4), 4
    add_launch(tables, plan_for("linear", (x, WEIGHT), (y,)), [y.size, given, weight, between, None])
    first = len(tables.rows["arguments"])
    add_launch(tables, plan_for("dropout", (y,), (y,)), [y.size, between, made, 0.5, 0, 0])
    for place, source in ((4, 0), (5, 1)):
        tables.rows["arguments"][first + place] = (CELL, 64 * source, source, 0)
    tables.jump((ADDRESS, 0, *condition), 1)
    first = len(tables.rows["arguments"])
    plan = plan_for("sgd_step", (WEIGHT, WEIGHT), (), (2,))
    add_launch(tables, plan, [1, RATE, 0.0, 1.0, 0.0, 1.0, 0.0, weight, gradient])
    use = tables.add("uses", first + 1, bits_of(0.0), bits_of(1.0))
    tables.add("numbers", tables.name("lr"), bits_of(RATE), use, 1)
    tables.add("generators", 7, 128, 1, 640, 0, 0)
    for name, array, block in (("x", x, given), ("gradient", WEIGHT, gradient), ("skip", skip, condition)):
        add_array(tables, 0, name, array, block[0])
    add_array(tables, 1, "y", y, made[0])
    return tables.bytes(between[1])


def loop_program():
    """y = x; while `count` is not 0: count -= step, y += x. With a step of 0 the loop is endless."""
    one, tables = np.zeros((), "f4"), Tables()
    x, count, step, y = [(tables.add("blocks", OWN, 0, 4), 4) for _ in range(4)]
    add_launch(tables, plan_for("copy", (one,), (one,)), [1, x, y])
    tables.jump((ADDRESS, 0, *count), 3, at_zero=True)
    add_launch(tables, plan_for("sub", (one, one), (one,)), [1, count, step, count])
    add_launch(tables, plan_for("add", (one, one), (one,)), [1, y, x, y])
    tables.jump((ADDRESS, 0, *count), -3)
    for output, name, block in ((0, "x", x), (0, "count", count), (0, "step", step), (1, "y", y)):
        add_array(tables, output, name, one, block[0])
    return tables


def wanted(x, weight, key, offset):
    """Return the program's expected result for x."""
    y, made = np.zeros((len(x), 4), "f4"), np.zeros((len(x), 4), "f4")
    plan_for("linear", (x, weight), (y,)).launch(y.size, x.ctypes.data, weight.ctypes.data, y.ctypes.data)
    plan_for("dropout", (y,), (made,)).launch(y.size, y.ctypes.data, made.ctypes.data, 0.5, key, offset + 64)
    return made
