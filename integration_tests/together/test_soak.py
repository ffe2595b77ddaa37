"""Five hundred steps of the soak test with so few sizes that its caches fill early, and detection of a leak.

Also twenty loaders whose workers are killed, and detection of a leaked process or descriptor and a wrong batch.
"""

import os
import subprocess
import sys

import pytest

pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


def soak(root, *arguments, program=None):
    """Run the program, or a changed copy of it, and return the completed process."""
    script = program or (root / "integration_tests" / "soak.py")
    command = [sys.executable, str(script), "--batch", "8", "--length", "8", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FACULA_NUM_THREADS": "1"})


def test_five_hundred_steps_add_no_memory(root):
    done = soak(root, "--warm", "250", "--steps", "250", "--limit", "1.0")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kept_loss_would_be_seen(root, tmp_path):
    """Check a program that keeps each step's inputs, as a careless training loop does."""
    source = (root / "integration_tests" / "soak.py").read_text()
    leaking = source.replace(
        "        return loss.item()", "        KEPT.append(inputs * 1)\n        return loss.item()"
    )
    assert leaking != source
    (tmp_path / "leaking.py").write_text(leaking.replace("class Model:", "KEPT = []\n\n\nclass Model:"))
    done = soak(root, "--warm", "50", "--steps", "150", program=tmp_path / "leaking.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "blocks left" in done.stdout


def soak_workers(root, *arguments, program=None):
    script = program or (root / "integration_tests" / "soak_workers.py")
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=600)


def test_twenty_runs_with_killed_workers_and_some_epochs(root):
    done = soak_workers(root, "--runs", "20", "--epochs", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kills: 20 in" in done.stdout and "error" in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("    del batches, loader\n", "    KEPT.append((batches, loader))\n", "workers are left"),
        ("index * 7919 % 1009, np.float32)", "index * 7919 % 1009 + (index == 77), np.float32)", "other samples' rows"),
        ("    held: list", "    KEPT.append(os.dup(0))\n    held: list", "descriptors"),
    ],
)
def test_what_workers_leave_would_be_seen(root, tmp_path, right, wrong, said):
    source = (root / "integration_tests" / "soak_workers.py").read_text()
    assert source.count(right) == 1
    changed = source.replace(right, wrong).replace("class Problem(", "KEPT = []\n\n\nclass Problem(")
    (tmp_path / "changed.py").write_text(changed)
    done = soak_workers(root, "--runs", "8", "--epochs", "1", program=tmp_path / "changed.py")
    assert done.returncode == 1 and said in done.stdout, done.stdout + done.stderr
