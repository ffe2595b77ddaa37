"""Programs written for PyTorch with GPUs run unchanged on simulated devices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "cuda_programs"
PROGRAMS = sorted(program.stem for program in FOLDER.glob("*.py"))
SHUFFLED = """
import runpy, sys
from facula_cuda.testing import simulate
simulate(devices=2, seed=int(sys.argv[1]))
import facula.as_torch
runpy.run_path(sys.argv[2], run_name="__main__")
"""


def run(folder, *arguments):
    """Run Python with simulated devices; warnings are errors."""
    settings = os.environ | {
        "FACULA_CUDA_DRIVER": "simulated:2",
        "FACULA_CUDA_FALLBACK": "quiet",
        "FACULA_CUDA_CACHE": str(folder),
    }
    command = [sys.executable, "-W", "error", "-X", "faulthandler", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder, env=settings)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_for_gpus_run_on_simulated_devices(program, tmp_path):
    """Run a program, which contains its own assertions."""
    run(tmp_path, "-m", "facula", "run", FOLDER / f"{program}.py")


@pytest.mark.parametrize("seed", range(1, 4))
def test_streams_run_in_any_order(seed, tmp_path):
    """Run work of several streams in other orders."""
    run(tmp_path, "-c", SHUFFLED, seed, FOLDER / "streams.py")
