"""facula.onnx: models as ONNX files, which the `onnx` package writes."""

from __future__ import annotations

from ._names import publish
from ._refusals import Kind, Refusal, Refusals
from ._siblings import needs

with needs("facula.onnx"):
    from facula_jit.onnx import OnnxExporterError, ONNXProgram, export

__all__ = [
    "ExportableModule", "ONNXProgram", "OnnxExporterError", "dynamo_export", "export", "is_in_onnx_export",
    "register_custom_op_symbolic",
]  # fmt: skip

_missing = Refusals("onnx", "use facula.onnx.export(model, args, path): operators that it refuses are named")
ExportableModule: Kind = _missing.kind("ExportableModule")
dynamo_export: Refusal = _missing.function("dynamo_export")
register_custom_op_symbolic: Refusal = _missing.function("register_custom_op_symbolic")


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: False. Models are exported as they run.

    >>> is_in_onnx_export()
    False
    """
    return False


publish(__name__)
