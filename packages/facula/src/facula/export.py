"""facula.export: programs taken down with their weights: not there yet."""

from __future__ import annotations

from ._names import publish
from ._refusals import Refusals

__all__ = [
    "Dim", "ExportedProgram", "dims", "draft_export", "export", "load", "register_dataclass", "save", "unflatten",
]  # fmt: skip

_missing = Refusals("export", "keep the weights with facula.save(model.state_dict(), ...) and the model as Python code")
Dim = _missing.kind("Dim")
ExportedProgram = _missing.kind("ExportedProgram")
dims = _missing.function("dims")
draft_export = _missing.function("draft_export")
export = _missing.function("export")
load = _missing.function("load")
register_dataclass = _missing.function("register_dataclass")
save = _missing.function("save")
unflatten = _missing.function("unflatten")

publish(__name__)
