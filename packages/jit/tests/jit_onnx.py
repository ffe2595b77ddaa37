"""Helpers for tests of exported files: validate a file, run it with onnxruntime, and compare it with its function."""

from functools import lru_cache

import numpy as np
import pytest

from facula_jit._recording.signature import tensors_in
from facula_jit.onnx import export
from facula_tensor import no_grad


@lru_cache(maxsize=1)
def session_of(program):
    """Return a session for a file, after the checker of the onnx package has accepted it."""
    onnx = pytest.importorskip("onnx", reason="the onnx package is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    onnx.checker.check_model(program.model_proto, full_check=True)
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return runtime.InferenceSession(
        program.model_proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def results_of(program, *arrays):
    """Return the results of a file for arrays."""
    session = session_of(program)
    used = {tensor.name for tensor in session.get_inputs()}
    names = [value.name for value in program.model_proto.graph.input]
    return session.run(None, {name: array for name, array in zip(names, arrays, strict=True) if name in used})


def check(function, *inputs, tolerance=1e-5, program=None):
    """Check that the file has the function's results, in shape, dtype and value; return the file's program."""
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    program = program or export(function, inputs)
    found = results_of(program, *[tensor.numpy() for tensor in inputs])
    with no_grad():
        wanted = tensors_in(function(*inputs))
    assert len(found) == len(wanted)
    for place, (theirs, mine) in enumerate(zip(found, wanted, strict=True)):
        mine = mine.numpy()
        assert (theirs.shape, theirs.dtype) == (mine.shape, mine.dtype), place
        np.testing.assert_allclose(theirs, mine, rtol=tolerance, atol=tolerance, err_msg=str(place))
    return program
