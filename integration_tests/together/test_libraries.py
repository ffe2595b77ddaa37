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
    folder, results = root / "integration_tests" / "libraries", tmp_path / "small.facula.npz"
    command = [sys.executable, "-m", "facula", "run", str(folder / "on_small.py"), str(results)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
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
    for method in ADAPTIVE:  # of different orders, so only their solutions agree
        np.testing.assert_allclose(found[f"{method}.0"], found["dopri8.0"], atol=3e-4)
        np.testing.assert_allclose(found[f"{method}.1"], found["dopri8.1"], atol=3e-3)
    fall = np.sqrt(2 * 2.0 / 9.8)
    np.testing.assert_allclose([found["event.0"], found["event.1"]], [fall, -9.8 * fall], rtol=1e-5)


def test_what_differs_is_named_and_counted(root, tmp_path):
    both = {"same": np.float32([1, np.nan]), "close": np.float64(5), "exact": np.uint8([1, 2]), "dtype": np.int64(1)}
    for side in ("torch", "facula"):
        np.savez(tmp_path / f"equal.{side}.npz", **both)
    other = {"close": np.float64(5.1), "exact": np.uint8([1, 3]), "dtype": np.int32(1), "more": np.int64(1)}
    np.savez(tmp_path / "unequal.torch.npz", **both)
    np.savez(tmp_path / "unequal.facula.npz", **both | other)
    np.savez(tmp_path / "stopped.torch.npz", **both)
    program = [sys.executable, str(root / "integration_tests" / "libraries" / "compare.py"), str(tmp_path)]
    run = subprocess.run([*program, "equal"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1].split() == ["equal", "4", "4", "0"]
    for name, row, lines in (("unequal", ["5", "1", "4"], 4), ("stopped", ["0", "0", "stopped"], 1)):
        run = subprocess.run([*program, name, "equal"], capture_output=True, text=True)
        assert run.returncode == 1 and len(run.stdout.splitlines()) == lines + 3
        assert run.stdout.splitlines()[-2].split() == [name, *row]
