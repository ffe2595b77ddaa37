"""facula_jit.onnx: export of models as ONNX files, which the `onnx` package writes.

An export records a model's forward operator by operator, and converts operators to ONNX nodes by a table.
May import: modules permitted for facula_jit; `onnx` only inside functions.
Where next: `docs/how-to/onnx.md` of the repository.
"""

from facula_errors.extend import published as _published

from ._dynamic_shapes import Dim, dims
from ._export import export
from ._nodes import OnnxExporterError
from ._onnx_program import ONNXProgram

__all__ = ["Dim", "ONNXProgram", "OnnxExporterError", "dims", "export"]

__dir__ = _published(__name__)
