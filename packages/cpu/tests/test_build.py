"""The compiled module: instruction levels, the kernel table, and layouts of all kinds of operands in plans."""

import os
import subprocess
import sys

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

import facula_cpu
from facula_cpu._runtime import planners, registry

LEVELS = registry.LEVELS[: registry.lib.facula_best_level() + 1]


def python(code, **environment):
    """Run code in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize("wish", LEVELS)
def test_the_environment_selects_a_level(wish):
    """Check that FACULA_CPU_LEVEL is read when the first plan is made."""
    code = "import facula_cpu; print(facula_cpu.level())"
    assert python(code, FACULA_CPU_LEVEL=wish).stdout.strip() == wish


def test_unknown_levels_are_refused():
    """Check that the error lists the known levels."""
    done = python("import facula_cpu; facula_cpu.level()", FACULA_CPU_LEVEL="mmx")
    assert "the environment variable FACULA_CPU_LEVEL to be one of baseline" in done.stderr
    assert "got 'mmx'" in done.stderr


def test_kernels_are_unique():
    """Check that each name, signature and level has one row, and that float kernels exist at each level."""
    rows = list(registry.all_kernels())
    assert len(rows) == len(set(rows))
    levels = {row[2] for row in rows if row[:2] == ("exp", (9, 9))}
    assert levels == set(registry.LEVELS[:3] if len(LEVELS) > 1 else ["baseline"])
    pairs = {row[2] for row in rows if row[:2] == ("matmul", (8, 8, 8))}
    assert pairs == levels | ({"avx512_bf16"} if len(LEVELS) > 1 else set())


def test_every_kernel_has_a_valid_name_and_known_dtypes():
    """Check that the linker left no gaps in the table."""
    for name, signature, level in registry.all_kernels():
        assert name.isidentifier()
        assert all(1 <= code <= 20 for code in signature)
        assert level in registry.LEVELS


def test_importing_has_no_side_effects():
    """Check that an import starts no thread, reads no environment variable and makes no plan."""
    code = """
import os, facula_cpu
from facula_cpu._runtime import registry
assert len(os.listdir("/proc/self/task")) == 1, os.listdir("/proc/self/task")
assert registry.level.cache_info().misses == 0
"""
    assert python(code, FACULA_CPU_LEVEL="nonsense", OPENBLAS_NUM_THREADS="1").returncode == 0


def test_loading_does_not_enable_flush_to_zero():
    """Check that subnormal numbers survive arithmetic after the module is loaded."""
    assert np.float32(1e-40) * np.float32(0.5) > 0


def test_backend_copies_and_status_messages():
    """Check copy_in, copy_out, status_message and synchronize."""
    memory = np.zeros(4, "f4")
    BACKEND.copy_in(memory.ctypes.data, np.arange(4, dtype="f4"))
    assert memory.tolist() == [0, 1, 2, 3]
    out = bytearray(8)
    BACKEND.copy_out(memory.ctypes.data + 8, out)
    assert np.frombuffer(out, "f4").tolist() == [2, 3]
    with pytest.raises(BufferError):
        BACKEND.copy_out(memory.ctypes.data, b"12345678")
    assert BACKEND.synchronize() is None
    assert "index 9 at position 2" in BACKEND.status_message(1, 9, 2, 5, 0)
    assert "unknown status 77" in BACKEND.status_message(77, 1, 2, 3, 4)


def test_a_null_address_is_refused_before_the_launch():
    a = np.ones(4, "f4")
    plan = BACKEND.plan("add", (layout(a), layout(a)), (layout(a),), ())
    with pytest.raises(TypeError):
        plan.launch(4, a.ctypes.data, None, a.ctypes.data)
    assert a.tolist() == [1, 1, 1, 1]


def test_work_estimates_order_kernels_by_cost():
    """Check that expensive kernels release the GIL, and run in parallel, at smaller sizes."""
    assert planners.release_at(10_000) < planners.release_at(70)
    assert planners.release_at(0) == planners.NEVER


def test_public_names_of_the_package():
    """Check the names that the package exports."""
    assert set(facula_cpu.__all__) == {
        "CpuBackend",
        "get_convolution_algorithm",
        "get_num_threads",
        "level",
        "register_function",
        "register_loop",
        "set_convolution_algorithm",
        "set_num_threads",
    }
