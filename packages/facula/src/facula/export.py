"""facula.export: sizes that may vary, for `facula.onnx.export`; exported programs are not there yet."""

from __future__ import annotations

from ._names import publish
from ._refusals import Kind, Refusal, Refusals
from ._siblings import needs

with needs("facula.export"):
    from facula_jit.onnx import Dim, dims

__all__ = [
    "Dim", "ExportedProgram", "dims", "draft_export", "export", "load", "register_dataclass", "save", "unflatten",
]  # fmt: skip

_missing = Refusals("export", "keep the weights with facula.save(model.state_dict(), ...) and the model as Python code")
ExportedProgram: Kind = _missing.kind("ExportedProgram")
draft_export: Refusal = _missing.function("draft_export")
export: Refusal = _missing.function("export")
load: Refusal = _missing.function("load")
register_dataclass: Refusal = _missing.function("register_dataclass")
save: Refusal = _missing.function("save")
unflatten: Refusal = _missing.function("unflatten")

publish(__name__)
