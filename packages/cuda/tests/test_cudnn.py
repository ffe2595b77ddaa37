"""The adapter of cuDNN on simulated devices, by a stand-in; see cudnn_double.py."""

import shutil

import cudnn_double
import numpy as np
import pytest
from backend_helpers import get, put
from compared import Array, floats_of, run_both
from simulated_calls import use_device

import facula_cuda
from facula_cuda._libraries.cudnn import CudnnAdapter, paddings_after
from facula_cuda._libraries.library import stand_ins
from facula_errors import OperationError
from facula_errors.testing import raises

library = CudnnAdapter.library
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@pytest.fixture
def forgotten(backend, monkeypatch):
    """Let the library be found again, and be used on simulated devices, for one test."""
    monkeypatch.delenv("FACULA_CUDA_LIBRARIES", raising=False)
    use_device()
    stand_ins.add("cudnn")
    library.forget()
    yield
    stand_ins.discard("cudnn")
    library.forget()


@pytest.fixture
def double(forgotten, monkeypatch, tmp_path):
    """Return the state of the stand-in, which the backend uses for one test."""
    found = cudnn_double.install(monkeypatch, tmp_path)
    yield found
    assert not found.errors


GEOMETRIES = [  # images, weights, stride, padding, dilation, groups
    ((2, 3, 6, 7), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 4, 7, 9), (6, 2, 3, 2), (2, 3), (0, 1), (1, 2), 2),
    ((1, 4, 9, 8), (4, 1, 2, 2), (2, 2), (1, 0), (1, 1), 4),
    ((2, 3, 5, 6, 7), (4, 3, 2, 3, 3), (1, 2, 1), (1, 0, 1), (1, 1, 1), 1),
]


def numbers(shape, seed, dtype="float32"):
    return Array(np.random.default_rng(seed).integers(-3, 4, shape), dtype)


def shapes_of(images, weights, stride, padding, dilation):
    size = [(n + 2 * pad - (k - 1) * gap - 1) // step + 1
            for n, k, step, pad, gap in zip(images[2:], weights[2:], stride, padding, dilation)]  # fmt: skip
    return images, weights, (images[0], weights[0], *size)


def call(operator, images, weights, stride, padding, dilation, groups, biased=False, dtype="float32"):
    """Return the arguments of `run_both` for a convolution."""
    images, weights, results = shapes_of(images, weights, stride, padding, dilation)
    given, output = {
        "conv2d": ((images, weights), results),
        "conv2d_input": ((results, weights), images),
        "conv2d_weight": ((results, images), weights),
    }[operator]
    operands = [numbers(shape, seed, dtype) for seed, shape in enumerate(given)]
    if operator == "conv2d":
        operands.append(numbers(results[1:2], 5, dtype) if biased else None)
    return operator, operands, [numbers(output, 9, dtype)], (stride, padding, dilation, groups, output[2:])


@pytest.mark.parametrize("operator", ["conv2d", "conv2d_input", "conv2d_weight"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_convolutions(double, operator, geometry):
    operator, operands, outputs, parameters = call(operator, *geometry, biased=True)
    (expected,), (found,) = run_both(operator, operands, outputs, parameters)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    assert len(double.streams) == 2  # the comparison, and the launch
    assert not library.refused


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch", [(2, 3), (4,)])
@pytest.mark.parametrize("operator", ["attention", "attention_grad"])
def test_attention(double, operator, batch, causal, dtype):
    arrays, outputs, scalars = attention(operator, batch, causal, dtype)
    expected, found = run_both(operator, arrays, outputs, (causal,), scalars)
    for one, other, output in zip(expected, found, outputs, strict=True):
        wanted = floats_of(one, output.dtype)
        np.testing.assert_allclose(floats_of(other, output.dtype), wanted, rtol=0, atol=0.03 * np.abs(wanted).max())
    assert len(double.streams) == 2
    assert not library.refused


def attention(operator, batch, causal, dtype, share=0.0):
    length, keys, width = 16, 24, 8
    random = np.random.default_rng(3)
    rows = [(*batch, length, width), (*batch, keys, width), (*batch, keys, width), (*batch, length, width)]
    q, k, v, g = (random.integers(-8, 9, shape) / 8 for shape in rows)
    scores = 0.5 * q @ k.swapaxes(-1, -2)
    if causal:
        scores = np.where(np.tri(length, keys, dtype=bool), scores, -np.inf)
    lse = np.log(np.exp(scores).sum(-1))
    out = np.exp(scores - lse[..., None]) @ v
    q, k, v, g, out = (Array(one, dtype) for one in (q, k, v, g, out))
    lse = Array(lse, "float32")
    scalars = (0.5, share, 7, 0)
    if operator == "attention":
        return [q, k, v, None], [out, lse], scalars
    return [g, q, k, v, None, out, lse], [Array(np.zeros(one.shape), dtype) for one in (q, k, v)], scalars


@pytest.mark.parametrize("call_of", [
    lambda: (*call("conv2d", *GEOMETRIES[0], dtype="float64"), ()),
    lambda: ("attention", *attention("attention", (2, 3), False, "float32")[:2], (False,), (0.5, 0.0, 7, 0)),
])  # fmt: skip
def test_other_dtypes_have_our_kernels(double, call_of):
    operator, operands, outputs, parameters, scalars = call_of()
    expected, found = run_both(operator, operands, outputs, parameters, scalars)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-5)
    assert not double.graphs


def test_dropout_has_our_kernel(double):
    arrays, outputs, scalars = attention("attention", (2, 3), False, "float16", share=0.5)
    expected, found = run_both("attention", arrays, outputs, (False,), scalars)
    np.testing.assert_allclose(floats_of(found[0], "float16"), floats_of(expected[0], "float16"), rtol=0, atol=0.02)
    assert len(double.streams) == 1  # of the comparison


def convolution(backend):
    """Return a plan of a convolution with one filter of one element, 2, and its operands."""
    (x, lx), (w, lw), (o, lo) = (
        put(np.ones((1, 1, 4, 4), "f4")),
        put(np.full((1, 1, 1, 1), 2, "f4")),
        put(np.zeros((1, 1, 4, 4), "f4")),
    )
    plan = backend.plan("conv2d", (lx, lw, None), (lo,), ((1, 1), (0, 0), (1, 1), 1, (4, 4)))
    return plan, (x, w, o), lo


def test_addresses_that_are_not_aligned_have_our_kernel(double, backend):
    plan, (_, w, o), layout = convolution(backend)
    x, _ = put(np.arange(20, dtype="f4"))
    before = len(double.streams)
    plan.launch(16, x.ptr + 4, w.ptr, 0, o.ptr)
    assert get(o, layout).ravel().tolist() == (2 * np.arange(1, 17)).tolist()
    assert len(double.streams) == before


def test_the_workspace_is_the_plans(double, backend):
    double.workspace = 4096
    plan, (x, w, o), layout = convolution(backend)
    assert plan.workspace >= 4096
    scratch, _ = put(np.zeros(plan.workspace // 4, "f4"))
    plan.launch(16, x.ptr, w.ptr, 0, o.ptr, scratch.ptr)
    assert (get(o, layout) == 2).all()


def test_work_is_queued_on_the_current_stream(double, backend):
    plan, (x, w, o), layout = convolution(backend)
    stream = facula_cuda.Stream()
    facula_cuda.synchronize()
    before = facula_cuda.waits()
    with facula_cuda.stream(stream):
        backend.plan("add", (layout, layout), (layout,), ()).launch(16, x.ptr, x.ptr, x.ptr)
        plan.launch(16, x.ptr, w.ptr, 0, o.ptr)
        assert facula_cuda.waits() == before
        assert double.streams[-1] == stream.handle
        found = np.empty((1, 1, 4, 4), "f4")
        backend.copy_out(o.ptr, found)
    assert (found == 4).all()


def test_streams_are_captured(double, backend):
    plan, (x, w, o), layout = convolution(backend)
    graph = facula_cuda.CUDAGraph()
    with facula_cuda.graph(graph):
        plan.launch(16, x.ptr, w.ptr, 0, o.ptr)
    assert (get(o, layout) == 0).all()
    graph.replay()
    assert (get(o, layout) == 2).all()


@pytest.mark.parametrize("precision", ["highest", "high"])
def test_tensor_cores_are_used_on_request(double, backend, precision):
    facula_cuda.set_float32_matmul_precision(precision)
    try:
        convolution(backend)
    finally:
        facula_cuda.set_float32_matmul_precision("highest")
    exact = ["TENSOR_CORE"] if precision == "highest" else []
    assert double.graphs[-1].notes == ["NONDETERMINISTIC", *exact]


def test_graphs_without_a_kernel_have_ours(double, backend, recwarn):
    double.unsupported = True
    plan, (x, w, o), layout = convolution(backend)
    plan.launch(16, x.ptr, w.ptr, 0, o.ptr)
    assert (get(o, layout) == 2).all()
    assert not double.streams
    assert not list(recwarn)


def test_wrong_results_are_refused_once(double, backend, recwarn):
    double.wrong = 1
    for _ in range(2):
        plan, (x, w, o), layout = convolution(backend)
        plan.launch(16, x.ptr, w.ptr, 0, o.ptr)
        assert (get(o, layout) == 2).all()
    (text,) = [str(one.message) for one in recwarn]
    assert text.startswith("cuda: cudnn 1.23.0 with cuDNN 9.28.1 is not used for conv2d of float32: its results differ")
    assert "Install it by: pip install 'nvidia-cudnn-frontend==1.23.*' nvidia-cudnn-cu13, or set FACULA_CUDA" in text


def test_a_launch_that_fails_names_the_error(double, backend):
    plan, (x, w, o), _ = convolution(backend)
    double.fails = True
    with raises(OperationError, "conv2d: expected cuDNN 1.23.0 with cuDNN 9.28.1 to compute it; got RuntimeError "
                "(CUDNN_STATUS_EXECUTION_FAILED). Set FACULA_CUDA_LIBRARIES to libraries without cudnn, such as none, "
                "to use facula's kernels"):  # fmt: skip
        plan.launch(16, x.ptr, w.ptr, 0, o.ptr)


@pytest.mark.parametrize(("version", "backend_version"), [("1.24.0", 92801), ("1.23.0", 8907)])
def test_other_versions_are_refused(forgotten, monkeypatch, tmp_path, recwarn, version, backend_version):
    cudnn_double.install(monkeypatch, tmp_path, version, backend_version)
    state = facula_cuda.libraries()["cudnn"]
    assert state.found
    assert not state.used
    assert state.reason.startswith("expected nvidia-cudnn-frontend 1.23.x with cuDNN 9 or newer; got 1.2")
    assert len(recwarn) == 1


def test_without_the_package(forgotten, monkeypatch):
    monkeypatch.setattr("facula_cuda._libraries.cudnn.find_spec", lambda name: None)
    assert facula_cuda.libraries()["cudnn"] == (False, False, "", "", "not installed")


def test_paddings_give_the_wanted_size():
    for n in range(1, 9):
        for k, step, pad, gap in ((1, 1, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (2, 3, 0, 2), (3, 2, 0, 1)):
            reach = n + 2 * pad - (k - 1) * gap - 1
            if reach >= 0:
                assert paddings_after((n,), (k,), (reach // step + 1,), (step,), (pad,), (gap,)) == [pad]


def test_the_stand_in_has_cudnns_signatures():
    cudnn = pytest.importorskip("cudnn")
    for name in ("conv_fprop", "conv_dgrad", "conv_wgrad", "sdpa", "sdpa_backward"):
        code = getattr(cudnn_double.Graph, name).__code__
        real = getattr(cudnn.pygraph, name).__doc__
        assert all(f" {word}: " in real for word in code.co_varnames[1 : code.co_argcount]), name
    for part, members in (("data_type", "HALF BFLOAT16 FLOAT"), ("numerical_note", "TENSOR_CORE NONDETERMINISTIC"),
                          ("heur_mode", "A FALLBACK"), ("diagonal_alignment", "TOP_LEFT")):  # fmt: skip
        assert all(hasattr(getattr(cudnn, part), member) for member in members.split())
    assert issubclass(cudnn.cudnnGraphNotSupportedError, Exception)
