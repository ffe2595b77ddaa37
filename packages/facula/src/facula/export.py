"""facula.export: programs taken down with their weights: not there yet."""

from __future__ import annotations

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = [
    "Dim", "ExportedProgram", "dims", "draft_export", "export", "load", "register_dataclass", "save", "unflatten",
]  # fmt: skip

_missing = Refusals("export", "keep the weights with facula.save(model.state_dict(), ...) and the model as Python code")
Dim: Kind = _missing.kind("Dim")
ExportedProgram: Kind = _missing.kind("ExportedProgram")
dims: Refusal = _missing.function("dims")
draft_export: Refusal = _missing.function("draft_export")
export: Refusal = _missing.function("export")
load: Refusal = _missing.function("load")
register_dataclass: Refusal = _missing.function("register_dataclass")
save: Refusal = _missing.function("save")
unflatten: Refusal = _missing.function("unflatten")

publish(__name__)
