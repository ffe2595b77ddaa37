"""Operators without a CUDA kernel, on simulated devices and without tensors: they run on copies on the CPU."""

import threading
import time

import numpy as np
import pytest
from backend_helpers import get, launch, put

from facula_cpu import CpuBackend
from facula_cuda import fallbacks
from facula_cuda.testing import pending
from facula_errors.testing import raises
from facula_storage import Device, LaunchError, bool_, contiguous, float32, int64, layout_of
from facula_storage.extend.memory import allocate


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch):
    """Let all operators fall back to the CPU."""
    monkeypatch.setattr("facula_cuda._backend.backend.planners", {})
    monkeypatch.setattr("facula_cuda._backend.backend.general_planners", [])


def test_views_and_gaps(backend):
    """Strided operands, and a result whose gaps are kept."""
    a, la = put(np.arange(12, dtype="f4").reshape(3, 4))
    b, lb = put(np.full((3, 4), 100, "f4"))
    column = layout_of((3,), (4,), float32, la.device)
    launch("add", [(a.ptr + 4, column), (a.ptr + 8, column)], (b.ptr + 12, column))
    assert get(b, lb).tolist() == [[100, 100, 100, 3], [100, 100, 100, 11], [100, 100, 100, 19]]


def test_operands_that_share_memory(backend):
    """The result is an operand, or interleaved with one."""
    a, la = put(np.arange(6, dtype="f4"))
    launch("add", [(a.ptr, la), (a.ptr, la)], (a.ptr, la))
    assert get(a, la).tolist() == [0, 2, 4, 6, 8, 10]
    every = layout_of((3,), (2,), float32, la.device)
    launch("mul", [(a.ptr, every), (a.ptr + 4, every)], (a.ptr, every))
    assert get(a, la).tolist() == [0, 2, 24, 6, 80, 10]


def test_a_run_waits_for_its_results_if_launches_block(backend, monkeypatch):
    a, la = put(np.arange(4, dtype="f4"))
    launch("neg", [(a.ptr, la)], (a.ptr, la))
    assert pending() == 1  # the copy of the results
    monkeypatch.setenv("FACULA_CUDA_BLOCKING", "1")
    launch("neg", [(a.ptr, la)], (a.ptr, la))
    assert pending() == 0


def test_any_size_and_other_layouts(backend):
    a, la = put(np.arange(6, dtype="f4"))
    b, lb = put(np.arange(40, dtype="f4"))
    plan = backend.plan("neg", (la,), (la,), ())
    plan.launch(40, b.ptr, b.ptr)
    assert (get(b, lb) == -np.arange(40)).all()
    every = layout_of((3,), (2,), float32, la.device)
    out, lo = put(np.zeros(3, "f4"))
    plan.for_layouts(lo, every)(3, a.ptr, out.ptr)
    assert get(out, lo).tolist() == [0, -2, -4]
    plan.launch(0, 0, 0)


def test_numbers_of_a_call_and_half_types(backend):
    a, la = put(np.arange(4, dtype="f4"))
    plan = backend.plan("mul", (la, float), (la,), ())
    plan.launch(4, a.ptr, a.ptr, 2.5)
    assert get(a, la).tolist() == [0, 2.5, 5, 7.5]


def test_operators_on_any_number_of_arrays(backend):
    a, _ = put(np.arange(6, dtype="f4").reshape(2, 3))
    b, _ = put(np.arange(4, dtype="f4").reshape(2, 2) + 10)
    out, lo = put(np.zeros((2, 5), "f4"))
    backend.plan("cat", (), (lo,), ()).launch(10, 2, 2, a.ptr, 12, b.ptr, 8, out.ptr)
    assert get(out, lo).tolist() == [[0, 1, 2, 10, 11], [3, 4, 5, 12, 13]]

    rows = [put(np.full(n, n, "f4")) for n in (3, 3, 5, 5)]  # two parameters with their gradients
    plan = backend.plan("sgd_step", tuple(layout for _, layout in rows), (), (2,))
    plan.launch(2, 0.1, 0.0, 1.0, 0.0, 1.0, 0.0, *[storage.ptr for storage, _ in rows])
    np.testing.assert_allclose(get(*rows[0]), np.full(3, 3 - 0.3), rtol=1e-6)
    np.testing.assert_allclose(get(*rows[2]), np.full(5, 5 - 0.5), rtol=1e-6)
    assert get(*rows[1]).tolist() == [3, 3, 3]


def test_any_number_of_results(backend):
    mask, lm = put(np.array([1.0, 0, 1, 1], "f4"))
    zeros, _ = put(np.zeros(4, "f4"))
    lf = contiguous((4,), bool_, lm.device)
    flags = allocate(lf)
    launch("ne", [(mask.ptr, lm), (zeros.ptr, lm)], (flags.ptr, lf))
    out, lo = put(np.full(4, -1, "i8"))
    plan = backend.plan("nonzero_flat", (lf,), (contiguous((9,), int64, lm.device),), ())
    plan.launch(3, flags.ptr, out.ptr)
    assert get(out, lo).tolist() == [0, 2, 3, -1]


def test_scratch_memory_is_on_the_host(backend):
    """Plans with a workspace take none of the device's memory."""
    x, y = np.random.default_rng(0).random((2, 96, 96), "f4")
    (a, la), (b, lb), (out, lo) = put(x), put(y), put(np.zeros((96, 96), "f4"))
    transposed = layout_of((96, 96), (1, 96), float32, lb.device)
    assert CpuBackend().plan("matmul", (la, transposed), (lo,), ()).workspace
    assert launch("matmul", [(a.ptr, la), (b.ptr, transposed)], (out.ptr, lo)).workspace == 0
    np.testing.assert_allclose(get(out, lo), x @ y.T, rtol=1e-5)


def test_errors_write_nothing(backend):
    x, lx = put(np.arange(5, dtype="f4"))
    at, li = put(np.array([1, 7], "i8"))
    out, lo = put(np.full(2, -1, "f4"))
    with pytest.raises(LaunchError) as caught:
        launch("take", [(x.ptr, lx), (at.ptr, li)], (out.ptr, lo), parameters=(0,))
    assert caught.value.args[:4] == (1, 7, 1, 5)
    assert (
        backend.status_message(*caught.value.args) == "index 7 at position 1 is out of range for a dimension of size 5"
    )
    assert get(out, lo).tolist() == [-1, -1]


def test_operators_without_any_kernel_are_named(backend):
    layout = contiguous((2,), float32, Device("cuda:0"))
    with raises(NotImplementedError, "no_such_operator"):
        backend.plan("no_such_operator", (layout,), (layout,), ())


def test_counts_and_modes(backend, monkeypatch):
    a, la = put(np.arange(4, dtype="f4"))
    before = fallbacks().get("cosh", 0)
    plan = launch("cosh", [(a.ptr, la)], (a.ptr, la))
    plan.launch(4, a.ptr, a.ptr)
    assert fallbacks()["cosh"] == before + 2
    kept = get(a, la)
    monkeypatch.setenv("FACULA_CUDA_FALLBACK", "error")
    with raises(NotImplementedError, "cosh", "CUDA kernel", "FACULA_CUDA_FALLBACK"):
        plan.launch(4, a.ptr, a.ptr)
    monkeypatch.setenv("FACULA_CUDA_FALLBACK", "loud")
    with raises(ValueError, "FACULA_CUDA_FALLBACK", "'warn', 'quiet' or 'error'", value="'loud'"):
        plan.launch(4, a.ptr, a.ptr)
    assert fallbacks()["cosh"] == before + 2 and (get(a, la) == kept).all()
    monkeypatch.setenv("FACULA_CUDA_FALLBACK", "warn")
    plan = backend.plan("acosh", (la,), (la,), ())
    with pytest.warns(UserWarning, match="acosh: no CUDA kernel") as warned:
        [plan.launch(4, a.ptr, a.ptr) for _ in range(2)]
    assert len(warned) == 1 and warned[0].filename == __file__


def test_threads_do_not_undo_each_others_writes(backend, monkeypatch):
    """Interleaved columns of one array, which each launch copies with the gaps between them."""
    queue_copy = backend.to_device

    def slowly(*arguments):
        time.sleep(0.001)  # so that another thread's copy would lie between these
        queue_copy(*arguments)

    monkeypatch.setattr(backend, "to_device", slowly)
    a, la = put(np.zeros((50, 4), "f4"))
    column = layout_of((50,), (4,), float32, la.device)
    plan = backend.plan("add", (column, float), (column,), ())
    ready = threading.Barrier(4)

    def work(place):
        ready.wait()
        for _ in range(20):
            plan.launch(50, a.ptr + 4 * place, a.ptr + 4 * place, 1.0)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (get(a, la) == 20).all()
