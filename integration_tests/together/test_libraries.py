"""Small libraries written for PyTorch run on facula: einops, safetensors, skorch, torchdiffeq.

`nox -s libraries` compares this program and those of large libraries with PyTorch.
"""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

ADAPTIVE = ("dopri5", "bosh3", "fehlberg2", "adaptive_heun", "adjoint")


@pytest.mark.skipif(not (find_spec("skorch") and find_spec("torchdiffeq")), reason="they are not installed")
def test_small_libraries(root, tmp_path):
    folder, results = root / "integration_tests" / "libraries", tmp_path / "results.npz"
    command = [sys.executable, "-m", "facula", "run", str(folder / "on_small.py"), str(results)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    found = np.load(results)
    images = found["safetensors.0"]
    b, c, h, w = images.shape
    moved = images.reshape(b, c // 2, 2, h, w).transpose(0, 3, 1, 2, 4).reshape(b * h, c // 2, w * 2)
    assert np.array_equal(found["rearranged"], moved)
    assert np.array_equal(found["a slice"], images[:, 1:3])
    np.testing.assert_allclose(found["reduced.0"], images.mean((2, 3)), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found["einsum"], np.einsum("bchw,bdhw->bcd", images, images), rtol=1e-5, atol=3e-4)
    losses = [float(found[f"skorch train_loss.{epoch}"]) for epoch in range(4)]
    assert losses == sorted(losses, reverse=True)
    for method in ADAPTIVE:  # of different orders, so that they agree on the solution alone
        np.testing.assert_allclose(found[f"{method}.0"], found["dopri8.0"], atol=3e-4)
        np.testing.assert_allclose(found[f"{method}.1"], found["dopri8.1"], atol=3e-3)
    fall = np.sqrt(2 * 2.0 / 9.8)
    np.testing.assert_allclose([found["event.0"], found["event.1"]], [fall, -9.8 * fall], rtol=1e-5)
