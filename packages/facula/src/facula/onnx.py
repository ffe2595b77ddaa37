"""facula.onnx: models as ONNX files: not there yet."""

from __future__ import annotations

from facula_errors import OperationError

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = [
    "ExportableModule", "ONNXProgram", "OnnxExporterError", "dynamo_export", "export", "is_in_onnx_export",
    "register_custom_op_symbolic",
]  # fmt: skip

_missing = Refusals("onnx", "keep the weights with facula.save(model.state_dict(), ...) and export them with PyTorch")
ExportableModule: Kind = _missing.kind("ExportableModule")
ONNXProgram: Kind = _missing.kind("ONNXProgram")
dynamo_export: Refusal = _missing.function("dynamo_export")
export: Refusal = _missing.function("export")
register_custom_op_symbolic: Refusal = _missing.function("register_custom_op_symbolic")


class OnnxExporterError(OperationError):
    """What PyTorch's exporter raises: never raised here."""


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: False.

    >>> is_in_onnx_export()
    False
    """
    return False


publish(__name__)
