"""Names of PyTorch's torch._dynamo.exc, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

BackendCompilerFailed: _Kind
TensorifyScalarRestartAnalysis: _Kind
TorchRuntimeError: _Kind
Unsupported: _Kind
UserError: _Kind
