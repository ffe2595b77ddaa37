"""Files of `jit.save(run=True)` run correctly: random functions, and functions whose files were once refused."""

import os

import numpy as np
import pytest
from model_files import run
from random_runs import Program

import facula
from facula_jit import CaptureError

COUNT = int(os.environ.get("FACULA_RANDOM_RUNS", "60"))
AT_ONCE = 20


def leaves_of(result):
    """Return the tensors of a result, in order."""
    if isinstance(result, dict):
        result = list(result.values())
    return [one for part in result for one in leaves_of(part)] if isinstance(result, (list, tuple)) else [result]


def compare(folder, function, calls, given):
    """Check that the file of a captured function gives the function's results."""
    wanted = [one.detach().numpy().copy() for one in leaves_of(function(*given))]
    captured = facula.capture(function, on_break="error")
    for arguments in calls:
        captured(*arguments)
    facula.jit.save(captured, folder / "model.facula", run=True)
    arrays = [np.array(one.numpy(), order="C") for one in given]
    made = run(folder, folder / "model.facula", arrays, len(wanted))
    for number, (got, want) in enumerate(zip(made, wanted, strict=True)):
        assert got.dtype == want.dtype and got.shape == want.shape, number
        assert got.tobytes() == want.tobytes(), number


@pytest.mark.parametrize("first", range(1, COUNT + 1, AT_ONCE))
def test_random_functions(first, tmp_path):
    """Check constants, views, empty parts, branches and loops, for inputs and outputs, bit for bit."""
    compared = 0
    for seed in range(first, first + AT_ONCE):
        program = Program(seed)
        try:
            program.function()(*program.arguments(0))
        except (ValueError, RuntimeError, IndexError):
            continue  # eager code refuses it, too
        try:
            compare(tmp_path, program.function(), [program.arguments(k) for k in range(3)], program.arguments(9))
            compared += 1
        except CaptureError:
            continue
    assert compared > AT_ONCE // 2


X = facula.arange(6).float().reshape(2, 3)
REFUSED = {  # functions of a tensor, whose files were once refused
    "a constant that is moved": lambda x: (facula.full((2, 2), 2.0).roll(1), x * 2),
    "views without elements": lambda x: (facula.ones(3)[3:] + 1, x[2:].reshape(-1), x[:, 3:] * 2),
    "parts of a constant without elements": lambda x: facula.cat([x.reshape(-1), facula.arange(4).float()[4:].roll(1)]),
    "an input as a result": lambda x: (x, x.t(), x + 1, x),
    "the first value of a loop": lambda x: facula.scan(lambda c, one: (c, one), x, facula.ones(3)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_were_refused(name, tmp_path):
    """Run each as a separate test."""
    compare(tmp_path, REFUSED[name], [(X + k,) for k in range(3)], (X * 2,))
