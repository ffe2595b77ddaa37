"""Programs written for PyTorch with GPUs run unchanged on simulated devices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "cuda_programs").glob("*.py"))
RUN = """
import faulthandler, runpy, sys
from facula_cuda.testing import simulate
faulthandler.enable()
simulate(devices=2, seed=int(sys.argv[1]))
import facula.as_torch
runpy.run_path(sys.argv[2], run_name="__main__")
"""


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_programs_for_gpus_run_on_simulated_devices(program, seed, tmp_path):
    """Run a program, which contains its own assertions; the seed determines the order of work on several streams."""
    settings = os.environ | {"FACULA_CUDA_FALLBACK": "quiet", "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", RUN, str(seed), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path, env=settings)
    assert done.returncode == 0, done.stdout + done.stderr
