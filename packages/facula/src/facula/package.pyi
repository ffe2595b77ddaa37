"""Names of PyTorch's torch.package, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

PackageExporter: _Kind
PackageImporter: _Kind
