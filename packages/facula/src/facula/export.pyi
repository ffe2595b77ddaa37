"""Names of PyTorch's torch.export, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula_jit.onnx import Dim as Dim
from facula_jit.onnx import dims as dims

ExportedProgram: _Kind
draft_export: _Refusal
export: _Refusal
load: _Refusal
register_dataclass: _Refusal
save: _Refusal
unflatten: _Refusal
