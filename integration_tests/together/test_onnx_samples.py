"""Every operator's samples, exported: onnxruntime computes facula's results, or the operator is refused by name."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the onnx package is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import facula
from facula_tensor.testing._operands import call, lay, operands

TOLERANCES = {"float32": 1e-4, "float16": 2e-2}
SAMPLED = [("float32", "transposed"), ("int64", "contiguous"), ("bool", "zero_dim")]
LEAST = {"float32": 400, "int64": 250, "bool": 40}  # number of cases that have nodes; fewer indicate a regression


def tensors_in(result):
    return [result] if isinstance(result, facula.Tensor) else [one for part in result for one in tensors_in(part)]


def problem_of(case, dtype, layout):
    """Return None if a case is exported and computed correctly, and otherwise the problem or the refusing error."""
    given = [lay(array, dtype, layout, "cpu") for array in operands(case, dtype, layout)]
    with facula.no_grad():
        wanted = tensors_in(call(case, given))
    names = [f"in{place}" for place in range(len(given))]
    fresh = [lay(array, dtype, layout, "cpu") for array in operands(case, dtype, layout)]  # some cases change theirs
    program = facula.onnx.export(lambda *tensors: call(case, list(tensors)), tuple(fresh), input_names=names)
    onnx.checker.check_model(program.model_proto, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    content = program.model_proto.SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    used = {one.name for one in session.get_inputs()}
    found = session.run(None, {name: one.numpy() for name, one in zip(names, fresh, strict=True) if name in used})
    for mine, theirs in zip(wanted, found, strict=True):
        mine = mine.numpy()
        if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
            return f"{theirs.dtype} {theirs.shape} for {mine.dtype} {mine.shape}"
        tolerance = TOLERANCES.get(str(mine.dtype), 0)
        if not np.allclose(theirs, mine, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"{theirs} for {mine}"
    return None


@pytest.mark.parametrize(
    ("dtype", "layout"), [("float32", "transposed"), ("int64", "contiguous"), ("bool", "zero_dim")]
)
def test_samples(cases, dtype, layout):
    wrong, exported = {}, 0
    for case in cases:
        if dtype not in case.dtypes or layout not in case.layouts or (case.shapes and layout == "zero_dim"):
            continue
        try:
            problem = problem_of(case, dtype, layout)
        except facula.onnx.OnnxExporterError as error:
            assert str(error).startswith("onnx.export: "), error
            continue
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        exported += problem is None
        if problem is not None:
            wrong[str(case)] = problem
    assert not wrong, wrong
    assert exported > LEAST[dtype], exported
