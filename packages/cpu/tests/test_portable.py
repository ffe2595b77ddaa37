"""Portable plans: each kind of struct, run by the C library from a file, does bit for bit what its launch does."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from kernel_helpers import BACKEND
from model_files import Model, one_launch, write

from facula_cpu import _portable, get_num_threads, register_loop, set_num_threads
from facula_cpu.extend import KernelName, portable_plan
from facula_storage import contiguous, float32
from facula_storage.extend import Program

RNG = np.random.default_rng(0)


def f4(*shape):
    return RNG.standard_normal(shape).astype("f4")


def i8(high, *shape):
    return RNG.integers(0, high, shape)


def strided(array):
    """The same numbers, with gaps and dimensions in the other order."""
    wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def lstm():
    steps, batch, features, hidden = 5, 40, 6, 8
    inputs = [f4(steps, batch, features), f4(batch, hidden), f4(batch, hidden), f4(4 * hidden, features),
              f4(4 * hidden, hidden), f4(4 * hidden), f4(4 * hidden), None]  # fmt: skip
    saved, cells = f4(steps, batch, 4 * hidden), f4(steps, batch, hidden)
    return inputs, [f4(steps, batch, hidden), f4(batch, hidden), f4(batch, hidden), saved, cells]


def lstm_grad():
    (x, h, c, w, u, b, _, _), (out, last, _, saved, cells) = lstm()
    gradients = [np.zeros_like(one) for one in (w, u, b, b, x, h, c)]
    return [x, h, c, w, u, out, saved, cells, None, out, last, last], gradients


def resampling():
    starts = np.array([0, 2, 4, 6])
    return (1, SimpleNamespace(length=4, starts=starts, places=np.array([0, 1, 1, 2, 2, 3]), weights=np.full(6, 0.5)))


MATRIX, IMAGES, FILTERS = f4(3, 5), f4(2, 3, 8, 8), f4(4, 3, 3, 3)
LENGTHS = np.array([[6, 2, 0], [6, 3, 2]])
CASES = {  # operator, inputs, outputs, parameters, scalars
    "elementwise": ("add", (strided(MATRIX), f4(5)), (MATRIX,)),
    "elementwise dense": ("exp", (MATRIX,), (MATRIX,)),
    "elementwise scalar": ("mul", (MATRIX, float), (MATRIX,), (), (2.5,)),
    "program": (Program("two", 2, (), (("add", (0, 1)), ("exp", (2,))), (3,)), (strided(MATRIX), f4(5)), (MATRIX,)),
    "program of a half": ("add", (np.ones((3, 4), "f2"), np.ones((3, 4), "f2")), (np.ones((3, 4), "f2"),)),
    "transpose": ("copy", (f4(70, 90).T,), (f4(90, 70),)),
    "transpose cast": ("copy", (f4(70, 90).T,), (np.zeros((90, 70), "f2"),)),
    "matmul": ("matmul", (f4(9, 33), f4(33, 50)), (f4(9, 50),)),
    "matmul swapped": ("matmul", (f4(200, 3).T, f4(7, 200).T), (f4(3, 7),)),
    "matmul of batches": ("matmul", (f4(4, 3, 1, 60, 70), f4(3, 2, 70, 30)), (f4(4, 3, 2, 60, 30),)),
    "matmul of one": ("matmul", (f4(4, 90), f4(90)), (f4(4),)),
    "matmul large": ("matmul", (f4(300, 200), f4(200, 310)), (f4(300, 310),)),
    "matmul deep": ("matmul", (f4(8, 9000), f4(9000, 8)), (f4(8, 8),)),
    "matmul complex": ("matmul", (f4(9, 80).astype("c8"), f4(3, 80).astype("c8").T), (f4(9, 3).astype("c8"),)),
    "matmul complex swapped": ("matmul", (f4(80, 3).astype("c8").T, f4(80, 90).astype("c8")), (f4(90,
        3).astype("c8").T,)),
    "matmul half": ("matmul", (f4(9, 80).astype("f2"), f4(80, 30).astype("f2")), (f4(9, 30).astype("f2"),)),
    "matmul integer": ("matmul", (i8(9, 4, 5), i8(9, 5, 6)), (i8(9, 4, 6),)),
    "linear": ("linear", (f4(40, 33), f4(20, 33), f4(20)), (f4(40, 20),)),
    "linear without": ("linear", (f4(40, 33), f4(20, 33), None), (f4(40, 20),)),
    "convolution": ("conv2d", (IMAGES, FILTERS, f4(4)), (f4(2, 4, 8, 8),), ((1, 1), (1, 1), (1, 1), 1, (8, 8))),
    "convolution input": ("conv2d_input", (f4(2, 4, 8, 8), FILTERS), (IMAGES,), ((1, 1), (1, 1), (1, 1), 1, (8, 8))),
    "convolution weight": ("conv2d_weight", (f4(64, 4, 8, 8), f4(64, 3, 8, 8)), (FILTERS,), ((1, 1), (1, 1),
        (1, 1), 1, (3, 3))),
    "recurrent": ("recurrent", *lstm(), ("lstm", False)),
    "recurrent gradient": ("recurrent_grad", *lstm_grad(), ("lstm", False, True, True, True, True)),
    "attention": ("attention", (f4(2, 9, 8), f4(2, 7, 8), f4(2, 7, 6), None), (f4(2, 9, 6), f4(2, 9)), (True,),
        (0.3, 0.0, 0, 0)),
    "attention large": ("attention", (f4(6, 200, 16), f4(6, 200, 16), f4(6, 200, 16), None), (f4(6, 200, 16),
        f4(6, 200)), (False,), (0.3, 0.1, 5, 7)),
    "softmax": ("softmax", (strided(MATRIX),), (MATRIX,), (1,)),
    "cross_entropy": ("cross_entropy", (MATRIX, i8(5, 3), None), (np.zeros((), "f4"),), ("mean",), (-100, 0.1)),
    "row_norm": ("layer_norm", (MATRIX, f4(5), f4(5)), (MATRIX, f4(3), f4(3)), (1,), (1e-5,)),
    "row_norm gradient": ("layer_norm_grad", (MATRIX, f4(3, 5), f4(3), f4(3), f4(5)), (f4(3, 5), f4(5), f4(5)), (1,)),
    "batch_norm": ("batch_norm", (IMAGES, f4(3), f4(3), f4(3), f4(3)), (IMAGES, f4(3), f4(3)), (), (0.1, 1e-5)),
    "pooling": ("max_pool2d", (IMAGES,), (f4(2, 3, 4, 4), i8(9, 2, 3, 4, 4)), (((2, 2), (2, 2), (0, 0), (1,
        1)), (4, 4))),
    "reduce": ("sum", (strided(MATRIX),), (f4(3),), ((1,), False)),
    "lines": ("sort", (MATRIX,), (MATRIX, i8(9, 3, 5)), (1, True)),
    "gather": ("gather", (MATRIX, i8(3, 2, 5)), (f4(2, 5),), (0,)),
    "index": ("take", (MATRIX, i8(3, 7)), (f4(7, 5),), (0,)),
    "positions": ("nonzero", (MATRIX > 0,), (np.zeros((int((MATRIX > 0).sum()), 2), "i8"),)),
    "random": ("normal", (), (f4(100),), (), (3, 64, 0.0, 1.0)),
    "dropout": ("dropout", (f4(100),), (f4(100),), (), (0.4, 3, 64)),
    "samples": ("standard_gamma", (abs(f4(100)) + 1,), (f4(100),), (), (3, 64)),
    "ctc": ("ctc_loss", (np.log(np.full((6, 2, 4), 0.25, "f4")), np.array([1, 2, 3, 1, 2]), LENGTHS), (f4(2),
        f4(2, 6, 7)), (3,), (0, 0)),
    "taps": ("gather_taps", (f4(2, 3, 9), f4(2, 4, 5), i8(9, 2, 4, 5)), (f4(2, 3, 5),)),
    "resample": ("resample", (f4(2, 4),), (f4(2, 3),), resampling()),
    "triangle": ("triangle", (MATRIX,), (f4(3, 5),), (0, True)),
    "triangular_solve": ("triangular_solve", (np.eye(4, dtype="f4") * 3 + np.triu(f4(4, 4)), f4(4, 6)), (f4(4,
        6),), (True, False)),
}  # fmt: skip
MANY = {  # rows of tensors, each changed in place, and the numbers that come before
    "step": ("sgd_step", [[f4(70), f4(70), f4(70)], [f4(3), f4(3), f4(3)]], (0.1, 0.01, 1.0, 0.9, 1.0, 0.0)),
    "step that counts": ("nadam_step", [[f4(70), f4(70), f4(70), abs(f4(70)), np.ones((), "f4"), np.ones((), "f4")]],
                         (0.1, 0.9, 0.99, 1e-8, 0.0, 1.0, 1.0, 0.004)),
    "adafactor": ("adafactor_step", [[MATRIX, f4(3, 5), abs(f4(3, 1)), abs(f4(1, 5)), np.ones((), "f4")]],
                  (0.01, 0.8, 1e-30, 1e-3, 1.0, 0.0, 1.0)),
}  # fmt: skip


def check(plan, tables, arrays, direct, tmp_path):
    """Compare `direct()`, which changes the arrays, with a run of the file."""
    path = write(tmp_path / "model.facula", {"one": tables.bytes(0)})
    before = [None if one is None else one.copy() for one in arrays]
    with Model(path) as model:
        for place, array in enumerate(before):
            if array is not None:
                model.inputs[f"a{place}"][...] = array.view(np.ndarray)
        direct(np.zeros(plan.workspace + 64, np.uint8).ctypes.data // 64 * 64 + 64)
        model.run()
        for place, array in enumerate(arrays):
            if array is not None:
                got = model.outputs[f"a{place}"]
                assert got.tobytes() == np.ascontiguousarray(array).tobytes(), place


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("name", CASES)
def test_a_plan_from_a_file(name, tmp_path):
    """At each level, made there."""
    operator, inputs, outputs, parameters, scalars = (*CASES[name], (), ())[:5]
    outputs = [np.zeros_like(one) if one.flags.c_contiguous else one for one in outputs]
    plan, tables = one_launch(operator, inputs, outputs, parameters, scalars)
    arrays = [one for one in (*inputs, *outputs) if not isinstance(one, type)]

    def direct(workspace):
        addresses = [0 if one is None else one.ctypes.data for one in arrays]
        memory = np.zeros(plan.workspace + 64, np.uint8)
        addresses += [memory.ctypes.data + -memory.ctypes.data % 64] if plan.workspace else []
        plan.launch(outputs[0].size, *addresses, *scalars)

    check(plan, tables, arrays, direct, tmp_path)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("name", MANY)
def test_a_step_from_a_file(name, tmp_path):
    """Operators on any number of tensors, which change them."""
    operator, rows, numbers = MANY[name]
    arrays = [one.copy() for row in rows for one in row]
    plan, tables = one_launch(operator, arrays, (), (len(rows[0]),), numbers, many=len(rows))
    addresses = [one.ctypes.data for one in arrays]
    check(plan, tables, arrays, lambda _: plan.launch(len(rows), *numbers, *addresses), tmp_path)


INNER = {"norm_operands", "row_norm_operands", "class_rows", "class_kernel", "instruction", "kernel", "reducer", "rows",
         "row_kernel", "plan_field", "plan_type"}  # structs that are no plans  # fmt: skip


def test_every_struct_is_tried():
    """All that the headers have, in the cases above."""
    structs = {name.removeprefix("facula_") for name in _portable.ffi.list_types()[1]} - INNER
    assert {name for name in structs if _portable.lib.facula_find_plan_type(f"facula_{name}".encode())} == structs
    assert structs - {name.split(" ")[0] for name in (*CASES, *MANY)} == set()


def test_kernels_that_share_a_function_do_so_at_every_level():
    """A name that is looked up by its address stands for the same kernels elsewhere."""
    groups = []
    for at in _portable.LEVELS[: _portable.LEVELS.index(_portable.level()) + 1]:
        by_name = {}
        best = _portable.LEVELS.index(at)
        for name, signature in {(name, signature) for name, signature, _ in _portable.all_kernels()}:
            entry = _portable.lib.facula_find_kernel(name.encode(), bytes(signature), best)
            assert entry, (name, signature, at)
            by_name.setdefault(int(_portable.ffi.cast("intptr_t", entry.function)), set()).add((name, signature))
        groups.append(sorted(sorted(one) for one in by_name.values()))
    assert all(one == groups[0] for one in groups)


def test_a_file_of_other_levels_and_threads(tmp_path):
    """What was made with one thread at the best level runs with two at the lowest, as if made there."""
    left, right = f4(300, 200), f4(200, 310)
    made = np.zeros((300, 310), "f4")
    before = get_num_threads()
    set_num_threads(1)
    try:
        _, tables = one_launch("matmul", (left, right), (made,))
        path = write(tmp_path / "model.facula", {"one": tables.bytes(0)})
    finally:
        set_num_threads(before)
    for name, one in zip("ab", (left, right), strict=True):
        np.save(tmp_path / f"{name}.npy", one)
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from kernel_helpers import BACKEND, layout
from model_files import Model
a, b = np.load({str(tmp_path / "a.npy")!r}), np.load({str(tmp_path / "b.npy")!r})
o = np.zeros((300, 310), "f4")
plan = BACKEND.plan("matmul", (layout(a), layout(b)), (layout(o),), ())
space = np.zeros(plan.workspace + 64, np.uint8)
plan.launch(o.size, a.ctypes.data, b.ctypes.data, o.ctypes.data, *[space.ctypes.data] * (plan.workspace > 0))
with Model({str(path)!r}) as model:
    model.inputs["a0"][...], model.inputs["a1"][...] = a, b
    model.run()
    assert model.outputs["a2"].tobytes() == o.tobytes()
"""
    env = {**os.environ, "FACULA_CPU_LEVEL": "baseline", "FACULA_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert not done.returncode, done.stderr


def test_plans_of_python_are_refused():
    """By the operator's name: NumPy's functions, and kernels of programs."""
    with pytest.raises(NotImplementedError, match="fft: its plan is a function of Python's, which no file can keep"):
        portable_plan("fft", lambda n, a, o: None)
    register_loop("own_square", (float32, float32), 12345)
    with pytest.raises(NotImplementedError, match="own_square: it runs a kernel that a program registered"):
        portable_plan(
            "own_square", BACKEND.plan("own_square", (contiguous((2,), float32),), (contiguous((2,), float32),)).launch
        )


def test_what_a_plan_is_made_of():
    """Kernels by name; no address among the bytes."""
    one = contiguous((2, 3), float32)
    made = portable_plan("exp", BACKEND.plan("exp", (one,), (one,)).launch)
    assert made.kernel == KernelName("elementwise_dense", ())
    assert made.part.pointers == ((0, KernelName("exp", (9, 9))),)
    assert made.part.data[:24] == bytes(24)
    assert made.doubles == 0
    assert not made.sized
