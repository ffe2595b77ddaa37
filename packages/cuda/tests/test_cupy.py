"""The adapter of CuPy on simulated devices, by a stand-in; see cupy_double.py."""

import inspect
import sys

import cupy_double
import numpy as np
import pytest
from backend_helpers import get, put
from compared import Array, run_both

import facula_cuda
from facula_cuda._libraries import adapters
from facula_cuda._libraries.cupy import samples
from facula_cuda._libraries.cupy.launches import CupyAdapter, functions
from facula_cuda._libraries.library import stand_ins
from facula_cuda._planners import planners
from facula_cuda.check._library_steps import libraries as check_libraries
from facula_cuda.check._report import Report
from facula_errors import OperationError
from facula_errors.testing import raises
from facula_storage import Device, complex64, complex128, contiguous, float32, float64, int32
from facula_storage.extend.memory import allocate

library = CupyAdapter.library
DTYPES = {dtype.name: dtype for dtype in (float32, float64, complex64, complex128)}


@pytest.fixture
def forgotten(backend, monkeypatch):
    """Let the library be found again, and be used on simulated devices, for one test."""
    monkeypatch.delenv("FACULA_CUDA_LIBRARIES", raising=False)
    stand_ins.add("cupy")
    library.forget()
    yield
    stand_ins.discard("cupy")
    library.forget()


@pytest.fixture
def cupy(forgotten, monkeypatch):
    """Return the stand-in, which the backend uses for one test."""
    return cupy_double.install(monkeypatch)


OPERATORS = [operator for operator, asked in adapters.items() if any(one.library is library for one in asked)]
CASES = [(operator, dtype) for operator in OPERATORS for dtype in CupyAdapter().dtypes(operator)]


def run(backend, operator, dtype):
    """Return the results of the CPU and of the device for the operands of a sample."""
    sample = samples.sample_of(operator, dtype)
    inputs = [Array(values, (dtype.to_real() if values.dtype.kind != "c" else dtype).name) for values in sample.inputs]
    outputs = [Array(np.full(shape, 7), of.name) for shape, of in sample.outputs]
    expected, found = run_both(operator, inputs, outputs, sample.parameters)
    if sample.invariant:
        expected, found = sample.invariant(*expected), sample.invariant(*found)
    return expected, found


@pytest.mark.parametrize(("operator", "dtype"), CASES)
def test_results_are_the_cpus(cupy, backend, operator, dtype):
    expected, found = run(backend, operator, DTYPES[dtype])
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=samples.TOLERANCES[dtype] * max(1, np.abs(one).max()))
    assert not library.refused
    assert len(cupy_double.entered) >= 2  # the comparison, and the launch


def test_all_operators_are_asked(cupy):
    assert set(OPERATORS) == set(functions) - set(planners)
    assert facula_cuda.libraries()["cupy"] == (True, True, "14.2.0", "/double/cupy/__init__.py", "")


def nothing_regular(arrays):
    """Make the second matrix singular, and no positive definite one."""
    arrays[0][1, 0, 0], arrays[0][1, -1] = -1, 0
    arrays[0][1, :, -1] = 0
    return arrays


def not_a_number(arrays):
    arrays[0][1, 0, 0] = np.nan
    return arrays


@pytest.mark.parametrize("change", [nothing_regular, not_a_number])
@pytest.mark.parametrize(
    "operator", ["cholesky_ex", "inv_ex", "solve_ex", "eigh", "eigvals", "svdvals", "lu_factor_ex"]
)
def test_irregular_matrices_have_the_cpus_results(cupy, backend, operator, change):
    """A state for each matrix, and NaN, in place of an exception."""
    sample = samples.sample_of(operator, float64)
    inputs = [Array(values, "float64") for values in change([np.array(one) for one in sample.inputs])]
    outputs = [Array(np.full(shape, 7), of.name) for shape, of in sample.outputs]
    expected, found = run_both(operator, inputs, outputs, sample.parameters)  # not counted as a fallback
    for one, other in zip(expected, found, strict=True):
        if operator == "eigh" and one.ndim > 2:  # the signs of vectors are arbitrary
            one, other = np.abs(one), np.abs(other)
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-10)


def test_strides_and_broadcast_matrices(cupy, backend):
    a = Array(np.arange(18.0).reshape(3, 6) % 7, "float64", lambda array: array[:, ::2].T)
    b = Array(np.arange(24.0).reshape(2, 4, 3), "float64", lambda array: array.swapaxes(1, 2))
    out, info = Array(np.zeros((2, 3, 4)), "float64"), Array(np.full(2, 7), "int32")
    (expected, state), (found, other) = run_both("solve_ex", [a, b], [out, info])
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert state.tolist() == other.tolist() == [0, 0]


def test_empty_matrices_are_not_counted_as_fallbacks(cupy, backend):
    out, info = Array(np.zeros((0, 3, 3)), "float64"), Array(np.zeros(0), "int32")
    run_both("inv_ex", [Array(np.zeros((0, 3, 3)), "float64")], [out, info])
    (expected,), (found,) = run_both("det", [Array(np.zeros((2, 0, 0)), "float64")], [Array(np.zeros(2), "float64")])
    assert expected.tolist() == found.tolist() == [1, 1]


def test_work_runs_on_the_current_stream(cupy, backend):
    """The operand is written on that stream, after the launch of the comparison."""
    run(backend, "fft_complex", complex64)
    cupy_double.entered.clear()
    stream = facula_cuda.Stream()
    before = facula_cuda.waits()
    with facula_cuda.stream(stream):
        (a, la), (out, lo) = complex_operands(backend)
        plan = backend.plan("fft_complex", (la,), (lo,), ((0,), False, "backward"))
        backend.plan("add", (la, la), (la,), ()).launch(la.numel, a.ptr, a.ptr, a.ptr)  # queued
        plan.launch(lo.numel, a.ptr, out.ptr)
        assert facula_cuda.waits() == before  # a transform waits for nothing
        found = np.empty(8, np.complex64)
        backend.copy_out(out.ptr, found)
    np.testing.assert_allclose(found, np.fft.fft(2 * np.arange(8)), rtol=1e-5)
    assert set(cupy_double.entered) == {stream.handle}


def complex_operands(backend):
    layout = contiguous((8,), complex64, Device("cuda:0"))
    a, out = allocate(layout), allocate(layout)
    backend.copy_in(a.ptr, np.arange(8).astype(np.complex64))
    return (a, layout), (out, layout)


def test_checked_functions_count_as_waits(cupy, backend):
    run(backend, "inv_ex", float32)
    a, la = put(np.eye(3, dtype="f4")[None])
    out, info = allocate(la), allocate(contiguous((1,), int32, la.device))
    plan = backend.plan("inv_ex", (la,), (la, contiguous((1,), int32, la.device)), ())
    before = facula_cuda.waits()
    plan.launch(9, a.ptr, out.ptr, info.ptr)
    assert facula_cuda.waits() == before + 1
    assert get(out, la).tolist() == [np.eye(3).tolist()]


def test_captures_are_refused_by_name(cupy, backend):
    run(backend, "fft_complex", complex64)
    (a, la), (out, lo) = complex_operands(backend)
    plan = backend.plan("fft_complex", (la,), (lo,), ((0,), False, "backward"))
    with raises(OperationError, "fft_complex: expected a stream without a capture, since CuPy allocates memory and "
                "waits; got one that is being captured. Compute it before or after the capture"):  # fmt: skip
        with facula_cuda.graph(facula_cuda.CUDAGraph()):
            plan.launch(lo.numel, a.ptr, out.ptr)


def test_a_comparison_is_put_off_during_a_capture(cupy, backend):
    (_, la), (_, lo) = complex_operands(backend)
    stream = facula_cuda.Stream()
    graph = facula_cuda.CUDAGraph()
    with facula_cuda.graph(graph, stream=stream):
        backend.plan("fft_complex", (la,), (lo,), ((0,), False, "backward"))
    assert not cupy_double.entered
    assert not library.refused


def test_wrong_results_are_refused_once(cupy, backend, monkeypatch, recwarn):
    monkeypatch.setattr("compared.fallbacks", dict)
    cupy.linalg.inv = lambda a: np.linalg.inv(a) + 0.125
    expected, found = run(backend, "inv_ex", float64)
    run(backend, "inv_ex", float64)
    run(backend, "det", float64)
    np.testing.assert_array_equal(found[0], expected[0])
    (text,) = [str(one.message) for one in recwarn]
    assert text.startswith("cuda: cupy 14.2.0 is not used for inv_ex of float64: its results differ from the reference")
    assert "facula's own kernel or the CPU is used instead. Install it by: pip install 'cupy-cuda13x[ctk]>=14'" in text
    state = facula_cuda.libraries()["cupy"]
    assert state.used
    assert state.reason.startswith("inv_ex of float64: its results differ")


def test_the_check_compares_all_operators(cupy, backend):
    report = Report(simulated=True)
    check_libraries(report)
    assert report.figures["states"]["cupy"]["used"]
    assert len(report.checks) == len(CASES)
    assert all(check["holds"] for check in report.checks)
    cupy.linalg.inv = lambda a: a
    report = Report(simulated=True)
    check_libraries(report)
    wrong = [check["check"] for check in report.checks if not check["holds"]]
    assert wrong == [f"cupy inv_ex of {dtype} agrees with the reference" for dtype in DTYPES]


def test_errors_of_the_library(cupy, backend):
    """In a comparison they are a reason to use the reference; later they name the operator."""
    run(backend, "fft_complex", complex64)
    (a, la), (out, lo) = complex_operands(backend)
    plan = backend.plan("fft_complex", (la,), (lo,), ((0,), False, "backward"))

    def fail(*args, **kwargs):
        raise RuntimeError("CUFFT_INTERNAL_ERROR")

    cupy.fft = type("broken", (), {"fftn": staticmethod(fail)})
    with raises(OperationError, "fft_complex: expected CuPy 14.2.0 to compute it; got RuntimeError "
                "(CUFFT_INTERNAL_ERROR). Set FACULA_CUDA_LIBRARIES to libraries without cupy, such as none, to use the "
                "CPU"):  # fmt: skip
        plan.launch(lo.numel, a.ptr, out.ptr)
    layout = contiguous((8,), complex128, Device("cuda:0"))
    with pytest.warns(UserWarning, match=r"complex128: it raised OperationError \(fft_complex: expected CuPy"):
        backend.plan("fft_complex", (layout,), (layout,), ((0,), False, "backward"))


@pytest.mark.parametrize(("value", "reason"), [("none", "FACULA_CUDA_LIBRARIES=none"), ("cupy", "")])
def test_the_environment_variable_selects(cupy, monkeypatch, value, reason):
    monkeypatch.setenv("FACULA_CUDA_LIBRARIES", value)
    state = facula_cuda.libraries()["cupy"]
    assert (state.used, state.reason) == (not reason, reason)


def test_an_unknown_name_is_refused(cupy, monkeypatch):
    monkeypatch.setenv("FACULA_CUDA_LIBRARIES", "cupy,magma")
    with pytest.raises(ValueError, match=r"FACULA_CUDA_LIBRARIES: expected 'none' or some of .*got 'cupy,magma'"):
        facula_cuda.libraries()


def test_an_old_version_is_refused_once(forgotten, monkeypatch, recwarn):
    cupy_double.install(monkeypatch, "13.6.0")
    assert facula_cuda.libraries()["cupy"].reason == "expected CuPy 14 or newer; got 13.6.0"
    facula_cuda.libraries()
    (text,) = [str(one.message) for one in recwarn]
    assert "cuda: expected CuPy 14 or newer; got 13.6.0; facula's own kernels or the CPU are used. Install" in text


def test_without_the_package(forgotten, monkeypatch, recwarn):
    monkeypatch.setattr("facula_cuda._libraries.cupy.launches.find_spec", lambda name: None)
    assert facula_cuda.libraries()["cupy"] == (False, False, "", "", "not installed")
    assert not list(recwarn)


def test_an_import_that_fails(forgotten, monkeypatch):
    cupy_double.install(monkeypatch)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.linalg", None)
    reason = facula_cuda.libraries()["cupy"].reason
    assert reason.startswith("its import raised ModuleNotFoundError (import of cupyx.scipy.linalg halted")


def test_simulated_devices_have_no_libraries(backend):
    assert facula_cuda.libraries()["cupy"].reason == "devices are simulated"


def test_the_stand_in_has_cupys_signatures():
    cupy = pytest.importorskip("cupy")
    cupyx = pytest.importorskip("cupyx.scipy.linalg")
    pairs = [(double, getattr(getattr(cupy, part), name)) for part in ("linalg", "fft")
             for name, double in vars(getattr(cupy_double, part)).items()]  # fmt: skip
    pairs += [(getattr(cupy_double, name), getattr(cupyx, name)) for name in ("lu_factor", "solve_triangular")]
    for double, real in pairs:
        assert list(inspect.signature(double).parameters) == list(inspect.signature(real).parameters), real
    for name in cupy_double.SAME:
        assert hasattr(cupy, name)
