"""Names of PyTorch's torch._dynamo.exc, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

BackendCompilerFailed: Kind
TensorifyScalarRestartAnalysis: Kind
TorchRuntimeError: Kind
Unsupported: Kind
UserError: Kind
