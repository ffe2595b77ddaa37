"""Portable plans: for each kind of struct, the C library runs a file bit for bit like a launch from Python."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from kernel_helpers import BACKEND
from model_files import Model, one_launch, write
from portable_cases import CASES, MANY, brains, f4

from facula_cpu import _portable, get_num_threads, register_loop, set_num_threads
from facula_cpu.extend import KernelName, portable_plan
from facula_errors.testing import raises
from facula_storage import contiguous, float32


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
def test_a_plan_from_a_file_equals_its_launch(name, tmp_path):
    """Check plans made and run at each level."""
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
def test_a_step_from_a_file_equals_its_launch(name, tmp_path):
    """Check operators that change any number of tensors in place."""
    operator, rows, numbers = MANY[name]
    arrays = [one.copy() for row in rows for one in row]
    plan, tables = one_launch(operator, arrays, (), (len(rows[0]),), numbers, many=len(rows))
    addresses = [one.ctypes.data for one in arrays]
    check(plan, tables, arrays, lambda _: plan.launch(len(rows), *numbers, *addresses), tmp_path)


INNER = {"norm_operands", "row_norm_operands", "class_rows", "class_kernel", "instruction", "kernel", "reducer", "rows",
         "fft_pass", "row_kernel", "plan_field", "plan_type", "form"}  # structs that are no plans  # fmt: skip


def test_every_struct_has_a_case():
    """Check that the cases above use every struct of the headers."""
    structs = {name.removeprefix("facula_") for name in _portable.ffi.list_types()[1]} - INNER
    assert {name for name in structs if _portable.lib.facula_find_plan_type(f"facula_{name}".encode())} == structs
    assert structs - {name.split(" ")[0] for name in (*CASES, *MANY)} == set()


def test_kernels_that_share_a_function_do_so_at_every_level():
    """Check this because a kernel found by its address must be the same at other levels."""
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


@pytest.mark.parametrize("numbers", [f4, brains])
def test_a_file_runs_at_other_levels_and_thread_counts(numbers, tmp_path):
    """Run a file made on one thread at the best level on two at the lowest, and compare with a file made there."""
    left, right = numbers(300, 201), numbers(201, 310)
    made = np.zeros_like(numbers(300, 310))
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
from kernel_helpers import BACKEND, Bits, layout
from model_files import Model
a, b = np.load({str(tmp_path / "a.npy")!r}), np.load({str(tmp_path / "b.npy")!r})
if a.dtype == "u2":
    a, b = a.view(Bits), b.view(Bits)
o = np.zeros_like(a, shape=(300, 310))
plan = BACKEND.plan("matmul", (layout(a), layout(b)), (layout(o),), ())
space = np.zeros(plan.workspace + 64, np.uint8)
plan.launch(o.size, a.ctypes.data, b.ctypes.data, o.ctypes.data, *[space.ctypes.data] * (plan.workspace > 0))
with Model({str(path)!r}) as model:
    model.inputs["a0"][...], model.inputs["a1"][...] = a.view(np.ndarray), b.view(np.ndarray)
    model.run()
    assert model.outputs["a2"].tobytes() == o.tobytes()
"""
    env = {**os.environ, "FACULA_CPU_LEVEL": "baseline", "FACULA_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=600)
    assert not done.returncode, done.stderr


def test_plans_that_call_python_are_refused():
    """Check that the error names the operator, for NumPy functions and registered kernels."""
    with raises(NotImplementedError, "fft", "its plan is a function of Python's, which no file can keep"):
        portable_plan("fft", lambda n, a, o: None)
    register_loop("own_square", (float32, float32), 12345)
    with raises(NotImplementedError, "own_square", "no file can keep a kernel that a program registered"):
        portable_plan(
            "own_square", BACKEND.plan("own_square", (contiguous((2,), float32),), (contiguous((2,), float32),)).launch
        )
    step = BACKEND.plan("sgd_step", (contiguous((2,), float32),) * 2, (), (2,)).launch
    assert portable_plan("sgd_step", step).part.kind == "facula_step"
    with raises(NotImplementedError, "own_step", "facula-run does not have this step", "csrc/reach/elements.c"):
        portable_plan("own_step", step)


def test_a_portable_plan_contains_no_address():
    """Check that it has kernels by name, and zeros in place of pointers."""
    one = contiguous((2, 3), float32)
    made = portable_plan("exp", BACKEND.plan("exp", (one,), (one,)).launch)
    assert made.kernel == KernelName("elementwise_dense", ())
    assert made.part.pointers == ((0, KernelName("exp", (9, 9))), (24, KernelName("transpose_block", (4,))))
    assert made.part.data[:32] == bytes(32)
    assert made.doubles == 0
    assert not made.sized
