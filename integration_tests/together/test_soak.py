"""Five hundred steps of the soak, of few enough sizes that its caches fill early, and that it would notice a leak."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


def soak(root, *arguments, program=None):
    """Run the program, or a changed copy of it, and return what it did."""
    script = program or (root / "integration_tests" / "soak.py")
    command = [sys.executable, str(script), "--batch", "8", "--length", "8", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FACULA_NUM_THREADS": "1"})


def test_five_hundred_steps_add_no_memory(root):
    done = soak(root, "--warm", "250", "--steps", "250", "--limit", "1.0")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kept_loss_would_be_seen(root, tmp_path):
    """A program that keeps each step's inputs, as a careless training loop does."""
    source = (root / "integration_tests" / "soak.py").read_text()
    leaking = source.replace(
        "        return loss.item()", "        KEPT.append(inputs * 1)\n        return loss.item()"
    )
    assert leaking != source
    (tmp_path / "leaking.py").write_text(leaking.replace("class Model:", "KEPT = []\n\n\nclass Model:"))
    done = soak(root, "--warm", "50", "--steps", "150", program=tmp_path / "leaking.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "blocks left" in done.stdout
