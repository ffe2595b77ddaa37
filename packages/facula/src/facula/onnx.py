"""facula.onnx: export of models to ONNX files, which requires the `onnx` package."""

from __future__ import annotations

from facula_errors import ArgumentError
from facula_errors.extend import boundary

from ._lookup.names import publish
from ._lookup.refusals import Kind, Refusal, Refusals
from ._lookup.siblings import needs

with needs("facula.onnx"):
    from facula_jit.onnx import OnnxExporterError, ONNXProgram, export

__all__ = [
    "ExportableModule", "ONNXProgram", "OnnxExporterError", "dynamo_export", "export", "is_in_onnx_export",
    "register_custom_op_symbolic", "unregister_custom_op_symbolic",
]  # fmt: skip

_missing = Refusals("onnx", "use facula.onnx.export(model, args, path): operators that it refuses are named")
ExportableModule: Kind = _missing.kind("ExportableModule")
dynamo_export: Refusal = _missing.function("dynamo_export")


def is_in_onnx_export() -> bool:
    """Return whether a model is being exported: False. Export records a normal run.

    >>> is_in_onnx_export()
    False
    """
    return False


_symbolics: dict[tuple[str, int], object] = {}


@boundary
def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: object, opset_version: int) -> None:
    """Register an operator's nodes for PyTorch's former exporter; `export` does not use them.

    Arguments:
        symbolic_name: the operator, such as "mylib::square".
        symbolic_fn: creates the nodes.
        opset_version: the version of the nodes.
    """
    if not isinstance(symbolic_name, str) or symbolic_name.count("::") != 1:
        raise ArgumentError(
            f"register_custom_op_symbolic: expected a name such as 'mylib::square'; got {symbolic_name!r}"
        )
    _symbolics[symbolic_name, opset_version] = symbolic_fn


@boundary
def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Remove the registration for a version.

    Arguments:
        symbolic_name: the operator.
        opset_version: the version.
    """
    if _symbolics.pop((symbolic_name, opset_version), None) is None:
        raise ArgumentError(
            f"unregister_custom_op_symbolic: expected an operator and a version that were registered; got "
            f"{symbolic_name!r}, {opset_version}"
        )


publish(__name__)
