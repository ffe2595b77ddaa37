"""Names of PyTorch's torch.package, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

PackageExporter: Kind
PackageImporter: Kind
