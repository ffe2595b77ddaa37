"""Names of PyTorch's torch.export, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal
from facula_jit.onnx import Dim as Dim
from facula_jit.onnx import dims as dims

ExportedProgram: Kind
draft_export: Refusal
export: Refusal
load: Refusal
register_dataclass: Refusal
save: Refusal
unflatten: Refusal
