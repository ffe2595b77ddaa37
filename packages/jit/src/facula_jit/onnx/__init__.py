"""facula_jit.onnx: models as ONNX files, which the `onnx` package writes.

What it is: a model's forward, recorded operator by operator, and a table from operators to ONNX's nodes.
May import: what facula_jit may; `onnx` inside of functions alone.
Where next: `docs/onnx.md` of the repository.
"""

from facula_errors.extend import published as _published

from ._dynamic_shapes import Dim, dims
from ._export import export
from ._nodes import OnnxExporterError
from ._onnx_program import ONNXProgram

__all__ = ["Dim", "ONNXProgram", "OnnxExporterError", "dims", "export"]

__dir__ = _published(__name__)
