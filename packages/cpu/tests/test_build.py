"""The built module: levels, the kernel table, layouts of any kind of operand in plans."""

import os
import subprocess
import sys

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

import facula_cpu
from facula_cpu._elementwise.elementwise import collapse
from facula_cpu._runtime import planners, registry

LEVELS = registry.LEVELS[: registry.lib.facula_best_level() + 1]


def python(code, **environment):
    """Run code in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize("wish", LEVELS)
def test_a_level_can_be_forced(wish):
    """FACULA_CPU_LEVEL is read when the first plan is made."""
    code = "import facula_cpu; print(facula_cpu.level())"
    assert python(code, FACULA_CPU_LEVEL=wish).stdout.strip() == wish


def test_unknown_levels_are_refused():
    """With what would be known."""
    done = python("import facula_cpu; facula_cpu.level()", FACULA_CPU_LEVEL="mmx")
    assert "FACULA_CPU_LEVEL: expected one of baseline" in done.stderr
    assert "got 'mmx'" in done.stderr


def test_no_two_kernels_are_the_same():
    """One row for a name, signature and level; float kernels exist at each level."""
    rows = list(registry.all_kernels())
    assert len(rows) == len(set(rows))
    levels = {row[2] for row in rows if row[:2] == ("exp", (9, 9))}
    assert levels == set(registry.LEVELS if len(LEVELS) > 1 else ["baseline"])


def test_every_row_has_a_name_and_known_dtypes():
    """The table is not torn: the linker left no gaps."""
    for name, signature, level in registry.all_kernels():
        assert name.isidentifier()
        assert all(1 <= code <= 20 for code in signature)
        assert level in registry.LEVELS


def test_importing_starts_nothing():
    """No threads, no environment read, no plan at import."""
    code = """
import os, facula_cpu
from facula_cpu._runtime import registry
assert len(os.listdir("/proc/self/task")) == 1, os.listdir("/proc/self/task")
assert registry.level.cache_info().misses == 0
"""
    assert python(code, FACULA_CPU_LEVEL="nonsense", OPENBLAS_NUM_THREADS="1").returncode == 0


def test_nothing_sets_flush_to_zero():
    """Subnormal numbers work after the module is loaded."""
    assert np.float32(1e-40) * np.float32(0.5) > 0


def test_collapse():
    """Dimensions merge where every operand walks them as one; the output's order decides."""
    assert collapse((2, 3, 4), [(48, 16, 4), (48, 16, 4)]) == [(24, 4, 4)]
    assert collapse((2, 3), [(4, 8), (4, 8)]) == [(6, 4, 4)]
    assert collapse((2, 1, 3), [(12, 99, 4), (24, 7, 4)]) == [(3, 4, 4), (2, 12, 24)]
    assert collapse((), [(), ()]) == [(1, 0, 0)]
    assert collapse((1, 1), [(4, 4), (4, 4)]) == [(1, 0, 0)]


def test_backend_copies_and_words():
    """copy_in, copy_out, status_message, synchronize."""
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


def test_an_address_of_none_is_refused_before_anything_happens():
    a = np.ones(4, "f4")
    plan = BACKEND.plan("add", (layout(a), layout(a)), (layout(a),), ())
    with pytest.raises(TypeError):
        plan.launch(4, a.ctypes.data, None, a.ctypes.data)
    assert a.tolist() == [1, 1, 1, 1]


def test_work_estimates():
    """Dearer kernels give the GIL away, and go parallel, earlier."""
    assert planners.release_at(10_000) < planners.release_at(70)
    assert planners.release_at(0) == planners.NEVER


def test_version_of_the_face():
    """What the package exports."""
    assert set(facula_cpu.__all__) == {
        "CpuBackend",
        "get_num_threads",
        "level",
        "register_function",
        "register_loop",
        "set_num_threads",
    }
