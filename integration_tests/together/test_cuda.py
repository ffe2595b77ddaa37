"""Operators and training on a simulated CUDA device, in processes of their own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
MAX_ALONE = 40  # of about 1500 sources: each takes ten times as long as in a library with others


def run(*arguments, **variables):
    """Run Python with environment variables; return what it printed."""
    environment = {**os.environ, **variables, "FACULA_CUDA_FALLBACK": "quiet", "HYPOTHESIS_PROFILE": "ci"}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    command = [sys.executable, "-X", "faulthandler", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


#: Operators that run on the CPU for want of a kernel. Where CuPy is installed, it computes them on the device.
REST = set(
    """
    adjugate adjugate_grad cholesky_ex cumprod_grad det eig eigh eigvals eigvalsh extreme_grad
    extreme_shares inv_ex local_response_norm_grad lu_factor_ex matrix_exp max_pool2d_values_grad pinv qr qr_r slogdet
    solve_ex svd svdvals triangular_solve fft_complex fft_from_real fft_to_real
    """.split()
)


@pytest.mark.parametrize(
    ("tests", "selected", "least"),
    [
        ("operators/test_matrix.py", "devices", 700),
        ("operators/test_pooling.py", "cuda", 20),
        ("invariants/test_devices.py", "cuda", 300),
    ],
)
def test_operators(root, tests, selected, least, tmp_path):
    """The tensor package's own tests: values in all dtypes and layouts, gradients, changes in place, views, errors.

    They run twice: with all operators on the CPU, which finds out what kernels there are, and with these kernels. The
    matrix has all operators, so that those of REST that need no fallback any more are found.
    """
    path = root / "packages" / "tensor" / "tests" / tests
    options = ["-q", "-p", "cuda_plugin", "-p", "no:cacheprovider", "-c", root / "pyproject.toml"]
    files = {"CUDA_SOURCES": str(tmp_path / "sources.json"), "CUDA_FALLBACKS": str(tmp_path / "fallbacks.json")}
    for _ in range(2):
        shown = run("-m", "pytest", *options, path, "-k", selected, **files)
        assert int(re.search(r"(\d+) passed", shown)[1]) >= least
    assert int(re.search(r"(\d+) sources compiled alone", shown)[1]) <= MAX_ALONE
    found = set(json.loads((tmp_path / "fallbacks.json").read_text()))
    assert found <= REST
    if "matrix" in tests:
        assert found == REST


def test_the_check_of_a_machine(tmp_path):
    """Run all steps of `python -m facula_cuda.check`, with little work."""
    shown = run("-m", "facula_cuda.check", "--simulate", "--out", tmp_path)
    assert "0 failed, 0 left out" in shown
    found = {result["step"]: result for result in json.loads((tmp_path / "summary.json").read_text())}
    assert {"forms", "families", "bandwidth", "training", "resnet", "gpt", "sanitizer"} < set(found)
    assert all(found[name]["checks"] for name in ("forms", "families", "training", "resnet", "gpt"))
    assert set(found["eager"]["figures"]["facula_us"]) > {"add", "add_recorded"}


@pytest.mark.parametrize("bits", [True, False])
def test_training_equals_the_cpus(bits):
    """Elementwise results have the CPU's bits. Sums may differ from them in the last one.

    Then a weight whose gradient is 0 but for rounding may differ by its optimizer's step, so only losses are compared.
    """
    found = json.loads(run(HERE / "cuda_training.py", *["--bits"] * bits))
    assert bits or found["fallbacks"] == {}
    for name, (here, there) in found["runs"].items():
        assert (here["device"], there["device"]) == ("cpu", "cuda:0")
        np.testing.assert_allclose(there["losses"], here["losses"], rtol=1e-5, err_msg=name)
        if bits:
            assert there == {**here, "device": "cuda:0"}
        assert here["losses"][2] < here["losses"][0]


def test_a_training_step_only_launches_kernels():
    """After three steps, a step neither waits nor takes memory from the driver, and all operators have kernels."""
    found = json.loads(run(HERE / "cuda_steps.py"))
    assert found["fallbacks"] == {}
    pace = {"cuStreamIsCapturing", "cuEventCreate", "cuEventRecord", "cuEventQuery"}  # of every 256th launch
    for name, launches in {"MLP": 25, "GPT": 200, "LSTM": 85, "ResNet": 80}.items():
        for step in found["steps"][name]:
            assert step["waits"] == 0 and set(step["calls"]) - pace == {"cuLaunchKernel"}
            assert step["calls"]["cuLaunchKernel"] <= launches


def test_operators_need_no_fallback():
    found = json.loads(run(HERE / "cuda_operators.py"))
    assert found == {"different": [], "fallbacks": {}}


def test_captured_functions_are_graphs_with_the_eager_results():
    """A sample of `test_captured_programs`, with batch norm, dropout, double gradients, a closure of L-BFGS."""
    names = "early_stopping", "averaged", "least_squares", "meta_learning", "outside", "parametrized"
    found = json.loads(run("-W", "ignore::UserWarning", HERE / "cuda_captured.py", *names))
    assert all(program["graphs"] for program in found["programs"].values()), found
    assert found["losses"][1] < found["losses"][0]
    for calls in found["replays"]:
        assert calls == {"cuGraphLaunch": 1, "waits": 0}
