"""The adapter of cublasLt on simulated devices, by a stand-in that tests build from lt_double.c."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from backend_helpers import get, put
from compared import Array, run_both
from simulated_calls import functions, load, use_device
from test_products import SHAPES, TOLERANCE, operand

import facula_cuda
from facula_cuda._compile.nvrtc import wheel_folders
from facula_cuda._driver import ffi, lib
from facula_cuda._libraries import cublaslt
from facula_cuda._libraries.library import stand_ins
from facula_errors.testing import raises
from facula_storage import LaunchError

library = cublaslt.CublasLtAdapter.library
COMPLEX = {"complex64": 1e-5, "complex128": 1e-12}
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
pytestmark = needs_gcc


@pytest.fixture(scope="session")
def double_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lt")
    path, source = folder / "libcublasLt.so.13", Path(__file__).with_name("lt_double.c")
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    return path


class Double:
    """The stand-in: attributes without "lt_" are its variables."""

    def __init__(self, path):
        self.__dict__["library"] = ctypes.CDLL(str(path))
        use_device()
        (kernel,) = functions(load(path), "lt_product")
        launch = int(ffi.cast("intptr_t", lib.driver.cuLaunchKernel))
        self.library.lt_double_use(ctypes.c_void_p(launch), ctypes.c_int64(kernel))

    def __getattr__(self, name):
        return ctypes.c_int64.in_dll(self.library, f"lt_{name}").value

    def __setattr__(self, name, value):
        ctypes.c_int64.in_dll(self.library, f"lt_{name}").value = value


@pytest.fixture
def double(backend, double_path, monkeypatch):
    """Return the stand-in, which the backend uses for one test."""
    monkeypatch.delenv("FACULA_CUDA_LIBRARIES", raising=False)
    monkeypatch.setattr(cublaslt, "candidates", lambda: ["/missing/libcublasLt.so.13", str(double_path)])
    stand_ins.add("cublaslt")
    library.forget()
    yield Double(double_path)
    stand_ins.discard("cublaslt")
    library.forget()


def compare(operator, operands, output, tolerance):
    (expected,), (found,) = run_both(operator, operands, [output])
    if output.dtype == "bfloat16":
        expected, found = ((bits.astype("u4") << 16).view("f4") for bits in (expected, found))
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "gaps"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(double, shapes, layout):
    """Vectors, batches that broadcast, and empty matrices; layouts that cublasLt does not have go to our kernel."""
    a, b = (operand("float32", shape, seed, layout) for seed, shape in enumerate(shapes))
    result = np.matmul(np.ones(shapes[0]), np.ones(shapes[1])).shape
    compare("matmul", [a, b], Array(np.full(result, 7), "float32"), 1e-5)
    if layout == "contiguous":  # of two dimensions of batches only one remains after merging
        assert double.products == (2 if 0 not in (*shapes[0], *shapes[1]) and shapes[0] != (2, 1, 3, 4) else 0)
    assert not library.refused


@pytest.mark.parametrize("dtype", [*TOLERANCE, *COMPLEX])
def test_dtypes(double, dtype):
    tolerance = TOLERANCE.get(dtype) or COMPLEX[dtype]
    a, b = operand(dtype, (5, 33), 0), operand(dtype, (33, 70), 1, "transposed")
    compare("matmul", [a, b], Array(np.zeros((5, 70)), dtype), tolerance)
    assert double.products == 2  # the comparison, and the launch
    assert not library.refused


def test_integers_have_our_kernel(double):
    a, b = operand("int32", (5, 33), 0), operand("int32", (33, 70), 1)
    compare("matmul", [a, b], Array(np.zeros((5, 70)), "int32"), 0)
    assert double.products == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("shape", [(9, 33), (33,), (2, 5, 33), (0, 33)], ids=str)
def test_linear(double, shape, biased, dtype):
    operands = [operand(dtype, one, seed) for seed, one in enumerate([shape, (70, 33), *[(70,)] * biased])]
    compare("linear", operands, Array(np.zeros((*shape[:-1], 70)), dtype), TOLERANCE[dtype])
    assert double.products == (2 if 0 not in shape else 0)


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_weight_gradient(double, layout):
    g, x = operand("float32", (40, 7), 0, layout), operand("float32", (40, 9), 1, layout)
    compare("linear_weight_grad", [g, x], Array(np.zeros((7, 9)), "float32"), 1e-5)
    assert double.products == 2


def test_results_by_columns(double):
    a, b = operand("float32", (3, 4), 0), operand("float32", (4, 5), 1)
    compare("matmul", [a, b], Array(np.zeros((5, 3)), "float32", np.transpose), 1e-5)
    assert double.products == 2


def test_a_bias_that_is_none(double, backend):
    (x, lx), (w, lw), (o, lo) = put(np.ones((2, 3), "f4")), put(np.ones((4, 3), "f4")), put(np.zeros((2, 4), "f4"))
    backend.plan("linear", (lx, lw, None), (lo,), ()).launch(8, x.ptr, w.ptr, 0, o.ptr)
    assert get(o, lo).tolist() == [[3] * 4] * 2


def product(backend, size=8):
    """Return the plan of a product of (size, size) and its operands' addresses, and those of the result."""
    (a, layout), (b, _), (o, _) = (put(np.eye(size, dtype="f4") * k) for k in (2, 3, 0))
    return backend.plan("matmul", (layout, layout), (layout,), ()), (a, b, o), layout


def test_addresses_that_are_not_aligned(double, backend):
    plan, _, _ = product(backend)
    memory = [put(np.arange(65, dtype="f4"))[0] for _ in range(3)]
    plan.launch(64, *[one.ptr for one in memory])
    assert double.algorithm == 16
    plan.launch(64, memory[0].ptr + 4, *[one.ptr for one in memory[1:]])
    assert double.algorithm == 1


def test_the_workspace_is_the_plans(double, backend):
    plan, _, _ = product(backend)
    assert plan.workspace == 0
    plan, operands, layout = product(backend, 40)
    assert plan.workspace == 512
    scratch = put(np.zeros(128, "f4"))[0]
    plan.launch(1600, *[one.ptr for one in operands], scratch.ptr)
    assert get(operands[2], layout).tolist() == (np.eye(40) * 6).tolist()


def test_work_is_queued_on_the_current_stream(double, backend):
    plan, (a, b, o), layout = product(backend)
    stream, before = facula_cuda.Stream(), facula_cuda.waits()
    facula_cuda.synchronize()
    with facula_cuda.stream(stream):
        backend.plan("add", (layout, layout), (layout,), ()).launch(64, a.ptr, a.ptr, a.ptr)
        plan.launch(64, a.ptr, b.ptr, o.ptr)
        assert double.stream == stream.handle
        assert facula_cuda.waits() == before + 1
        found = np.empty((8, 8), "f4")
        backend.copy_out(o.ptr, found)
    assert found.tolist() == (np.eye(8) * 12).tolist()


def test_products_are_captured(double, backend):
    graph = facula_cuda.CUDAGraph()
    plan, (a, b, o), layout = product(backend)
    with facula_cuda.graph(graph):
        plan.launch(64, a.ptr, b.ptr, o.ptr)
    assert get(o, layout).tolist() == np.zeros((8, 8)).tolist()
    graph.replay()
    assert get(o, layout).tolist() == (np.eye(8) * 6).tolist()


def test_a_product_may_be_planned_during_a_capture(double, backend):
    product(backend)  # which is compared
    _, (a, b, o), layout = product(backend, 16)
    graph = facula_cuda.CUDAGraph()
    with facula_cuda.graph(graph):
        backend.plan("matmul", (layout, layout), (layout,), ()).launch(256, a.ptr, b.ptr, o.ptr)
    before = double.products
    graph.replay()
    assert get(o, layout).tolist() == (np.eye(16) * 6).tolist()
    assert double.products == before == 2


def test_tf32_is_used_on_request(double, backend):
    assert facula_cuda.get_float32_matmul_precision() == "highest"
    plan, operands, _ = product(backend)
    plan.launch(64, *[one.ptr for one in operands])
    assert double.compute == cublaslt.COMPUTE_32F
    facula_cuda.set_float32_matmul_precision("high")
    try:
        plan, operands, _ = product(backend)
        plan.launch(64, *[one.ptr for one in operands])
        assert double.compute == cublaslt.COMPUTE_32F_FAST_TF32
    finally:
        facula_cuda.set_float32_matmul_precision("highest")
    with raises(ValueError, "set_float32_matmul_precision: expected one of highest, high, medium; got 'low'"):
        facula_cuda.set_float32_matmul_precision("low")


def test_wrong_results_are_refused_once(double, backend, recwarn):
    double.wrong = 1
    plan, operands, layout = product(backend)
    plan.launch(64, *[one.ptr for one in operands])
    assert get(operands[2], layout).tolist() == (np.eye(8) * 6).tolist()
    product(backend)
    (text,) = [str(one.message) for one in recwarn]
    assert text.startswith("cuda: cublaslt 13.1.2 is not used for matmul of float32: its results differ from the ref")
    assert "Install it by: pip install 'nvidia-cublas>=13.1', or set FACULA_CUDA_LIBRARIES=" in text
    assert facula_cuda.libraries()["cublaslt"].reason.startswith("matmul of float32: its results differ")


def test_a_library_that_does_not_start_is_refused_once(double, backend, monkeypatch, recwarn):
    def fail(request):
        cublaslt._check("cublasLtCreate", 1)

    monkeypatch.setattr(cublaslt, "handle_of", fail)
    for _ in range(2):
        plan, operands, layout = product(backend)
        plan.launch(64, *[one.ptr for one in operands])
        assert get(operands[2], layout).tolist() == (np.eye(8) * 6).tolist()
    (text,) = [str(one.message) for one in recwarn]
    assert "it raised OperationError (cublasLtCreate: expected cublasLt to succeed; got CUBLAS_STATUS_NOT_INIT" in text


def test_a_product_without_an_algorithm_has_our_kernel(double, backend):
    double.refuses = 1
    plan, operands, layout = product(backend)
    plan.launch(64, *[one.ptr for one in operands])
    assert get(operands[2], layout).tolist() == (np.eye(8) * 6).tolist()
    assert double.products == 0
    assert not library.refused


def test_a_launch_that_fails_names_the_status(double, backend):
    plan, operands, _ = product(backend)
    double.fails = 15
    with pytest.raises(LaunchError) as caught:
        plan.launch(64, *[one.ptr for one in operands])
    status, *details = caught.value.args
    assert backend.status_message(status, *details) == (
        "cublasLt refused the product: CUBLAS_STATUS_NOT_SUPPORTED (15). Set FACULA_CUDA_LIBRARIES to libraries "
        "without cublaslt"
    )


def test_descriptors_end_with_their_plan(double, backend):
    plan, _, _ = product(backend)
    alive = double.alive
    assert alive
    other, _, _ = product(backend)
    assert double.alive == 2 * alive
    del other, plan
    assert double.alive == 0


def test_an_old_library(double, recwarn):
    double.version = 12
    state = facula_cuda.libraries()["cublaslt"]
    assert (state.found, state.used, state.version) == (True, False, "12.1.2")
    assert state.reason == "expected cublasLt 13 or newer; got 12.1.2"
    assert len(recwarn) == 1


def test_a_library_that_lacks_functions(double, monkeypatch, tmp_path, recwarn):
    path, source = tmp_path / "libcublasLt.so.13", tmp_path / "lacks.c"
    source.write_text("int cublasLtCreate(void) { return 0; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    monkeypatch.setattr(cublaslt, "candidates", lambda: [str(path)])
    reason = facula_cuda.libraries()["cublaslt"].reason
    assert reason.startswith("expected cublasLt 13 or newer; got one without cublasLtDestroy, cublasLtGetProperty")


def test_no_library(double, monkeypatch, backend, recwarn):
    monkeypatch.setattr(cublaslt, "candidates", lambda: ["/missing/libcublasLt.so.13"])
    assert facula_cuda.libraries()["cublaslt"] == (False, False, "", "", "not found")
    product(backend)
    assert double.products == 0
    assert not list(recwarn)


def test_constants_are_the_headers():
    """Compare with the header of NVIDIA's wheel, where it is installed."""
    folders = [Path(folder).with_name("include") for folder in wheel_folders("cublas")]
    text = "".join(path.read_text() for folder in folders for path in sorted(folder.glob("cublas*.h")))
    if "cublasLtMatmul(" not in text:
        pytest.skip("needs nvidia-cublas")
    names = {
        "CUBLAS_COMPUTE_32F": cublaslt.COMPUTE_32F, "CUBLAS_COMPUTE_64F": cublaslt.COMPUTE_64F,
        "CUBLAS_COMPUTE_32F_FAST_TF32": cublaslt.COMPUTE_32F_FAST_TF32, "CUBLAS_OP_T": cublaslt.OP_T,
        "CUBLASLT_MATMUL_DESC_TRANSA": cublaslt.TRANSA, "CUBLASLT_MATMUL_DESC_TRANSB": cublaslt.TRANSB,
        "CUBLASLT_MATMUL_DESC_EPILOGUE": cublaslt.EPILOGUE, "CUBLASLT_EPILOGUE_BIAS": cublaslt.EPILOGUE_BIAS,
        "CUBLASLT_MATMUL_DESC_BIAS_POINTER": cublaslt.BIAS_POINTER,
        "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT": cublaslt.BATCH_COUNT,
        "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET": cublaslt.STRIDED_BATCH_OFFSET,
        "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES": cublaslt.MAX_WORKSPACE_BYTES,
        **{f"CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_{one}_BYTES": number
           for one, number in zip("ABCD", cublaslt.MIN_ALIGNMENTS, strict=True)},
        **{f"CUBLAS_STATUS_{name}": number for number, name in cublaslt.STATUSES.items()},
    }  # fmt: skip
    found = {name: int(number) for name, number in re.findall(r"^ *(CUBLAS\w+) *= *(\d+)", text, re.MULTILINE)}
    assert {name: found[name] for name in names} == names
    table = re.findall(r"\bX\((\w+),", Path(__file__).parent.parent.joinpath("csrc", "lt.h").read_text())
    assert [name for name in table if f" {name}(" not in text] == ["NAME"]  # of the comment
